# shellcheck shell=bash disable=SC2154 # variables of the scripts that source this file
# Sourced by common.bash: the folder of a run, which one pipeline at a time may use.

# Checks that a folder that may be from somebody else has no links, through which files elsewhere could be replaced, and
# no pipes, which would block.
check_files() {
  local path
  path=$(find "$1" -maxdepth 3 ! -type f ! -type d -print -quit) || exit 2
  [[ -z $path || -n $trust ]] ||
    die "$path: is a symbolic link, or no file, and files elsewhere could be replaced; if you made it, add --trust"
}

# Locks a folder, because two pipelines in one folder would corrupt it. Tools that outlive a killed pipeline keep the
# lock: they have inherited file descriptor 9, by which the message finds them where there is /proc.
lock_folder() {
  local file pid processes=()
  check_files "$1"
  { exec 9>>"$1/lock"; } 2>/dev/null || die "$1/lock: cannot be written; make the folder writable"
  command -v flock >/dev/null || return 0
  if flock -n 9; then
    [[ $1/lock -ef /dev/fd/9 ]] || die "$1: another start has just been refused there; start again"
    return
  fi
  for file in /proc/[0-9]*/fd/9; do
    pid=${file#/proc/} pid=${pid%%/*}
    [[ $pid == "$$" || ! $file -ef $1/lock ]] || processes+=("$pid ($(cat "/proc/$pid/comm" 2>/dev/null))")
  done
  ((${#processes[@]} > 0)) || die "$1: is in use by another pipeline"
  die "$1: is in use by another pipeline, or by tools that outlive a killed one: process $(join_list "${processes[@]}")"
}

# Creates and locks the folder of a new run. `new_folders` are the folders that it creates, the innermost first.
new_folders=() new_lock='' files_before=''
start_folder() {
  local name next folder=$run
  while [[ ! -e $folder ]]; do
    new_folders+=("$folder")
    folder=$(dirname -- "$folder")
  done
  [[ -e $run/lock ]] || new_lock=1
  mkdir -p -- "$run" || exit 2
  # The files of a failed start, which has left a lock, are replaced. Files without a lock are not from a run, and stay.
  for name in init filter journal.jsonl; do
    [[ -e $run/lock || ! -e $run/$name ]] || die "$run: has \`$name\`, which is not from a run; use another folder"
  done
  lock_folder "$run"
  files_before=$'\n'$(ls -A -- "$run")$'\n'
  # Without flock, another run may have started in the folder.
  ! command -v flock >/dev/null || starting=1
  [[ ! -e $run/run.conf ]] || die "$run: has a run already; use --resume $run, or another folder"
  if [[ -s $run/journal.jsonl ]]; then
    next=$(update-stats --stats "$run/stats.db" --journal "$run/journal.jsonl" --next-step) || exit 2
    ((${next%% *} <= 1)) || die "$run: has the journal of a run, but no run.conf, so the run cannot be resumed;" \
      "use another folder"
    # Initial documents, perhaps cut short by a kill.
    rm -f -- "$run"/journal.jsonl "$run"/stats.db*
  fi
}

# Removes what a start has created that is refused before its first step, and so before run.conf is written. The lock is
# removed last, and stays if there are files of an earlier start.
remove_refused_start() {
  local path name left=''
  [[ ! -e $run/run.conf ]] || return 0
  for path in "$run"/{init,init.new,filter,rules.toml,journal.jsonl,run.conf.new} "$run"/*.db* "$run"/pages.warc.gz*; do
    [[ -e $path ]] || continue
    name=${path##*/}
    if [[ $files_before == *$'\n'"$name"$'\n'* ]]; then left=1; else rm -rf -- "$path"; fi
  done
  [[ -z $new_lock || -n $left ]] || rm -f -- "$run/lock"
  for path in "${new_folders[@]}"; do rmdir -- "$path" 2>/dev/null || return 0; done
}

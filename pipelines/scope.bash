# shellcheck shell=bash disable=SC2034,SC2154 # variables of the script that sources this file
# Sourced by corpus-builder: the hits that are wanted at all. Hosts can be allowed, denied and limited, and what an
# earlier corpus has is skipped: its URLs by search, before they are fetched, its texts by dedup.

# Replaces the folders among the files of --known, which are runs, by the files of their corpora, and makes the paths
# absolute, so that the run can be resumed from any folder.
expand_known() {
  local path files=()
  for path in "${known[@]}"; do
    if [[ -d $path ]]; then
      files+=("$path"/corpus/*.jsonl)
      [[ -e ${files[-1]} ]] || die "--known $path: has no corpus/*.jsonl; name the files of an earlier corpus, or its run"
    else
      files+=("$path")
    fi
  done
  known=()
  for path in "${files[@]}"; do
    [[ -f $path && -r $path ]] || die "--known $path: the file does not exist or cannot be read"
    path=$(cd -- "$(dirname -- "$path")" && pwd)/$(basename -- "$path")
    [[ $path != *$'\n'* ]] || die "the name of a file in run.conf cannot have a line feed"
    known+=("$path")
  done
}

# Checks the files of hosts, and copies them into the run folder.
copy_host_lists() {
  local option
  for option in hosts-allow hosts-deny; do
    [[ -n ${conf[$option]} ]] || continue
    [[ ! -e ${conf[$option]} || -f ${conf[$option]} ]] ||
      die "--$option ${conf[$option]}: is not a regular file; save it first"
    [[ -r ${conf[$option]} ]] ||
      die "--$option ${conf[$option]}: the file does not exist or cannot be read"
    search --engine "${conf[engine]}" "--$option=${conf[$option]}" --quiet </dev/null || exit 2
    cp -- "${conf[$option]}" "$run/init/$option"
  done
}

# Indexes the texts of an earlier corpus, which the run compares its documents with. A kill leaves no partial index.
index_known() {
  local file index=$run/known.db
  ((${#known[@]} > 0)) || return 0
  for file in "${known[@]}"; do
    grep -q '[^[:space:]]' -- "$file" || print_message "--known $file: has no records"
  done
  [[ -n $quiet ]] || print_message "reading the earlier corpus: $(join_list "${known[@]}")"
  rm -f -- "$index".new*
  dedup --index "$index.new" --force "${known[@]}" >/dev/null ||
    die "--known: a line of $(join_list "${known[@]}") is not a record; name files of records with url and text"
  mv -- "$index.new" "$index"
}

# Returns true if all that is needed of the earlier corpus is in the run, so that its files need not be there any more.
has_read_known() {
  [[ -f $run/known.db && -f $run/hits.db ]] && "${search[@]}" --hits "$run/hits.db" </dev/null 2>/dev/null
}

# Checks the files of an earlier corpus before a run is resumed. If one has changed, all are indexed again, unless the run
# is only checked.
check_known() {
  local file lost=() changed=()
  for file in "${known[@]}"; do
    if [[ ! -f $file || ! -r $file ]]; then lost+=("$file")
    elif [[ $file -nt $run/known.db ]]; then changed+=("$file"); fi
  done
  if ((${#lost[@]} > 0)) && { ((${#changed[@]} > 0)) || ! has_read_known; }; then
    die "--known $(join_list "${lost[@]}"): does not exist any more, or cannot be read; restore it, or start a new run"
  fi
  if ((${#changed[@]} > 0)); then
    print_message "--known $(join_list "${changed[@]}"): has changed since the run read it"
    [[ -n $stop_after ]] || index_known
  fi
}

# Sets `hit_scope` and `text_scope`, options of search and dedup.
set_scope() {
  local option file
  hit_scope=() text_scope=()
  for option in hosts-allow hosts-deny; do
    [[ -z ${conf[$option]} ]] || hit_scope+=("--$option" "$run/init/$option")
  done
  [[ -z ${conf[per-host]} ]] || hit_scope+=(--per-host "${conf[per-host]}")
  ((${#known[@]} > 0)) || return 0
  for file in "${known[@]}"; do hit_scope+=(--known "$file"); done
  text_scope=(--against "$run/known.db")
}

# shellcheck shell=bash disable=SC2034,SC2154 # the variables of those who source it
# Sourced by the pipelines: messages, tools, settings, and the lock of a run's folder.
#
# A pipeline sets `conf` (settings and their defaults) before it parses its arguments. Every exit that is not 0 is 2.

pipeline=$(basename "$0")
# shellcheck disable=SC2034 # the pipelines print it
version=0.1.0
unset CDPATH # with it, cd prints
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[1]}")")" && pwd)
# Installed, the text of --help and this file are apart from the programs.
shared=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# Whatever else fails, fails with 2, and has said why.
trap 'code=$?; ((code == 0 || code == 2)) || exit 2' EXIT
trap 'exit 2' INT TERM HUP

# Ctrl-C ends all of a shell's pipe: what reads the messages may be gone before the run has written what it has.
say() { (trap '' PIPE; printf '%s: %s\n' "$pipeline" "$*" 2>/dev/null >&3) 3>&2 || :; }
die() { say "$*"; exit 2; }

usage() { cat -- "$shared/$pipeline.txt"; }

# Installed, the tools are beside the pipelines; in a checkout they are where `make` builds them.
command -v gen-query >/dev/null || PATH="$here:$here/../target/release:$PATH"
need() {
  local tool
  for tool; do command -v "$tool" >/dev/null || die "$tool is not on the PATH; build the tools with \`make\`"; done
}

least() { (($1 < $2)) && echo "$1" || echo "$2"; }

# --- settings -------------------------------------------------------------------------------------------------------

declare -A conf=()
# Settings that were given, as `key=value`, and initial documents, as `class=file`.
given=() inits=()

# Takes one option with its value: `--init CLASS=FILE`, unless `init` is a setting, or a setting. What begins or
# continues a run is the caller's.
take_option() {
  case $1 in
    --init) if [[ -v conf[init] ]]; then given+=("init=$2"); else inits+=("$2"); fi ;;
    --*) [[ $1 != --folder && -v conf[${1#--}] ]] || die "no option $1; see --help"
      given+=("${1#--}=$2") ;;
    *) die "$1 is no option; see --help" ;;
  esac
}

# Applies the settings that were given to `conf`.
apply_given() {
  local setting
  for setting in ${given[@]+"${given[@]}"}; do
    [[ $setting != *$'\n'* ]] || die "--${setting%%=*}: must be one line"
    conf[${setting%%=*}]=${setting#*=}
    [[ -n ${setting#*=} ]] || die "--${setting%%=*}: a value is missing"
  done
}

# Refuses settings that were given and are not named: a run that is resumed has its own.
refuse_given_except() {
  local setting
  for setting in ${given[@]+"${given[@]}"}; do
    [[ " $* " == *" ${setting%%=*} "* ]] || die "--${setting%%=*} belongs to a new run; $run has its own"
  done
}

# Checks that settings match a pattern, where they are set: `check_settings PATTERN WHAT SETTING...`.
check_settings() {
  local pattern=$1 what=$2 setting
  for setting in "${@:3}"; do
    [[ -z ${conf[$setting]} || ${conf[$setting]} =~ $pattern ]] || die "--$setting ${conf[$setting]}: $what"
  done
}

# Reads FILE: a line a setting, `key=value`, and a line `init=CLASS=FILE` for each initial document.
read_conf() {
  local line key number=0
  while IFS= read -r line || [[ -n $line ]]; do
    number=$((number + 1)) key=${line%%=*}
    if [[ $line == *=* && -n $key && -v conf[$key] ]]; then conf[$key]=${line#*=}
    elif [[ $key == init ]]; then inits+=("${line#init=}")
    else die "$1:$number: is no setting; the file is damaged"; fi
  done <"$1"
}

# Writes FILE as `read_conf` reads it, whole or not at all.
write_conf() {
  local key
  {
    for key in $(printf '%s\n' "${!conf[@]}" | sort); do printf '%s=%s\n' "$key" "${conf[$key]}"; done
    ((${#inits[@]} == 0)) || printf 'init=%s\n' "${inits[@]}"
  } >"$1.new"
  mv "$1.new" "$1"
}

# Two pipelines in one folder would spoil it. Tools that outlive a killed pipeline hold the lock, too.
lock_folder() {
  { exec 9>"$1/lock"; } 2>/dev/null || die "$1/lock: can't be written; the folder must be writable"
  ! command -v flock >/dev/null || flock -n 9 || die "$1: another pipeline is at work in it"
}

# --- initial documents ----------------------------------------------------------------------------------------------

check_inits() {
  local init class file other
  for init in "${inits[@]}"; do
    class=${init%%=*} file=${init#*=}
    [[ $init == *=* ]] || die "--init $init: a class and a file are wanted, as in slv=seed.txt"
    [[ $class =~ ^[[:alnum:]_][[:alnum:]_.-]*$ ]] || die "--init $init: a class is a word: letters, digits, - _ ."
    [[ -r $file && -f $file ]] || die "--init $init: there is no such file to read"
    for other in "${inits[@]}"; do
      [[ ${other%%=*} == "$class" ]] || ! cmp -s -- "$file" "${other#*=}" ||
        die "--init $init and --init $other: the same text can't be of both"
    done
  done
}

# Copies the initial documents into the run, so that it can be repeated without what it was started from.
copy_inits() {
  local init class file copy copies=()
  rm -rf "$run/init.new"
  mkdir "$run/init.new"
  for init in "${inits[@]}"; do
    class=${init%%=*} file=${init#*=}
    case $file in *.jsonl) copy=init/${#copies[@]}-$class.jsonl ;; *) copy=init/${#copies[@]}-$class.txt ;; esac
    cp -- "$file" "$run/init.new/${copy#init/}"
    copies+=("$class=$copy")
  done
  # What a start that failed has learned is of its own documents.
  rm -rf "$run/init" "$run/filter"
  mv "$run/init.new" "$run/init"
  inits=("${copies[@]}")
}

# shellcheck shell=bash disable=SC2034,SC2154 # variables of the scripts that source this file
# Sourced by experiment: messages, tools, settings, and the lock of its folder.
#
# Before it sources this file, the script sets `flags` (its options without a value), and before it parses its arguments
# `conf` (the settings and their defaults). The exit code is 0 or 2.

# The oldest bash that the tests have been run with.
if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 404)); then
  echo "${0##*/}: bash $BASH_VERSION is too old; install bash 4.4 or later" >&2
  exit 2
fi

pipeline=$(basename "$0")
version=0.1.0
unset CDPATH # with it, cd prints
program_dir=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[1]}")")" && pwd)

# Any other exit code becomes 2; the command that failed has printed a message.
trap '(($? == 0 || $? == 2)) || exit 2' EXIT
trap 'exit 2' INT TERM HUP

# Ctrl-C ends all processes of a shell's pipe. The reader of the messages may be gone before the run has written its
# results, so SIGPIPE is ignored here. Messages may quote what comes from the web, or from a foreign run.
print_message() {
  local message=$*
  (trap '' PIPE; printf '%s: %s\n' "$pipeline" "${message//[[:cntrl:]]/?}" 2>/dev/null >&3) 3>&2 || :
}
die() { print_message "$*"; exit 2; }

# The arguments of the pipeline, with `--option=value` as two. `set` in a sourced file changes those of the script.
arguments=()
for argument; do
  case $argument in
    --?*=*)
      [[ " $flags " != *" ${argument%%=*} "* ]] || die "${argument%%=*} takes no value"
      arguments+=("${argument%%=*}" "${argument#*=}") ;;
    *) arguments+=("$argument") ;;
  esac
done
set -- "${arguments[@]}"

require_tools() {
  local tool
  for tool; do command -v "$tool" >/dev/null || die "$tool: is not on the PATH; build the tools with \`make\`"; done
}

# --- settings -------------------------------------------------------------------------------------------------------

declare -A conf=()
# Settings given as options, as `key=value`.
given_settings=()
# Set by --trust.
trust=''

# Parses an option with its value, which is a setting.
parse_option() {
  [[ -v conf[${1#--}] ]] || die "$1 is not an option; see --help"
  given_settings+=("${1#--}=$2")
}

# Refuses a start without required options: `require_options OPTION VALUE...`, with an empty value for a missing one.
require_options() {
  local missing=()
  while (($# > 0)); do
    [[ -n $2 ]] || missing+=("$1")
    shift 2
  done
  case ${#missing[@]} in
    0) ;;
    1) die "${missing[0]} is required; see --help" ;;
    *) die "$(join_list "${missing[@]}") are required; see --help" ;;
  esac
}

# Copies the given settings to `conf`.
apply_given_settings() {
  local setting
  for setting in "${given_settings[@]}"; do
    [[ $setting != *$'\n'* ]] || die "--${setting%%=*}: must be one line"
    conf[${setting%%=*}]=${setting#*=}
    [[ -n ${setting#*=} ]] || die "--${setting%%=*}: a value is missing"
  done
}

# Checks that settings match a pattern, if they are set: `check_settings PATTERN MESSAGE SETTING...`.
check_settings() {
  local pattern=$1 message=$2 setting
  for setting in "${@:3}"; do
    [[ -z ${conf[$setting]} || ${conf[$setting]} =~ $pattern ]] || die "--$setting ${conf[$setting]}: $message"
  done
}

# Reads FILE: a line `key=value` for each setting. The file may be foreign, so nothing of it is executed.
read_conf() {
  local line number=0
  check_files "$(dirname "$1")"
  while IFS= read -r line; do
    number=$((number + 1))
    [[ $line =~ ^([a-z-]+)=([^[:cntrl:]]*)$ && -v conf[${BASH_REMATCH[1]}] ]] ||
      die "$1:$number: is not a setting; the file is damaged, or of another version"
    conf[${BASH_REMATCH[1]}]=${BASH_REMATCH[2]}
  done <"$1"
}

# Writes FILE in the format of `read_conf`, atomically.
write_conf() {
  local key
  for key in $(printf '%s\n' "${!conf[@]}" | sort); do printf '%s=%s\n' "$key" "${conf[$key]}"; done >"$1.new"
  mv "$1.new" "$1"
}

# Writes the arguments as a list in a sentence.
join_list() {
  local list=$1
  for item in "${@:2}"; do list+=", $item"; done
  printf '%s\n' "$list"
}

# --- the folder -----------------------------------------------------------------------------------------------------

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

# shellcheck shell=bash disable=SC2034,SC2154 # variables of the scripts that source this file
# Sourced by the pipelines: messages, tools, settings, and the lock of a run folder.
#
# Before it sources this file, a pipeline sets `flags` (its options without a value), and before it parses its arguments
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
# In an installation, the text of --help and this file are in another folder than the programs.
shared_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# Any other exit code becomes 2; the command that failed has printed a message. `scratch` is a temporary folder,
# `starting` is set when a new run has its folder, and `unfinished` is the message of a run that ends without another one:
# a signal may end a command substitution, and with it the run, before its handler is reached.
scratch='' starting='' unfinished=''
end_pipeline() {
  local code=$?
  [[ $code == 0 || -z $unfinished ]] || print_message "$unfinished"
  [[ -z $scratch ]] || rm -rf -- "$scratch"
  [[ -z $starting ]] || remove_refused_start
  ((code == 0 || code == 2)) || exit 2
}
trap end_pipeline EXIT
trap 'exit 2' INT TERM HUP

# Set if the run can be resumed only with --trust.
needs_trust=''

# Ctrl-C ends all processes of a shell's pipe. The reader of the messages may be gone before the run has written its
# results, so SIGPIPE is ignored here. Messages may quote what comes from the web, or from a foreign run.
print_message() {
  local message=$*
  [[ -z $needs_trust ]] || message=${message//"--resume $run"/"--resume $run --trust"}
  (trap '' PIPE; printf '%s: %s\n' "$pipeline" "${message//[[:cntrl:]]/?}" 2>/dev/null >&3) 3>&2 || :
}
die() { unfinished=''; print_message "$*"; exit 2; }

# The arguments of the pipeline, with `--option=value` as two. `set` in a sourced file changes those of the script. Files
# of an option that takes several end at the next option, so a name that begins with `-` gets its folder.
arguments=()
for argument; do
  case $argument in
    --known=-* | --core=-*) arguments+=("${argument%%=*}" "./${argument#*=}") ;;
    --?*=*)
      [[ " $flags " != *" ${argument%%=*} "* ]] || die "${argument%%=*} takes no value"
      arguments+=("${argument%%=*}" "${argument#*=}") ;;
    *) arguments+=("$argument") ;;
  esac
done
set -- "${arguments[@]}"

usage() { cat -- "$shared_dir/$pipeline.txt"; }

# In an installation, the tools are next to the pipelines; in a checkout they are where `make` builds them.
command -v gen-query >/dev/null || PATH="$program_dir:$program_dir/../target/release:$PATH"
require_tools() {
  local tool
  for tool; do command -v "$tool" >/dev/null || die "$tool: is not on the PATH; build the tools with \`make\`"; done
}

min() { (($1 < $2)) && echo "$1" || echo "$2"; }

# Writes an engine, with the path of an embedded index made absolute, so that the run can be resumed from any folder:
# `absolute_engine OPTION SPEC`.
absolute_engine() {
  local folder
  [[ $2 == index:* ]] || { printf '%s\n' "$2"; return; }
  folder=$(cd -- "${2#index:}" 2>/dev/null && pwd) || die "--$1 $2: no such folder"
  [[ $folder != *$'\n'* ]] || die "the name of a folder in run.conf cannot have a line feed"
  printf 'index:%s\n' "$folder"
}

# --- settings -------------------------------------------------------------------------------------------------------

declare -A conf=()
# Settings given as options, as `key=value`; initial documents, as `class=file`; files of an earlier corpus.
given_settings=() inits=() known=()
# The engines of a pipeline that has several; for others the setting `engine` is one.
engines=()
# Set by --trust.
trust=''

# Parses an option with its value: a setting, or `--init CLASS=FILE` if `init` is not a setting. The caller parses
# the options that start or resume a run.
parse_option() {
  case $1 in
    --init) if [[ -v conf[init] ]]; then given_settings+=("init=$2"); else inits+=("$2"); fi ;;
    --*) [[ $1 != --folder && -v conf[${1#--}] ]] || die "$1 is not an option; see --help"
      given_settings+=("${1#--}=$2") ;;
    *) die "$1 is not an option; see --help" ;;
  esac
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

# Refuses given settings that are not among the arguments: a resumed run has its own.
refuse_given_settings_except() {
  local setting
  for setting in "${given_settings[@]}"; do
    [[ " $* " == *" ${setting%%=*} "* ]] || die "--${setting%%=*} belongs to a new run; $run has its own"
  done
}

# Checks that settings match a pattern, if they are set: `check_settings PATTERN MESSAGE SETTING...`.
check_settings() {
  local pattern=$1 message=$2 setting
  for setting in "${@:3}"; do
    [[ -z ${conf[$setting]} || ${conf[$setting]} =~ $pattern ]] || die "--$setting ${conf[$setting]}: $message"
  done
}

# Reads FILE: a line `key=value` for each setting, a line `init=CLASS=FILE` for each initial document, `engine=SPEC` for
# each of several engines, and `known=FILE` for each file of an earlier corpus. The file may be foreign: update-stats
# passes on known settings only, and commands only with --trust, as nothing of it may be executed.
read_conf() {
  local settings line key
  check_files "$(dirname "$1")"
  settings=$(update-stats --settings "$1" --setting-names "$(IFS=,; echo "${!conf[*]}")" ${trust:+--trust}) || exit 2
  while IFS= read -r line; do
    key=${line%%=*}
    case $key in
      init) if [[ -v conf[init] ]]; then conf[init]=${line#init=}; else inits+=("${line#init=}"); fi ;;
      engine) if [[ -v conf[engine] ]]; then conf[engine]=${line#engine=}; else engines+=("${line#engine=}"); fi ;;
      known) known+=("${line#known=}") ;;
      ?*) conf[$key]=${line#*=} ;;
    esac
  done <<<"$settings"
}

# Writes FILE in the format of `read_conf`, atomically.
write_conf() {
  local key
  {
    for key in $(printf '%s\n' "${!conf[@]}" | sort); do printf '%s=%s\n' "$key" "${conf[$key]}"; done
    ((${#inits[@]} == 0)) || printf 'init=%s\n' "${inits[@]}"
    ((${#engines[@]} == 0)) || printf 'engine=%s\n' "${engines[@]}"
    ((${#known[@]} == 0)) || printf 'known=%s\n' "${known[@]}"
  } >"$1.new"
  mv "$1.new" "$1"
}

# Writes the arguments as a list in a sentence.
join_list() {
  local list=$1
  for item in "${@:2}"; do list+=", $item"; done
  printf '%s\n' "$list"
}

# shellcheck source=pipelines/folder.bash
source "$shared_dir/folder.bash"
# shellcheck source=pipelines/progress.bash
source "$shared_dir/progress.bash"

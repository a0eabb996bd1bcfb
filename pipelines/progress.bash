# shellcheck shell=bash disable=SC2034,SC2154 # variables of the scripts that source this file
# Sourced by common.bash: the limits of a run, its progress towards them, and the reason that it ends. Unless `quiet` is
# set, these messages have the time of day.

# The settings that limit the run, and the variables that count towards them. `collected` and `words` are the documents
# and words in the corpora of the targets.
limits=(docs relevant words queries calls)
declare -A counter_of=([docs]=docs [relevant]=collected [words]=words [queries]=steps [calls]=calls) count_at_start=()

# Sets `reached` to the first limit that is reached; returns false if none is.
is_limit_reached() {
  local limit steps=$((step - 1))
  for limit in "${limits[@]}"; do
    reached=$limit
    [[ -z ${conf[$limit]-} ]] || ((${!counter_of[$limit]} < conf[$limit])) || return 0
  done
  return 1
}

# Starts the clock of the progress reports.
progress_interval=10
start_progress() {
  local limit steps=$((step - 1))
  started_at=$SECONDS next_progress=$((SECONDS + progress_interval))
  for limit in "${limits[@]}"; do count_at_start[$limit]=${!counter_of[$limit]}; done
}

# Prints a message with the time of day.
print_timed_message() {
  local now
  printf -v now '%(%H:%M:%S)T: ' -1
  [[ -z $quiet ]] || now=''
  print_message "$now$*"
}

# Writes ` after DURATION`, the duration of this session.
session_duration() { [[ -n $quiet ]] || printf ' after %s' "$(format_duration $((SECONDS - started_at)))"; }

# Reports what is done of the limit that will be reached first at the present rate, and the time until then; at most
# every ten seconds.
report_progress() {
  local limit count gained left least='' nearest='' steps=$((step - 1)) message
  local -A shown=()
  [[ -z $quiet ]] && ((SECONDS >= next_progress)) || return 0
  next_progress=$((SECONDS + progress_interval))
  for limit in "${limits[@]}"; do
    count=${!counter_of[$limit]} shown[$limit]=${!counter_of[$limit]}
    [[ -n ${conf[$limit]-} ]] || continue
    gained=$((count - count_at_start[$limit]))
    : "${nearest:=$limit}"
    ((gained > 0)) || continue
    left=$(((SECONDS - started_at) * (conf[$limit] - count) / gained))
    [[ -z $least ]] || ((left < least)) || continue
    least=$left nearest=$limit
  done
  [[ -z $nearest ]] || shown[$nearest]+=" of ${conf[$nearest]} (--$nearest)"
  message="${shown[docs]} documents retrieved, ${shown[relevant]} in the corpus with ${shown[words]} words"
  [[ $nearest != queries && $nearest != calls ]] || message="${shown[$nearest]}; $message"
  [[ -z $least ]] || message+="; about $(format_duration "$least") left"
  print_timed_message "$message"
}

# Writes a number of seconds in a unit that suits it.
format_duration() {
  if (($1 < 120)); then
    echo "$1 s"
  elif (($1 < 7200)); then
    echo "$((($1 + 30) / 60)) min"
  else
    echo "$((($1 + 1800) / 3600)) h"
  fi
}

# Reports why the run has ended, and what goes further: `report_end ADVICE`, for a run without a further query. `reached`
# is a limit, budget if the next step needs more calls than are left, or exhausted.
report_end() {
  local reason further resume_command
  check_fetched
  resume_command="continue with --resume $(printf %q "$run")"
  case $reached in
    budget)
      reason="the next step needs more calls than --calls ${conf[calls]} leaves" further="$resume_command --calls N" ;;
    exhausted)
      reason="no query is left" further=$1
      # The strategy has reported it in the loop, among other messages.
      if [[ -n ${conf[until-coverage]-} && $(generate_query 2>&1 >/dev/null) == *"coverage reached"* ]]; then
        reason="--until-coverage ${conf[until-coverage]} is reached" further="$resume_command --until-coverage S"
      fi ;;
    *) reason="--$reached ${conf[$reached]} is reached" further="$resume_command --$reached N" ;;
  esac
  print_timed_message "ended$(session_duration): $reason; $further"
}

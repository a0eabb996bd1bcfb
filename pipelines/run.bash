# shellcheck shell=bash disable=SC2034,SC2154 # variables of the scripts that source this file
# Sourced by pipelines that run steps: start and resume a run, end a step, stop.

# The command of a filter with a state file, which is derived from the journal; none for most filters.
stateful_filter=()

# The command of the frontier of a crawl, which is derived from the journal; none for other pipelines.
frontier=()

# Pipelines may define these: the first adds initial records that are no documents, such as seeds, to the journal; the
# second tries the commands of a step before run.conf is written.
add_initial_records() { :; }
try_step() {
  local messages
  # Messages about an exhausted target are dropped here; the loop repeats them.
  messages=$(generate_query 2>&1 >/dev/null) || { printf '%s\n' "$messages" >&2; exit 2; }
  "${search[@]}" </dev/null
}

# The command that labels all documents of the journal again for the corpus; none for most filters. A pipeline may
# define `set_final_filter`, which sets it at the end of a run.
final_filter=()
set_final_filter() { :; }

# Options of update-stats for the initial documents; none for most pipelines.
initial_options=()

# Counts the initial documents, which are the first records of the journal. run.conf is written later, when all settings
# have proved to work, so that a run that fails before can be fixed and started again.
initialise() {
  local init initial=()
  for init in "${inits[@]}"; do initial+=(--init "${init%%=*}=$run/${init#*=}"); done
  "${stats[@]}" --from-step 0 "${initial_options[@]}" "${initial[@]}" || {
    (($? != 1)) || die "the initial documents cannot be counted: a line is not a record, or has no text"
    exit 2
  }
  add_initial_records
  # An initial document that an engine returns is a duplicate.
  "${dedup[@]}" --rebuild "$journal"
  ((${#stateful_filter[@]} == 0)) || "${stateful_filter[@]}" --rebuild "$journal"
  ((${#frontier[@]} == 0)) || "${frontier[@]}" --rebuild "$journal"
  step=1 docs=0 calls=0 relevant=0 collected=0 words=0
  try_step
}

# Makes the state files agree with the journal: rebuilds a file that lacks steps, for example a copy without its WAL,
# and removes an incomplete step. Afterwards each file is complete without its WAL.
settle_state() {
  "${dedup[@]}" --rebuild "$journal" --if-behind "$step" "${quiet_option[@]}"
  ((${#stateful_filter[@]} == 0)) ||
    "${stateful_filter[@]}" --rebuild "$journal" --if-behind "$step" "${quiet_option[@]}"
  ((${#frontier[@]} == 0)) ||
    "${frontier[@]}" --rebuild "$journal" --if-behind "$step" "${quiet_option[@]}"
  # A crawl has no cache of hits, unless it asks an engine for in-links. Without it, only pages of hits are lost.
  if ((${#frontier[@]} == 0)) || [[ -e $run/hits.db ]]; then
    search --hits "$run/hits.db" --rebuild "$journal" --if-behind "$step" "${quiet_option[@]}"
  fi
}

# Tests whether the engine still has hits, if it is on the web and its last queries had none.
has_engine_hits() {
  [[ ${conf[engine]} == index:* ]] || "${engine_command[@]}" --hits "$run/hits.db" --probe >/dev/null
}

# Removes the steps since the last one with a hit, in which the engine had none because it failed, so that their queries
# are sent again.
repeat_steps_without_hits() {
  local last_hit
  # Within the text of a page, the quotation marks are escaped.
  last_hit=$(grep '"rank":[0-9]' -- "$journal" | tail -n 1 | grep -o '"step":{"number":[0-9]*' || :)
  step=$((${last_hit##*:} + 1))
  "${stats[@]}" --from-step "$step" </dev/null
  search --hits "$run/hits.db" --rebuild "$journal" --if-behind "$step" --forget-empty --quiet
  read_tally
  if ((step > 0)); then settle_state; else initialise; fi
}

# Repairs journal and statistics, and reads the progress of the run.
read_tally() {
  local tally
  tally=$("${stats[@]}" --next-step)
  read -r step docs calls outcome relevant collected words <<<"$tally"
}

# Writes the kind of the failure of `search` that the journal ends with, if it ends with one.
last_failure() {
  local record
  [[ -n $resume && -s $journal ]] || return 0
  record=$(tail -n 1 -- "$journal")
  [[ ! $record =~ \"error\":\{\"tool\":\"search\",\"kind\":\"(refused|throttled|engine-down|no-hits)\" ]] ||
    printf '%s' "${BASH_REMATCH[1]}"
}

# Removes the last step, whose query was not answered, so that it is repeated under its number: the strategy draws random
# numbers by step, and a run that goes on is to be the same as an undisturbed one.
remove_failed_step() {
  "${stats[@]}" --from-step $((step - 1)) </dev/null
  read_tally
}

# Starts or resumes the run. From then on, an interrupted run writes its results.
start_or_resume() {
  step=0
  [[ -z $resume ]] || read_tally
  [[ $(last_failure) =~ ^$|^no-hits$ ]] || remove_failed_step
  # A run whose pages all failed may have been without a network: its hits are not used up.
  if ((step > 1 && docs == 0)) && grep -q '"error":{"tool":"fetch-extract"' -- "$journal"; then
    "${stats[@]}" --from-step 1 </dev/null
    read_tally
  fi
  if ((step > 0)); then settle_state; else initialise; fi
  if [[ $(last_failure) == no-hits ]]; then
    has_engine_hits || stop_run "the engine still has no hits; $(advise_engine_test)"
    repeat_steps_without_hits
  fi
  [[ -z $bootstrapped ]] || bootstrap_filter
  write_conf "$run/run.conf"
  (trust='' inits=() known=(); read_conf "$run/run.conf") 2>/dev/null || needs_trust=1
  start_progress
  unfinished="stopped; continue with --resume $run, which also writes the results"
  trap interrupt_run INT TERM HUP
}

# Writes the message of the last record of the journal, if it is an error record, in brackets.
last_error() {
  local record
  record=$(tail -n 1 -- "$journal")
  [[ ! $record =~ \"error\":\{\"tool\":\"[^\"]*\",\"kind\":\"[^\"]*\",\"message\":\"(([^\"\\]|\\.)*) ]] ||
    printf ' (%s)' "${BASH_REMATCH[1]}"
}

advise_other_hosts="no hit is on a host that --hosts-allow and --hosts-deny admit; start a new run with other lists of hosts"

# Writes what helps if an engine has no hits and should.
advise_engine_test() {
  printf '%s' "test it with \`search --engine ${conf[engine]} --canary\`: is the address right, are the engines behind it" \
    " suspended or disabled, is another language set? When that is fixed, continue with --resume $run"
}

# Executes a step, whose tools `run_step` starts in the background, and sets `tally`. Returns false if a tool has failed.
# Bash handles a signal only after a command in the foreground has ended, and a tool may wait for an engine for an hour.
execute_step() {
  run_step
  wait "$!" || return
  read -r tally <"$run/tally"
}

# Ends the tools of an interrupted step.
end_tools() {
  local line
  jobs -l >"$run/tally"
  while IFS= read -r line; do
    [[ ! $line =~ ^(\[[0-9]+\][-+]?)?\ *([0-9]+)\  ]] || kill "${BASH_REMATCH[2]}" 2>/dev/null || :
  done <"$run/tally"
  wait || :
}

# Reads the tally of a step. Returns false if the run has to end because the step needs more calls than are left.
end_step() {
  local finished=$step
  read -r step docs calls outcome relevant collected words <<<"$1"
  case $outcome in
    budget) # the step is repeated when the run is resumed with more calls
      "${stats[@]}" --from-step "$finished" </dev/null
      return 1 ;;
    refused) stop_run "the engine refuses queries$(last_error); when that is fixed, continue with --resume $run" ;;
    no-hits)
      [[ $(last_error) != *--hosts-* ]] || stop_run "$advise_other_hosts"
      stop_run "the engine seems to fail$(last_error); $(advise_engine_test)" ;;
    # `search` has waited for --patience.
    throttled) stop_run "the engine asks to wait longer than --patience ${conf[patience]}$(last_error); continue later with" \
      "--resume $run, or with a longer --patience" ;;
    engine-down) stop_run "the engine has not answered for --patience ${conf[patience]} seconds$(last_error); when it answers" \
      "again, continue with --resume $run" ;;
  esac
  # Otherwise the step would be repeated forever.
  ((step > finished)) ||
    stop_run "step $finished: its last record did not reach update-stats; fetch-extract, dedup and the filter must" \
      "pass on every record"
}

# Writes corpus/ and report.json. Called whenever the run ends or stops.
write_results() {
  read_tally
  local corpus=(corpus-export --force --format jsonl,text --target "${conf[target]}" --out "$run/corpus/")
  set_final_filter
  if ((${#final_filter[@]} > 0)); then
    "${final_filter[@]}" --quiet <"$journal" | "${corpus[@]}" --journal
  else
    "${corpus[@]}" --journal "$journal"
  fi
  "${stats[@]}" --report --verbose --target "${conf[target]}" >"$run/report.json.new" </dev/null
  mv "$run/report.json.new" "$run/report.json"
  rm -f -- "$run/tally"
  settle_state
}

# Stops a run that can be resumed. The reason is the last message.
stop_run() {
  # A second signal ends the run immediately. A signal to the whole process group reaches the tools first, so that the
  # run may stop because they failed, and the signal comes now: it is handled before `:`, or ignored.
  :
  if [[ -n $interrupted ]]; then trap 'exit 2' INT TERM HUP; else trap "trap 'exit 2' INT TERM HUP" INT TERM HUP; fi
  write_results
  unfinished=''
  print_timed_message "$@"
  exit 2
}

# Stops a run in whose step a tool has failed, which has printed the cause.
stop_incomplete() {
  stop_run "step $step is not complete; when the cause is removed, continue with --resume $run"
}

# Ends a run that has fetched no page with an error, although a limit may be reached. Its results are written.
check_fetched() {
  local failed
  ((docs == 0)) || return 0
  failed=$(grep -c '"error":{"tool":"fetch-extract"' -- "$journal") || return 0
  die "none of $failed pages could be fetched; report.json has the errors by kind; when their cause is removed," \
    "continue with --resume $run"
}

interrupted=''
interrupt_run() {
  interrupted=1
  end_tools
  print_message "interrupted; writing the documents collected so far to $run/corpus"
  stop_run "interrupted; continue with --resume $run"
}

# shellcheck shell=bash disable=SC2034,SC2154 # the variables of those who source it
# Sourced by the pipelines that run steps: how a run begins, ends a step, stops, and is resumed.

# The initial documents are the first records of the journal. Only when all settings have proved to work is there a
# run.conf: what fails before it can be fixed and started again.
initialise() {
  local init said initial=()
  for init in "${inits[@]}"; do initial+=(--init "${init%%=*}=$run/${init#*=}"); done
  "${stats[@]}" --from-step 0 "${initial[@]}"
  # One that an engine returns is no new document.
  dedup --index "$run/seen.db" --rebuild "$journal"
  step=1 docs=0 calls=0
  # What it reports of an exhausted target, the loop will report.
  said=$(next_query 2>&1 >/dev/null) || { printf '%s\n' "$said" >&2; exit 2; }
  "${search[@]}" </dev/null
}

# Brings state to the journal: rebuilds what lacks steps, as a copy without its WAL does, and has it forget a step that
# broke off. Leaves each state file complete by itself.
settle_state() {
  dedup --index "$run/seen.db" --rebuild "$journal" --if-behind "$step" ${quietly[@]+"${quietly[@]}"}
  search --hits "$run/hits.db" --rebuild "$journal" --if-behind "$step" ${quietly[@]+"${quietly[@]}"}
}

# Reads how far the run has come, after repairing journal and statistics.
read_tally() {
  local tally
  tally=$("${stats[@]}" --next-step)
  read -r step docs calls outcome <<<"$tally"
}

# From here on an interrupted run writes what it has.
begin_or_resume() {
  step=0
  [[ -z $resume ]] || read_tally
  if ((step > 0)); then settle_state; else initialise; fi
  [[ -z $unknown ]] || bootstrap_filter
  write_conf "$run/run.conf"
  trap 'stop "interrupted; writing what has been collected to $run/corpus; --resume $run continues the run"' INT TERM HUP
}

# Takes the tally of a step: false where the run has to end, as the step needs more calls than are left.
end_step() {
  local asked=$step
  read -r step docs calls outcome <<<"$1"
  case $outcome in
    budget) # it is taken when there are more
      "${stats[@]}" --from-step "$asked" </dev/null
      return 1 ;;
    refused) stop "the engine refuses; when that is fixed, continue with --resume $run" ;;
    # `search` has waited as long as the patience lasts.
    throttled) stop "the engine asks to wait for longer than --patience ${conf[patience]}; continue later with" \
      "--resume $run, or with a longer --patience" ;;
    engine-down) stop "the engine has not answered in --patience ${conf[patience]} seconds; when it does, continue" \
      "with --resume $run" ;;
  esac
  # It would be asked again for ever.
  ((step > asked)) || stop "step $asked did not bring its last record to update-stats; fetch-extract, dedup and the" \
    "filter must pass every record on"
}

# Writes what has been collected to corpus/ and report.json, however the run stops.
finish() {
  read_tally
  local corpus=(corpus-export --format jsonl,text --target "${conf[target]}" --out "$run/corpus/")
  if [[ -n $unknown ]]; then
    # At the end all documents are judged by what was learned from all.
    bootstrap_filter --final
    "${filter[@]}" --force --quiet <"$journal" | "${corpus[@]}" --journal
  else
    "${corpus[@]}" --journal "$journal"
  fi
  "${stats[@]}" --report --verbose --target "${conf[target]}" >"$run/report.json.new" </dev/null
  mv "$run/report.json.new" "$run/report.json"
  settle_state
}

# Ends a run that can be resumed.
stop() {
  # A second signal ends it at once.
  trap 'exit 2' INT TERM HUP
  say "$@"
  finish
  exit 2
}

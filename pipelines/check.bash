# shellcheck shell=bash disable=SC2154 # variables of the script that sources this file
# Sourced by corpus-builder: --check and --dry-run, which try what a run does before its first step, in a temporary
# folder.

# Uses a temporary folder in place of RUN, which is neither created nor changed.
use_scratch_folder() {
  [[ -z $(find "$run" -mindepth 1 -print -quit 2>/dev/null) ]] || print_message "$run: is not empty"
  check_disk "$run"
  scratch=$(mktemp -d) || exit 2
  run=$scratch
}

# Checks that a folder can be created or written, and warns if its disk is nearly full.
check_disk() {
  local folder=$1 free
  while [[ ! -e $folder ]]; do folder=$(dirname -- "$folder"); done
  [[ -d $folder && -w $folder ]] || die "$folder: is not a folder that can be written"
  free=$(df -Pk -- "$folder" | awk 'NR == 2 { print int($4 / 1024) }')
  echo "disk: $free MB free in $folder"
  ((free >= 1024)) || print_message "$folder: only $free MB are free; a thousand pages take about 100 MB"
}

# Checks what can fail after the start: the engine, its answers, and the fetching of pages.
check_run() {
  echo "tools: found, version $version"
  echo "classes: target ${conf[target]}; initial documents of $(printf '%s\n' "${inits[@]%%=*}" | sort -u | xargs)"
  if [[ ${conf[engine]} != index:* ]]; then
    "${fetch[@]}" </dev/null || exit 2
    echo "contact: ${conf[contact]:-${FORAGE_CONTACT:-none; pages are fetched from ${conf[connect-to]}}}"
  fi
  check_engine
}

# Sends the engine a common word, then the word with an exclusion term; without the scope, as the engine is tested and
# not the hits that are wanted. An engine that has hits can be used, also if they allow no conclusion on exclusion.
check_engine() {
  local answer cause code=0
  [[ -n $scratch ]] || scratch=$(mktemp -d) || exit 2
  answer=$("${engine_command[@]}" --canary 2>"$scratch/messages") || code=$?
  answer=${answer##*$'\t'} cause=$(tail -n 1 -- "$scratch/messages") cause=${cause#search: }
  ((code > 1)) || cat -- "$scratch/messages" >&2
  case $code,$cause in
    0,*) echo "engine: $given_engine answers, and honours exclusion terms ($answer)" ;;
    1,*) echo "engine: $given_engine answers, but ignores exclusion terms ($answer); hits with excluded terms in title" \
      "or snippet are skipped" ;;
    *" of the 0 hits for "*) die "--engine $given_engine: answers, but has 0 hits for a common word," \
      "${cause##* for }: is the language right, is an engine behind it disabled or suspended?" ;;
    *" hits for "*"; name "*) echo "engine: $given_engine answers; its exclusion could not be tested:" \
      "${cause##*could not be tested: }" ;;
    *) die "${cause/exclusion could not be tested/the engine cannot be used}" ;;
  esac
}

# Shows the first query of each target and the terms that it was chosen from, before anything is sent.
show_first_queries() {
  local class
  for class in "${targets[@]}"; do
    echo "first query for $class:"
    gen-query --stats "$run/stats.db" --target "$class" --step 1 --seed "${conf[seed]}" "${strategy[@]}" --explain ||
      exit 2
  done
}

# shellcheck shell=bash disable=SC2034,SC2154 # variables of the script that sources this file
# Sourced by focused-crawl: the options of its tools, which are checked before anything is written, and the copies of
# core and seeds in RUN/init.

# --- options --------------------------------------------------------------------------------------------------------

# Sets `scope` and `choice`, options of frontier. Misspelt options are reported before any file is written.
set_frontier_options() {
  local option file empty given
  scope=() choice=(--target "${conf[target]}")
  for option in max-depth score; do [[ -z ${conf[$option]} ]] || scope+=("--$option=${conf[$option]}"); done
  given=("${scope[@]}")
  for option in order per-host; do [[ -z ${conf[$option]} ]] || choice+=("--$option=${conf[$option]}"); done
  for option in hosts-allow hosts-deny; do
    [[ -n ${conf[$option]} ]] || continue
    file=${conf[$option]}
    [[ -z $resume ]] || file=$run/init/$option
    [[ -f $file && -r $file ]] || die "--$option $file: the file does not exist or cannot be read"
    scope+=("--$option" "$run/init/$option")
    given+=("--$option=$file")
  done
  empty=$(mktemp -d)
  frontier --state "$empty/frontier.db" --next 1 "${choice[@]}" "${given[@]}" ||
    { rm -rf "$empty"; exit 2; }
  rm -rf "$empty"
}

# Checks the profile and the thresholds that the user gives.
check_profile() {
  [[ -z ${conf[profile]} || -n $resume ]] ||
    topic-filter --profile="${conf[profile]}" --thresholds vsm=1,term=1,pair=1,triple=1 </dev/null || exit 2
  [[ -z ${conf[thresholds]} ]] ||
    topic-filter --profile <(printf 'term\tx\t1\n') --thresholds "${conf[thresholds]}" </dev/null || exit 2
}

# Sets `fetch`. Its options are checked here: without input, nobody is contacted.
set_fetch() {
  local option
  fetch=(fetch-extract --links --warc "$run/pages.warc.gz" --hosts "$run/hosts.db"
    ${conf[respect-optout]:+--respect-optout})
  local options=()
  for option in contact connect-to delay timeout patience; do
    [[ ${conf[$option]} =~ ^(none)?$ ]] || options+=("--$option" "${conf[$option]}")
  done
  fetch-extract "${options[@]}" </dev/null || exit 2
  fetch+=("${options[@]}")
}

# Sets `in_links`, the command that adds the in-links of relevant pages; none without --in-links. An engine that does
# not know in-links is refused here: without input, none is called.
set_in_links() {
  in_links=()
  [[ ${conf[in-links]} != none ]] || conf[in-links]=''
  [[ -n ${conf[in-links]} ]] || return 0
  conf[in-links]=$(absolute_engine in-links "${conf[in-links]}") || exit 2
  in_links=(search --in-links --engine "${conf[in-links]}" --target "${conf[target]}"
    ${conf[contact]:+--contact "${conf[contact]}"} ${quiet:+--quiet})
  "${in_links[@]}" </dev/null || exit 2
  in_links+=(--hits "$run/hits.db")
}

# --- RUN/init -------------------------------------------------------------------------------------------------------

# Writes the records of a file of the core: records in a .jsonl file, or one document of any format that fetch-extract
# reads. One that cannot be read is left out.
read_core_file() {
  local record
  if [[ $1 == *.jsonl ]]; then
    cat -- "$1" || return
    [[ -z $(tail -c 1 -- "$1") ]] || echo # its last line may lack a line feed
    return
  fi
  record=$(fetch-extract --html="$1") || return
  if [[ $record =~ \"error\":\{[^\}]*\"message\":\"([^\"]*) ]]; then
    print_message "--core $1: ${BASH_REMATCH[1]}; left out"
  else
    printf '%s\n' "$record"
  fi
}

# Writes the lines of a file of seeds, URLs or records, as records. Comments become empty lines.
seed_records() {
  local line
  while read -r line || [[ -n $line ]]; do
    line=${line%$'\r'} line=${line#$'\xef\xbb\xbf'}
    if [[ $line == [^'{#']* && $line != *[\"\\[:cntrl:]]* ]]; then line="{\"url\":\"$line\"}"; fi
    if [[ $line == '#'* ]]; then echo; else printf '%s\n' "$line"; fi
  done <"$1"
}

# Writes the records of the seeds in a file. Lines that are no seeds are reported.
read_seeds() {
  local line messages frontier_file=$run/init.new/seeds.db
  local code=0
  messages=$(seed_records "$1" | frontier --state "$frontier_file" --add 2>&1) || code=$?
  [[ -z $messages ]] || while IFS= read -r line; do
    line=${line#frontier: }
    print_message "$1${line#-}"
  done <<<"$messages"
  ((code <= 1)) || exit 2 # with 1, some lines were left out, as the messages say
  while IFS= read -r line; do
    [[ $line =~ \"url\":\"([^\"]*)\" ]] && printf '{"url":"%s"}\n' "${BASH_REMATCH[1]}"
  done < <(frontier --state "$frontier_file" --next 1000000000)
  rm -f "$frontier_file"*
}

# Copies core, seeds, hosts and profile to RUN/init, so that the run can be repeated without the original files.
copy_initial_files() {
  local file option
  rm -rf "$run/init.new"
  mkdir "$run/init.new"
  for file in "${core[@]}"; do
    read_core_file "$file" >>"$run/init.new/core.jsonl" || die "--core $file: cannot be read"
  done
  read_seeds "$seeds" >"$run/init.new/seeds.jsonl"
  [[ -s $run/init.new/seeds.jsonl ]] || die "--seeds $seeds: has no URL"
  for option in hosts-allow hosts-deny; do
    [[ -z ${conf[$option]} ]] || cp -- "${conf[$option]}" "$run/init.new/$option"
  done
  if [[ -n ${conf[profile]} ]]; then cp -- "${conf[profile]}" "$run/init.new/filter.tsv"; fi
  rm -rf "$run/init"
  mv "$run/init.new" "$run/init"
  ((${#core[@]} == 0)) || inits=("${conf[target]}=init/core.jsonl")
}

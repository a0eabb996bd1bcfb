# shellcheck shell=bash disable=SC2154 # variables of the scripts that source this file
# Sourced by corpus-builder: the language filter, which is langid unless --filter names another command.

# Checks the settings of the filter.
check_filter() {
  [[ -z ${conf[filter]} || -z ${conf[bootstrap-filter]}${conf[without]}${conf[langid-method]} ]] ||
    die "--bootstrap-filter, --without and --langid-method are options for langid, which --filter replaces"
  [[ -z ${conf[langid-method]} || -z ${conf[bootstrap-filter]} ]] ||
    die "--langid-method and --bootstrap-filter cannot be combined"
  check_settings '^(evidence|out-of-place)$' 'expected evidence or out-of-place' langid-method
  [[ ${conf[classifier]:-builtin} =~ ^(builtin|run(:[01]([.][0-9]{1,9})?)?)$ ]] ||
    die "--classifier ${conf[classifier]}: expected builtin, run or run:MARGIN, with a MARGIN from 0 to 1"
  [[ ${conf[classifier]} != run* ||
    -z ${conf[filter]}${conf[bootstrap-filter]}${conf[without]}${conf[langid-method]} ]] ||
    die "--filter, --bootstrap-filter, --without and --langid-method cannot be combined with --classifier run"
}

# Sets `langid_options`, and the classes without a profile in langid: `bootstrapped`, separated by commas, for
# --bootstrap-filter, and `learned` for profiles from initial documents.
langid_options=() bootstrapped='' learned=()
check_classes() {
  local class known_names
  [[ -z ${conf[filter]} ]] || return 0
  [[ -z ${conf[without]} ]] || langid_options+=(--without "${conf[without]}")
  [[ -z ${conf[langid-method]} ]] || langid_options+=(--method "${conf[langid-method]}")
  known_names=$(langid "${langid_options[@]}" --list | cut -f 1) || exit 2
  for class in $(printf '%s\n' "${inits[@]%%=*}" | sort -u); do
    [[ $class =~ ^[a-z]{3}$ ]] ||
      die "$class: langid labels a language with its ISO 639-3 code of three letters, as in slv"
    [[ ${conf[classifier]} != run* ]] || continue # every class is learned from the run
    ! grep -Fxq "$class" <<<"$known_names" || continue
    require_tools ngram-profile
    if [[ -n ${conf[bootstrap-filter]} ]]; then bootstrapped+=${bootstrapped:+,}$class; else learned+=("$class"); fi
  done
  [[ -z ${conf[bootstrap-filter]} || -n $bootstrapped ]] ||
    die "--bootstrap-filter: langid knows ${typed[${conf[target]}]-${conf[target]}} and all classes of --init; the option is for a language" \
      "that langid does not know"
}

# Sets `filter`, which writes the class of each record to `label`. A class without a profile in langid is learned from
# its initial documents; with --bootstrap-filter, from the documents that the run collects. With --classifier run, all
# classes are learned from both, and langid knows no others.
next_level=10
set_filter() {
  local class init files
  if [[ -n ${conf[filter]} ]]; then
    # The command may use paths relative to the folder in which the run was started.
    # shellcheck disable=SC2016 # parameters of the inner shell
    filter=(bash -c 'cd -- "$1" && eval "$2"' filter "${conf[folder]}" "${conf[filter]}")
    return
  fi
  if [[ ${conf[classifier]} == run* ]]; then
    filter=(langid --state "$run/profiles.db")
    [[ ${conf[classifier]} == run ]] || filter+=(--min-margin "${conf[classifier]#run:}")
    # shellcheck disable=SC2034 # run.bash
    stateful_filter=("${filter[@]}")
    return
  fi
  for class in "${learned[@]}"; do
    files=()
    for init in "${inits[@]}"; do [[ ${init%%=*} != "$class" ]] || files+=("$run/${init#*=}"); done
    [[ -f $run/init/$class.profile ]] ||
      ngram-profile --quiet --lang "$class" --out "$run/init/$class.profile" "${files[@]}"
    langid_options+=(--profile "$run/init/$class.profile")
  done
  filter=(langid "${langid_options[@]}")
}

# Learns the levels of the bootstrapped filter that the journal has documents for, and uses the profiles of the last
# level. With --final, learns one more from all documents.
bootstrap_filter() {
  local profile profiles
  [[ -n $quiet ]] || print_message "learning the filter of $bootstrapped from $docs documents"
  profiles=$(ngram-profile --lang "$bootstrapped" --bootstrap "$run/filter" \
    "${langid_options[@]}" "${quiet_option[@]}" "$@" "$journal")
  filter=(langid "${langid_options[@]}")
  while IFS= read -r profile; do filter+=(--profile "$profile"); done <<<"$profiles"
  while ((docs >= next_level)); do next_level=$((2 * next_level)); done
}

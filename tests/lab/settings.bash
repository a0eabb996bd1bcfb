# shellcheck shell=bash disable=SC2034,SC2154 # variables of the scripts that source this file
# Sourced by experiment: the settings to compare, and checks that they have not changed since earlier runs.

# The names of the settings in order, and the options of corpus-builder by name.
names=()
declare -A options=()

add_setting() {
  [[ $1 =~ ^[[:alnum:]][[:alnum:]_.:/=-]*$ ]] || die "setting \`$1\`: a name has letters, digits and - _ . : / = only"
  [[ ! -v options[$1] ]] || die "setting $1 is given twice"
  names+=("$1")
  options[$1]=$2
}

# Options that a setting cannot have, because experiment sets them.
reserved='target|init|engine|out|resume|seed|docs|queries|calls|check|help|version|folder'

read_settings() {
  local setting settings name rest number=0
  if [[ ! -f ${conf[settings]} ]]; then
    IFS=, read -ra settings <<<"${conf[settings]}"
    for setting in "${settings[@]}"; do
      [[ $setting =~ ^[[:alnum:]] ]] ||
        die "--settings ${conf[settings]}: no such file, and \`$setting\` is not a setting"
      case $setting in
        *:*/*:*) add_setting "$setting" "--include ${setting%%/*} --exclude ${setting#*/}" ;;
        *:*) add_setting "$setting" "--include $setting --exclude $setting" ;;
        */*) add_setting "$setting" "--learn ${setting%%/*} --lengths ${setting#*/}" ;;
        *) add_setting "$setting" "--learn $setting" ;;
      esac
    done
    return
  fi
  while IFS= read -r setting || [[ -n $setting ]]; do
    number=$((number + 1)) setting=${setting%$'\r'}
    [[ $setting =~ ^[[:blank:]]*(#|$) ]] && continue
    name=${setting%%$'\t'*} rest=${setting#*$'\t'}
    [[ $setting == *$'\t'* ]] ||
      die "${conf[settings]}:$number: \`$setting\`: expected a name, a tab and options of corpus-builder"
    [[ ! $rest =~ (^|[[:blank:]])(--($reserved)|-h)([[:blank:]]|$) ]] ||
      die "${conf[settings]}:$number: $name: \`$rest\`: target, engine, seed and limits are options of experiment"
    add_setting "$name" "$rest"
  done <"${conf[settings]}"
  ((${#names[@]} > 0)) || die "--settings ${conf[settings]}: has no line of \"name, tab, options\""
}

# Checks that the settings and the true classes are those of earlier runs. A cell is identified by the name of its
# setting, so the options of a name must not change.
check_unchanged_settings() {
  local name rest sum=''
  if [[ -f $out/settings.tsv ]]; then
    while IFS=$'\t' read -r name rest; do
      [[ ! -v options[$name] || ${options[$name]} == "$rest" ]] ||
        die "setting $name: was \`$rest\` in earlier runs, and is \`${options[$name]}\` now; use another name"
    done <"$out/settings.tsv"
  fi
  [[ -z ${conf[truth]} ]] || sum=$(cksum <"${conf[truth]}")
  [[ -z $sum || ! -f $out/truth.sum || $(<"$out/truth.sum") == "$sum" ]] ||
    die "${conf[truth]}: has changed since earlier runs were measured; start another experiment"
}

# Records the settings and the checksum of the true classes for later runs.
record_settings() {
  local name
  [[ -z ${conf[truth]} ]] || cksum <"${conf[truth]}" >"$out/truth.sum"
  {
    [[ ! -f $out/settings.tsv ]] || cat -- "$out/settings.tsv"
    for name in "${names[@]}"; do printf '%s\t%s\n' "$name" "${options[$name]}"; done
  } | awk -F '\t' '!seen[$1]++' >"$out/settings.new"
  mv "$out/settings.new" "$out/settings.tsv"
}

# Reads the messages of a program, and leaves out the lines on its usage.
without_usage() { grep -v -e '^$' -e '^Usage:' -e '^For more information' -e '^  tip:' || :; }

# Writes why a setting is refused: `describe_setting NAME MESSAGE`. A name that is no method or learner may be a file.
describe_setting() {
  [[ -f ${conf[settings]} || ! $2 =~ \'--(learn|include|exclude) ]] || printf '%s: no such file, and ' "${conf[settings]}"
  printf 'setting %s: %s\n' "$1" "$(without_usage <<<"$2" | sed -E 's/^(corpus-builder|simulate-run): //')"
}

# Checks the options of all settings before the first run, with a text for each class instead of initial documents.
check_strategies() {
  local name strategy_options class inits=() message check=$out/runs/check
  mkdir -p "$check"
  for class in $(classes_of_run "${targets[0]}"); do
    printf '%s\n' "$class" >"$check/$class.txt"
    inits+=(--init "$class=$check/$class.txt")
  done
  for name in "${names[@]}"; do
    read -ra strategy_options <<<"${options[$name]}"
    strategy_options=(--target "${targets[0]}" --engine "${conf[engine]}" "${inits[@]}" --batch "${conf[batch]}"
      --page-size "${conf[page-size]}" --max-pages "${conf[max-pages]}" "${strategy_options[@]}")
    message=$("$root/pipelines/corpus-builder" --check-arguments --out "$check/run" "${strategy_options[@]}" 2>&1) &&
      message=$([[ -z $simulate ]] || simulate-run --quiet --queries 0 "${strategy_options[@]}" 2>&1 >"$check/journal") ||
      die "$(describe_setting "$name" "$message")"
  done
  rm -rf "$check"
}

# shellcheck shell=bash disable=SC2034,SC2154 # the variables of those who source it
# Sourced by experiment: the settings that it compares, and what they were when runs were made with them.

# The settings: their names in order, and of each the options of corpus-builder.
names=()
declare -A options=()

add_setting() {
  [[ $1 =~ ^[[:alnum:]][[:alnum:]_.:/=-]*$ ]] || die "setting \`$1\`: a name has letters, digits and - _ . : / ="
  [[ ! -v options[$1] ]] || die "setting $1 is there twice"
  names+=("$1")
  options[$1]=$2
}

read_settings() {
  local setting settings name rest number=0
  if [[ ! -f ${conf[settings]} ]]; then
    IFS=, read -ra settings <<<"${conf[settings]}"
    for setting in "${settings[@]}"; do
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
      die "${conf[settings]}:$number: \`$setting\`: a name, a tab and options of corpus-builder are wanted"
    [[ ! $rest =~ (^|[[:blank:]])(--(target|init|engine|out|resume|seed|docs|queries|calls|check|help|version|folder)|-h) ]] ||
      die "${conf[settings]}:$number: $name: \`$rest\`: what is looked for, where and how far is the experiment's to say"
    add_setting "$name" "$rest"
  done <"${conf[settings]}"
  ((${#names[@]} > 0)) || die "--settings ${conf[settings]}: holds no line of \"name, tab, options\""
}

# A cell is known by its setting's name, which must always have meant the same, as must the truth.
check_known() {
  local name rest sum=''
  if [[ -f $out/settings.tsv ]]; then
    while IFS=$'\t' read -r name rest; do
      [[ ! -v options[$name] || ${options[$name]} == "$rest" ]] ||
        die "setting $name: was \`$rest\` when it was run, and is \`${options[$name]}\` now; give it another name"
    done <"$out/settings.tsv"
  fi
  [[ -z ${conf[truth]} ]] || sum=$(cksum <"${conf[truth]}")
  [[ -z $sum || ! -f $out/truth.sum || $(<"$out/truth.sum") == "$sum" ]] ||
    die "${conf[truth]}: was another file when runs were measured by it; begin another experiment"
}

note_known() {
  local name
  [[ -z ${conf[truth]} ]] || cksum <"${conf[truth]}" >"$out/truth.sum"
  {
    [[ ! -f $out/settings.tsv ]] || cat -- "$out/settings.tsv"
    for name in "${names[@]}"; do printf '%s\t%s\n' "$name" "${options[$name]}"; done
  } | awk -F '\t' '!seen[$1]++' >"$out/settings.new"
  mv "$out/settings.new" "$out/settings.tsv"
}

# What is misspelt is told before anything is run.
check_strategies() {
  local name how class inits=() told
  for class in $(classes_of "${targets[0]}"); do inits+=(--init "$class=$(init_of "$class" "${seeds[0]}")"); done
  for name in "${names[@]}"; do
    read -ra how <<<"${options[$name]}"
    told=$("$here/corpus-builder" --check --target "${targets[0]}" --engine "${conf[engine]}" "${inits[@]}" \
      --batch "${conf[batch]}" --page-size "${conf[page-size]}" --max-pages "${conf[max-pages]}" --out "$out/runs/check" \
      "${how[@]}" 2>&1) || die "setting $name: ${told//corpus-builder: /}"
  done
}

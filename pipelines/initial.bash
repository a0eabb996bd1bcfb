# shellcheck shell=bash disable=SC2034,SC2154 # variables of the scripts that source this file
# Sourced by corpus-builder and autocor: the codes of languages that users type, and initial documents, which are
# checked and converted to records before the first call to an engine.

# --- codes of languages ---------------------------------------------------------------------------------------------

# Sets `labels`, the label of langid for each of the given codes: `sl`, `slo` and `fil` become slv, slk and tgl. A
# macrolanguage without a label, whose documents langid would never label so, is refused.
# `typed` has the code that was typed for a label.
declare -A labels=() typed=()
resolve_codes() {
  local given label name others table message
  (($# > 0)) || return 0
  if ! table=$(langid --resolve "$(IFS=,; echo "$*")" 2>/dev/null); then
    # The first code that is refused.
    message=$(langid --resolve "$(IFS=,; echo "$*")" 2>&1 >/dev/null) || message=${message%%$'\n'*}
    die "${message#langid: --resolve: }"
  fi
  while IFS=$'\t' read -r given label name others; do
    [[ -z ${labels[$given]-} ]] || continue
    labels[$given]=$label
    [[ $given != "$label" ]] || continue
    typed[$label]=$given
    message="$given: langid's label is $label${name:+ ($name)}"
    [[ -z $others ]] || message+="; other languages of the group have labels of their own: $others"
    [[ -n ${quiet-} ]] || print_message "$message"
  done <<<"$table"
}

# Replaces the codes of a list, separated by commas, by their labels.
relabel() {
  local codes code list=''
  IFS=, read -ra codes <<<"$1"
  for code in "${codes[@]}"; do list+=${list:+,}${labels[$code]-$code}; done
  printf '%s\n' "$list"
}

# Resolves the codes of --target, --versus and --init, where langid labels the documents. Messages show initial documents
# as they were given, which `given_inits` has.
resolve_classes() {
  local codes init i
  given_inits=("${inits[@]}")
  [[ -z ${conf[filter]} && ${conf[classifier]} != run* ]] || return 0
  IFS=, read -ra codes <<<"${conf[target]},${conf[versus]#all}"
  for init in "${inits[@]}"; do codes+=("${init%%=*}"); done
  mapfile -t codes < <(printf '%s\n' "${codes[@]}" | grep . | sort -u)
  ((${#codes[@]} > 0)) || return 0
  resolve_codes "${codes[@]}"
  conf[target]=$(relabel "${conf[target]}")
  [[ -z ${conf[versus]} || ${conf[versus]} == all ]] || conf[versus]=$(relabel "${conf[versus]}")
  for i in "${!inits[@]}"; do
    inits[i]=$(relabel "${inits[i]%%=*}")=${inits[i]#*=}
  done
}

# --- initial documents ----------------------------------------------------------------------------------------------

# Refuses initial documents that have no class, and names the likely one, which is that of tgl.txt or tgl-1.txt:
# `require_init_classes INIT...`.
require_init_classes() {
  local init class
  for init; do
    [[ $init != *=* ]] || continue
    class=$(basename -- "$init") class=${class%%[.-]*}
    [[ $class =~ ^[a-z]{2,3}$ ]] || class=CLASS
    die "--init $init: the class is missing, as in --init $class=$init"
  done
}

check_inits() {
  local i j class file
  for i in "${!inits[@]}"; do
    class=${inits[i]%%=*} file=${inits[i]#*=}
    [[ $class =~ ^[[:alnum:]_][[:alnum:]_.-]*$ ]] ||
      die "--init ${given_inits[i]}: the name of a class has letters, digits and - _ . only"
    # Initial documents are read more than once.
    [[ ! -e $file || -f $file || -d $file ]] || die "--init ${given_inits[i]}: is not a regular file; save it first"
    [[ ! -d $file ]] || die "--init ${given_inits[i]}: is a folder; name a file"
    [[ -r $file && -f $file ]] || die "--init ${given_inits[i]}: the file does not exist or cannot be read"
    for ((j = 0; j < i; j++)); do
      [[ ${inits[j]%%=*} == "$class" ]] || ! cmp -s -- "$file" "${inits[j]#*=}" ||
        die "--init ${given_inits[j]} and --init ${given_inits[i]}: two classes cannot have the same text"
    done
  done
}

# Converts the initial documents to records in the run folder, so that the run can be repeated without the original
# files, and all tools read them alike. A page or a text in an old encoding is read as fetched pages are.
copy_inits() {
  local i class file copy copies=() format
  rm -rf "$run/init.new"
  mkdir "$run/init.new"
  for i in "${!inits[@]}"; do
    class=${inits[i]%%=*} file=${inits[i]#*=} copy=init/$i-$class.jsonl
    update-stats --init "$class=$file" --init-records >"$run/init.new/${copy#init/}" || exit 2
    format=$(sed -n '1s/.*"fetch":{"media_type":"\([^"]*\)","charset":"\([^"]*\)"}.*/\1, \2/p' \
      "$run/init.new/${copy#init/}")
    [[ -z $format || $format == *UTF-8 ]] || print_message "--init ${given_inits[i]}: read as $format"
    copies+=("$class=$copy")
  done
  # A filter that a failed start has learned is from other documents.
  rm -rf "$run/init" "$run/filter"
  mv "$run/init.new" "$run/init"
  inits=("${copies[@]}")
}

# Sets for each initial document that langid takes for another language, by its number, `other_label` and `difference`,
# what a message says of it. Those of classes without a profile of langid's own, which are learned from these documents,
# are not compared.
declare -A other_label=() difference=()
compare_labels() {
  local i class line verdict documents agreeing other others
  for i in "${!inits[@]}"; do
    class=${inits[i]%%=*}
    [[ " ${learned[*]-} ${bootstrapped//,/ } " != *" $class "* ]] || continue
    line=$("${filter[@]}" --check-labels "$run/${inits[i]#*=}") || (($? == 1)) || exit 2
    IFS=$'\t' read -r _ verdict documents agreeing other others <<<"$line"
    case $verdict in
      agrees) ;;
      differs)
        other_label[$i]=$other
        line="--init ${given_inits[i]}: langid's label is $other"
        ((documents == 1)) || line+=" for $others of $documents documents"
        difference[$i]="$line, not $class" ;;
      *) [[ ,${conf[target]}, != *,"$class",* ]] ||
        print_message "--init ${given_inits[i]}: langid does not recognise $class in it; if it is not $class," \
          "the run will find little" ;;
    esac
  done
}

# Compares the classes of the initial documents with the labels that langid gives them, before an engine is called for
# nothing. A document of a target that is in another language, or one of another class in the language of a target, ends
# the run, unless `force` is set. Two documents that langid labels with the class of each other are reported as one.
check_initial_labels() {
  local i j class wrong=''
  [[ -z ${conf[filter]} && ${conf[classifier]} != run* ]] || return 0
  compare_labels
  for i in "${!inits[@]}"; do
    [[ -v difference[$i] ]] || continue
    class=${inits[i]%%=*}
    for ((j = i + 1; j < ${#inits[@]}; j++)); do
      [[ ${other_label[$i]} == "${inits[j]%%=*}" && ${other_label[$j]-} == "$class" ]] || continue
      difference[$i]="the files of --init ${given_inits[i]} and --init ${given_inits[j]} are swapped"
      unset "difference[$j]"
      break
    done
    if [[ ,${conf[target]}, == *,"$class",* || ,${conf[target]}, == *,"${other_label[$i]}",* ]]; then
      wrong=1
    else
      difference[$i]+="; the words are contrasted with the target all the same"
    fi
    print_message "${difference[$i]}"
  done
  [[ -z $wrong || -n $force ]] ||
    die "pages like these would be labelled so, too; give other initial documents, or --force"
}

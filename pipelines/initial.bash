# shellcheck shell=bash disable=SC2034,SC2154 # variables of the scripts that source this file
# Sourced by corpus-builder and autocor: the codes of languages that users type, and initial documents, which are
# checked and converted to records before the first call to an engine.

# --- codes of languages ---------------------------------------------------------------------------------------------

# Sets `labels`, the label of langid for each of the given codes: `sl`, `slo` and `fil` become slv, slk and tgl. A
# macrolanguage without a label, whose documents langid would never label so, is refused.
declare -A labels=() told=()
resolve_codes() {
  local given label name others table message
  (($# > 0)) || return 0
  if ! table=$(langid --resolve "$(IFS=,; echo "$*")" 2>/dev/null); then
    # The first code that is refused.
    message=$(langid --resolve "$(IFS=,; echo "$*")" 2>&1 >/dev/null) || message=${message%%$'\n'*}
    die "${message#langid: --resolve: }"
  fi
  while IFS=$'\t' read -r given label name others; do
    labels[$given]=$label
    [[ $given != "$label" ]] || continue
    message="$given: langid's label is $label${name:+ ($name)}"
    [[ -z $others ]] || message+="; other languages of the group have labels of their own: $others"
    [[ -n ${told[$given]-}${quiet-} ]] || print_message "$message"
    told[$given]=1
  done <<<"$table"
}

# Replaces the codes of a list, separated by commas, by their labels.
relabel() {
  local codes code list=''
  IFS=, read -ra codes <<<"$1"
  for code in ${codes[@]+"${codes[@]}"}; do list+=${list:+,}${labels[$code]-$code}; done
  printf '%s\n' "$list"
}

# Resolves the codes of --target, --versus and --init, where langid labels the documents.
resolve_classes() {
  local codes init i
  [[ -z ${conf[filter]} && ${conf[classifier]} != run* ]] || return 0
  IFS=, read -ra codes <<<"${conf[target]},${conf[versus]#all}"
  for init in ${inits[@]+"${inits[@]}"}; do [[ $init != *=* ]] || codes+=("${init%%=*}"); done
  mapfile -t codes < <(printf '%s\n' ${codes[@]+"${codes[@]}"} | grep . | sort -u)
  ((${#codes[@]} > 0)) || return 0
  resolve_codes "${codes[@]}"
  conf[target]=$(relabel "${conf[target]}")
  [[ -z ${conf[versus]} || ${conf[versus]} == all ]] || conf[versus]=$(relabel "${conf[versus]}")
  for i in ${inits[@]+"${!inits[@]}"}; do
    [[ ${inits[i]} != *=* ]] || inits[i]=$(relabel "${inits[i]%%=*}")=${inits[i]#*=}
  done
}

# --- initial documents ----------------------------------------------------------------------------------------------

check_inits() {
  local init class file other
  for init in "${inits[@]}"; do
    class=${init%%=*} file=${init#*=}
    [[ $init == *=* ]] || die "--init $init: expected a class and a file, as in slv=seed.txt"
    [[ $class =~ ^[[:alnum:]_][[:alnum:]_.-]*$ ]] ||
      die "--init $init: the name of a class has letters, digits and - _ . only"
    # Initial documents are read more than once.
    [[ ! -e $file || -f $file || -d $file ]] || die "--init $init: is not a regular file; save it first"
    [[ ! -d $file ]] || die "--init $init: is a folder; name a file"
    [[ -r $file && -f $file ]] || die "--init $init: the file does not exist or cannot be read"
    for other in "${inits[@]}"; do
      [[ ${other%%=*} == "$class" ]] || ! cmp -s -- "$file" "${other#*=}" ||
        die "--init $init and --init $other: two classes cannot have the same text"
    done
  done
}

# Converts the initial documents to records in the run folder, so that the run can be repeated without the original
# files, and all tools read them alike. A page or a text in an old encoding is read as fetched pages are.
copy_inits() {
  local init class file copy copies=() format
  rm -rf "$run/init.new"
  mkdir "$run/init.new"
  for init in "${inits[@]}"; do
    class=${init%%=*} file=${init#*=} copy=init/${#copies[@]}-${init%%=*}.jsonl
    update-stats --init "$class=$file" --init-records >"$run/init.new/${copy#init/}" || exit 2
    format=$(sed -n '1s/.*"fetch":{"media_type":"\([^"]*\)","charset":"\([^"]*\)"}.*/\1, \2/p' \
      "$run/init.new/${copy#init/}")
    [[ -z $format || $format == *UTF-8 ]] || print_message "--init $init: read as $format"
    copies+=("$class=$copy")
  done
  # A filter that a failed start has learned is from other documents.
  rm -rf "$run/init" "$run/filter"
  mv "$run/init.new" "$run/init"
  original_inits=("${inits[@]}")
  inits=("${copies[@]}")
}

# Compares the classes of the initial documents with the labels that langid gives them, before an engine is called for
# nothing. A document of a target that is in another language, or one of another class in the language of a target, ends
# the run, unless `force` is set. `classes` without a profile of langid's own, which are learned from these documents,
# are not compared.
check_initial_labels() {
  local i class line verdict documents agreeing other others wrong=()
  [[ -z ${conf[filter]} && ${conf[classifier]} != run* ]] || return 0
  for i in "${!inits[@]}"; do
    class=${inits[i]%%=*}
    [[ " ${learned[*]-} ${bootstrapped//,/ } " != *" $class "* ]] || continue
    line=$("${filter[@]}" --check-labels "$run/${inits[i]#*=}") || (($? == 1)) || exit 2
    IFS=$'\t' read -r _ verdict documents agreeing other others <<<"$line"
    case $verdict in
      agrees) ;;
      differs)
        line="--init ${original_inits[i]}: langid's label is $other"
        ((documents == 1)) || line+=" for $others of $documents documents"
        if [[ ,${conf[target]}, == *,"$class",* || ,${conf[target]}, == *,"$other",* ]]; then
          wrong+=("$line, not $class")
        else
          print_message "$line, not $class; its words are contrasted with the target all the same"
        fi ;;
      *) [[ ,${conf[target]}, != *,"$class",* ]] ||
        print_message "--init ${original_inits[i]}: langid does not recognise $class in it; if it is not $class," \
          "the run will find little" ;;
    esac
  done
  ((${#wrong[@]} > 0)) || return 0
  for line in "${wrong[@]}"; do print_message "$line"; done
  [[ -n $force ]] || die "pages like these would be labelled so, too; give other initial documents, or --force"
}

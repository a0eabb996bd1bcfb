# shellcheck shell=bash disable=SC2034,SC2154 # variables of the script that sources this file
# Sourced by corpus-builder: how its queries are chosen.

# Lets --learn auto choose the queries of a new run on the web whose options do not say how, because calls to an engine
# are what it costs, and fetches a page of hits at once. An embedded index has the papers' loop.
choose_default_strategy() {
  local option chosen=''
  for option in learn include exclude prune probability lengths no-result-penalty beta; do chosen+=${conf[$option]}; done
  if [[ ${conf[engine]} != index:* && -z $chosen ]]; then
    conf[learn]=auto
    : "${conf[batch]:=10}"
  fi
  : "${conf[batch]:=1}"
  # The first hits of fixed queries are in the earlier corpus, which has often been collected with the same ones.
  [[ -n ${conf[learn]}$quiet ]] || ((${#known[@]} == 0)) ||
    print_message "--known with fixed queries: most of their hits may be in the earlier corpus, and cost calls;" \
      "recommended: --learn auto"
}

# Sets `strategy`, the options of gen-query, and `paging_option`, the corresponding option of search.
set_strategy() {
  local option output needs
  strategy=(--page-size "${conf[page-size]}" --max-pages "${conf[max-pages]}" --batch "${conf[batch]}"
    --recovery "${conf[recovery]}")
  if [[ -n ${conf[learn]} ]]; then strategy+=(--learn "${conf[learn]}"); else
    strategy+=(--include "${conf[include]:-or:3}" --exclude "${conf[exclude]:-or:3}")
  fi
  for option in lengths no-result-penalty beta prune until-coverage probability versus; do
    [[ -z ${conf[$option]} ]] || strategy+=("--$option" "${conf[$option]}")
  done
  [[ -z ${conf[engine]} ]] || strategy+=(--engine-can "$(search --engine "${conf[engine]}" --capabilities)") || exit 2
  # Misspelt options, and capabilities that the engine lacks, are reported before any file is written.
  if ! output=$(gen-query "${strategy[@]}" --capabilities 2>&1); then
    sed -e '/^Usage:/d' -e '/^For more information/d' -e '/^$/d' -e 's/^gen-query: //' <<<"$output" |
      while IFS= read -r output; do print_message "${resume:+$run/run.conf: }$output"; done
    exit 2
  fi
  # Checked before an engine is called and paid. With an embedded index, which has the texts, nothing is fetched.
  [[ -z ${conf[engine]} || ${conf[engine]} == index:* || -n ${conf[contact]}${FORAGE_CONTACT:-}${conf[connect-to]} ]] ||
    die "--contact MAIL is required, or FORAGE_CONTACT; it is sent to the servers that pages are fetched from"
  needs=" $output "
  paging_option=()
  [[ $needs != *" pages-itself "* ]] || paging_option=(--by-page)
}

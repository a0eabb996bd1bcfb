complete -c update-stats -l stats -d 'Term statistics; made if there are none' -r -F
complete -c update-stats -l journal -d 'Append each record to this file' -r -F
complete -c update-stats -l init -d 'Count a file as an initial document of a class: plain text or a list of words; a `.jsonl` file is one document a record' -r
complete -c update-stats -l rebuild -d 'Make the statistics anew from a journal' -r -F
complete -c update-stats -l from-step -d 'First forget steps from N on; take no step that lacks its last record' -r
complete -c update-stats -l target -d 'With --report, also these classes, separated by commas, which no query may have asked for yet' -r
complete -c update-stats -l max-line -d 'Longest line in bytes; a longer one is left out, and never held whole' -r
complete -c update-stats -l rejects -d 'Keep lines that are left out in this file' -r -F
complete -c update-stats -l report -d 'Write the run\'s figures as one JSON object; with -v also for people, on standard error'
complete -c update-stats -l next-step -d 'Make statistics and journal whole, and write the same line as --tally: the next step is 0 where the run has not been initialised'
complete -c update-stats -l tally -d 'Write instead of the records one line: number of the next step, documents, calls, and what came last (hit, empty, exhausted or the kind of the engine\'s error)'
complete -c update-stats -l strict -d 'Stop at the first line that is not a record (exit 2)'
complete -c update-stats -l progress -d 'Report records and rate: a bar on a terminal, else a line a second'
complete -c update-stats -s q -l quiet -d 'Say nothing but what stops the tool'
complete -c update-stats -s v -l verbose -d 'Say more'
complete -c update-stats -s h -l help -d 'Print help (see more with \'--help\')'
complete -c update-stats -s V -l version -d 'Print version'

complete -c update-stats -l stats -d 'Term statistics; created if missing' -r -F
complete -c update-stats -l journal -d 'Journal, to which each record is appended' -r -F
complete -c update-stats -l init -d 'Count a file as an initial document of a class; repeatable' -r
complete -c update-stats -l seeds-per-round -d 'With --init, number of documents of each class to begin with' -r
complete -c update-stats -l round -d 'With --seeds-per-round, number of steps in a round' -r
complete -c update-stats -l seed -d 'With --seeds-per-round, seed of the order of the documents' -r
complete -c update-stats -l rebuild -d 'Rebuild the statistics from a journal instead of reading input' -r -F
complete -c update-stats -l from-step -d 'First remove this step and later steps; count only complete steps' -r
complete -c update-stats -l target -d 'With --report, further targets, separated by commas' -r
complete -c update-stats -l max-line -d 'Maximum length of a line in bytes; longer lines are skipped' -r
complete -c update-stats -l rejects -d 'Write skipped lines to this file, which must be new or empty' -r -F
complete -c update-stats -l tsv -d 'Write these fields instead of records, separated by tabs' -r
complete -c update-stats -l init-records -d 'With --init, write the documents as records instead of counting them'
complete -c update-stats -l ascii-folding -d 'Count words with and without diacritics as one term'
complete -c update-stats -l report -d 'Write the figures of the run as one JSON object'
complete -c update-stats -l next-step -d 'Repair statistics and journal, and write the line of --tally'
complete -c update-stats -l tally -d 'Write one line of totals instead of the records'
complete -c update-stats -l strict -d 'Stop at the first line that is not a record (exit code 2)'
complete -c update-stats -l progress -d 'Show records and rate: a bar on a terminal, else a line per second'
complete -c update-stats -l defuse-formulas -d 'With --tsv, write cells that a spreadsheet would run as formulas as text'
complete -c update-stats -s q -l quiet -d 'Report fatal errors only'
complete -c update-stats -s v -l verbose -d 'Report details'
complete -c update-stats -s h -l help -d 'Print help (see more with \'--help\')'
complete -c update-stats -s V -l version -d 'Print version'

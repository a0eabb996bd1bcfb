complete -c dedup -l index -d 'Index of the documents seen so far; created if missing' -r -F
complete -c dedup -l threshold -d 'Minimum resemblance of near-duplicates [default: the index\'s, or 0.9]' -r
complete -c dedup -l against -d 'Also compare with the documents of this index; repeatable' -r -F
complete -c dedup -l from-step -d 'First remove the documents of this step and later steps' -r
complete -c dedup -l rebuild -d 'Rebuild the index from a journal instead of reading input' -r -F
complete -c dedup -l if-behind -d 'Rebuild only if the index lacks a step before this one' -r
complete -c dedup -l max-line -d 'Maximum length of a line in bytes; longer lines are skipped' -r
complete -c dedup -l rejects -d 'Write skipped lines to this file, which must be new or empty' -r -F
complete -c dedup -l tsv -d 'Write these fields instead of records, separated by tabs' -r
complete -c dedup -l titles -d 'Also mark documents with the title of an earlier one'
complete -c dedup -l drop -d 'Leave duplicates out of the output'
complete -c dedup -l force -d 'Also process records that already have `dedup`'
complete -c dedup -l strict -d 'Stop at the first line that is not a record (exit code 2)'
complete -c dedup -l progress -d 'Show records and rate: a bar on a terminal, else a line per second'
complete -c dedup -l files -d 'Read each FILE as one document, and write a line per file'
complete -c dedup -s r -l recursive -d 'With --files, read the files in folders'
complete -c dedup -l defuse-formulas -d 'With --tsv, write cells that a spreadsheet would run as formulas as text'
complete -c dedup -s q -l quiet -d 'Report fatal errors only'
complete -c dedup -s v -l verbose -d 'Report details'
complete -c dedup -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dedup -s V -l version -d 'Print version'

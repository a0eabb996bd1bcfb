complete -c keywords -l lang -d 'Language of all documents, ISO 639-3 or 639-1' -r
complete -c keywords -l method -d 'Extraction method: `auto`, `noun-phrases` or `statistical`' -r -f -a "auto\t'By noun phrases if the language has a tagger, else by statistics'
noun-phrases\t'By a grammar over parts of speech'
statistical\t'Between stop words and punctuation'"
complete -c keywords -l top -d 'Maximum number of keyphrases per document; all if absent' -r
complete -c keywords -l max-line -d 'Maximum length of a line in bytes; longer lines are skipped' -r
complete -c keywords -l rejects -d 'Write skipped lines to this file, which must be new or empty' -r -F
complete -c keywords -s j -l jobs -d 'Number of threads [default: available cores]' -r
complete -c keywords -l tsv -d 'Write these fields instead of records, separated by tabs' -r
complete -c keywords -l force -d 'Also process records that already have `keywords`'
complete -c keywords -l strict -d 'Stop at the first line that is not a record (exit code 2)'
complete -c keywords -l progress -d 'Show records and rate: a bar on a terminal, else a line per second'
complete -c keywords -l defuse-formulas -d 'With --tsv, write cells that a spreadsheet would run as formulas as text'
complete -c keywords -s q -l quiet -d 'Report fatal errors only'
complete -c keywords -s v -l verbose -d 'Report details'
complete -c keywords -s h -l help -d 'Print help (see more with \'--help\')'
complete -c keywords -s V -l version -d 'Print version'

complete -c review-page -l judgements -d 'File of verdicts, for sample --judgements; created if it does not exist' -r -F
complete -c review-page -l limit -d 'Share of relevant documents that an accepted group must exceed, shown on the page' -r
complete -c review-page -l max-line -d 'Maximum length of a line in bytes; longer lines are skipped' -r
complete -c review-page -l rejects -d 'Write skipped lines to this file, which must be new or empty' -r -F
complete -c review-page -l open -d 'Open the page in the default browser'
complete -c review-page -l strict -d 'Stop at the first line that is not a record (exit code 2)'
complete -c review-page -l progress -d 'Show records and rate: a bar on a terminal, else a line per second'
complete -c review-page -s q -l quiet -d 'Report fatal errors only'
complete -c review-page -s v -l verbose -d 'Report details'
complete -c review-page -s h -l help -d 'Print help (see more with \'--help\')'
complete -c review-page -s V -l version -d 'Print version'

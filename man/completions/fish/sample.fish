complete -c sample -l share -d 'Share of each group to draw, over 0 and up to 1' -r
complete -c sample -l by -d 'Field by whose value the documents are divided into groups' -r
complete -c sample -l rejected -d 'Draw this share of the documents without a vote as well, for the estimate of recall' -r
complete -c sample -l seed -d 'Seed of the random choices' -r
complete -c sample -l judgements -d 'Pass on the documents that these judgements accept' -r -F
complete -c sample -l limit -d 'Share of relevant documents that an accepted group must exceed' -r
complete -c sample -l max-line -d 'Maximum length of a line in bytes; longer lines are skipped' -r
complete -c sample -l rejects -d 'Write skipped lines to this file, which must be new or empty' -r -F
complete -c sample -l tsv -d 'Write these fields instead of records, separated by tabs' -r
complete -c sample -l all-groups -d 'Draw from the undoubted documents as well'
complete -c sample -l report -d 'Write the estimated precision and recall instead of documents, as one JSON object'
complete -c sample -l journal -d 'Read the journal of a run, in which documents without a step are initial ones'
complete -c sample -l strict -d 'Stop at the first line that is not a record (exit code 2)'
complete -c sample -l progress -d 'Show records and rate: a bar on a terminal, else a line per second'
complete -c sample -l defuse-formulas -d 'With --tsv, write cells that a spreadsheet would run as formulas as text'
complete -c sample -s q -l quiet -d 'Report fatal errors only'
complete -c sample -s v -l verbose -d 'Report details'
complete -c sample -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sample -s V -l version -d 'Print version'

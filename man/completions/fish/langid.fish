complete -c langid -l model -d 'Model to use instead of the built-in one; repeatable' -r -F
complete -c langid -l profile -d 'Profile to use in addition to the model; repeatable' -r -F
complete -c langid -l only -d 'Consider only these languages, separated by commas' -r
complete -c langid -l without -d 'Remove these languages from the model, separated by commas' -r
complete -c langid -l method -d 'Identification method: `evidence` or `out-of-place` (n-gram ranks)' -r
complete -c langid -l resolve -d 'Write the label of each of these codes instead of reading input' -r
complete -c langid -l state -d 'Consider only the classes of a run, with profiles learned from it' -r -F
complete -c langid -l min-margin -d 'With --state, learn from documents with at least this margin' -r
complete -c langid -l from-step -d 'First remove the documents of this step and later steps' -r
complete -c langid -l rebuild -d 'Rebuild the profiles from a journal instead of reading input' -r -F
complete -c langid -l if-behind -d 'Rebuild only if the profiles lack a step before this one' -r
complete -c langid -l max-line -d 'Maximum length of a line in bytes; longer lines are skipped' -r
complete -c langid -l rejects -d 'Write skipped lines to this file, which must be new or empty' -r -F
complete -c langid -s j -l jobs -d 'Number of threads [default: available cores]' -r
complete -c langid -l tsv -d 'Write these fields instead of records, separated by tabs' -r
complete -c langid -l paragraphs -d 'Add the share of each language, identified per paragraph'
complete -c langid -l lines -d 'Read plain text, and write "code, tab, score, tab, line" per line'
complete -c langid -l list -d 'List the known languages instead of reading input'
complete -c langid -l check-labels -d 'Compare `label` with the identified language instead of annotating'
complete -c langid -l force -d 'Also process records that already have `langid`; replace `label`'
complete -c langid -l strict -d 'Stop at the first line that is not a record (exit code 2)'
complete -c langid -l progress -d 'Show records and rate: a bar on a terminal, else a line per second'
complete -c langid -l files -d 'Read each FILE as one document, and write a line per file'
complete -c langid -s r -l recursive -d 'With --files, read the files in folders'
complete -c langid -l defuse-formulas -d 'With --tsv, write cells that a spreadsheet would run as formulas as text'
complete -c langid -s q -l quiet -d 'Report fatal errors only'
complete -c langid -s v -l verbose -d 'Report details'
complete -c langid -s h -l help -d 'Print help (see more with \'--help\')'
complete -c langid -s V -l version -d 'Print version'

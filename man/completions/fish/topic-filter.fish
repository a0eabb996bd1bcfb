complete -c topic-filter -l samples -d 'Sample articles: records with `keywords`' -r -F
complete -c topic-filter -l state -d 'State of a run: samples and rejected articles; created if missing' -r -F
complete -c topic-filter -l feedback -d 'Judge by relevance feedback instead; state of a run: all its articles' -r -F
complete -c topic-filter -l profile -d 'Judge by several metrics instead; the profile of a topic, by topic-profile' -r -F
complete -c topic-filter -l thresholds -d 'Thresholds of the metrics, such as vsm=0.18,term=0.5,pair=0.1,triple=0.08' -r
complete -c topic-filter -l fit -d 'Fit the thresholds to the documents of the core, records with `text`' -r -F
complete -c topic-filter -l recognise -d 'Share of the core that the fitted thresholds recognise' -r
complete -c topic-filter -l directory -d 'Undoubtedly relevant pages after which a directory counts as relevant; 0: never' -r
complete -c topic-filter -l host-share -d 'Share of undoubtedly relevant pages of a host below which thresholds are doubled' -r
complete -c topic-filter -l from-step -d 'First remove the articles of this step and later steps' -r
complete -c topic-filter -l rebuild -d 'Rebuild the state from a journal instead of reading input' -r -F
complete -c topic-filter -l if-behind -d 'Rebuild only if the state lacks a step before this one' -r
complete -c topic-filter -l measure -d 'Similarity measure' -r
complete -c topic-filter -l threshold -d 'Similarity over which a document is on the topic [default: by language]' -r
complete -c topic-filter -l labels -d 'Labels of documents that are, and are not, on the topic' -r
complete -c topic-filter -l only-label -d 'Judge only documents that an earlier filter has given this label' -r
complete -c topic-filter -l max-line -d 'Maximum length of a line in bytes; longer lines are skipped' -r
complete -c topic-filter -l rejects -d 'Write skipped lines to this file, which must be new or empty' -r -F
complete -c topic-filter -s j -l jobs -d 'Number of threads [default: available cores]' -r
complete -c topic-filter -l tsv -d 'Write these fields instead of records, separated by tabs' -r
complete -c topic-filter -l print-thresholds -d 'Write the fitted thresholds, in the form of --thresholds, instead of records'
complete -c topic-filter -l final -d 'Judge all documents of a journal by the final model'
complete -c topic-filter -l all-measures -d 'Also write the values of all measures'
complete -c topic-filter -l explain -d 'Write the matching phrases as text instead of records'
complete -c topic-filter -l force -d 'Also process records that already have `topic`'
complete -c topic-filter -l strict -d 'Stop at the first line that is not a record (exit code 2)'
complete -c topic-filter -l progress -d 'Show records and rate: a bar on a terminal, else a line per second'
complete -c topic-filter -l defuse-formulas -d 'With --tsv, write cells that a spreadsheet would run as formulas as text'
complete -c topic-filter -s q -l quiet -d 'Report fatal errors only'
complete -c topic-filter -s v -l verbose -d 'Report details'
complete -c topic-filter -s h -l help -d 'Print help (see more with \'--help\')'
complete -c topic-filter -s V -l version -d 'Print version'

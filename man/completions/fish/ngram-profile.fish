complete -c ngram-profile -l lang -d 'Language of the sample (ISO 639-3 or 639-1)' -r
complete -c ngram-profile -l out -d 'Output file; an earlier profile or model is replaced' -r -F
complete -c ngram-profile -l pack -d 'Bundle the profiles of this folder (*.profile) into a model' -r -F
complete -c ngram-profile -l bootstrap -d 'Bootstrap profiles in this folder from the journal of a run' -r -F
complete -c ngram-profile -l profile -d 'With --bootstrap, profile of another language; repeatable' -r -F
complete -c ngram-profile -l without -d 'With --bootstrap, languages to remove from the built-in model' -r
complete -c ngram-profile -l max-line -d 'Maximum length of a line in bytes; longer lines are skipped' -r
complete -c ngram-profile -l rejects -d 'Write skipped lines to this file, which must be new or empty' -r -F
complete -c ngram-profile -l force -d 'Replace an existing file of any kind, except one that is read'
complete -c ngram-profile -l wordlist -d 'Read a word list with frequencies'
complete -c ngram-profile -l merge -d 'Read profiles, and merge their words into one profile'
complete -c ngram-profile -l final -d 'With --bootstrap, also learn a final profile from all documents'
complete -c ngram-profile -l strict -d 'Stop at the first line that is not a record (exit code 2)'
complete -c ngram-profile -l progress -d 'Show records and rate: a bar on a terminal, else a line per second'
complete -c ngram-profile -s q -l quiet -d 'Report fatal errors only'
complete -c ngram-profile -s v -l verbose -d 'Report details'
complete -c ngram-profile -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ngram-profile -s V -l version -d 'Print version'

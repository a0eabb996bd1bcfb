complete -c ngram-profile -l lang -d 'The sample\'s language (ISO 639-3 or 639-1; qaa to qtz are for private use); with --bootstrap one or more' -r
complete -c ngram-profile -l out -d 'The file to write, replaced when it is there; a pipe or device is written into' -r -F
complete -c ngram-profile -l pack -d 'Learn nothing, but bundle the profiles in this folder (*.profile) into a model' -r -F
complete -c ngram-profile -l bootstrap -d 'The sample is the journal of a run: in this folder, learn a profile of --lang from the initial documents, and a further one each time that the documents have doubled, from those that the former one is sure of. What is known besides, and --profile and --without, are the languages that it must be told from' -r -F
complete -c ngram-profile -l profile -d 'Profile of another language that is not known; may be repeated' -r -F
complete -c ngram-profile -l without -d 'Do as if these languages were not known, as langid does' -r
complete -c ngram-profile -l max-line -d 'Longest line in bytes; a longer one is left out, and never held whole' -r
complete -c ngram-profile -l rejects -d 'Keep lines that are left out in this file' -r -F
complete -c ngram-profile -l wordlist -d 'The sample is a list of words with their frequencies'
complete -c ngram-profile -l merge -d 'The sample is profiles, which are merged: all their words, in one profile'
complete -c ngram-profile -l final -d 'With --bootstrap, learn a last profile from all documents'
complete -c ngram-profile -l strict -d 'Stop at the first line that is not a record (exit 2)'
complete -c ngram-profile -l progress -d 'Report records and rate: a bar on a terminal, else a line a second'
complete -c ngram-profile -s q -l quiet -d 'Say nothing but what stops the tool'
complete -c ngram-profile -s v -l verbose -d 'Say more'
complete -c ngram-profile -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ngram-profile -s V -l version -d 'Print version'

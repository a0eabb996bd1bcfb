complete -c topic-profile -l out -d 'Write the profile to this file; an earlier profile is replaced' -r -F
complete -c topic-profile -l lang -d 'Language of the core, ISO 639-3 or 639-1' -r
complete -c topic-profile -l background -d 'General texts with which the core is contrasted, instead of the built-in word list' -r -F
complete -c topic-profile -l terms -d 'Maximum number of terms' -r
complete -c topic-profile -l pairs -d 'Maximum number of collocations of two words' -r
complete -c topic-profile -l triples -d 'Maximum number of collocations of three words' -r
complete -c topic-profile -l update -d 'Write profiles with a variable part to this folder, from the journal of a crawl' -r -F
complete -c topic-profile -l profile -d 'With --update, the profile that is the permanent part' -r -F
complete -c topic-profile -l every -d 'With --update, the number of recommended documents after which the variable part changes' -r
complete -c topic-profile -l seed -d 'With --update, the number by which the random choices are determined' -r
complete -c topic-profile -l max-line -d 'Maximum length of a line in bytes; longer lines are skipped' -r
complete -c topic-profile -l rejects -d 'Write skipped lines to this file, which must be new or empty' -r -F
complete -c topic-profile -l force -d 'Replace an existing file of any kind, except one that is read'
complete -c topic-profile -l explain -d 'Write why each entry was selected, tab-separated'
complete -c topic-profile -l strict -d 'Stop at the first line that is not a record (exit code 2)'
complete -c topic-profile -l progress -d 'Show records and rate: a bar on a terminal, else a line per second'
complete -c topic-profile -s q -l quiet -d 'Report fatal errors only'
complete -c topic-profile -s v -l verbose -d 'Report details'
complete -c topic-profile -s h -l help -d 'Print help (see more with \'--help\')'
complete -c topic-profile -s V -l version -d 'Print version'

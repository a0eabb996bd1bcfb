complete -c langid -l model -d 'Model to use instead of the one that comes with the program, whose name is `builtin` (ngram-profile --pack); may be repeated' -r -F
complete -c langid -l profile -d 'Profile to know besides (ngram-profile --out); may be repeated' -r -F
complete -c langid -l only -d 'Let only these languages compete (ISO 639-3 or 639-1); a text is taken to be in one of them' -r
complete -c langid -l without -d 'Do as if the model did not know these languages; a --profile stays' -r
complete -c langid -l method -d 'How texts and languages are compared: `evidence`, or `out-of-place`, the ranks of n-grams' -r
complete -c langid -l max-line -d 'Longest line in bytes; a longer one is left out, and never held whole' -r
complete -c langid -l rejects -d 'Keep lines that are left out in this file' -r -F
complete -c langid -s j -l jobs -d 'Threads [default: the cores available]; the output is the same for any number' -r
complete -c langid -l paragraphs -d 'Add the share of each language, paragraph by paragraph'
complete -c langid -l lines -d 'Read plain text, write "code, tab, score, tab, line" for each line; a blank one is und'
complete -c langid -l list -d 'Write what is known instead: code, script, name, words of the sample, source, separated by tabs'
complete -c langid -l force -d 'Identify again what has `langid` already, and replace `label`'
complete -c langid -l strict -d 'Stop at the first line that is not a record (exit 2)'
complete -c langid -l progress -d 'Report records and rate: a bar on a terminal, else a line a second'
complete -c langid -s q -l quiet -d 'Say nothing but what stops the tool'
complete -c langid -s v -l verbose -d 'Say more'
complete -c langid -s h -l help -d 'Print help (see more with \'--help\')'
complete -c langid -s V -l version -d 'Print version'

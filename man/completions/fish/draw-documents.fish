complete -c draw-documents -l out -d 'The folder to write into' -r -F
complete -c draw-documents -l truth -d 'The true classes: lines of "url, tab, class"' -r -F
complete -c draw-documents -l class -d 'The classes to draw from, separated by commas' -r
complete -c draw-documents -l seed -d 'A document per class for each of these, separated by commas' -r
complete -c draw-documents -l words -d 'How many words a document has, by blanks' -r
complete -c draw-documents -l max-line -d 'Longest line in bytes; a longer one is left out, and never held whole' -r
complete -c draw-documents -l rejects -d 'Keep lines that are left out in this file' -r -F
complete -c draw-documents -l strict -d 'Stop at the first line that is not a record (exit 2)'
complete -c draw-documents -l progress -d 'Report records and rate: a bar on a terminal, else a line a second'
complete -c draw-documents -s q -l quiet -d 'Say nothing but what stops the tool'
complete -c draw-documents -s v -l verbose -d 'Say more'
complete -c draw-documents -s h -l help -d 'Print help (see more with \'--help\')'
complete -c draw-documents -s V -l version -d 'Print version'

complete -c draw-documents -l out -d 'Output folder' -r -F
complete -c draw-documents -l truth -d 'True classes: lines of "url, tab, class"' -r -F
complete -c draw-documents -l class -d 'Classes to draw documents of, separated by commas' -r
complete -c draw-documents -l seed -d 'Seeds, separated by commas; each draws documents of each class' -r
complete -c draw-documents -l number -d 'Number of documents per class and seed' -r
complete -c draw-documents -l words -d 'Minimum and maximum length of a document, in words' -r
complete -c draw-documents -l max-line -d 'Maximum length of a line in bytes; longer lines are skipped' -r
complete -c draw-documents -l rejects -d 'Write skipped lines to this file, which must be new or empty' -r -F
complete -c draw-documents -l strict -d 'Stop at the first line that is not a record (exit code 2)'
complete -c draw-documents -l progress -d 'Show records and rate: a bar on a terminal, else a line per second'
complete -c draw-documents -s q -l quiet -d 'Report fatal errors only'
complete -c draw-documents -s v -l verbose -d 'Report details'
complete -c draw-documents -s h -l help -d 'Print help (see more with \'--help\')'
complete -c draw-documents -s V -l version -d 'Print version'

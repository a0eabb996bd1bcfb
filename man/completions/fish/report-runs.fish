complete -c report-runs -l out -d 'The report to write' -r -F
complete -c report-runs -l figures -d 'The folder of its figures, as it is to be named in the report' -r -F
complete -c report-runs -l introduction -d 'A text in Markdown that the report begins with, in place of a title' -r -F
complete -c report-runs -l findings -d 'Findings to judge by the results: a table with tabs between its columns' -r -F
complete -c report-runs -l max-line -d 'Longest line in bytes; a longer one is left out, and never held whole' -r
complete -c report-runs -l rejects -d 'Keep lines that are left out in this file' -r -F
complete -c report-runs -l strict -d 'Stop at the first line that is not a record (exit 2)'
complete -c report-runs -l progress -d 'Report records and rate: a bar on a terminal, else a line a second'
complete -c report-runs -s q -l quiet -d 'Say nothing but what stops the tool'
complete -c report-runs -s v -l verbose -d 'Say more'
complete -c report-runs -s h -l help -d 'Print help (see more with \'--help\')'
complete -c report-runs -s V -l version -d 'Print version'

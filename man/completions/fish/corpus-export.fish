complete -c corpus-export -l out -d 'Output file, or folder if PATH ends in `/`; `-` is standard output' -r -F
complete -c corpus-export -l format -d 'Output formats, separated by commas' -r -f -a "jsonl\t'The complete records'
text\t'The texts'"
complete -c corpus-export -l target -d 'Classes to export, separated by commas [default: all targets]' -r
complete -c corpus-export -l max-line -d 'Maximum length of a line in bytes; longer lines are skipped' -r
complete -c corpus-export -l rejects -d 'Write skipped lines to this file, which must be new or empty' -r -F
complete -c corpus-export -l force -d 'Replace existing files of any kind, except those that are read'
complete -c corpus-export -l journal -d 'Read the input as a journal: skip its initial documents'
complete -c corpus-export -l strict -d 'Stop at the first line that is not a record (exit code 2)'
complete -c corpus-export -l progress -d 'Show records and rate: a bar on a terminal, else a line per second'
complete -c corpus-export -s q -l quiet -d 'Report fatal errors only'
complete -c corpus-export -s v -l verbose -d 'Report details'
complete -c corpus-export -s h -l help -d 'Print help (see more with \'--help\')'
complete -c corpus-export -s V -l version -d 'Print version'

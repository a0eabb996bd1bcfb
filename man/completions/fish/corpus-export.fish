complete -c corpus-export -l out -d 'The file to write, replaced when it is there, or `-` for standard output; one that ends in `/` is a folder, in which each class has a file per format, as in slv.jsonl, and documents without a class unlabelled.jsonl' -r -F
complete -c corpus-export -l format -d 'jsonl (the records), text (the texts, blank lines between them), or both, separated by commas' -r -f -a "jsonl\t'The records, whole'
text\t'The texts'"
complete -c corpus-export -l target -d 'Only these classes, separated by commas; each has its files, also where it has no document [default: the targets of a run, by its run.conf; of another journal, those of the steps so far]' -r
complete -c corpus-export -l max-line -d 'Longest line in bytes; a longer one is left out, and never held whole' -r
complete -c corpus-export -l rejects -d 'Keep lines that are left out in this file' -r -F
complete -c corpus-export -l journal -d 'The input is a journal: initial documents are no part of the corpus'
complete -c corpus-export -l strict -d 'Stop at the first line that is not a record (exit 2)'
complete -c corpus-export -l progress -d 'Report records and rate: a bar on a terminal, else a line a second'
complete -c corpus-export -s q -l quiet -d 'Say nothing but what stops the tool'
complete -c corpus-export -s v -l verbose -d 'Say more'
complete -c corpus-export -s h -l help -d 'Print help (see more with \'--help\')'
complete -c corpus-export -s V -l version -d 'Print version'

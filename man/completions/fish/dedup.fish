complete -c dedup -l index -d 'The index of documents seen; made when there is none' -r -F
complete -c dedup -l threshold -d 'Least resemblance of near twins, 0.1 to 1; what an index was built for can be raised, not lowered [default: that of the index, 0.9 for a new one]' -r
complete -c dedup -l from-step -d 'First forget the documents of steps from this one on (step.number; 0 is a document without a step)' -r
complete -c dedup -l rebuild -d 'Read no input, but build the index anew from a journal' -r -F
complete -c dedup -l if-behind -d 'Rebuild only if the index lacks a step before this one; otherwise only forget steps from it on' -r
complete -c dedup -l max-line -d 'Longest line in bytes; a longer one is left out, and never held whole' -r
complete -c dedup -l rejects -d 'Keep lines that are left out in this file' -r -F
complete -c dedup -l drop -d 'Leave twins out'
complete -c dedup -l force -d 'Judge again what has `dedup` already'
complete -c dedup -l strict -d 'Stop at the first line that is not a record (exit 2)'
complete -c dedup -l progress -d 'Report records and rate: a bar on a terminal, else a line a second'
complete -c dedup -s q -l quiet -d 'Say nothing but what stops the tool'
complete -c dedup -s v -l verbose -d 'Say more'
complete -c dedup -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dedup -s V -l version -d 'Print version'

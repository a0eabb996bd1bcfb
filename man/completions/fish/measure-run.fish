complete -c measure-run -l setting -d 'How the run asked: a name without blanks' -r
complete -c measure-run -l seed -d 'The seed of the run, as it is to stand in the line' -r
complete -c measure-run -l truth -d 'The true classes: lines of "url, tab, class"' -r -F
complete -c measure-run -l limit -d 'A limit that the run was to stop at: documents=N, steps=N or calls=N. A run that ended before all of its limits counts on with what it had' -r
complete -c measure-run -l target -d 'With --compare, the class that the runs looked for [default: that of the first step]' -r
complete -c measure-run -l max-line -d 'Longest line in bytes; a longer one is left out, and never held whole' -r
complete -c measure-run -l rejects -d 'Keep lines that are left out in this file' -r -F
complete -c measure-run -l compare -d 'Read the journals of several runs for a target, and write what they found in common as one JSON object: how many documents the engine can reach by Chapman and by Chao, and how vocabularies grow'
complete -c measure-run -l strict -d 'Stop at the first line that is not a record (exit 2)'
complete -c measure-run -l progress -d 'Report records and rate: a bar on a terminal, else a line a second'
complete -c measure-run -s q -l quiet -d 'Say nothing but what stops the tool'
complete -c measure-run -s v -l verbose -d 'Say more'
complete -c measure-run -s h -l help -d 'Print help (see more with \'--help\')'
complete -c measure-run -s V -l version -d 'Print version'

complete -c measure-run -l setting -d 'Name of the setting, copied to the output; no spaces, no commas' -r
complete -c measure-run -l seed -d 'Seed of the run, copied to the output' -r
complete -c measure-run -l truth -d 'True classes: lines of "url, tab, class"' -r -F
complete -c measure-run -l limit -d 'Limit of the run: documents=N, steps=N or calls=N; repeatable' -r
complete -c measure-run -l target -d 'With --compare, target class [default: target of the first step]' -r
complete -c measure-run -l max-line -d 'Maximum length of a line in bytes; longer lines are skipped' -r
complete -c measure-run -l rejects -d 'Write skipped lines to this file, which must be new or empty' -r -F
complete -c measure-run -l compare -d 'Compare the journals of several runs for one target'
complete -c measure-run -l strict -d 'Stop at the first line that is not a record (exit code 2)'
complete -c measure-run -l progress -d 'Show records and rate: a bar on a terminal, else a line per second'
complete -c measure-run -s q -l quiet -d 'Report fatal errors only'
complete -c measure-run -s v -l verbose -d 'Report details'
complete -c measure-run -s h -l help -d 'Print help (see more with \'--help\')'
complete -c measure-run -s V -l version -d 'Print version'

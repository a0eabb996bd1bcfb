complete -c search -l engine -d 'The engine, as in index:DIR, searxng:URL or brave:; see --engines' -r
complete -c search -l canary -d 'Read no input, but check whether the engine leaves out what is excluded: ask for A, then for A without B, which is a word that A\'s hits show; `works`, `fails` and why' -r
complete -c search -l hits -d 'Keep hits, and which were given, in this file; made when there is none. Without it, they end with the process' -r -F
complete -c search -l next -d 'Give the first K hits that were not given before in this run; this is the default, with K = 1. Before a file, write --next=K' -r
complete -c search -l top -d 'Give the first N hits, given before or not' -r
complete -c search -l page-size -d 'Hits a page, where the engine lets us choose' -r
complete -c search -l max-pages -d 'Most pages that are asked for a query, ever' -r
complete -c search -l max-calls -d 'Make at most so many calls to the engine; beyond them only known hits are given [default: no limit]' -r
complete -c search -l max-queries -d 'Send at most so many different queries to the engine; for others only known hits are given [default: no limit]' -r
complete -c search -l rate -d 'Make at most so many calls a second, such as 0.5 [default: as the engine asks, see --engines]' -r
complete -c search -l patience -d 'How long an engine that asks to wait or is down is waited for since its last answer, in seconds; 0 gives it up at once, and asks again when it likes [default: 60 where it asks to wait, 0 where it is down]' -r
complete -c search -l from-step -d 'First forget which hits were given in steps from this one on (step.number); what the engine answered stays' -r
complete -c search -l rebuild -d 'Read no input, but note which hits were given anew from a journal; what engines answered can\'t be had from it' -r -F
complete -c search -l if-behind -d 'Rebuild only if FILE lacks a step before this one; otherwise only forget marks of steps from it on' -r
complete -c search -l timeout -d 'How long an engine on the web may take to answer, in seconds' -r
complete -c search -l contact -d 'Address of mail or page, told to engines that want to know who asks [default: $FORAGE_CONTACT]' -r
complete -c search -l max-line -d 'Longest line in bytes; a longer one is left out, and never held whole' -r
complete -c search -l rejects -d 'Keep lines that are left out in this file' -r -F
complete -c search -l engines -d 'List the engines: form, options, key, what it can express and its limits; tab-separated'
complete -c search -l add -d 'Add the records\' documents (`url`, `title`, `text`) to the embedded index instead; prints nothing'
complete -c search -l by-page -d 'Give what is known of a query first, and else the hits of one further page, without filling up to K'
complete -c search -l capabilities -d 'Write what the engine can do, in one line: exclusion, exclusion-alone (a query without an inclusion term), like (documents like one that it has)'
complete -c search -l force -d 'Ask again for what has a `hit` or `url` already'
complete -c search -l strict -d 'Stop at the first line that is not a record (exit 2)'
complete -c search -l progress -d 'Report records and rate: a bar on a terminal, else a line a second'
complete -c search -s q -l quiet -d 'Say nothing but what stops the tool'
complete -c search -s v -l verbose -d 'Say more'
complete -c search -s h -l help -d 'Print help (see more with \'--help\')'
complete -c search -s V -l version -d 'Print version'

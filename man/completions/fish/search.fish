complete -c search -l engine -d 'Engine, as in index:DIR, searxng:URL or brave:; see --engines' -r
complete -c search -l canary -d 'Test whether the engine honours exclusion terms' -r
complete -c search -l target -d 'Label of the relevant pages, for --in-links [default: on-topic]' -r
complete -c search -l hits -d 'Cache of hits and of returned URLs; created if missing' -r -F
complete -c search -l next -d 'Return the first K unseen hits, not returned before; the default' -r
complete -c search -l top -d 'Return the first N hits, whether or not they were returned before' -r
complete -c search -l page-size -d 'Hits per page, if the engine lets the client choose' -r
complete -c search -l max-pages -d 'Maximum number of pages per query and engine, cached ones included' -r
complete -c search -l max-calls -d 'Maximum number of calls to all engines [default: no limit]' -r
complete -c search -l max-queries -d 'Maximum number of distinct queries to send [default: no limit]' -r
complete -c search -l max-empty -d 'Give up an engine without any hit after N queries [default: no limit]' -r
complete -c search -l rate -d 'Maximum number of calls per second [default: the engine\'s]' -r
complete -c search -l patience -d 'Maximum wait for a failing engine, in seconds [default: 60 or 0]' -r
complete -c search -l from-step -d 'First remove the URLs returned in this step and later steps' -r
complete -c search -l rebuild -d 'Restore the returned URLs from a journal instead of reading input' -r -F
complete -c search -l if-behind -d 'Rebuild only if the cache lacks a step before this one' -r
complete -c search -l timeout -d 'Time limit for a response of an engine on the web, in seconds' -r
complete -c search -l contact -d 'Mail address or URL to send to engines [default: $FORAGE_CONTACT]' -r
complete -c search -l known -d 'Skip hits that these files have; repeatable' -r -F
complete -c search -l hosts-allow -d 'Return hits of the hosts in this file only, and their subdomains' -r -F
complete -c search -l hosts-deny -d 'Skip hits of the hosts in this file, and of their subdomains' -r -F
complete -c search -l per-host -d 'Maximum number of hits to return per host [default: no limit]' -r
complete -c search -l max-line -d 'Maximum length of a line in bytes; longer lines are skipped' -r
complete -c search -l rejects -d 'Write skipped lines to this file, which must be new or empty' -r -F
complete -c search -l tsv -d 'Write these fields instead of records, separated by tabs' -r
complete -c search -l engines -d 'List the engines: form, options, key, capabilities; tab-separated'
complete -c search -l add -d 'Add documents to the embedded index instead of searching'
complete -c search -l dump -d 'Write the documents of the embedded index instead of searching'
complete -c search -l in-links -d 'Add the pages that link to each relevant page, and pass on all records'
complete -c search -l by-page -d 'Return unseen hits from the cache, or else from one further page'
complete -c search -l capabilities -d 'Write the capabilities of the engine on one line'
complete -c search -l forget-empty -d 'With --if-behind: forget the pages without hits of these steps'
complete -c search -l probe -d 'Test whether the engine still has hits, after queries without any'
complete -c search -l force -d 'Also process records that already have `hit` or `url`'
complete -c search -l strict -d 'Stop at the first line that is not a record (exit code 2)'
complete -c search -l progress -d 'Show records and rate: a bar on a terminal, else a line per second'
complete -c search -l defuse-formulas -d 'With --tsv, write cells that a spreadsheet would run as formulas as text'
complete -c search -s q -l quiet -d 'Report fatal errors only'
complete -c search -s v -l verbose -d 'Report details'
complete -c search -s h -l help -d 'Print help (see more with \'--help\')'
complete -c search -s V -l version -d 'Print version'

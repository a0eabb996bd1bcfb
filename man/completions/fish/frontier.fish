complete -c frontier -l state -d 'State file of the crawl; created if missing' -r -F
complete -c frontier -l next -d 'Write up to this many URLs, best first, and mark them as given' -r
complete -c frontier -l score -d 'Field with the score of a page: a number, as in langid.share.slv' -r
complete -c frontier -l step -d 'Number of the step [default: one more than the last]' -r
complete -c frontier -l target -d 'Class that the step looks for, for step.target' -r
complete -c frontier -l order -d 'Order in which URLs are given' -r -f -a "mean\t'By the mean score of the pages that link to a URL'
breadth\t'In the order of discovery: breadth-first'
anchor\t'By what the words of anchor text and URL have brought'
yield\t'By what directory and host have brought'
best\t'By the greatest score of a page that links to a URL, and the share of live links'"
complete -c frontier -l per-host -d 'Maximum number of URLs of one host [default: no limit]' -r
complete -c frontier -l max-depth -d 'Maximum number of links from a seed [default: no limit]' -r
complete -c frontier -l hosts-allow -d 'Only crawl the hosts of this file, and their subdomains' -r -F
complete -c frontier -l hosts-deny -d 'Do not crawl the hosts of this file, nor their subdomains' -r -F
complete -c frontier -l from-step -d 'First remove what is known of this step and later steps' -r
complete -c frontier -l rebuild -d 'Rebuild the state from a journal instead of reading input' -r -F
complete -c frontier -l if-behind -d 'Rebuild only if the state lacks a step before this one' -r
complete -c frontier -l max-line -d 'Maximum length of a line in bytes; longer lines are skipped' -r
complete -c frontier -l rejects -d 'Write skipped lines to this file, which must be new or empty' -r -F
complete -c frontier -l tsv -d 'Write these fields instead of records, separated by tabs' -r
complete -c frontier -l add -d 'Add the URLs of the input as seeds, which are given first'
complete -c frontier -l report -d 'Write numbers about the frontier as JSON'
complete -c frontier -l strict -d 'Stop at the first line that is not a record (exit code 2)'
complete -c frontier -l progress -d 'Show records and rate: a bar on a terminal, else a line per second'
complete -c frontier -l defuse-formulas -d 'With --tsv, write cells that a spreadsheet would run as formulas as text'
complete -c frontier -s q -l quiet -d 'Report fatal errors only'
complete -c frontier -s v -l verbose -d 'Report details'
complete -c frontier -s h -l help -d 'Print help (see more with \'--help\')'
complete -c frontier -s V -l version -d 'Print version'

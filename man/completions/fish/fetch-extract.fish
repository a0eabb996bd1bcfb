complete -c fetch-extract -l contact -d 'Address of mail or page where webmasters reach you, told to each host; without one nothing is fetched from the open web [default: $FORAGE_CONTACT]' -r
complete -c fetch-extract -l connect-to -d 'Send all connections there; URL and Host header stay (as with curl)' -r
complete -c fetch-extract -l delay -d 'Pause between two requests to a host, in seconds; 0 takes also those away that the host asks for' -r
complete -c fetch-extract -l hosts -d 'Remember in this file when hosts may be asked again, and their robots.txt, for the next run' -r -F
complete -c fetch-extract -l timeout -d 'Time for one request, in seconds' -r
complete -c fetch-extract -l retries -d 'Further tries of a request that failed in a way that may pass' -r
complete -c fetch-extract -l max-bytes -d 'Largest page, as sent and decompressed' -r
complete -c fetch-extract -s j -l jobs -d 'Connections open at once, each to another host; the output is the same for any number' -r
complete -c fetch-extract -l warc -d 'Keep requests and answers in this archive (WARC, gzip); what is there stays' -r -F
complete -c fetch-extract -l earlier -d 'Ask for pages that this archive keeps only if they have changed, and keep no payload again; may be repeated, the earliest first' -r -F
complete -c fetch-extract -l resume -d 'Pass over records that are in the output of an earlier run, which was broken off' -r -F
complete -c fetch-extract -l html -d 'Write the records of pages that lie in files (HTML, PDF and what else is read)' -r -F
complete -c fetch-extract -l from-warc -d 'Write the records of pages that archives keep (WARC, also of other tools; `-` is standard input), without the network' -r -F
complete -c fetch-extract -l robots-check -d 'Say whether a robots.txt allows AGENT to fetch URL: "allow", or "disallow" with exit code 1' -r
complete -c fetch-extract -l max-line -d 'Longest line in bytes; a longer one is left out, and never held whole' -r
complete -c fetch-extract -l rejects -d 'Keep lines that are left out in this file' -r -F
complete -c fetch-extract -l allow-private -d 'Connect to private addresses, too: this machine, its network'
complete -c fetch-extract -l respect-optout -d 'Give pages no text that reserve themselves against text mining'
complete -c fetch-extract -l links -d 'Add the page\'s links'
complete -c fetch-extract -l keep-html -d 'Keep `html` in a record that came with it'
complete -c fetch-extract -l force -d 'Fetch and extract also where there is a text, and replace it; where that fails, it goes'
complete -c fetch-extract -l strict -d 'Stop at the first line that is not a record (exit 2)'
complete -c fetch-extract -l progress -d 'Report records and rate: a bar on a terminal, else a line a second'
complete -c fetch-extract -s q -l quiet -d 'Say nothing but what stops the tool'
complete -c fetch-extract -s v -l verbose -d 'Say more'
complete -c fetch-extract -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fetch-extract -s V -l version -d 'Print version'

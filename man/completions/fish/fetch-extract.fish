complete -c fetch-extract -l contact -d 'Mail address or URL to send to each host [default: $FORAGE_CONTACT]' -r
complete -c fetch-extract -l connect-to -d 'Send all connections to this address, as with curl' -r
complete -c fetch-extract -l delay -d 'Pause between two requests to a host, in seconds' -r
complete -c fetch-extract -l hosts -d 'Host store: back-off times and robots.txt files for later runs' -r -F
complete -c fetch-extract -l timeout -d 'Time limit per request, in seconds' -r
complete -c fetch-extract -l patience -d 'Wait for the end of an outage of the network, for at most this time' -r
complete -c fetch-extract -l retries -d 'Number of retries of a request after transient failures' -r
complete -c fetch-extract -l max-bytes -d 'Maximum size of a page in bytes, as sent and decompressed' -r
complete -c fetch-extract -s j -l jobs -d 'Maximum number of open connections, each to a different host' -r
complete -c fetch-extract -l warc -d 'Append requests and responses to this archive (WARC, gzip)' -r -F
complete -c fetch-extract -l earlier -d 'Fetch pages of this archive only if they have changed; repeatable' -r -F
complete -c fetch-extract -l resume -d 'Skip records that are in this output of an interrupted run' -r -F
complete -c fetch-extract -l rules -d 'Apply site rules: a TOML file, a folder of these, or "news"; repeatable' -r -F
complete -c fetch-extract -l extractor -d 'Method of extraction for pages to which no site rule applies' -r -f -a "model\t'A model that rates blocks of text'
title-body-footer\t'All text from the title to the footer (Bracewell et al. 2007), a baseline'"
complete -c fetch-extract -l urls -d 'Fetch the URLs of this list, one per line; repeatable' -r -F
complete -c fetch-extract -l html -d 'Read saved pages (HTML, PDF and other formats) instead of records' -r -F
complete -c fetch-extract -l from-warc -d 'Read archived pages instead of records, without the network' -r -F
complete -c fetch-extract -l robots-check -d 'Check whether a robots.txt allows AGENT to fetch URL' -r
complete -c fetch-extract -l max-line -d 'Maximum length of a line in bytes; longer lines are skipped' -r
complete -c fetch-extract -l rejects -d 'Write skipped lines to this file, which must be new or empty' -r -F
complete -c fetch-extract -l tsv -d 'Write these fields instead of records, separated by tabs' -r
complete -c fetch-extract -l allow-private -d 'Also connect to private addresses: this machine and its network'
complete -c fetch-extract -l respect-optout -d 'Reject pages that opt out of text mining'
complete -c fetch-extract -l links -d 'Add the links of the page'
complete -c fetch-extract -l comments -d 'Add the comments of readers after the article'
complete -c fetch-extract -l keep-html -d 'Keep `html` in records that contain it'
complete -c fetch-extract -l force -d 'Also process records that already have `text`; replace it'
complete -c fetch-extract -l strict -d 'Stop at the first line that is not a record (exit code 2)'
complete -c fetch-extract -l progress -d 'Show records and rate: a bar on a terminal, else a line per second'
complete -c fetch-extract -l defuse-formulas -d 'With --tsv, write cells that a spreadsheet would run as formulas as text'
complete -c fetch-extract -s q -l quiet -d 'Report fatal errors only'
complete -c fetch-extract -s v -l verbose -d 'Report details'
complete -c fetch-extract -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fetch-extract -s V -l version -d 'Print version'

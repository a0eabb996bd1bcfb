complete -c report-runs -l out -d 'Output file' -r -F
complete -c report-runs -l figures -d 'Folder of the figures, relative to the report' -r -F
complete -c report-runs -l tables -d 'Page for the tables of the runs by cost, instead of the end of the report' -r -F
complete -c report-runs -l introduction -d 'Introduction of the report in Markdown, instead of a title' -r -F
complete -c report-runs -l settings -d 'Options of the settings to list: lines of "name, tab, options"' -r -F
complete -c report-runs -l findings -d 'Table of findings to test, with tab-separated columns' -r -F
complete -c report-runs -l figure-table -d 'Table of figures to draw, with tab-separated columns' -r -F
complete -c report-runs -l template -d 'Page whose directives are replaced by tables, figures and findings' -r -F
complete -c report-runs -l max-line -d 'Maximum length of a line in bytes; longer lines are skipped' -r
complete -c report-runs -l rejects -d 'Write skipped lines to this file, which must be new or empty' -r -F
complete -c report-runs -l strict -d 'Stop at the first line that is not a record (exit code 2)'
complete -c report-runs -l progress -d 'Show records and rate: a bar on a terminal, else a line per second'
complete -c report-runs -s q -l quiet -d 'Report fatal errors only'
complete -c report-runs -s v -l verbose -d 'Report details'
complete -c report-runs -s h -l help -d 'Print help (see more with \'--help\')'
complete -c report-runs -s V -l version -d 'Print version'

complete -c gen-query -l stats -d 'Term statistics, kept by update-stats' -r -F
complete -c gen-query -l target -d 'The class that is looked for' -r
complete -c gen-query -l versus -d 'Classes that it is told from, or `all`' -r
complete -c gen-query -l include -d 'Method and number of inclusion terms' -r
complete -c gen-query -l exclude -d 'Method and number of exclusion terms' -r
complete -c gen-query -l learn -d 'Let what was learned choose the query' -r -f -a "auto\t'One region of the target\'s documents after the other'
ml\t'Memoryless: what succeeded last'
lta\t'Long-term memory, additive: the share of successes'
ltm\t'Long-term memory, multiplicative: times 1.1 or 0.9'
fm\t'Fading memory: nine parts the past, one the last query'
thompson\t'A bandit: each value as likely as it is the best, by what it gained'
ucb\t'A bandit: what gained most, or may do so for all that is known (UCB1)'
exp3\t'A bandit: weights that grow with each gain (EXP3)'
like\t'Pages like each relevant document, in turn'
seedfinder\t'The best terms by score, and one that was never used'"
complete -c gen-query -l lengths -d 'With a learner of methods and lengths: how lengths are chosen, `if:I,E`, `ii`, `id`, `di` or `dd` [default: ii]' -r
complete -c gen-query -l none-weight -d 'With a learner of methods and lengths: how many failures a query that brings no document counts as [default: 1]' -r
complete -c gen-query -l batch -d 'Documents that a step takes, as search is told by --next (for the bandits)' -r
complete -c gen-query -l step -d 'Number of the step that the query is for' -r
complete -c gen-query -s n -l count -d 'Number of queries, for steps N, N+1 ...' -r
complete -c gen-query -l recovery -d 'How many ranks to go down on either side when queries bring nothing' -r
complete -c gen-query -l shorten -d 'After so many ranks in vain make the query shorter by an inclusion term' -r
complete -c gen-query -l prune -d 'Leave out terms that two of the classes that the run began with have, in one of a hundred documents; and words of links that all sites have' -r -f -a "common\t'Those that two of the first classes have'
navigation\t'Those of links that all sites have: home, contact ...'"
complete -c gen-query -l until-coverage -d 'Stop when this share of what the engine can reach is collected, by an estimate: one in six calls is a probe\'s, which it is made from' -r
complete -c gen-query -l page-size -d 'Hits on a page of the engine, as search is told (for --learn auto)' -r
complete -c gen-query -l max-pages -d 'Pages that a query may have, as search is told (for --learn auto)' -r
complete -c gen-query -l seed -d 'Seed of what is drawn at random' -r
complete -c gen-query -l engine-can -d 'What the engine can do, as search --capabilities says it, between blanks: exclusion, exclusion-alone, like [default: all of it]' -r
complete -c gen-query -l explain -d 'Write instead of the query a line a term: side, rank, term, counts, score'
complete -c gen-query -l capabilities -d 'Write instead of a query what the strategy needs, in one line: `pages-itself` where it decides for each page of hits whether to call the engine again (search --by-page), `needs-like` and `needs-exclusion` where the engine must be able to do that'
complete -c gen-query -s q -l quiet -d 'Say nothing but what stops the tool'
complete -c gen-query -s v -l verbose -d 'Say more'
complete -c gen-query -s h -l help -d 'Print help (see more with \'--help\')'
complete -c gen-query -s V -l version -d 'Print version'

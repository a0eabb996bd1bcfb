complete -c simulate-run -l target -d 'Target classes, separated by commas; several take turns' -r
complete -c simulate-run -l init -d 'Initial document of a class, as in slv=seed.txt; repeatable' -r
complete -c simulate-run -l engine -d 'Embedded index: index:DIR' -r
complete -c simulate-run -l seeds-per-round -d 'Number of initial documents of each class per round, one step of each target' -r
complete -c simulate-run -l classifier -d 'Classifier of documents: builtin, run or run:MARGIN' -r
complete -c simulate-run -l langid-method -d 'Method of langid: evidence or out-of-place [default: evidence]' -r
complete -c simulate-run -l without -d 'Do not use langid\'s profiles of these languages' -r
complete -c simulate-run -l docs -d 'Maximum number of documents [default: 1000, if no other limit is given]' -r
complete -c simulate-run -l queries -d 'Maximum number of steps, each with one query' -r
complete -c simulate-run -l calls -d 'Maximum number of calls to the engine' -r
complete -c simulate-run -l versus -d 'Classes to contrast with the target, separated by commas, or `all`' -r
complete -c simulate-run -l include -d 'Method and number of inclusion terms, as in or:3' -r
complete -c simulate-run -l exclude -d 'Method and number of exclusion terms, as in or:3' -r
complete -c simulate-run -l learn -d 'Choose the query by the results of earlier queries' -r -f -a "auto\t'Harvest disjoint regions of the target\'s documents'
ml\t'Memoryless: the values of the last query that succeeded'
lta\t'Long-term memory, additive: by the share of successes'
ltm\t'Long-term memory, multiplicative: by factors 1/beta and beta'
fm\t'Fading memory: 0.9 of the past, 0.1 of the last query'
thompson\t'Bandit: Thompson sampling'
ucb\t'Bandit: UCB1, the highest upper confidence bound'
exp3\t'Bandit: EXP3, exponential weights'
like\t'Baseline: documents like each relevant one in turn'
seedfinder\t'Baseline: the best-scoring terms, one of them unused'
samples\t'Keyphrases of each relevant document in turn'
rocchio\t'Best terms of relevant documents, by relevance feedback'"
complete -c simulate-run -l lengths -d 'Length model of the learner: if:I,E, ii, id, di or dd [default: ii]' -r
complete -c simulate-run -l no-result-penalty -d 'Failures that a query without a document counts as [default: 1]' -r
complete -c simulate-run -l beta -d 'Factor of the learner ltm: a failure multiplies, a success divides [default: 0.5]' -r
complete -c simulate-run -l batch -d 'Documents per step, as in search --next, or auto' -r
complete -c simulate-run -l probability -d 'Probability of a term in the odds ratio' -r -f -a "df\t'Share of the documents of the class that have the term'
tf\t'Share of the term in the tokens of the class'"
complete -c simulate-run -l prune -d 'Terms to leave out: common, common:SHARE, or navigation; separated by commas' -r
complete -c simulate-run -l until-coverage -d 'Stop at this share of the reachable target documents, such as 0.9' -r
complete -c simulate-run -l page-size -d 'Hits per page of the engine, as in search; for --learn auto' -r
complete -c simulate-run -l max-pages -d 'Maximum number of pages per query, as in search; for --learn auto' -r
complete -c simulate-run -l seed -d 'Seed of the random choices' -r
complete -c simulate-run -l engine-can -d 'Capabilities of the engine, separated by spaces [default: all]' -r
complete -c simulate-run -l recovery -d 'What to send after a query without a result [default: shorten]' -r
complete -c simulate-run -l ascii-folding -d 'Count words with and without diacritics as one term'
complete -c simulate-run -s q -l quiet -d 'Report fatal errors only'
complete -c simulate-run -s v -l verbose -d 'Report details'
complete -c simulate-run -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simulate-run -s V -l version -d 'Print version'

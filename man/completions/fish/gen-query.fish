complete -c gen-query -l stats -d 'Term statistics of update-stats' -r -F
complete -c gen-query -l target -d 'Target class of the query' -r
complete -c gen-query -l versus -d 'Classes to contrast with the target, separated by commas, or `all`' -r
complete -c gen-query -l include -d 'Method and number of inclusion terms, as in or:3' -r
complete -c gen-query -l exclude -d 'Method and number of exclusion terms, as in or:3' -r
complete -c gen-query -l learn -d 'Choose the query by the results of earlier queries' -r -f -a "auto\t'Harvest disjoint regions of the target\'s documents'
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
complete -c gen-query -l lengths -d 'Length model of the learner: if:I,E, ii, id, di or dd [default: ii]' -r
complete -c gen-query -l no-result-penalty -d 'Failures that a query without a document counts as [default: 1]' -r
complete -c gen-query -l beta -d 'Factor of the learner ltm: a failure multiplies, a success divides [default: 0.5]' -r
complete -c gen-query -l batch -d 'Documents per step, as in search --next, or auto' -r
complete -c gen-query -l recovery -d 'What to send after a query without a result [default: offsets]' -r
complete -c gen-query -l probability -d 'Probability of a term in the odds ratio' -r -f -a "df\t'Share of the documents of the class that have the term'
tf\t'Share of the term in the tokens of the class'"
complete -c gen-query -l prune -d 'Terms to leave out: common, common:SHARE, or navigation; separated by commas' -r
complete -c gen-query -l until-coverage -d 'Stop at this share of the reachable target documents, such as 0.9' -r
complete -c gen-query -l page-size -d 'Hits per page of the engine, as in search; for --learn auto' -r
complete -c gen-query -l max-pages -d 'Maximum number of pages per query, as in search; for --learn auto' -r
complete -c gen-query -l seed -d 'Seed of the random choices' -r
complete -c gen-query -l engine-can -d 'Capabilities of the engine, separated by spaces [default: all]' -r
complete -c gen-query -l step -d 'Step number of the query' -r
complete -c gen-query -s n -l count -d 'Number of queries, for this step and the following ones' -r
complete -c gen-query -l queries -d 'Queries per sample article; for --learn samples' -r
complete -c gen-query -l terms -d 'Keyphrases per query; for --learn samples' -r
complete -c gen-query -l of -d 'Best keyphrases of a sample that are drawn from, at most 50; for --learn samples' -r
complete -c gen-query -l tsv -d 'Write these fields instead of records, separated by tabs' -r
complete -c gen-query -l explain -d 'Write the ranking of the terms instead of the query'
complete -c gen-query -l capabilities -d 'Write the requirements of the strategy instead of a query'
complete -c gen-query -l defuse-formulas -d 'With --tsv, write cells that a spreadsheet would run as formulas as text'
complete -c gen-query -s q -l quiet -d 'Report fatal errors only'
complete -c gen-query -s v -l verbose -d 'Report details'
complete -c gen-query -s h -l help -d 'Print help (see more with \'--help\')'
complete -c gen-query -s V -l version -d 'Print version'

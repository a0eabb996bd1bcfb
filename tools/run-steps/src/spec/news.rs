//! special-domain.

use super::{CHECK_ARGUMENTS, FETCHING, OUT, PATIENCE, PipelineSpec, QUIET, RATE, SEED};
use crate::options::{OptionSpec, news_strategy, number, positive, setting, threshold};

pub(super) const NEWS: PipelineSpec = PipelineSpec {
    kind: "news",
    about: "Collect articles on the subject of a sample article",
    usage: &[
        "--sample FILE|URL ... --engine SPEC ... --out RUN [options]",
        "--resume RUN [limits]",
    ],
    groups: &[&[
        ("Samples and engines", SAMPLES),
        ("Queries and similarity", QUERIES),
        ("Fetching (with index:DIR nothing is fetched)", FETCHING),
        ("Limits: the run ends at the first that is reached", LIMITS),
        ("Others", OTHERS),
    ]],
    withheld: &[],
    internal: &["target"],
    sections: SECTIONS,
};

const SAMPLES: &[OptionSpec] = &[
    setting(
        "sample",
        "FILE|URL",
        "a sample article: a file (text, HTML, PDF, or .jsonl for records), or the address of a \
         page; several articles on one subject describe it better",
    )
    .repeated()
    .initial(),
    setting(
        "engine",
        "SPEC",
        "index:DIR, searxng:URL, gdelt: ... (see search --engines); each query is sent to all of \
         them",
    )
    .repeated()
    .changeable(),
    setting(
        "lang",
        "CODE",
        "language of the samples, as in eng [default: identified]",
    ),
    setting(
        "rules",
        "FILE",
        "rules that find the article on a page of a site (see fetch-extract)",
    ),
];

const QUERIES: &[OptionSpec] = &[
    setting(
        "learn",
        "STRATEGY",
        "rocchio: best terms of the articles collected so far, by relevance feedback; auto: \
         regions (see gen-query), after a start by relevance feedback; samples: keyphrases of each \
         collected article in turn (Bracewell et al. 2007) [default: rocchio]",
    )
    .checked(news_strategy),
    setting(
        "measure",
        "MEASURE",
        "similarity to the samples, for --learn samples (see topic-filter)",
    ),
    setting(
        "threshold",
        "T",
        "score from which the last model collects an article [default: 0.5]; for --learn samples, \
         similarity above which an article joins the collection",
    )
    .checked(threshold)
    .changeable(),
    setting("hits", "N", "hits per page of an engine")
        .default("10")
        .checked(positive),
    setting(
        "max-pages",
        "N",
        "maximum number of pages per query; 1 for --learn samples",
    )
    .default("10")
    .checked(positive),
    RATE,
    PATIENCE,
    SEED,
];

const LIMITS: &[OptionSpec] = &[
    setting(
        "docs",
        "N",
        "articles retrieved, collected or not [default: no limit]",
    )
    .checked(number)
    .changeable(),
    setting(
        "calls",
        "N",
        "calls to the engines [default: 150, if no other limit is given]",
    )
    .checked(number)
    .changeable(),
];

const OTHERS: &[OptionSpec] = &[
    OUT,
    setting(
        "resume",
        "RUN",
        "continue a run, also beyond its original limits; accepts limits, --engine, --rate, \
         --patience, --contact, --delay, --timeout, --connect-to and, unless with --learn samples, \
         --threshold",
    )
    .unstored(),
    super::TRUST,
    CHECK_ARGUMENTS,
    QUIET,
];

const SECTIONS: &str = "NOTES
An article that has the URL, the text or the title of an earlier one is a
duplicate.

With --learn samples, an article that is rejected is compared again with each
later sample, without being fetched again. With the other strategies, a model is
learned from all articles retrieved so far, and at the end the last model
decides which of them are in corpus/; the journal keeps the labels that were
used during the run.

FILES
RUN holds run.conf (everything needed to repeat the run), init/ (the samples),
args/ (the options of the tools), rules.toml (a copy of the file of --rules),
journal.jsonl (every record), stats.db, hits.db, seen.db, topic.db (the words of
all articles; with --learn samples, samples and rejected articles),
pages.warc.gz (the pages as fetched), hosts.db, and at the end
corpus/on-topic.jsonl, corpus/on-topic.txt and report.json. After a kill,
--resume RUN continues, and the run ends as if it had not been killed.

EXAMPLE
  $ special-domain --sample article.html --engine gdelt: \\
      --engine searxng:http://localhost:8888 --contact me@example.org \\
      --out gold";

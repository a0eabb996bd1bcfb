//! focused-crawl.

use super::{CHECK_ARGUMENTS, FETCHING, OUT, PATIENCE, PipelineSpec, QUIET, SEED, TRUST};
use crate::options::{OptionSpec, label, number, positive, positive_share, setting, share};

pub(super) const CRAWL: PipelineSpec = PipelineSpec {
    kind: "crawl",
    about: "Collect the pages on a subject by following links",
    usage: &[
        "--core FILE ... --seeds FILE --out RUN [options]",
        "--filter COMMAND --seeds FILE --out RUN [options]",
        "--resume RUN [limits]",
    ],
    groups: &[&[
        ("Subject", SUBJECT),
        (
            "Thresholds of the profile's metrics (see topic-filter)",
            THRESHOLDS,
        ),
        ("Frontier (see frontier)", FRONTIER),
        ("Fetching", FETCHING),
        ("Limits: the run ends at the first that is reached", LIMITS),
        ("Others", OTHERS),
    ]],
    withheld: &[],
    internal: &["folder"],
    sections: SECTIONS,
};

const SUBJECT: &[OptionSpec] = &[
    setting(
        "core",
        "FILE",
        "documents on the subject that a person chose, 100 to 150 from several hosts: HTML, PDF, \
         PostScript or text, one document per file; or .jsonl for records",
    )
    .many()
    .initial(),
    setting(
        "seeds",
        "FILE",
        "URLs from which the crawl starts: lines, or records",
    )
    .initial(),
    setting(
        "lang",
        "CODE",
        "language of the core, as in eng [default: identified]",
    ),
    setting(
        "profile",
        "FILE",
        "topic profile, as topic-profile proposes it and people edit it [default: proposed from \
         the core]",
    ),
    setting(
        "variable-part",
        "N",
        "after every N relevant documents, add entries to the profile that are drawn from them \
         (see topic-profile) [default: the profile stays as it is]",
    )
    .checked(positive),
    setting("target", "LABEL", "label of relevant documents")
        .default("on-topic")
        .checked(label),
    setting(
        "filter",
        "COMMAND",
        "judge pages by this command instead of a profile, as in 'langid --paragraphs'; it reads \
         and writes records, in order, and sets label and the field of --score",
    ),
    setting(
        "score",
        "FIELD",
        "field with the score of a page [default: topic.score]",
    ),
];

const THRESHOLDS: &[OptionSpec] = &[
    setting(
        "recognise",
        "SHARE",
        "share of the core that they recognise [default: 0.7]",
    )
    .checked(positive_share),
    setting(
        "thresholds",
        "LIST",
        "as in vsm=0.18,term=0.5,pair=0.1,triple=0.08",
    ),
    setting(
        "directory",
        "N",
        "undoubtedly relevant pages after which the other pages of a directory count as relevant; \
         0: never [default: 3]",
    )
    .checked(number),
    setting(
        "host-share",
        "SHARE",
        "thresholds are doubled on hosts of which less than this share of the pages is undoubtedly \
         relevant; 0: never",
    )
    .default("0.125")
    .checked(share),
];

const FRONTIER: &[OptionSpec] = &[
    setting(
        "order",
        "ORDER",
        "order of the URLs: best, mean (as in the paper), yield, anchor or breadth",
    )
    .default("best"),
    setting(
        "batch",
        "K",
        "URLs per step; their pages are fetched at the same time",
    )
    .default("20")
    .checked(positive)
    .changeable(),
    setting("per-host", "N", "maximum number of URLs of a host per step").checked(positive),
    setting("max-depth", "N", "maximum number of links from a seed").checked(number),
    setting(
        "hosts-allow",
        "FILE",
        "only crawl these hosts and their subdomains",
    ),
    setting(
        "hosts-deny",
        "FILE",
        "do not crawl these hosts nor their subdomains",
    ),
    SEED,
    setting(
        "in-links",
        "SPEC",
        "also add the first ten pages that link to each relevant page, as this search engine knows \
         them: index:DIR (built from records with links), mediawiki: or yacy:; see search. A page \
         for which it does not answer has none; none: no in-links, also from now on with --resume",
    )
    .changeable(),
    PATIENCE,
];

const LIMITS: &[OptionSpec] = &[
    setting(
        "docs",
        "N",
        "documents judged, relevant or not [default: no limit]",
    )
    .checked(number)
    .changeable(),
    setting(
        "pages",
        "N",
        "URLs fetched, dead links and those that robots.txt forbids among them [default: 1000, if \
         there is no other limit]",
    )
    .checked(number)
    .changeable(),
];

const OTHERS: &[OptionSpec] = &[
    OUT,
    setting(
        "resume",
        "RUN",
        "continue a run, also beyond its original limits; accepts limits, --batch, --in-links, \
         --contact, --delay, --timeout, --patience and --connect-to",
    )
    .unstored(),
    TRUST,
    CHECK_ARGUMENTS,
    QUIET,
];

const SECTIONS: &str = "NOTES
The score of a URL is the greatest score of a page that links to it, or has it
among its in-links, times the share of live links in its directory (--order
best; frontier(1) has the other orders). The URLs with the highest scores are
fetched first. A page is relevant if a metric votes for it (topic.metrics), and
undoubtedly relevant with the votes of two metrics other than directory.

If no host responds, the run waits for the network, and stops after --patience;
its step is not counted, and --resume continues. Hosts that have failed three
times in a row are tried again after 30 minutes, or at once if hosts.db is
removed.

FILES
RUN holds run.conf (everything needed to repeat the run), init/ (core, seeds and
topic profile), args/ (the options of the tools), filter/ (profiles with a
variable part, and drift.jsonl), journal.jsonl (every record), frontier.db (URLs
found so far), seen.db, sites.db, stats.db, pages.warc.gz (the pages as
fetched), hosts.db, hits.db (in-links from the engine), and at the end
corpus/on-topic.jsonl, corpus/on-topic.txt (relevant pages without duplicates)
and report.json. After a kill, --resume RUN continues, and the run ends as if it
had not been killed. A run that is extended beyond its limit may differ from a
longer one: a step that the limit cut short stays short.

EXAMPLES
  $ focused-crawl --core bees/*.html --seeds start.txt --out run \\
      --pages 2000 --contact me@example.org
  $ focused-crawl --resume run --pages 4000

With a profile that was edited by hand:

  $ topic-profile --out filter.tsv core.jsonl
  $ focused-crawl --core core.jsonl --profile filter.tsv \\
      --seeds start.txt --contact me@example.org --out run

Texts in Slovenian, from pages that link to each other:

  $ focused-crawl --filter 'langid --paragraphs' \\
      --score langid.share.slv --target slv --seeds start.txt \\
      --contact me@example.org --out run

Texts in Slovenian on a subject:

  $ focused-crawl --filter 'langid | topic-filter --quiet \\
      --only-label slv --profile filter.tsv --fit core.jsonl' \\
      --seeds start.txt --contact me@example.org --out run";

//! review.

use super::{PipelineSpec, SEED};
use crate::options::{OptionSpec, flag, setting};

pub(super) const REVIEW: PipelineSpec = PipelineSpec {
    kind: "review",
    about: "Judge a sample of a focused crawl, and keep what is accepted",
    usage: &["RUN [options]"],
    groups: &[&[
        ("The sample, which is drawn once", SAMPLE),
        ("The review", REVIEWING),
        ("Others", OTHERS),
    ]],
    withheld: &[],
    internal: &[],
    sections: SECTIONS,
};

const SAMPLE: &[OptionSpec] = &[
    setting("share", "SHARE", "share of each group to judge").default("0.2"),
    setting(
        "rejected",
        "SHARE",
        "share of the rejected documents to judge, for the estimate of recall [default: none]",
    ),
    SEED,
    setting("by", "FIELD", "field by which the documents are grouped").default("topic.metrics"),
];

const REVIEWING: &[OptionSpec] = &[
    setting(
        "limit",
        "SHARE",
        "share of relevant documents that an accepted group must exceed",
    )
    .default("0.75")
    .changeable(),
    flag("no-open", "do not open the page in a browser").unstored(),
    flag("no-page", "write the results of the verdicts so far").unstored(),
];

const OTHERS: &[OptionSpec] = &[
    flag(
        "trust",
        "for folders that you have made yourself: follow symbolic links",
    )
    .unstored(),
    flag("quiet", "write errors and the URL of the page only").unstored(),
];

const SECTIONS: &str = "NOTES
The documents of a crawl are divided into groups by the metrics that voted for
them. Of each group a random share is judged on a local page, whose URL is
printed; see review-page(1). A group of which more than 75 % of the judged
documents are relevant is accepted but for those judged nonrelevant; of another
group, only those judged relevant are kept. Documents with votes of two or more
metrics are accepted without a judgement (Kluev 2000).

Each verdict is saved at once. The review can be ended at any time, with Finish
on the page or Ctrl-C, and continued by the same command; each time, the results
of the verdicts so far are written. To draw another sample, for example after
the crawl has been continued, remove RUN/review.

FILES
RUN/review holds review.conf (the settings), sample.jsonl (the documents to
judge), judgements.tsv (the verdicts: lines of id, tab, yes or no, which can
also be written by hand), report.json (groups, precision and recall; see
sample(1)), accepted.jsonl and accepted.txt (the accepted documents, as records
and as plain text).

EXIT STATUS
  0  the results were written
  2  could not run or had to stop

EXAMPLE
  $ review crawl --share 0.2 --rejected 0.01";

//! corpus-builder and autocor.

use super::{FETCHING, OUT, PATIENCE, PipelineSpec, QUIET, RATE, SEED, TRUST};
use crate::options::{
    Group, OptionSpec, batch, classes, classifier, contrast, flag, langid_method, number, positive,
    setting,
};

pub(super) const CORPUS: PipelineSpec = PipelineSpec {
    kind: "corpus",
    about: "Collect a corpus from a search engine with learned queries",
    usage: &[
        "--target CLASS --init CLASS=FILE ... --engine SPEC --out RUN [options]",
        "--resume RUN [limits]",
    ],
    groups: &[&[("Classes, filter and engine", CLASSES)], SHARED],
    withheld: &[],
    internal: &["folder"],
    sections: CORPUS_SECTIONS,
};

pub(super) const AUTOCOR: PipelineSpec = PipelineSpec {
    kind: "autocor",
    about: "Collect several closely related languages in one run, without mixing them",
    usage: &[
        "--targets CLASSES --others CLASSES --init CLASS=FILE ... --engine SPEC --out RUN \
         [options]",
        "--resume RUN [limits]",
    ],
    groups: &[
        &[
            ("Languages", LANGUAGES),
            ("Classes, filter and engine", CLASSES),
        ],
        SHARED,
    ],
    withheld: &["target", "versus", "prune"],
    internal: &["folder"],
    sections: AUTOCOR_SECTIONS,
};

const LANGUAGES: &[OptionSpec] = &[
    setting(
        "targets",
        "CLASSES",
        "target languages, separated by commas: ISO 639 codes",
    )
    .checked(classes)
    .initial(),
    setting(
        "others",
        "CLASSES",
        "other languages, to contrast the targets with",
    )
    .checked(classes)
    .initial(),
    setting(
        "contrast",
        "others|all",
        "classes to contrast a target with: the other languages alone, as in the paper, or the \
         other targets as well [default: all]",
    )
    .checked(contrast)
    .initial(),
    flag(
        "no-prune",
        "select from all terms; by default, terms that two of the languages have, and words of \
         navigation links, are left out",
    )
    .initial(),
];

const CLASSES: &[OptionSpec] = &[
    setting(
        "target",
        "CLASS",
        "target class: for a language its ISO 639 code (sl, slv); several targets, separated by \
         commas, take turns",
    )
    .checked(classes),
    setting(
        "init",
        "CLASS=FILE",
        "an initial document: text, HTML or PDF, or a list of words, of which ten are enough; one \
         or more of the target, and of other languages to contrast it with. A .jsonl file has one \
         document per record",
    )
    .repeated(),
    flag(
        "force",
        "start although langid takes an initial document for another language",
    )
    .unstored(),
    setting(
        "filter",
        "COMMAND",
        "command that writes the class of each record to `label` [default: langid]",
    ),
    setting(
        "classifier",
        "NAME",
        "builtin: label by langid's model; run[:MARGIN]: among the classes of this run alone, by \
         n-gram profiles that are learned in each step from its initial documents and those \
         collected with this margin or more, as in AutoCor's paper with run:0 [default: builtin; \
         MARGIN 0.03]",
    )
    .checked(classifier),
    setting(
        "seeds-per-round",
        "N",
        "begin with N initial documents of each class, drawn at random, and count N more in each \
         round, one step of each target [default: all at the start]",
    )
    .checked(positive),
    flag(
        "bootstrap-filter",
        "learn a language that langid does not know from the documents that the run collects, not \
         from initial documents alone",
    ),
    setting(
        "langid-method",
        "METHOD",
        "evidence, or out-of-place as in the papers [default: evidence]",
    )
    .checked(langid_method),
    setting(
        "without",
        "CLASSES",
        "do not use langid's profiles of these languages",
    ),
    setting(
        "engine",
        "SPEC",
        "index:DIR, searxng:URL, mediawiki:LANG, brave: ... (see search --engines)",
    )
    .changeable(),
];

const SHARED: &[Group] = &[
    ("Queries", QUERIES),
    ("Scope", SCOPE),
    ("Fetching (with index:DIR nothing is fetched)", FETCHING),
    ("Limits: the run ends at the first that is reached", LIMITS),
    ("Others", OTHERS),
];

const QUERIES: &[OptionSpec] = &[
    setting(
        "include",
        "METHOD:K",
        "inclusion terms (see gen-query --help) [default: --learn auto, because calls to an engine \
         are what a run costs; with index:DIR or:3]",
    ),
    setting("exclude", "METHOD:K", "exclusion terms [default: likewise]"),
    setting(
        "versus",
        "CLASSES",
        "classes to contrast the target with, separated by commas [default: all others]",
    ),
    setting(
        "prune",
        "TERMS",
        "terms to leave out: common[:SHARE] (those that two classes have), navigation (words of \
         navigation links), or both, separated by a comma (see gen-query)",
    ),
    setting(
        "probability",
        "COUNT",
        "probability of a term in the odds ratio: df or tf [default: df]",
    ),
    flag(
        "ascii-folding",
        "count words with and without diacritics as one term, and ask for both spellings: for \
         languages that are often written without them (see update-stats)",
    ),
    setting(
        "learn",
        "LEARNER",
        "choose queries by the results of earlier ones: `auto` selects the highest expected yield \
         per call; ml, lta, ltm and fm learn methods and lengths; like and seedfinder are \
         baselines from the literature (see gen-query)",
    ),
    setting(
        "lengths",
        "MODEL",
        "length model of these learners: if:I,E, ii, id, di, dd [default: ii]",
    ),
    setting(
        "no-result-penalty",
        "W",
        "number of failures that a query without a document counts as, for these learners \
         [default: 1]",
    ),
    setting(
        "recovery",
        "MODE",
        "what to send after a query without a result: offsets[:I] (terms further down the \
         rankings), shorten[:N] (also fewer inclusion terms) or none",
    )
    .default("shorten"),
    setting(
        "beta",
        "B",
        "factor of the learner ltm: a failure multiplies by it, a success divides by it [default: \
         0.5]",
    ),
    setting(
        "batch",
        "N",
        "new documents per step: with 10, a run on the web is about seven times as fast, and \
         learns less from each document; auto: as many as the query has returned relevant ones so \
         far, at most a page of hits [default: 1; 10 where --learn auto is the default]",
    )
    .checked(batch),
    setting("page-size", "N", "hits per page of the engine")
        .default("10")
        .checked(positive),
    setting("max-pages", "N", "maximum number of pages per query")
        .default("10")
        .checked(positive),
    RATE,
    PATIENCE,
    SEED,
];

const SCOPE: &[OptionSpec] = &[
    setting(
        "known",
        "FILE",
        "skip what earlier corpora have: files of records with url and text, or folders of runs",
    )
    .many(),
    setting(
        "per-host",
        "N",
        "maximum number of documents per host, so that one site cannot be the corpus [default: no \
         limit]",
    )
    .checked(positive),
    setting(
        "hosts-allow",
        "FILE",
        "only hosts in this file, one per line, with subdomains",
    ),
    setting("hosts-deny", "FILE", "no hosts in this file"),
];

const LIMITS: &[OptionSpec] = &[
    setting(
        "docs",
        "N",
        "documents retrieved, of any label [default: 1000, if no other limit is given]",
    )
    .checked(number)
    .changeable(),
    setting(
        "relevant",
        "N",
        "documents in the corpus [default: no limit]",
    )
    .checked(number)
    .changeable(),
    setting(
        "words",
        "N",
        "words in the corpus, and about one document more [default: no limit]",
    )
    .checked(number)
    .changeable(),
    setting(
        "queries",
        "N",
        "steps, each with one query [default: no limit]",
    )
    .checked(number)
    .changeable(),
    setting("calls", "N", "calls to the engine [default: no limit]")
        .checked(number)
        .changeable(),
    setting(
        "until-coverage",
        "S",
        "share of the reachable documents of the target, such as 0.9, by an estimate from probes: \
         one in six calls is a probe [default: no limit]",
    )
    .changeable(),
];

const OTHERS: &[OptionSpec] = &[
    OUT,
    setting(
        "resume",
        "RUN",
        "continue a run, also beyond its original limits; accepts limits, --engine, --rate, \
         --patience, --contact, --delay, --timeout and --connect-to",
    )
    .unstored(),
    TRUST,
    flag(
        "check",
        "try all that can fail later, and stop: tools, codes, initial documents, disk, contact; \
         sends two or three queries to the engine to see that it answers and honours exclusion \
         terms",
    )
    .unstored(),
    flag("check-arguments", "check the arguments only, and stop").unstored(),
    flag(
        "dry-run",
        "show the terms of the first query, and stop; nothing is sent",
    )
    .unstored(),
    QUIET,
];

const CORPUS_SECTIONS: &str = "NOTES
With --bootstrap-filter the profile is learned again whenever the number of
documents has doubled, from the documents that the previous profile accepts with
a large margin. RUN/filter/drift.jsonl has its distance from the first profile
(see ngram-profile --help). A profile that has drifted away from the initial
documents is refused. At the end the last profile labels all documents again,
and corpus/ has those that it accepts; the journal keeps the labels that were
used during the run.

At the end, the duration of this session and the reason are printed: the limit
that is reached, or that no query is left, and what continues the run. The
progress is printed every ten seconds, with the time of day.

FILES
RUN holds run.conf (everything needed to repeat the run), init/ (the initial
documents as they were read), args/ (the options of the tools), journal.jsonl
(every record), stats.db, hits.db, seen.db, profiles.db (with --classifier run),
pages.warc.gz (the pages as fetched), hosts.db, and at the end corpus/ and
report.json, whose `errors` has the numbers of errors and opt-outs by kind.
These two are also written when the run is interrupted with Ctrl-C or stopped by
the engine. After a kill, --resume RUN writes them, even if a limit has been
reached. A step of several documents (--batch) that is cut short by a limit
stays short; apart from that, a run in several parts equals a run without
interruption.

EXAMPLE
  $ corpus-builder --target slv --init slv=seed.txt --init eng=english.txt \\
      --engine searxng:http://localhost:8888 --contact me@example.org \\
      --out slovenian";

const AUTOCOR_SECTIONS: &str = "NOTES
The targets take turns, with queries of terms that no other language of the run
has. Every document joins the class of its language, whichever it is. The limits
count all targets together. A run is resumed and extended as one of
corpus-builder, whose man page has the files of a run.

EXAMPLES
  $ autocor --targets tgl,ceb,bcl --others eng --init tgl=tgl.txt \\
      --init ceb=ceb.txt --init bcl=bcl.txt --init eng=eng.txt \\
      --engine searxng:http://localhost:8888 --contact me@example.org \\
      --out philippine

As in the paper, with several initial documents of each class, as records in a
file DIR/CLASS.jsonl:

  $ init=$(for l in tgl ceb bcl eng hun pol; do echo --init $l=DIR/$l.jsonl
      done)
  $ autocor --targets tgl,ceb,bcl --others eng,hun,pol --contrast others \\
      --classifier run:0 --seeds-per-round 1 $init --include or:1 \\
      --exclude or:1 --batch 10 --max-pages 1 --queries 300 \\
      --engine index:web --out paper";

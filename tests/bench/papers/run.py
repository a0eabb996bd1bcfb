#!/usr/bin/env -S python3 -X utf8
"""Makes the runs of docs/experiments/corpusbuilder.md and autocor.md, the experiments of the papers on learned queries.

run.py DOCUMENTS OUT [--jobs N] [NAME ...]

DOCUMENTS is a web whose languages are known: records with `url`, `lang`, `source`, `text` and `title`. OUT is a folder
for the indexes, the runs and the results; an interrupted run is continued when the program is started again. Each NAME
is an `experiment --simulate`. Writes OUT/results.jsonl, the results of all of them, and to OUT/report all tables and
findings. The stored results are tests/lab/papers/learned-queries.jsonl.zst.
"""

import argparse
import collections
import collections.abc
import dataclasses
import json
import pathlib
import random
import re
import subprocess
import unicodedata

ROOT = pathlib.Path(__file__).resolve().parents[3]
METHODS = ("un", "tf", "ptf", "rtfidf", "or", "por", "porh")
LEARNERS = ("ml", "lta", "ltm", "fm")
RECOVERY = "--recovery offsets:1000"
PAPERS_FILTER = "--langid-method out-of-place"


def select(name):
    """Options of a method and length such as `or:3`, or of a learner."""
    return f"--include {name} --exclude {name}" if ":" in name else f"--learn {name}"


def fixed():
    """Selection methods and lengths, with the papers' filter, and some with ours."""
    lengths = {m: (1, 2, 3, 4, 5, 10) if m in ("or", "tf", "ptf") else (1, 3, 5) for m in METHODS}
    for method in METHODS:
        for length in lengths[method]:
            spec = f"{method}:{length}"
            yield f"{spec}/paper", f"--include {spec} --exclude {spec} {RECOVERY} {PAPERS_FILTER}"
    for length in (1, 3, 5):
        spec = f"or:{length}"
        yield f"{spec}/evidence", f"--include {spec} --exclude {spec} {RECOVERY}"
        yield f"{spec}/tf", f"--include {spec} --exclude {spec} {RECOVERY} {PAPERS_FILTER} --probability tf"
        yield f"{spec}/shorten", f"--include {spec} --exclude {spec} --recovery shorten {PAPERS_FILTER}"
    yield "like/paper", f"--learn like {RECOVERY} {PAPERS_FILTER}"


def learners():
    """Learners with each model of lengths, with the papers' filter, and with ours."""
    for learner in LEARNERS:
        for lengths in ("ii", "if:3,3", "id", "di", "dd"):
            name = learner if lengths == "ii" else f"{learner}/{lengths.partition(':')[0]}"
            yield f"{name}/paper", f"--learn {learner} --lengths {lengths} {RECOVERY} {PAPERS_FILTER}"
        yield f"{learner}/evidence", f"--learn {learner} {RECOVERY}"
    for learner in ("lta", "fm"):
        yield f"{learner}/no-result=3/paper", f"--learn {learner} --no-result-penalty 3 {RECOVERY} {PAPERS_FILTER}"


def fixed_lengths():
    """Learners of methods alone, with each of the papers' lengths on both sides."""
    for learner in ("ltm", "lta", "fm"):
        for length in (1, 2, 3, 5, 10):
            lengths = f"--lengths if:{length},{length}"
            yield f"{learner}/if={length}", f"{select(learner)} {lengths} {RECOVERY} {PAPERS_FILTER}"


def long_runs():
    """Settings that retrieve 3,000 documents, as many as the papers' longest runs."""
    for name in ("or:1", "or:3", "ptf:1", "ptf:3", "tf:1", "tf:3", "rtfidf:1", "ltm", "lta", "fm", "ml"):
        yield f"{name}/long", f"{select(name)} {RECOVERY} {PAPERS_FILTER}"


def betas():
    """Factors of the multiplicative learner."""
    for beta in (0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99):
        yield f"ltm/beta={beta}", f"--learn ltm --beta {beta} {RECOVERY} {PAPERS_FILTER}"


def autocor():
    """The settings of AutoCor: contrast with the other languages alone or with all, with and without pruning."""
    for length in range(1, 6):
        for contrast, versus in (("others", " --versus eng,hun,pol"), ("all", "")):
            options = f"{select(f'or:{length}')} {RECOVERY}{versus}"
            yield f"or:{length}/{contrast}/pruned", f"{options} --prune common"
            yield f"or:{length}/{contrast}/unpruned", options


def autocor_domain():
    """The paper's contrast, from initial documents of one domain, literature."""
    for name, options in autocor():
        if "/others/" in name:
            yield f"{name}/domain", options


def autocor_printed():
    """AutoCor as printed: one document of each class per round, and n-gram profiles that are learned from the run as the
    classifier, from all documents or with the margin of our default; beside them langid's model."""
    for length in range(1, 6):
        for name, classifier in (("run", "run:0"), ("margin", "run"), ("builtin", "builtin")):
            options = f"{select(f'or:{length}')} {RECOVERY} --versus eng,hun,pol --seeds-per-round 1"
            options += f" --classifier {classifier}"
            yield f"or:{length}/rounds/{name}/pruned", f"{options} --prune common,navigation"
            yield f"or:{length}/rounds/{name}/unpruned", options


def autocor_relatives():
    """AutoCor as printed, up to 100 distinct queries for each target: what the queries retrieve of the other targets."""
    for name, options in autocor_printed():
        if "/run/" in name:
            yield name.replace("/rounds/run/", "/relatives/"), options


def autocor_printed_domain():
    """AutoCor as printed, from initial documents of one domain, literature."""
    for name, options in autocor_printed():
        if "/run/" in name:
            yield name.replace("/rounds/", "/rounds-domain/"), options


def calls(settings):
    """Settings by their names, as `experiment` reads them."""
    def options(name):
        if "/" in name and ":" in name:
            include, exclude = name.split("/")
            return f"--include {include} --exclude {exclude}"
        return select(name)
    return lambda: ((name, options(name)) for name in settings.split())


def starts(start):
    """The best fixed setting and a learner, from one kind of initial documents."""
    return lambda: (
        (f"or:3/{start}", f"--include or:3 --exclude or:3 {RECOVERY} {PAPERS_FILTER}"),
        (f"ltm/{start}", f"--learn ltm {RECOVERY} {PAPERS_FILTER}"),
    )


def all_hits():
    """Settings that use 100 hits of a query where the papers' loop has ten."""
    for name in ("or:1", "or:3", "or:5", "ptf:3", "ptf:5", "por:1", "like", *LEARNERS):
        yield f"{name}/hits=100", f"{select(name)} {RECOVERY} {PAPERS_FILTER}"


def batches():
    """Numbers of documents per step."""
    for name in ("or:1", "or:3", "ltm", "lta"):
        for batch in ("1", "3", "10", "auto"):
            yield f"{name}/batch-{batch}", f"{select(name)} --batch {batch}"


def half_ascii():
    """Settings for a web of which half of the documents have no diacritics, with and without ASCII folding."""
    for name in ("or:1", "or:3", "co:3", "ltm", "auto"):
        yield f"{name}/half-ascii", select(name)
        yield f"{name}/half-ascii/folded", f"{select(name)} --ascii-folding"


def rare(share):
    """Settings for a web with few documents of the target."""
    fixed_settings = ("un:1", "tf:1", "tf:4", "ptf:1", "ptf:3", "ptf:4", "ptf:5", "or:1", "or:3", "or:5")
    names = (*fixed_settings, "like", *LEARNERS)

    def settings():
        for name in names:
            yield f"{name}/rare={share}", f"{select(name)} {RECOVERY} {PAPERS_FILTER}"

    return settings


TARGETS = ("slv", "hrv", "tgl")
# The papers' loop: one document per step, ten hits per query, and terms further down the rankings when a query returns
# nothing new. Drawn long queries hardly ever return anything: por:5 would take a million steps to 1,000 documents.
LOOP = "--docs 1000 --batch 1 --max-pages 1"
ALL_TARGETS = f"--targets {','.join(TARGETS)} --versus eng,ces,hrv,srp,slv {LOOP}"
# The kinds of initial documents that the web has, by their sources: help texts and an encyclopedia for the papers'
# formal document, news for Croatian alone, literature for their informal one, and the Bible.
GENRES = {
    "formal": {"slv": ("libreoffice-help",), "tgl": ("ph-wikipedia-parallel",)},
    "news": {"hrv": ("ud-hrv-set",)},
    "literature": {"slv": ("eltec-slv",), "hrv": ("eltec-hrv",), "tgl": ("palito-literary",)},
    "bible": {"slv": ("sword-bible",), "hrv": ("sword-bible",), "tgl": ("sword-bible",)},
}
# Ten words of each target, written down by us, and ten English stop words.
KEYWORDS = {
    "slv": "hiša človek voda delo življenje mesto otrok beseda pot zemlja",
    "hrv": "kuća čovjek voda posao život grad dijete riječ put zemlja",
    "tgl": "bahay tao tubig trabaho buhay lungsod bata salita daan lupa",
    "eng": "the of and to in is that for it with",
}
# The shares of the documents of the target in the web of few of them.
SHARES = (0.01, 0.003)
AUTOCOR_LOOP = (
    "--together --targets tgl,ceb,bcl --versus eng,hun,pol --init-words 100-1500 --calls 12000 --max-pages 1"
)
# The sources of literature in the languages of AutoCor's corpus.
AUTOCOR_DOMAIN = ("palito-literary", "eltec-eng", "eltec-hun", "eltec-pol")
# The corpus of AutoCor has 4,000 documents: so many of each language.
AUTOCOR_CORPUS = {"bcl": 250, "ceb": 250, "tgl": 250, "eng": 1250, "hun": 1000, "pol": 1000}


@dataclasses.dataclass
class Experiment:
    """Settings, options of `experiment`, and files in the folder OUT."""

    settings: collections.abc.Callable
    options: str
    index: str = "index"
    # Initial documents are drawn from this file, or taken from the folder `init`.
    documents: str = "docs.jsonl"
    truth: str = "truth.tsv"
    init: str = ""


EXPERIMENTS = {
    "fixed": Experiment(fixed, f"{ALL_TARGETS} --calls 50000"),
    "learners": Experiment(learners, f"{ALL_TARGETS} --calls 50000"),
    "fixed-lengths": Experiment(fixed_lengths, f"{ALL_TARGETS} --calls 20000"),
    "long": Experiment(long_runs, f"{ALL_TARGETS.replace('--docs 1000', '--docs 3000')} --calls 20000"),
    "hits": Experiment(all_hits, f"{ALL_TARGETS.replace('--max-pages 1', '--max-pages 10')} --calls 20000"),
    "batches": Experiment(
        batches, f"--targets {','.join(TARGETS)} --versus eng,ces,hrv,srp,slv --docs 1000 --calls 10000"
    ),
    "half-ascii": Experiment(
        half_ascii,
        "--targets slv,hrv,ces --versus eng,ces,hrv,srp,slv --calls 300",
        index="index-half-ascii",
        documents="half-ascii.jsonl",
    ),
    "betas": Experiment(betas, f"{ALL_TARGETS} --calls 10000"),
    # 100 distinct queries for each target, several documents per query; most steps repeat one.
    "autocor": Experiment(
        autocor, AUTOCOR_LOOP, index="autocor-index", documents="autocor.jsonl", truth="autocor-truth.tsv"
    ),
    "autocor-domain": Experiment(
        autocor_domain, AUTOCOR_LOOP, index="autocor-index", documents="autocor-domain.jsonl", truth="autocor-truth.tsv"
    ),
    "autocor-printed": Experiment(
        autocor_printed,
        f"{AUTOCOR_LOOP} --init-docs 10",
        index="autocor-index",
        documents="autocor.jsonl",
        truth="autocor-truth.tsv",
    ),
    "autocor-relatives": Experiment(
        autocor_relatives,
        f"{AUTOCOR_LOOP.replace('--calls 12000', '--calls 600')} --init-docs 10",
        index="autocor-index",
        documents="autocor.jsonl",
        truth="autocor-truth.tsv",
    ),
    "autocor-printed-domain": Experiment(
        autocor_printed_domain,
        f"{AUTOCOR_LOOP} --init-docs 10",
        index="autocor-index",
        documents="autocor-domain.jsonl",
        truth="autocor-truth.tsv",
    ),
    "calls": Experiment(
        calls("auto or:1 or:2 ptf:1"),
        "--targets slv,tgl,hrv,ces,ceb,bcl --versus eng,ces,hrv,srp --calls 600",
    ),
    "calls-two": Experiment(
        calls("or:3 or:5 co:2 co:3 co:5 ptf:3 tf:1 un:2/un:0 por:1 por:3 por:5 ltm lta fm ml like seedfinder"),
        "--targets slv,tgl --versus eng,ces,hrv,srp --calls 600",
    ),
    "start-english": Experiment(
        starts("english"), f"--targets {','.join(TARGETS)} --versus eng {LOOP} --calls 20000"
    ),
    "start-keywords": Experiment(
        starts("keywords"), f"--targets {','.join(TARGETS)} --versus eng {LOOP} --calls 20000", init="keywords"
    ),
}
for genre, sources in GENRES.items():
    EXPERIMENTS[f"start-{genre}"] = Experiment(
        starts(genre),
        f"--targets {','.join(sources)} --versus eng,ces,hrv,srp,slv {LOOP} --calls 20000",
        documents=f"docs-{genre}.jsonl",
    )
for share in SHARES:
    for language in TARGETS:
        EXPERIMENTS[f"rare-{share}-{language}"] = Experiment(
            rare(share),
            f"--targets {language} --versus eng,ces,hrv,srp,slv {LOOP} --calls 3000",
            index=f"index-{share}-{language}",
        )


def run(*command, **keywords):
    print("+", " ".join(map(str, command)), flush=True)
    subprocess.run(list(map(str, command)), check=True, **keywords)


def add(documents, index):
    """Makes an index of the documents in a file."""
    with open(documents) as lines:
        run("search", "--engine", f"index:{index}", "--add", stdin=lines, stdout=subprocess.DEVNULL)


def make_half_ascii(documents, out):
    """Copies documents, and writes half of those in Latin letters with the ASCII letters alone."""
    stroke = str.maketrans("đĐłŁ", "dDlL")
    numbers = random.Random(7)
    with open(documents) as lines, open(out, "w") as copy:
        for line in lines:
            record = json.loads(line)
            decomposed = unicodedata.normalize("NFD", record["text"].translate(stroke))
            ascii_text = re.sub("[\u0300-\u036f]", "", decomposed)
            if numbers.random() < 0.5 and sum(c > "\x7f" for c in ascii_text) < 0.05 * len(ascii_text):
                record["text"] = ascii_text
            copy.write(json.dumps(record) + "\n")


def prepare(documents, out):
    """Writes the documents, their languages, the initial documents and the indexes."""
    if (out / "prepared").exists():
        return
    out.mkdir(parents=True, exist_ok=True)
    pool = collections.defaultdict(list)
    files = {genre: open(out / f"docs-{genre}.jsonl", "w") for genre in GENRES}
    with open(documents) as lines, open(out / "docs.jsonl", "w") as docs, open(out / "truth.tsv", "w") as truth:
        for line in lines:
            record = json.loads(line)
            language = record["lang"]
            document = json.dumps({k: record[k] for k in ("url", "title", "text") if record.get(k)}) + "\n"
            docs.write(document)
            truth.write(f"{record['url']}\t{language}\n")
            pool[language].append(document)
            for genre, file in files.items():
                if record["source"] in GENRES[genre].get(language, (record["source"],)):
                    file.write(document)
    for file in files.values():
        file.close()
    (out / "keywords").mkdir(exist_ok=True)
    for language, words in KEYWORDS.items():
        (out / f"keywords/{language}.txt").write_text(words + "\n")
    add(out / "docs.jsonl", out / "index")
    numbers = random.Random(1)
    with open(out / "autocor.jsonl", "w") as sample:
        for language, number in AUTOCOR_CORPUS.items():
            sample.writelines(numbers.sample(pool[language], min(number, len(pool[language]))))
    add(out / "autocor.jsonl", out / "autocor-index")
    make_half_ascii(out / "docs.jsonl", out / "half-ascii.jsonl")
    add(out / "half-ascii.jsonl", out / "index-half-ascii")
    for share in SHARES:
        for target in TARGETS:
            others = [document for language, all_of in pool.items() if language != target for document in all_of]
            few = numbers.sample(pool[target], round(len(others) * share / (1 - share)))
            rare_docs = out / f"rare-{share}-{target}.jsonl"
            rare_docs.write_text("".join(others + few))
            add(rare_docs, out / f"index-{share}-{target}")
            rare_docs.unlink()
    (out / "prepared").touch()


def write_autocor_files(documents, out):
    """Writes the documents of AutoCor's corpus that are of one domain, and the languages of its documents: recall is a
    share of these, not of those of the whole web."""
    with open(documents) as lines:
        sources = {record["url"]: record["source"] for record in map(json.loads, lines)}
    urls = set()
    with open(out / "autocor.jsonl") as lines, open(out / "autocor-domain.jsonl", "w") as domain:
        for line in lines:
            url = json.loads(line)["url"]
            urls.add(url)
            if sources[url] in AUTOCOR_DOMAIN:
                domain.write(line)
    with open(out / "truth.tsv") as truth, open(out / "autocor-truth.tsv", "w") as of_corpus:
        of_corpus.writelines(line for line in truth if line.partition("\t")[0] in urls)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(EXPERIMENTS)} [default: all]")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    out = arguments.out.resolve()
    prepare(arguments.documents, out)
    write_autocor_files(arguments.documents, out)
    for name in arguments.names or EXPERIMENTS:
        experiment = EXPERIMENTS[name]
        settings = "".join(f"{setting}\t{options}\n" for setting, options in experiment.settings())
        (out / f"{name}.tsv").write_text(settings)
        initial = ["--init", out / experiment.init] if experiment.init else ["--documents", out / experiment.documents]
        run(
            ROOT / "tests/lab/experiment", "--simulate", "--settings", out / f"{name}.tsv", "--seeds", "1,2,3",
            *initial, "--truth", out / experiment.truth, "--engine", f"index:{out / experiment.index}",
            *experiment.options.split(), "--jobs", arguments.jobs, "--out", out / name,
        )
    results = [out / name / "results.jsonl" for name in EXPERIMENTS]
    (out / "results.jsonl").write_text("".join(path.read_text() for path in results if path.exists()))
    run(ROOT / "tests/lab/report", out / "report", out / "results.jsonl")


if __name__ == "__main__":
    main()

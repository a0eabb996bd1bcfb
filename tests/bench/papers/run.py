#!/usr/bin/env -S python3 -X utf8
"""Makes the runs of docs/EXPERIMENTS.md that repeat the experiments of the papers on learned queries.

run.py DOCUMENTS OUT [--jobs N] [GROUP ...]

DOCUMENTS is a web whose languages are known: records with `url`, `lang`, `text` and `title`. OUT is a folder for the
index, the runs and the results; an interrupted run is continued when the program is started again. Each group of
settings is an `experiment --simulate`. Writes OUT/results.jsonl, the results of all groups.
"""

import argparse
import collections
import json
import pathlib
import random
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
METHODS = ("un", "tf", "ptf", "rtfidf", "or", "por", "porh")
LEARNERS = ("ml", "lta", "ltm", "fm")
RECOVERY = "--recovery offsets:1000"
PAPERS_FILTER = "--langid-method out-of-place"


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


def betas():
    """Factors of the multiplicative learner."""
    for beta in (0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99):
        yield f"ltm/beta={beta}", f"--learn ltm --beta {beta} {RECOVERY} {PAPERS_FILTER}"


def autocor():
    """The settings of AutoCor: contrast with the other languages alone or with all, with and without pruning."""
    for length in range(1, 6):
        for contrast, versus in (("others", " --versus eng,hun,pol"), ("all", "")):
            select = f"--include or:{length} --exclude or:{length} {RECOVERY}{versus}"
            yield f"or:{length}/{contrast}/pruned", f"{select} --prune common"
            yield f"or:{length}/{contrast}/unpruned", select


def calls(settings):
    """Settings by their names, as `experiment` reads them."""
    def options(name):
        if "/" in name and ":" in name:
            include, exclude = name.split("/")
            return f"--include {include} --exclude {exclude}"
        return f"--include {name} --exclude {name}" if ":" in name else f"--learn {name}"
    return lambda: ((name, options(name)) for name in settings.split())


# The papers' loop: one document per step, ten hits per query, and terms further down the rankings when a query returns
# nothing new. Drawn long queries hardly ever return anything: por:5 would take a million steps to 1,000 documents.
LOOP = "--targets slv,hrv,tgl --versus eng,ces,hrv,srp,slv --docs 1000 --batch 1 --max-pages 1"
# The settings and the options of each `experiment`.
GROUPS = {
    "fixed": (fixed, f"{LOOP} --queries 50000"),
    "learners": (learners, f"{LOOP} --queries 50000"),
    "betas": (betas, f"{LOOP} --queries 10000"),
    # 100 queries for each target, several documents per query.
    "autocor": (
        autocor,
        "--together --targets tgl,ceb,bcl --versus eng,hun,pol --init-words 100-1500 --queries 300 --max-pages 1",
    ),
    "calls": (
        calls("auto or:1 or:2 ptf:1"),
        "--targets slv,tgl,hrv,ces,ceb,bcl --versus eng,ces,hrv,srp --calls 600",
    ),
    "calls-two": (
        calls("or:3 or:5 co:2 co:3 co:5 ptf:3 tf:1 un:2/un:0 por:1 por:3 por:5 ltm lta fm ml like seedfinder"),
        "--targets slv,tgl --versus eng,ces,hrv,srp --calls 600",
    ),
}
# The corpus of AutoCor has 4,000 documents: so many of each language.
AUTOCOR_CORPUS = {"bcl": 250, "ceb": 250, "tgl": 250, "eng": 1250, "hun": 1000, "pol": 1000}


def run(*command, **keywords):
    print("+", " ".join(map(str, command)), flush=True)
    subprocess.run(list(map(str, command)), check=True, **keywords)


def add(documents, index):
    """Makes an index of the documents in a file."""
    with open(documents) as lines:
        run("search", "--engine", f"index:{index}", "--add", stdin=lines, stdout=subprocess.DEVNULL)


def prepare(documents, out):
    """Writes the documents, their languages and the indexes."""
    out.mkdir(parents=True, exist_ok=True)
    if not (out / "index.done").exists():
        with open(documents) as lines, open(out / "docs.jsonl", "w") as docs, open(out / "truth.tsv", "w") as truth:
            for line in lines:
                record = json.loads(line)
                docs.write(json.dumps({k: record[k] for k in ("url", "title", "text") if record.get(k)}) + "\n")
                truth.write(f"{record['url']}\t{record['lang']}\n")
        add(out / "docs.jsonl", out / "index")
        (out / "index.done").touch()
    if not (out / "autocor.done").exists():
        classes = dict(line.rstrip("\n").split("\t") for line in open(out / "truth.tsv"))
        pool = collections.defaultdict(list)
        for line in open(out / "docs.jsonl"):
            pool[classes[json.loads(line)["url"]]].append(line)
        random_numbers = random.Random(1)
        with open(out / "autocor.jsonl", "w") as sample:
            for language, number in AUTOCOR_CORPUS.items():
                sample.writelines(random_numbers.sample(pool[language], min(number, len(pool[language]))))
        add(out / "autocor.jsonl", out / "autocor-index")
        (out / "autocor.done").touch()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"some of {', '.join(GROUPS)} [default: all]")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    out = arguments.out.resolve()
    prepare(arguments.documents, out)
    for name in arguments.groups or GROUPS:
        settings, options = GROUPS[name]
        (out / f"{name}.tsv").write_text("".join(f"{setting}\t{selection}\n" for setting, selection in settings()))
        web = "autocor" if name == "autocor" else "docs"
        index = "autocor-index" if name == "autocor" else "index"
        run(
            ROOT / "pipelines/experiment", "--simulate", "--settings", out / f"{name}.tsv", "--seeds", "1,2,3",
            "--documents", out / f"{web}.jsonl", "--truth", out / "truth.tsv", "--engine", f"index:{out / index}",
            *options.split(), "--jobs", arguments.jobs, "--out", out / name,
        )
    results = [out / name / "results.jsonl" for name in GROUPS]
    (out / "results.jsonl").write_text("".join(path.read_text() for path in results if path.exists()))


if __name__ == "__main__":
    main()

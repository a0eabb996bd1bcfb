#!/usr/bin/env -S python3 -X utf8
"""Makes the runs of docs/EXPERIMENTS.md that repeat the experiments of the papers on learned queries.

run.py DOCUMENTS OUT [--jobs N] [GROUP ...]

DOCUMENTS is a web whose languages are known: records with `url`, `lang`, `text` and `title`. OUT is a folder for the
index, the runs and the results; an interrupted run is continued when the program is started again. Each group of
settings is an `experiment --simulate`. Writes OUT/results.jsonl, the results of all groups.
"""

import argparse
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
METHODS = ("un", "tf", "ptf", "rtfidf", "or", "por", "porh")
LEARNERS = ("ml", "lta", "ltm", "fm")
# The papers' loop: one document per step, ten hits per query, and terms further down the rankings when a query returns
# nothing new.
LOOP = ["--batch", "1", "--max-pages", "1"]
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


# Settings, and the maximum number of steps. Drawn long queries hardly ever return anything: por:5 would take a million
# steps to 1,000 documents.
GROUPS = {"fixed": (fixed, 50_000), "learners": (learners, 50_000), "betas": (betas, 10_000)}


def run(*command, **keywords):
    print("+", " ".join(map(str, command)), flush=True)
    subprocess.run(list(map(str, command)), check=True, **keywords)


def prepare(documents, out):
    """Writes the documents, their languages and the index."""
    if (out / "index.done").exists():
        return
    out.mkdir(parents=True, exist_ok=True)
    with open(documents) as lines, open(out / "docs.jsonl", "w") as docs, open(out / "truth.tsv", "w") as truth:
        for line in lines:
            record = json.loads(line)
            docs.write(json.dumps({k: record[k] for k in ("url", "title", "text") if record.get(k)}) + "\n")
            truth.write(f"{record['url']}\t{record['lang']}\n")
    with open(out / "docs.jsonl") as docs:
        run("search", "--engine", f"index:{out}/index", "--add", stdin=docs, stdout=subprocess.DEVNULL)
    (out / "index.done").touch()


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
        settings, steps = GROUPS[name]
        (out / f"{name}.tsv").write_text("".join(f"{setting}\t{options}\n" for setting, options in settings()))
        run(
            ROOT / "pipelines/experiment", "--simulate", "--settings", out / f"{name}.tsv",
            "--targets", "slv,hrv,tgl", "--versus", "eng,ces,hrv,srp,slv", "--seeds", "1,2,3",
            "--documents", out / "docs.jsonl", "--truth", out / "truth.tsv", "--engine", f"index:{out}/index",
            "--docs", "1000", "--queries", steps, *LOOP, "--jobs", arguments.jobs, "--out", out / name,
        )
    results = sorted(out.glob("*/results.jsonl"))
    (out / "results.jsonl").write_text("".join(path.read_text() for path in results))


if __name__ == "__main__":
    main()

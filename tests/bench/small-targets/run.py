#!/usr/bin/env -S python3 -X utf8
"""Measures how much of a small target `--learn auto` collects before it ends by itself.

usage: tests/bench/small-targets/run.py DOCUMENTS [--targets LIST] [--versus LIST] [--seeds LIST] [--share S] [--rest S]
         [--calls N] [--jobs N] [--options OPTIONS]

DOCUMENTS is a web whose languages are known: records with `url`, `lang`, `title` and `text`, as JSON Lines or .zst. A web
with the share S (by default .1) of the documents of each target is drawn from it and indexed; --rest is the share for
other languages (1). The initial documents of a run are drawn by its seed, the target's among the documents that the web lacks.
Prints a line for each run: its recall and PosDocs by true label, and its calls. Exits with 1 if
the mean recall is below .90, or that of a run below .85. Work is in target/small-targets, of $FORAGE_BIN or
target/release; needs `cargo build --release -p search -p simulate-run`.
"""
import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import random
import shlex
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = pathlib.Path(os.environ.get("FORAGE_BIN", ROOT / "target/release"))
WORK = ROOT / "target/small-targets"
MIN_MEAN, MIN_WORST = 0.90, 0.85  # recall
INITIAL_WORDS = range(150, 801)


@contextlib.contextmanager
def lines(path):
    if path.suffix != ".zst":
        with open(path) as file:
            yield file
        return
    with subprocess.Popen(["zstd", "-dcq", "--long=27", path], stdout=subprocess.PIPE, text=True) as process:
        yield process.stdout


def draw_web(args):
    """Returns the languages of the web's documents by URL, and the texts for initial documents by language: of the
    documents outside the web, or of all if it has all of the language."""
    by_language = {}
    with lines(args.documents) as documents:
        for line in documents:
            document = json.loads(line)
            by_language.setdefault(document["lang"], []).append(document)
    languages, initial = {}, {}
    with open(WORK / "web.jsonl", "w") as web:
        for language, documents in sorted(by_language.items()):
            share = args.share if language in args.targets else args.rest
            random.Random(f"web {language}").shuffle(documents)
            size = round(share * len(documents))
            for document in documents[:size]:
                languages[document["url"]] = language
                web.write(json.dumps({key: document[key] for key in ("url", "title", "text")}, ensure_ascii=False) + "\n")
            if language in {*args.targets, *args.versus}:
                texts = [document["text"] for document in documents[size:] or documents]
                initial[language] = [text for text in texts if len(text.split()) in INITIAL_WORDS]
    return languages, initial


def build_index():
    index = WORK / "index"
    shutil.rmtree(index, ignore_errors=True)
    with open(WORK / "web.jsonl") as web:
        subprocess.run([BIN / "search", "--quiet", "--engine", f"index:{index}", "--add"], stdin=web, check=True)
    return f"index:{index}"


def run(args, engine, languages, initial, target, seed):
    """Makes a run; returns its recall, PosDocs, documents, calls, and last message."""
    folder = WORK / f"{target}-{seed}"
    folder.mkdir(exist_ok=True)
    command = [BIN / "simulate-run", "--target", target, "--engine", engine, "--seed", str(seed), "--learn", "auto",
               "--batch", "10", "--calls", str(args.calls), *shlex.split(args.options)]
    for language in [target, *(other for other in args.versus if other != target)]:
        text = random.Random(f"{language} {seed}").choice(initial[language])
        (folder / f"{language}.txt").write_text(text)
        command += ["--init", f"{language}={folder / language}.txt"]
    with open(folder / "journal.jsonl", "w") as journal:
        done = subprocess.run(command, stdout=journal, stderr=subprocess.PIPE, text=True, check=True)
    relevant, documents, calls = set(), set(), 0
    with open(folder / "journal.jsonl") as journal:
        for record in map(json.loads, journal):
            calls += record.get("hit", {}).get("calls", 0)
            if "step" in record and record.get("url") and "text" in record:
                documents.add(record["url"])
                if languages[record["url"]] == target:
                    relevant.add(record["url"])
    population = sum(language == target for language in languages.values())
    message = (done.stderr.strip().splitlines() or [""])[-1]
    return len(relevant) / population, len(relevant) / max(len(documents), 1), len(documents), calls, message


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", type=pathlib.Path)
    words = lambda text: text.split(",")
    parser.add_argument("--targets", type=words, default=words("slv,tgl,pol,hun,ceb,dan"))
    parser.add_argument("--versus", type=words, default=words("eng,ces,hrv,srp"))
    parser.add_argument("--seeds", type=words, default=words("1,2,3,4,5"))
    parser.add_argument("--share", type=float, default=0.1)
    parser.add_argument("--rest", type=float, default=1)
    parser.add_argument("--calls", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--options", default="", help="further options of simulate-run")
    args = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    languages, initial = draw_web(args)
    engine = build_index()
    pairs = [(target, seed) for target in args.targets for seed in args.seeds]
    recalls = []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = pool.map(lambda pair: run(args, engine, languages, initial, *pair), pairs)
        for (target, seed), (recall, precision, documents, calls, message) in zip(pairs, results):
            recalls.append(recall)
            print(f"{target} {seed}: recall {recall:.3f}, PosDocs {precision:.3f} of {documents} documents, {calls} calls"
                  f"{'; ' * bool(message)}{message}", flush=True)
    mean, worst = statistics.mean(recalls), min(recalls)
    print(f"recall: mean {mean:.3f} (at least {MIN_MEAN}), worst {worst:.3f} (at least {MIN_WORST})")
    sys.exit(mean < MIN_MEAN or worst < MIN_WORST)


if __name__ == "__main__":
    main()

#!/usr/bin/env -S python3 -X utf8
"""Measures how sensitive the final decision of `topic-filter --feedback` is to its constants.

usage: tests/bench/special-domain/judge.py FOLDER [--seeds N] [--runs FOLDER]

FOLDER has news articles, as for run.py. special-domain runs with default settings once for each topic and seed; the runs
are kept in --runs (target/special-domain/judge), and used again. Each numeric constant of lib/topic/src/feedback is halved
and doubled, one at a time, and all articles of each run are judged anew. A table in Markdown is written to stdout: the mean
precision of the collections, and the number of articles on the topic in all of them.

Three sets of topics: the eight English domains of the experiments; the other English topics of at least 30 articles, which
were not used to choose the constants; and the eight Japanese domains.
"""
import argparse
import collections
import json
import pathlib
import shutil
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
import news
import run

sys.path.insert(0, str(run.ROOT / "tests/bench/constants"))
import sweep

PATHS = ["lib/topic/src/feedback"]
MIN_ARTICLES = 30  # of a further topic
# Constants of the public interface: the first is an option, the other applies during the run.
THRESHOLDS = ["CLASSIFIER_THRESHOLD", "QUERY_THRESHOLD"]


def topic_sets(folder):
    """Returns the sets of topics: name, language, topics."""
    english = list(news.eight_domains(folder, "eng"))
    count = collections.Counter(topic for article in news.read_news(folder, "reuters21578") for topic in article["topics"])
    further = [t for t in sorted(count) if count[t] >= MIN_ARTICLES and t not in news.BROAD and t not in english]
    return [("English", "eng", english), ("further English", "eng", further), ("Japanese", "jpn", list(news.eight_domains(folder, "jpn")))]


def collect(options, name, language, topics, runs):
    """Runs special-domain for each topic and seed, unless that is done. Yields topics, runs, and the articles by URL."""
    engine, by_url = run.build_index(options, language)
    articles = list(by_url.values())
    for topic in topics:
        for seed in range(1, 1 + options.seeds):
            try:
                sample = run.draw_sample(articles, topic, seed)
            except IndexError:  # none is long enough, and on no other topic
                continue
            folder = runs / f"{name}-{topic}-{seed}".replace(":", "-").replace(" ", "-")
            if not (folder / "report.json").exists():
                shutil.rmtree(folder, ignore_errors=True)
                file = runs / "sample.txt"
                file.write_text(news.text_of(sample))
                run.run_tool([run.ROOT / "pipelines/special-domain", "--sample", file, "--lang", language, "--engine", engine,
                              "--out", folder, "--calls", 150, "--seed", seed, "--quiet"])
            yield topic, folder, by_url


def judge(tools, folder, topic, by_url, change, options):
    """Judges all articles of a run. Returns how many are accepted, and how many of these are on the topic."""
    command = [tools / "topic-filter", "--quiet", "--feedback", folder / "topic.db", "--final", folder / "journal.jsonl", *options]
    accepted = set()
    for record in run.run_tool(command, **change):
        if record.get("step") and record.get("label") == "on-topic" and (record.get("dedup") or {}).get("status") == "new":
            accepted.add(record["url"])
    return len(accepted), sum(news.is_on_topic(by_url[url], topic) for url in accepted if url in by_url)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="news articles, as for run.py")
    parser.add_argument("--seeds", type=int, default=3, help="samples for each topic")
    parser.add_argument("--runs", type=pathlib.Path, default=run.WORK / "judge", help="folder of the runs")
    options = parser.parse_args()
    options.runs.mkdir(parents=True, exist_ok=True)
    run.WORK = options.runs  # for the index
    found = [(name, value, kind) for _, name, value, kind in sweep.constants(PATHS) if name not in THRESHOLDS]
    tools = sweep.build_adjustable(options.runs / "checkout", [name for name, _, _ in found], PATHS, ["topic-filter"])
    sets = [(name, list(collect(options, name, language, topics, options.runs))) for name, language, topics in topic_sets(options.folder)]
    print("| constant | value |", " | ".join(f"{name}: precision | on the topic" for name, _ in sets), "|")
    print("|---|--:|" + "--:|--:|" * len(sets))
    settings = [("unchanged", "", {}, [])]
    settings += [("`--threshold`", value, {}, ["--threshold", value]) for value in ("0.4", "0.6")]
    settings += [(f"`{name}`", new, {f"CONSTANT_{name}": new}, [])
                 for name, value, kind in found for new in sweep.variants(value, kind)]
    for name, value, change, more in settings:
        cells = []
        for _, runs in sets:
            judged = [judge(tools, folder, topic, by_url, change, more) for topic, folder, by_url in runs]
            cells += [f"{statistics.mean(right / max(size, 1) for size, right in judged):.3f}", str(sum(right for _, right in judged))]
        print(f"| {name} | {value} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()

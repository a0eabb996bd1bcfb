#!/usr/bin/env -S python3 -X utf8
"""Vary the constants of topic profiles and of the crawl, in simulated crawls of a web whose pages have labels.

  constants.py WEB [--folder target/focused-crawl]      prints the table of BENCHMARKS.md, "Topic profiles"

WEB is a folder of packed pages (`*.jsonl.zst` of records with url, html or base64, charset, mime, topics, borderline),
as data/topic/docsweb in the folder of shared data. The tools of the checkout extract the pages, propose a profile for
each core and compute the scores; only the order of the crawl and the votes are simulated, so that one setting takes
seconds. A core has 24 pages of each of five hosts. Each figure is the mean over three cores; precision leaves out
borderline pages and the core."""
import argparse
import multiprocessing
import pathlib
import statistics
import sys

sys.dont_write_bytecode = True
from labelled_web import ROOT, Web, score_pages
from simulation import DEFAULTS, Filter, MeanOrder, crawl, fit_thresholds

SUBJECTS = {"algorithms": 1500, "programming-languages": 3200}  # documents of a crawl
SEEDS = (1, 2, 3)
VARIED = dict(
    exponent=[1, 3], entry_share=[0.05, 0.2, 1], recognise=[0.6, 0.65, 0.75], known=[3, 10, 20],
    host_share=[0, 0.05, 0.1, 0.2, 0.4, 0.5], factor=[1.5, 3], directory=[0, 1, 6], back_off=[0, 10, 40],
)
FORMS = ("{:.3f}", "{:.3f}", "{:.0f}", "{:.2f}", "{:.1f}")


def measure(task):
    """Returns the numbers of a crawl, in the order of FORMS."""
    subject, seed, c = task
    core = WEB.draw_core(subject, seed)
    scores = score_pages(WEB, subject, seed, core, c)
    judge = Filter(scores, fit_thresholds(scores, core, c), c).judge
    requests = crawl(WEB, judge, MeanOrder(), c, documents=SUBJECTS[subject])
    pages = {url: page for url, page in requests if page}
    new = {url: page for url, page in pages.items() if url not in core}

    def precision(chosen):
        judged = [url for url, page in new.items() if chosen(page) and not WEB.is_borderline(url)]
        return sum(WEB.is_relevant(url, subject) for url in judged) / max(len(judged), 1)

    def is_undoubted(page):
        return page.group == "undoubted"

    goal = WEB.goal(subject, core)
    undoubted, recommended = precision(is_undoubted), precision(lambda page: page.votes)
    recall = sum(url in pages for url in goal) / len(goal)
    return undoubted, recommended, sum(map(is_undoubted, new.values())), recall, len(requests) / len(pages)


def main():
    global WEB
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("web", type=pathlib.Path)
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "target" / "focused-crawl")
    parser.add_argument("--start", default="http://portal.test/index.html")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    WEB = Web(args.web, args.folder, args.start)
    settings = {"as chosen": DEFAULTS}
    for name, values in VARIED.items():
        for value in values:
            settings[f"{name.replace('_', ' ')} {value}"] = {**DEFAULTS, name: value}
    for share in (0.05, 0.3):
        settings[f"host share {share}, counted by raised thresholds"] = {
            **DEFAULTS, "host_share": share, "host_count": "raised"}
    keys = [(setting, subject, seed) for setting in settings for subject in SUBJECTS for seed in SEEDS]
    tasks = [(subject, seed, settings[setting]) for setting, subject, seed in keys]
    with multiprocessing.Pool(args.jobs) as pool:
        results = dict(zip(keys, pool.map(measure, tasks, len(SEEDS))))
    print("| setting | undoubted | recommended | undoubted pages | recall | requests per document |")
    print("|---|--:|--:|--:|--:|--:|")
    for setting in settings:
        means = [
            [statistics.mean(numbers) for numbers in zip(*(results[setting, subject, seed] for seed in SEEDS))]
            for subject in SUBJECTS
        ]
        cells = [" / ".join(map(form.format, pair)) for form, pair in zip(FORMS, zip(*means))]
        print(f"| {setting} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

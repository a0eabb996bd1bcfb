#!/usr/bin/env -S python3 -X utf8
"""Vary the constants of topic profiles and of the crawl, in simulated crawls of a web whose pages have labels.

  constants.py WEB      prints the table of BENCHMARKS.md, "Topic profiles"

WEB is a folder of packed pages (`*.jsonl.zst` of records with url, html or base64, charset, mime, topics, borderline),
as data/topic/docsweb in the folder of shared data. The tools of the checkout extract the pages, propose a profile for
each core and compute the scores; only the order of the crawl and the votes are simulated, so that one setting takes
seconds, in the default order of focused-crawl. A core has 24 pages of each of five hosts. Each figure is the mean over
twelve cores, and "worst" is the least precision of undoubted pages; precision leaves out borderline pages and the core.
To measure another model of main text, $FORAGE_BIN names the folder of its tools, and --folder another folder."""
import argparse
import multiprocessing
import pathlib
import statistics
import sys

sys.dont_write_bytecode = True
from labelled_web import ROOT, Web, score_pages
from simulation import DEFAULTS, BestOrder, Filter, crawl, fit_thresholds

SUBJECTS = {"algorithms": 1500, "programming-languages": 3200}  # documents of a crawl
SEEDS = range(1, 13)
VARIED = dict(
    entry_share=[0.2], recognise=[0.65, 0.7, 0.8], background=[False], certain=[None], independent=[False],
    prior_pages=[30], directory=[0],
)
COLUMNS = {
    "undoubted": "{:.3f}", "worst": "{:.3f}", "recommended": "{:.3f}", "F1": "{:.3f}", "undoubted pages": "{:.0f}", "recall": "{:.2f}",
    "requests per document": "{:.1f}",
}


def measure(task):
    """Returns the numbers of a crawl: undoubted, recommended, F1 of the recommended among the fetched pages, undoubted
    pages, recall and requests per document."""
    subject, seed, c = task
    core = WEB.draw_core(subject, seed)
    scores = score_pages(WEB, subject, seed, core, c)
    judge = Filter(scores, fit_thresholds(scores, core, c), c, core).judge
    requests = crawl(WEB, judge, BestOrder(), c, documents=SUBJECTS[subject])
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
    relevant = [page for url, page in new.items() if not WEB.is_borderline(url) and WEB.is_relevant(url, subject)]
    kept = sum(bool(page.votes) for page in relevant) / max(len(relevant), 1)
    f1 = 2 * recommended * kept / max(recommended + kept, 1e-9)
    return undoubted, recommended, f1, sum(map(is_undoubted, new.values())), recall, len(requests) / len(pages)


def all_settings():
    """Returns the constants of each setting, by its name in the table."""
    varied = {f"{name.replace('_', ' ')} {value}": {name: value} for name, values in VARIED.items() for value in values}
    return {name: {**DEFAULTS, **changes} for name, changes in {"as chosen": {}, **varied}.items()}


def cells_of(results):
    """Returns the cells of a row by the results of the crawls of each subject."""
    rows = []
    for crawls in results:
        undoubted, *others = map(statistics.mean, zip(*crawls))
        rows.append((undoubted, min(crawl[0] for crawl in crawls), *others))
    return [" / ".join(map(form.format, pair)) for form, pair in zip(COLUMNS.values(), zip(*rows))]


def main():
    global WEB
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("web", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only the settings whose names begin so")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "target" / "focused-crawl")
    parser.add_argument("--start", default="http://portal.test/index.html")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    WEB = Web(args.web, args.folder, args.start)
    is_wanted = lambda name: not args.only or name.startswith(tuple(args.only))
    settings = {name: constants for name, constants in all_settings().items() if is_wanted(name)}
    print(f"| setting | {' | '.join(COLUMNS)} |")
    print("|---" + "|--:" * len(COLUMNS) + "|")
    with multiprocessing.Pool(args.jobs) as pool:
        for setting, constants in settings.items():
            tasks = [(subject, seed, constants) for subject in SUBJECTS for seed in SEEDS]
            results = pool.map(measure, tasks, 1)
            cells = cells_of([results[:len(SEEDS)], results[len(SEEDS):]])
            print(f"| {setting} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

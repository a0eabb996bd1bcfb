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
    exponent=[1, 3], entry_share=[0.05, 0.2, 1], recognise=[0.6, 0.65, 0.75], known=[3, 10], factor=[1.5, 3],
    host_share=[0, 0.05, 0.1, 0.15, 0.2], count_factor=[1, 1.5, 2], host_prior=[0, 5, 20], directory=[0, 1, 6],
    back_off=[0, 10, 40],
)
PLAIN = dict(count_factor=1, host_prior=0)  # the share of undoubtedly relevant pages, as it is
HOST_RULES = {
    **{f"plain share {share}": dict(PLAIN, host_share=share) for share in (0.2, 0.3, 0.4)},
    **{f"plain share {share}, by raised thresholds": dict(PLAIN, host_share=share, count_factor=None)
       for share in (0.05, 0.3)},
    **{f"count factor {factor}, host prior {prior}, host share {share}":
       dict(count_factor=factor, host_prior=prior, host_share=share)
       for factor, prior, share in ((1.25, 5, 0.1), (1.25, 5, 0.15), (1.25, 15, 0.1), (1.5, 0, 0.1), (1.5, 10, 0.075))},
}
COLUMNS = {
    "undoubted": "{:.3f}", "worst": "{:.3f}", "recommended": "{:.3f}", "undoubted pages": "{:.0f}", "recall": "{:.2f}",
    "requests per document": "{:.1f}",
}


def measure(task):
    """Returns the numbers of a crawl: undoubted, recommended, undoubted pages, recall and requests per document."""
    subject, seed, c = task
    core = WEB.draw_core(subject, seed)
    scores = score_pages(WEB, subject, seed, core, c)
    judge = Filter(scores, fit_thresholds(scores, core, c), c).judge
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
    return undoubted, recommended, sum(map(is_undoubted, new.values())), recall, len(requests) / len(pages)


def all_settings():
    """Returns the constants of each setting, by its name in the table."""
    varied = {f"{name.replace('_', ' ')} {value}": {name: value} for name, values in VARIED.items() for value in values}
    return {name: {**DEFAULTS, **changes} for name, changes in {"as chosen": {}, **varied, **HOST_RULES}.items()}


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

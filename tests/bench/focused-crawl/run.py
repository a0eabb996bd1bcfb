#!/usr/bin/env -S python3 -X utf8
"""Compares orders of a focused crawl, and varies its filter, on a web whose pages have labels.

usage: tests/bench/focused-crawl/run.py WEB [--only orders,ablations,paper] [--folder target/focused-crawl] [--jobs N]
         [--out FILE]

WEB is a folder of packed pages with labels, as for constants.py. The results are written to
tests/lab/papers/focused-crawl.jsonl.zst, and replace all results of the same part; then tests/lab/report writes all
tables and findings to target/lab. A crawl has 3,000 requests for `algorithms` and 6,000 for `programming-languages`,
and is repeated with three cores.

orders     Recall and harvest rate of frontier's orders, of other orders and of ACHE-like crawlers, by requests and by
           documents; with and without back-off. frontier itself gives the URLs of its orders, in batches of 20.
ablations  The filter and the crawl without one of their parts, or with that of the paper.
paper      The tables of Kluev (2000), with the same numbers of our crawls.
"""
import argparse
import gc
import hashlib
import itertools
import json
import multiprocessing
import pathlib
import pickle
import sys

sys.dont_write_bytecode = True
import paper
from classifiers import page_probabilities
from labelled_web import ROOT, Web, host_of, profile_path, score_pages, score_texts
from measures import GROUPS, CrawlResult, mean, paired, spread, table
from orders import (AnchorText, BestParent, Breadth, LinkClassifierOrder, Oracle, PageClassifierOrder, RandomOrder,
                    anchor_cosines, frontier_crawl)
from simulation import DEFAULTS, VOTES, Filter, MeanOrder, crawl, fit_thresholds
from variable_part import ChangingFilter

sys.path.append(str(ROOT / "tests/lab"))
import results as stored

RESULTS = ROOT / "tests/lab/papers/focused-crawl.jsonl.zst"

REQUESTS = {"algorithms": 3000, "programming-languages": 6000}
SEEDS = (1, 2, 3)
POINTS = 30  # of a curve
SOURCES = [(pathlib.Path(__file__).with_name(name + ".py")).read_text()
           for name in ("simulation", "orders", "classifiers", "labelled_web")]
CHECKPOINTS = (1 / 6, 1 / 3, 2 / 3, 1)  # of the requests
DOCUMENTS = {"algorithms": (250, 500, 1000, 1500), "programming-languages": (500, 1000, 2000, 3000)}

FRONTIER_ORDERS = ("best", "mean", "yield", "anchor", "breadth")
DRAWN_ORDERS = ("best", "mean", "anchor", "breadth", "anchor-text", "ache-page", "ache-link", "random")
OTHER_ORDERS = ("yield", "best-parent", "ache-defaults", "oracle")
LIMITS = ("random", "oracle")  # no orders that a crawler would have
SIMULATED_ORDERS = ("mean", "breadth", "anchor-text", "ache-page", "ache-link")

ABLATIONS = {
    "default": {},
    **{f"without-{metric}": {"metrics": tuple(other for other in VOTES if other != metric)} for metric in VOTES},
    "without-directory": {"directory": 0},
    "without-host-rule": {"background": False},
    "paper-directory": {"directory": 1},
    "passage-half-of-vsm": {"passage": "half"},
    "paper-shares": {"passage": "half", "shares": paper.SHARES},
    "paper-thresholds": {"fixed": paper.THRESHOLDS},
    "count-weights": {"weights": "count"},
    "count-profile": {"selection": "count", "weights": "count"},
    "paper": {"weights": "count", "passage": "half", "shares": paper.SHARES, "directory": 1, "background": False,
              "independent": False, "back_off": 0},
    "relevant-links-only": {"relevant_only": True},
    "without-back-off": {"back_off": 0},
    "in-links": {"in_links": 10},
    "visited-forgotten": {"forget": 500},
    "variable-part": {"variable_part": 100},
}


def constants_of(subject, changes):
    c = {**DEFAULTS, **changes}
    return {**c, "fixed": c["fixed"] and c["fixed"][subject]}


def make_order(name, subject, seed, core):
    probability = PROBABILITIES.get((subject, seed))
    match name:
        case "mean": return MeanOrder()
        case "breadth": return Breadth()
        case "best-parent": return BestParent()
        case "anchor-text":
            return AnchorText(anchor_cosines(WEB, profile_path(WEB, subject, seed, core, DEFAULTS), score_texts))
        case "ache-page": return PageClassifierOrder(probability)
        case "ache-link": return LinkClassifierOrder(probability)
        case "ache-defaults": return PageClassifierOrder(probability, hard_focus=host_of(WEB.start), per_host=100)
        case "random": return RandomOrder(seed)
        case "oracle": return Oracle(WEB, WEB.goal(subject, core))


def run_crawl(task):
    """Returns the requests of a crawl. They are kept in the folder, so that an interrupted measurement is resumed."""
    name = hashlib.sha256(repr((task, REQUESTS, SOURCES)).encode()).hexdigest()[:16]
    path = WEB.folder / f"crawl-{name}.pickle"
    if not path.exists():
        path.with_suffix(".part").write_bytes(pickle.dumps(new_crawl(*task)))
        path.with_suffix(".part").rename(path)
    return pickle.loads(path.read_bytes())


def new_crawl(order, subject, seed, changes, by_frontier):
    """Crawls in an order, with changed constants."""
    core, c = CORES[subject, seed], constants_of(subject, changes)
    scores = score_pages(WEB, subject, seed, core, c)
    if c["variable_part"]:
        judge = ChangingFilter(WEB, profile_path(WEB, subject, seed, core, c), core, scores, c, seed).judge
    else:
        judge = Filter(scores, fit_thresholds(scores, core, c), c, core).judge
    if by_frontier:
        return frontier_crawl(WEB, judge, order, REQUESTS[subject])
    return crawl(WEB, judge, make_order(order, subject, seed, core), c, requests=REQUESTS[subject])


def run_crawls(pool, tasks):
    """Returns the results of crawls, by name, subject and seed."""
    keys = [(name, subject, seed) for name in tasks for subject in REQUESTS for seed in SEEDS]
    done = pool.imap(run_crawl, [(tasks[name][0], subject, seed, *tasks[name][1:]) for name, subject, seed in keys])
    results = {}
    for (name, subject, seed), requests in zip(keys, done):
        results[name, subject, seed] = CrawlResult(WEB, subject, CORES[subject, seed], requests)
        last = results[name, subject, seed]
        print(f"{name} {subject} {seed}: {len(requests)} requests, {last.documents[-1]} documents, recall"
              f" {last.recall_at(len(requests)):.3f}, area {last.area(REQUESTS[subject]):.3f}", file=sys.stderr)
    return results


def crawls_of(results, name, subject):
    return [results[name, subject, seed] for seed in SEEDS]


# --- orders -----------------------------------------------------------------------------------------------------------


def curve_point(number, crawls):
    """Returns the point of a curve after a number of requests."""
    after = [crawl.after(number) for crawl in crawls]
    return {
        "requests": number, "documents": mean(documents for documents, _ in after),
        **spread("recall", [found / len(crawl.goal) for crawl, (_, found) in zip(crawls, after)]),
        **spread("harvest", [found / number for _, found in after]),
    }


def document_point(number, crawls):
    """Returns the point of a curve after a number of documents; all columns are None if a crawl ended earlier."""
    after = [crawl.after_documents(number) for crawl in crawls]
    after = [] if None in after else after
    return {
        "documents": number, "requests": mean(requests for requests, _ in after),
        **spread("recall", [found / len(crawl.goal) for crawl, (_, found) in zip(crawls, after)]),
        **spread("harvest", [found / number for _, found in after]),
    }


def order_tables(subject, name, crawls, default):
    limit = REQUESTS[subject]
    if name in DRAWN_ORDERS:
        zero = {"requests": 0, "documents": 0, **spread("recall", [0.0]), **spread("harvest", [])}
        points = (curve_point(limit * i // POINTS, crawls) for i in range(1, POINTS + 1))
        yield table("recall", subject, name, zero, *points)
    summaries = (order_summary(limit, round(limit * share), crawls, default) for share in CHECKPOINTS)
    yield table("limits" if name in LIMITS else "orders", subject, name, *summaries)
    points = (document_point(number, crawls) for number in DOCUMENTS[subject])
    yield table("orders-by-documents", subject, name, *points)


def order_summary(limit, number, crawls, default):
    areas, default_areas = ([crawl.area(limit) for crawl in part] for part in (crawls, default))
    return {**curve_point(number, crawls), **spread("area", areas), **paired(areas, default_areas)}


def measure_orders(pool):
    tasks = {name: (name, {}, name in FRONTIER_ORDERS) for name in (*DRAWN_ORDERS, *OTHER_ORDERS)}
    free = {f"{name} free": (name, {"back_off": 0}, False) for name in SIMULATED_ORDERS}
    results = run_crawls(pool, {**tasks, **free, "mean simulated": ("mean", {}, False)})
    for subject, name in itertools.product(REQUESTS, tasks):
        # Simulated orders are compared with the simulated default.
        default = "mean" if name in FRONTIER_ORDERS else "mean simulated"
        yield from order_tables(subject, name, crawls_of(results, name, subject), crawls_of(results, default, subject))

    def final(experiment, subject, setting, name, default):
        limit, crawls = REQUESTS[subject], crawls_of(results, name, subject)
        summary = order_summary(limit, limit, crawls, crawls_of(results, default, subject))
        return table(experiment, subject, setting, summary)

    for subject, name in itertools.product(REQUESTS, SIMULATED_ORDERS):
        yield final("orders-without-back-off", subject, name, f"{name} free", "mean free")
    for subject in REQUESTS:
        yield final("simulation", subject, "frontier", "mean", "mean")
        yield final("simulation", subject, "simulation", "mean simulated", "mean")


# --- ablations --------------------------------------------------------------------------------------------------------


def filter_summary(crawls, default, limit):
    return {
        **spread("undoubted", [crawl.precision(crawl.group("undoubted")) for crawl in crawls]),
        "undoubted-pages": mean(len(crawl.group("undoubted")) for crawl in crawls),
        **spread("recommended", [crawl.precision(crawl.recommended()) for crawl in crawls]),
        "recommended-pages": mean(len(crawl.recommended()) for crawl in crawls),
        **spread("collected", [crawl.collected() for crawl in crawls]),
        **spread("F1", [crawl.f1() for crawl in crawls]),
        **spread("recall", [crawl.recall_at(limit) for crawl in crawls]),
        **spread("area", [crawl.area(limit) for crawl in crawls]),
        "documents": mean(crawl.documents[-1] for crawl in crawls),
        **paired([crawl.f1() for crawl in crawls], [crawl.f1() for crawl in default]),
    }


def measure_ablations(pool):
    results = run_crawls(pool, {name: ("mean", changes, False) for name, changes in ABLATIONS.items()})
    for subject, name in itertools.product(REQUESTS, ABLATIONS):
        crawls, default = (crawls_of(results, setting, subject) for setting in (name, "default"))
        yield table("ablations", subject, name, filter_summary(crawls, default, REQUESTS[subject]))
    for subject, group in itertools.product(REQUESTS, GROUPS):
        pages = [(crawl, crawl.group(group)) for crawl in crawls_of(results, "default", subject)]
        precision = spread("precision", [crawl.precision(urls) for crawl, urls in pages])
        yield table("groups", subject, group, {"pages": mean(len(urls) for _, urls in pages), **precision})


# --- the paper's tables -----------------------------------------------------------------------------------------------


def measure_paper(pool):
    results = run_crawls(pool, {"mean": ("mean", {}, True)})
    profiles, thresholds = {}, {}
    for (subject, seed), core in CORES.items():
        profiles[subject, seed] = profile_path(WEB, subject, seed, core, DEFAULTS)
        scores = score_pages(WEB, subject, seed, core, DEFAULTS)
        thresholds[subject, seed] = fit_thresholds(scores, core, DEFAULTS)
    crawls = {subject: crawls_of(results, "mean", subject) for subject in REQUESTS}
    return paper.tables(crawls, profiles, thresholds)


PARTS = {"orders": measure_orders, "ablations": measure_ablations, "paper": measure_paper}


def write_results(path, part, tables):
    """Replaces the results of the same experiments in the file."""
    new = [json.dumps(row, separators=(",", ":"), ensure_ascii=False) for row in tables]
    experiments = {json.loads(line)["experiment"] for line in new}
    kept = [line for line in stored.read_results(path) if json.loads(line)["experiment"] not in experiments]
    stored.write_results(path, [*kept, *new])
    print(f"{part}: {len(new)} results in {path}", file=sys.stderr)


def main():
    global WEB, CORES, PROBABILITIES
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("web", type=pathlib.Path)
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "target" / "focused-crawl")
    parser.add_argument("--out", type=pathlib.Path, default=RESULTS)
    parser.add_argument("--start", default="http://portal.test/index.html")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    parts = args.only.split(",")
    if unknown := set(parts) - set(PARTS):
        parser.error(f"--only: no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    WEB = Web(args.web, args.folder, args.start)
    CORES = {(subject, seed): WEB.draw_core(subject, seed) for subject in REQUESTS for seed in SEEDS}
    PROBABILITIES = page_probabilities(WEB, CORES) if "orders" in parts else {}
    for subject, seed in CORES:
        # Written before the processes start, which would all write them.
        if "orders" in parts:
            anchor_cosines(WEB, profile_path(WEB, subject, seed, CORES[subject, seed], DEFAULTS), score_texts)
        for changes in ({}, {"weights": "count"}, {"selection": "count", "weights": "count"}):
            score_pages(WEB, subject, seed, CORES[subject, seed], {**DEFAULTS, **changes})
    gc.freeze()  # so that collections do not copy the memory that the processes share
    with multiprocessing.Pool(args.jobs) as pool:
        for part in parts:
            write_results(args.out, part, PARTS[part](pool))
    if args.out == RESULTS:
        stored.write_report()


if __name__ == "__main__":
    main()

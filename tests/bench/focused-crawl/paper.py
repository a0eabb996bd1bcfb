"""The tables of Kluev (2000), and the same numbers of our crawls."""
import collections
import math
import random

from labelled_web import host_of
from measures import GROUPS, mean, spread, table

SHARES = (0.5, 0.1, 0.08)  # thresholds of terms, pairs and triples (table 2)
VSM = {"algorithms": 0.18, "programming-languages": 0.25}
THRESHOLDS = {subject: (vsm, *SHARES, vsm / 2) for subject, vsm in VSM.items()}

STARTING_POINTS = {
    "algorithms": dict(core=95, triples=33, pairs=100, terms=100),
    "programming-languages": dict(core=118, triples=20, pairs=20, terms=100),
}
STATISTICS = {
    "algorithms": {
        "evaluated": 52180, "recommended": 8155, "undoubted": 2678, "vsm": 626, "passage": 2025, "directory": 2826,
        "term-collocation": None, "vsm-wrong": 113, "passage-wrong": 402, "directory-wrong": 598,
        "term-collocation-wrong": None,
    },
    "programming-languages": {
        "evaluated": 58215, "recommended": 8087, "undoubted": 2980, "vsm": 1212, "passage": 1008, "directory": 2887,
        "term-collocation": None, "vsm-wrong": 98, "passage-wrong": 101, "directory-wrong": 306,
        "term-collocation-wrong": None,
    },
}
UNDOUBTED = {"algorithms": (2678, 2571, 0.96), "programming-languages": (2980, 2923, 0.98)}
CONTENT = {"algorithms": (8155, 7042, 0.86), "programming-languages": (8087, 7582, 0.93)}
RECALL = {"algorithms": (1419, 520, 0.51), "programming-languages": (442, 177, 0.40)}
BY_HAND = {"algorithms": (5477, 1404, 1113, 4364), "programming-languages": (5107, 1061, 505, 4602)}
HARVEST = (255 / 2500, 840 / 2500)  # recommended documents of 2,500, least and greatest
SHARED = 79
EXAMPLES = 10
JUDGED_SHARE, ACCEPTED_SHARE = 0.2, 0.75
WINDOW = 500  # documents for which the harvest is counted


def tables(crawls, profiles, thresholds):
    """Yields the tables of the paper and ours; `crawls` has those of each subject, one per core."""
    for subject, results in crawls.items():
        yield from starting_points(subject, profiles, thresholds)
        yield from collections_table(subject, results)
        yield from precision_table("table-5", subject, UNDOUBTED, [c.group("undoubted") for c in results], results)
        yield from precision_table("table-6", subject, CONTENT, [c.recommended() for c in results], results)
        yield from recall_table(subject, results)
        yield from by_hand_table(subject, results)
        yield from harvest_table(subject, results)
    yield from shared_table(crawls)


def starting_points(subject, profiles, thresholds):
    """Tables 1 to 3: the sizes of core and profile, the thresholds, and the first collocations."""
    ours = {seed: read_profile(path) for (name, seed), path in profiles.items() if name == subject}
    yield table("table-1", subject, "paper", STARTING_POINTS[subject])
    for seed, profile in ours.items():
        sizes = {f"{kind}s": len(profile[kind]) for kind in ("triple", "pair", "term")}
        yield table("table-1", subject, f"core-{seed}", {"core": 120, **sizes})
    names = ("vsm", "term", "pair", "triple", "passage")
    yield table("table-2", subject, "paper", dict(zip(names, THRESHOLDS[subject])))
    for seed in ours:
        fitted = (round(threshold, 4) for threshold in thresholds[subject, seed])
        yield table("table-2", subject, f"core-{seed}", dict(zip(names, fitted)))
    for kind in ("triple", "pair"):
        for stems, count in list(ours[1][kind].items())[:EXAMPLES]:
            yield table(f"table-3-{kind}s", subject, stems, {"count": count})


def read_profile(path):
    """Returns the entries of a profile and their counts, by kind."""
    profile = collections.defaultdict(dict)
    for line in path.read_text().splitlines()[1:]:
        kind, stems, count, _ = line.split("\t")
        profile[kind][stems] = int(count)
    return profile


def means(rows):
    """Returns the mean of each column."""
    return {column: mean(row[column] for row in rows) for column in rows[0]}


def collections_table(subject, results):
    """Table 4: the documents by the metrics that recommended them."""

    def row(crawl):
        groups = {name: crawl.group(name) for name in ("vsm", "passage", "directory")}
        groups["term-collocation"] = crawl.group("term", "collocation")
        wrong = {f"{name}-wrong": len(urls) - len(crawl.relevant(urls)) for name, urls in groups.items()}
        numbers = {"evaluated": len(crawl.group(*GROUPS)), "recommended": len(crawl.recommended())}
        numbers["undoubted"] = len(crawl.group("undoubted"))
        return {**numbers, **{name: len(urls) for name, urls in groups.items()}, **wrong}

    yield table("table-4", subject, "paper", STATISTICS[subject])
    yield table("table-4", subject, "ours", means([row(crawl) for crawl in results]))


def precision_table(experiment, subject, printed, chosen, results):
    """Tables 5 and 6: the precision of the undoubtedly relevant, and of all recommended documents."""
    total, relevant, precision = printed[subject]
    paper = {"total": total, "relevant": relevant, **spread("precision", [precision])}
    yield table(experiment, subject, "paper", paper)
    ours = {
        "total": mean(map(len, chosen)),
        "relevant": mean(len(crawl.relevant(urls)) for crawl, urls in zip(results, chosen)),
        **spread("precision", [crawl.precision(urls) for crawl, urls in zip(results, chosen)]),
    }
    yield table(experiment, subject, "ours", ours)


def draw(rng, urls):
    """Returns a fifth of some documents, at least one."""
    return rng.sample(urls, min(len(urls), math.ceil(JUDGED_SHARE * len(urls))))


def review(crawl, rng, urls):
    """Judges a sample of a group by the paper's rule. Returns the sample and the accepted documents."""
    sample = draw(rng, urls)
    right = crawl.relevant(sample)
    if sample and len(right) > ACCEPTED_SHARE * len(sample):
        wrong = set(sample) - set(right)
        return sample, [url for url in urls if url not in wrong]
    return sample, right


def recall_table(subject, results):
    """Table 7: recall of the filter, estimated from rejected documents of three periods, by host."""

    def row(crawl, rng):
        pages, kept = list(crawl.pages), []
        rejected = set(crawl.group("rejected"))
        for period in range(3):
            part = pages[len(pages) * period // 3:len(pages) * (period + 1) // 3]
            by_host = collections.defaultdict(list)
            for url in part:
                if url in rejected:
                    by_host[host_of(url)].append(url)
            for urls in by_host.values():
                kept += review(crawl, rng, urls)[1]
        recommended = crawl.recommended()
        right, missed = len(crawl.relevant(recommended)), len(crawl.relevant(sorted(rejected)))
        found = len(crawl.relevant(kept))
        total = len(recommended) + len(kept)
        return {"total": total, "relevant": right + found, "recall": right / (right + found or 1),
                "true-recall": right / (right + missed or 1)}

    total, relevant, recall = RECALL[subject]
    quotient = {"total": total, "relevant": relevant, "recall": round(relevant / total, 4), "true-recall": None}
    yield table("table-7", subject, "paper-printed", {**quotient, "recall": recall})
    yield table("table-7", subject, "paper-quotient", quotient)
    rows = [row(crawl, random.Random(f"recall {subject} {n}")) for n, crawl in enumerate(results)]
    yield table("table-7", subject, "ours", means(rows))


def by_hand_table(subject, results):
    """Table 8: documents that people judge, and what the rule accepts by their verdicts."""

    def row(crawl, rng):
        groups = [crawl.group(name) for name in ("vsm", "passage", "directory")]
        groups.append(crawl.group("term", "collocation"))
        reviewed = [review(crawl, rng, urls) for urls in groups]
        needed = [url for urls in groups for url in urls]
        accepted = crawl.group("undoubted") + [url for _, urls in reviewed for url in urls]
        judged = sum(len(sample) for sample, _ in reviewed)
        right = len(crawl.relevant(needed))
        return {
            "needed": len(needed), "judged": judged, "wrong": len(needed) - right, "right": right,
            "judged-share": judged / max(len(crawl.recommended()), 1), "accepted": len(accepted),
            "accepted-precision": crawl.precision(accepted),
        }

    needed, judged, wrong, right = BY_HAND[subject]
    share = round(judged / STATISTICS[subject]["recommended"], 4)
    paper = {"needed": needed, "judged": judged, "wrong": wrong, "right": right, "judged-share": share}
    yield table("table-8", subject, "paper", {**paper, "accepted": None, "accepted-precision": None})
    rows = [row(crawl, random.Random(f"hand {subject} {n}")) for n, crawl in enumerate(results)]
    yield table("table-8", subject, "ours", means(rows))


def harvest_table(subject, results):
    """The share of recommended documents in parts of the crawl."""

    def shares(crawl):
        votes = [bool(page.votes) for page in crawl.pages.values()]
        return [sum(votes[at:at + WINDOW]) / WINDOW for at in range(0, len(votes) - WINDOW + 1, WINDOW)]

    windows = [shares(crawl) for crawl in results]
    yield table("harvest", subject, "paper", dict(zip(("least", "greatest"), HARVEST)))
    yield table("harvest", subject, "ours", {"least": mean(map(min, windows)), "greatest": mean(map(max, windows))})


def shared_table(crawls):
    """Documents that the crawls of both subjects recommended."""
    rows = []
    for algorithms, languages in zip(*crawls.values()):
        first, second = set(algorithms.recommended()), set(languages.recommended())
        both = [url for url in first & second if len(algorithms.web.labels[url][0]) > 1]
        share = len(first & second) / min(len(first), len(second))
        rows.append({"shared": len(first & second), "labelled-both": len(both), "share": share})
    paper_share = SHARED / min(numbers["recommended"] for numbers in STATISTICS.values())
    yield table("shared", "both", "paper", {"shared": SHARED, "labelled-both": None, "share": round(paper_share, 4)})
    yield table("shared", "both", "ours", means(rows))

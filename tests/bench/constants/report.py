#!/usr/bin/env -S python3 -X utf8
"""Writes the results of sweep.py as Markdown tables.

A cell is the mean over targets and seeds of the relative change against the run with the same
target and seed and unchanged constants; "same" means that all runs were identical in calls and
documents. The last column compares the larger change with the spread of the unchanged runs over
the seeds: "matters" if it exceeds two standard deviations of a difference between two means of as
many runs.

    tests/bench/constants/report.py sweep.tsv
"""
import collections, statistics, sys

UNCHANGED = "unchanged"
runs = collections.defaultdict(dict)
for line in open(sys.argv[1]):
    label, value, target, seed, calls, relevant, recall, estimate, low, high = line.rstrip("\n").split("\t")
    share = None if estimate == "None" else float(estimate)
    runs[label, value][target, seed] = (int(calls), int(relevant), float(recall), share)


def relative_changes(group, unchanged, figure):
    """Returns the relative change of a figure for each run that both have."""
    return [figure(run) / figure(unchanged[key]) - 1 for key, run in group.items() if key in unchanged]


def relative_spread(unchanged, figure):
    """Returns the standard deviation over the seeds, relative to the mean, averaged over targets."""
    by_target = collections.defaultdict(list)
    for (target, _), run in unchanged.items():
        by_target[target].append(figure(run))
    return statistics.mean(statistics.stdev(v) / statistics.mean(v) for v in by_target.values())


def table(name, is_member, figure, title):
    unchanged = runs[f"{name}:{UNCHANGED}", UNCHANGED]
    spread = relative_spread(unchanged, figure)
    print(f"Unchanged: {title}, by target:")
    for target in sorted({target for target, _ in unchanged}):
        values = [figure(run) for (t, _), run in unchanged.items() if t == target]
        print(f"{target} {statistics.mean(values):.4g} ({min(values):.4g} to {max(values):.4g}, {len(values)} seeds)")
    print(f"\nRelative standard deviation over seeds: {100 * spread:.1f} %\n")
    print("| constant | value | halved | doubled | |\n|---|--:|--:|--:|---|")
    labels = sorted({label for label, value in runs if value != UNCHANGED and is_member(label)})
    for label in labels:
        place, value = label.rsplit("=", 1)
        file, constant = place.rsplit(":", 1)
        cells, largest = [], 0.0
        variants = sorted((v for l, v in runs if l == label), key=float)
        for variant in variants:
            group = runs[label, variant]
            same = all(group[key] == unchanged[key] for key in group if key in unchanged)
            change = statistics.mean(relative_changes(group, unchanged, figure))
            largest = max(largest, abs(change) / (spread * (2 / len(group)) ** 0.5))
            cells.append("same" if same else f"{100 * change:+.1f} %")
        if len(cells) == 1:
            cells.insert(0 if float(variants[0]) > float(value.replace("_", "")) else 1, "")
        verdict = "matters" if largest > 2 else ""
        print(f"| `{constant}` | {value} | {cells[0]} | {cells[1]} | {verdict} |")
    print()


COVERAGE = ("/coverage/", "/probed/", "/query_log.rs")
is_coverage = lambda label: any(part in label for part in COVERAGE)
table("regions", lambda label: not is_coverage(label), lambda run: run[1], "relevant documents")
table("coverage", is_coverage, lambda run: run[2], "recall when the run stopped")

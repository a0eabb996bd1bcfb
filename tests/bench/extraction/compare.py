#!/usr/bin/env -S python3 -X utf8
"""Compares the extraction methods of fetch-extract on pages with known main text.

usage: FETCH_EXTRACT=target/release/fetch-extract tests/bench/extraction/compare.py FOLDER [--sources] [--hosts]

FOLDER has pages.jsonl.zst and pages-news.jsonl.zst: records with url, html, and the known text: text,
or with and without (parts that must and must not be in it), at the top or in gold. The methods are the
model, the site rules "news" before it, and the title-body-footer method. Prints mean F1 over words
and F1 over parts; the pages with a word F1 below .5, called failures; and CPU seconds. "Pages with a
rule" are those of the hosts of the site rules. The words of the headline are not counted, as the
sets differ in whether it is part of the text. Each character of Chinese and kana counts as a word.
"""
import collections
import json
import os
import re
import resource
import statistics
import subprocess
import sys

TOOL = os.environ.get("FETCH_EXTRACT", "fetch-extract")
METHODS = {
    "model": [],
    "site rules": ["--rules", "news"],
    "title-body-footer": ["--extractor", "title-body-footer"],
}
FAILURE = 0.5  # set by judgement: most of the text is missing or wrong
SPLIT = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")


def read_pages(folder):
    for name in ["pages.jsonl.zst", "pages-news.jsonl.zst"]:
        command = ["zstd", "-dcq", "--long=27", os.path.join(folder, name)]
        for line in subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.splitlines():
            page = json.loads(line)
            gold = page.get("gold") or page
            if page.get("set") == "snippets":
                gold = {"with": page["with"], "without": page["without"]}
            yield name.split(".")[0], page, gold


def extract(pages, flags):
    records = "".join(json.dumps({"url": page.get("url") or "http://page.test/", "html": page["html"]}) + "\n" for _, page, _ in pages)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [TOOL, "--jobs", "1", "--quiet", *flags]
    out = subprocess.run(command, input=records.encode(), stdout=subprocess.PIPE, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return [json.loads(line) for line in out.splitlines()], seconds


def words(text, headline=""):
    count = lambda text: collections.Counter(SPLIT.findall((text or "").lower()))
    return count(text) - count(headline)


def word_f1(record, gold, headline):
    found, known = words(record.get("text"), headline), words(gold["text"], headline)
    common = sum((found & known).values())
    return 2 * common / max(sum(found.values()) + sum(known.values()), 1)


def part_f1(pairs):
    squash = lambda text: re.sub(r"\s+", " ", text or "")
    right = missing = wrong = 0
    for record, gold in pairs:
        text = squash(record.get("text"))
        found = sum(squash(part) in text for part in gold["with"])
        right, missing = right + found, missing + len(gold["with"]) - found
        wrong += sum(squash(part) in text for part in gold.get("without") or [])
    return 2 * right / max(2 * right + missing + wrong, 1)


def precision_and_recall(record, gold, headline):
    found, known = words(record.get("text"), headline), words(gold["text"], headline)
    common = sum((found & known).values())
    return common / max(sum(found.values()), 1), common / max(sum(known.values()), 1)


def print_sources(pages, records, headlines):
    """Prints the scores of the model by source of the known text, and the share of the readers' comments in the text."""
    rows, comments = collections.defaultdict(list), [0, 0]
    for (_, page, gold), record, headline in zip(pages, records, headlines):
        if "source" not in page or "text" not in gold:
            continue
        score = (word_f1(record, gold, headline), *precision_and_recall(record, gold, headline))
        rows[page["source"]].append(score)
        if gold.get("comments"):
            rows[page["source"] + " with comments"].append(score)
            squash = lambda text: re.sub(r"\s+", " ", text or "")
            lines = [squash(line)[:80] for line in gold.get("without") or [] if len(line) > 40]
            comments[0] += sum(line in squash(record.get("text")) for line in lines)
            comments[1] += len(lines)
    print("| source | pages | word F1 | precision | recall |\n|---|--:|--:|--:|--:|")
    for source, scores in sorted(rows.items()):
        print(f"| {source} | {len(scores)} | " + " | ".join(f"{statistics.mean(column):.3f}" for column in zip(*scores)) + " |")
    print(f"lines of comments in the text: {comments[0]} of {comments[1]} ({comments[0] / max(comments[1], 1):.1%})")


def main():
    pages = list(read_pages(sys.argv[1]))
    results = {method: extract(pages, flags) for method, flags in METHODS.items()}
    rules = [record.get("fetch", {}).get("rule") for record in results["site rules"][0]]
    headlines = [record.get("title") or "" for record in results["model"][0]]
    sets = {
        "pages": [n for n, (name, _, _) in enumerate(pages) if name == "pages"],
        "pages-news": [n for n, (name, _, _) in enumerate(pages) if name == "pages-news"],
        "pages with a rule": [n for n, rule in enumerate(rules) if rule],
        "pages whose rule matches": [n for n, rule in enumerate(rules) if rule and rule["matched"]],
    }
    print("| pages | method | word F1 | failures | parts F1 |\n|---|---|--:|--:|--:|")
    for name, numbers in sets.items():
        texts = [n for n in numbers if "text" in pages[n][2]]
        parts = [n for n in numbers if "with" in pages[n][2]]
        for method, (records, _) in results.items():
            scores = [word_f1(records[n], pages[n][2], headlines[n]) for n in texts]
            failures = sum(score < FAILURE for score in scores)
            f1 = f"{statistics.mean(scores):.3f} ({len(scores)})" if scores else "–"
            part = f"{part_f1([(records[n], pages[n][2]) for n in parts]):.3f} ({len(parts)})" if parts else "–"
            print(f"| {name} | {method} | {f1} | {failures} ({failures / max(len(scores), 1):.1%}) | {part} |")
    for method, (records, seconds) in results.items():
        print(f"{method}: {seconds:.1f} CPU seconds, {len(records) / seconds:.0f} pages per second")
    if "--sources" in sys.argv:
        print_sources(pages, results["model"][0], headlines)
    if "--hosts" in sys.argv:
        hosts = collections.defaultdict(list)
        for n, rule in enumerate(rules):
            if rule:
                hosts[rule["host"]].append(n)
        for host, numbers in sorted(hosts.items()):
            print(host, sum(rules[n]["matched"] for n in numbers), "of", len(numbers), "matched")
            for n in numbers:
                gold = pages[n][2]
                pair = [results[method][0][n] for method in ["model", "site rules"]]
                score = [f"{word_f1(r, gold, headlines[n]) if 'text' in gold else part_f1([(r, gold)]):.3f}" for r in pair]
                print("   ", pages[n][1]["id"], *score, "" if rules[n]["matched"] else "unmatched")


if __name__ == "__main__":
    main()

#!/usr/bin/env -S python3 -X utf8
"""Compares the texts of two builds of fetch-extract with the known ones.

usage: tests/bench/extraction/two-builds.py OLD NEW FOLDER CLOSED-WEB

FOLDER is that of compare.py. CLOSED-WEB has html.jsonl.zst and docs.jsonl.zst: pages of manuals, of which 3,000 are drawn,
and their texts. Prints for each set the pages that are better and worse with NEW, and the gain in mean word F1, precision
and recall; a headline is not counted.
"""
import json
import os
import random
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
import compare  # noqa: E402

PAGES = 3000


def read_packed(path):
    command = ["zstd", "-dcq", "--long=27", path]
    return map(json.loads, subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.splitlines())


def manuals(folder):
    texts = {doc["url"]: doc["text"] for doc in read_packed(os.path.join(folder, "docs.jsonl.zst")) if doc.get("has_html")}
    pages = [page for page in read_packed(os.path.join(folder, "html.jsonl.zst")) if page["url"] in texts]
    return [("manuals", page, {"text": texts[page["url"]]}) for page in random.Random(5).sample(pages, PAGES)]


def scores(tool, pages):
    compare.TOOL = tool
    for record, (_, _, gold) in zip(compare.extract(pages, [])[0], pages):
        headline = record.get("title") or ""
        yield compare.word_f1(record, gold, headline), *compare.precision_and_recall(record, gold, headline)


def main():
    old, new, folder, web = sys.argv[1:]
    pages = [page for page in compare.read_pages(folder) if "text" in page[2]] + manuals(web)
    both = list(zip(scores(old, pages), scores(new, pages)))
    print("| | pages | better | worse | F1 | precision | recall |\n|---|--:|--:|--:|--:|--:|--:|")
    for name in dict.fromkeys(name for name, _, _ in pages):
        of_set = [pair for pair, page in zip(both, pages) if page[0] == name]
        better, worse = (sum((b[0] - a[0]) * sign > 1e-9 for a, b in of_set) for sign in (1, -1))
        gains = " | ".join(f"{statistics.mean(b[k] - a[k] for a, b in of_set):+.4f}" for k in range(3))
        print(f"| {name} | {len(of_set)} | {better} | {worse} | {gains} |")


if __name__ == "__main__":
    main()

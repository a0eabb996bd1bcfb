#!/usr/bin/env -S python3 -X utf8
"""Compares the titles of two builds of fetch-extract with the beginning of the known main text, where the headline is.

usage: tests/bench/extraction/titles.py TOOL OTHER FOLDER

FOLDER is that of compare.py. Prints how many titles differ on pages with their full text, and how many of these are in the
first four lines of it: only that of TOOL, only that of OTHER, both, or neither.
"""
import collections
import json
import re
import subprocess
import sys

sys.dont_write_bytecode = True
from compare import read_pages  # noqa: E402


def letters(text):
    return re.sub(r"\W+", "", (text or "").lower())


def titles(tool, pages):
    records = "".join(json.dumps({"url": page.get("url") or "http://page.test/", "html": page["html"]}) + "\n" for _, page, _ in pages)
    out = subprocess.run([tool, "--quiet"], input=records.encode(), stdout=subprocess.PIPE, check=True).stdout
    return [json.loads(line).get("title") for line in out.splitlines()]


def main():
    tool, other, folder = sys.argv[1:]
    pages = [page for page in read_pages(folder) if page[2].get("text")]
    counts = collections.Counter()
    for (_, _, gold), *pair in zip(pages, titles(tool, pages), titles(other, pages)):
        if pair[0] != pair[1]:
            beginning = letters("".join(gold["text"].split("\n")[:4]))
            counts[tuple(bool(letters(title)) and letters(title) in beginning for title in pair)] += 1
    print(f"{len(pages)} pages, {counts.total()} titles differ; at the beginning of the text: {counts[True, False]} of the first tool only, "
          f"{counts[False, True]} of the other only, {counts[True, True]} of both, {counts[False, False]} of neither")


if __name__ == "__main__":
    main()

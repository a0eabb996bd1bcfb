#!/usr/bin/env -S python3 -X utf8
"""Measures how many long paragraphs of books on one page fetch-extract keeps.

usage: FETCH_EXTRACT=target/release/fetch-extract tests/bench/extraction/long-pages.py FILE.html…

A paragraph is an element p of more than 100 letters; it is kept if its first 80 letters, without
white space and marks, are in the text. Prints a row for each file, and the mean share. Any page without
navigation in paragraphs can be measured, such as the manuals that come with Rust
(`rustup doc --path`; book/print.html and others).
"""
import html.parser
import json
import os
import subprocess
import sys

TOOL = os.environ.get("FETCH_EXTRACT", "fetch-extract")
LONG = 100
COMPARED = 80


def letters(text):
    return "".join(filter(str.isalnum, text))


class ParagraphReader(html.parser.HTMLParser):
    """Collects the text of each paragraph. A paragraph ends where the next begins."""

    ENDS = {"p", "div", "ul", "ol", "dl", "table", "pre", "h1", "h2", "h3", "h4", "section", "blockquote", "li", "td", "dd"}

    def __init__(self):
        super().__init__()
        self.paragraphs, self.is_inside = [], False

    def handle_starttag(self, tag, attributes):
        if tag in self.ENDS:
            self.is_inside = tag == "p"
            if self.is_inside:
                self.paragraphs.append("")

    def handle_endtag(self, tag):
        self.is_inside = self.is_inside and tag not in self.ENDS

    def handle_data(self, text):
        if self.is_inside:
            self.paragraphs[-1] += text


def count_kept(path):
    """Returns how many long paragraphs of a file are in its text, and how many it has."""
    page = open(path, encoding="utf-8", errors="replace").read()
    record = json.dumps({"url": "http://page.test/", "html": page})
    out = subprocess.run([TOOL, "--quiet"], input=record.encode(), stdout=subprocess.PIPE, check=True).stdout
    text = letters(json.loads(out).get("text") or "")
    reader = ParagraphReader()
    reader.feed(page)
    long = [paragraph for paragraph in map(letters, reader.paragraphs) if len(paragraph) > LONG]
    return sum(paragraph[:COMPARED] in text for paragraph in long), len(long)


def main():
    print("| page | kept | of |\n|---|--:|--:|")
    shares = []
    for path in sys.argv[1:]:
        kept, count = count_kept(path)
        print(f"| {path} | {kept:,} | {count:,} |")
        if count:
            shares.append(kept / count)
    print(f"mean share {sum(shares) / max(len(shares), 1):.3f} of {len(shares)} pages")


if __name__ == "__main__":
    main()

#!/usr/bin/env -S python3 -X utf8
"""Measures how much of the known main text fetch-extract loses, by the elements that contain it.

usage: FETCH_EXTRACT=target/release/fetch-extract PYTHON-WITH-LXML tests/bench/extraction/lost-text.py FOLDER

FOLDER is that of compare.py; the pages are those with their full text. Each line of at least 30 letters of that
text counts for the innermost table, list, quotation … around the element that begins as the line does. Lost are
its sequences of three words that are not in ours.
"""
import collections
import re
import sys

import lxml.html

sys.dont_write_bytecode = True
from compare import extract, read_pages  # noqa: E402

MIN_LINE = 30  # letters and digits
BEGINNING = 40  # letters and digits by which a line and an element are the same; set by judgement
KINDS = ["noscript", "pre", "table", "dl", "ul", "ol", "blockquote", "figure", "aside", "details", "form", "footer", "header"]
HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]


def letters(text):
    return re.sub(r"\W+", "", text.lower())


def sequences(text):
    words = re.findall(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+", text.lower())
    return list(zip(words, words[1:], words[2:]))


def elements_by_beginning(html):
    """Return the innermost element with each beginning of a text."""
    try:
        document = lxml.html.fromstring(re.sub(r"^\s*<\?xml[^>]*>", "", html))
    except (lxml.etree.ParserError, ValueError):
        return {}
    found = {}
    for element in document.iter():
        if isinstance(element.tag, str) and element.tag not in ("script", "style", "html", "body"):
            found[letters(element.text_content()[:400])[:BEGINNING]] = element
    return found


def kind_of(element):
    """Return the innermost of KINDS around an element, or "heading", or "other"."""
    for around in [element, *element.iterancestors()]:
        if around.tag in HEADINGS:
            return "heading"
        if around.tag in KINDS:
            return around.tag
    return "other"


def main():
    pages = [page for page in read_pages(sys.argv[1]) if page[2].get("text")]
    sizes, lost = collections.Counter(), collections.Counter()
    for (_, page, gold), record in zip(pages, extract(pages, [])[0]):
        ours, elements = set(sequences(record.get("text") or "")), elements_by_beginning(page["html"])
        for line in gold["text"].split("\n"):
            if len(letters(line)) >= MIN_LINE:
                element = elements.get(letters(line)[:BEGINNING])
                kind = "not the beginning of an element" if element is None else kind_of(element)
                of_line = sequences(line)
                sizes[kind] += len(of_line)
                lost[kind] += sum(sequence not in ours for sequence in of_line)
    print("| around the text | share of the text | lost |\n|---|--:|--:|")
    for kind, size in sizes.most_common():
        print(f"| {kind} | {size / sizes.total():.3f} | {lost[kind] / size:.3f} |")


if __name__ == "__main__":
    main()

#!/usr/bin/env -S python3 -X utf8
"""Compares the metadata that fetch-extract, trafilatura and htmldate find with labels by hand (metadata.tsv).

usage: FETCH_EXTRACT=target/release/fetch-extract PYTHON-WITH-TRAFILATURA tests/bench/extraction/metadata.py FOLDER [--errors]

FOLDER is that of compare.py. A label names all authors and topics (tags, categories, section), or several names of the site,
or days, of which one suffices. Precision is over pages with an answer, recall over those with a label. Names must be the same
but for case and punctuation; of topics, the mean share per page counts. A modification on the day of publication is none.
Half of the pages, by a hash of their id, is held out; --errors lists the errors of fetch-extract in the other half.
"""
import csv
import hashlib
import os
import re
import statistics
import sys

import htmldate
import trafilatura.metadata

sys.dont_write_bytecode = True
from compare import extract, read_pages  # noqa: E402

FIELDS = ["author", "site", "published", "modified", "topics", "licence"]


def split(value):
    return [part for part in (value or "").split("|") if part]


def normal(value):
    return " ".join(re.findall(r"\w+", re.sub(r"\b(Dr|Prof)\. |, PhD|@\w+", "", value).lower()))


def licence(value):
    found = re.search(r"\b(by(?:-[a-z]+)*)[/ ]([\d.]+\d)", (value or "").lower())
    return {found[1] + "/" + found[2]} if found else set()


def answer(author, site, published, modified, topics, licence_):
    days = [{day[:10]} if day else set() for day in [published, modified]]
    names = [{normal(name) for name in names if name and normal(name)} for names in [author, [site], topics]]
    return dict(zip(FIELDS, [names[0], names[1], days[0], days[1] - days[0], names[2], licence(licence_)]))


def ours(record):
    page = record.get("fetch") or {}
    topics = (page.get("tags") or []) + [page.get("section")]
    return answer(page.get("author") or [], page.get("site"), page.get("published"), page.get("modified"), topics, page.get("licence"))


def trafilaturas(page):
    found = trafilatura.metadata.extract_metadata(page["html"], default_url=page["url"])
    return answer((found.author or "").split("; "), found.sitename, found.date, None, (found.tags or []) + (found.categories or []), found.license)


def htmldates(page):
    days = [htmldate.find_date(page["html"], url=page["url"], original_date=original) for original in [True, False]]
    return answer([], None, *days, [], None)


def score(field, label, answer):
    """Returns the share of the answer that is right, and the share of the label that is found."""
    if field == "topics":
        common = len(label & answer)
        return common / max(len(answer), 1), common / max(len(label), 1)
    is_right = label == answer if field == "author" else bool(label & answer)
    return is_right, is_right


def print_table(name, pages, tools):
    print(f"\n{name}\n| field | pages | tool | answers | precision | recall |\n|---|--:|---|--:|--:|--:|")
    for field in FIELDS:
        labels = [page["label"][field] for page in pages]
        for tool, answers in tools.items():
            rows = [(label, answers[page["id"]][field]) for page, label in zip(pages, labels)]
            scores = [(label, found, *score(field, label, found)) for label, found in rows]
            precision = [row[2] for row in scores if row[1]]
            if precision:
                recall = statistics.mean(row[3] for row in scores if row[0])
                print(f"| {field} | {sum(map(bool, labels))} | {tool} | {len(precision)} | {statistics.mean(precision):.3f} | {recall:.3f} |")


def main():
    with open(os.path.join(os.path.dirname(__file__), "metadata.tsv"), encoding="utf-8") as file:
        labels = {row["id"]: row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)}
    pages = [page for _, page, _ in read_pages(sys.argv[1]) if page["id"] in labels]
    for page in pages:
        page["url"] = page["url"].strip() if (page.get("url") or "").startswith("http") else None
        row = {field: split(labels[page["id"]][field]) for field in FIELDS}
        page["label"] = {field: set(values) for field, values in row.items()}
        page["label"].update({field: set(map(normal, row[field])) for field in ["author", "site", "topics"]})
        page["held out"] = hashlib.sha256(page["id"].encode()).digest()[0] % 2 == 1
    records, _ = extract([(None, page, None) for page in pages], [])
    tools = {
        "fetch-extract": {page["id"]: ours(record) for page, record in zip(pages, records)},
        "trafilatura": {page["id"]: trafilaturas(page) for page in pages},
        "htmldate": {page["id"]: htmldates(page) for page in pages},
    }
    seen = [page for page in pages if not page["held out"]]
    for name, part in [("all", pages), ("held out", [page for page in pages if page["held out"]]), ("seen", seen)]:
        print_table(f"{name}: {len(part)} pages", part, tools)
    if "--errors" in sys.argv:
        for field in FIELDS:
            for page in seen:
                found, label = tools["fetch-extract"][page["id"]][field], page["label"][field]
                if found != label and not (found & label and field not in ["author", "topics"]):
                    print(field, page["id"], page["url"], "label", label or "", "found", found or "", sep="\t")


if __name__ == "__main__":
    main()

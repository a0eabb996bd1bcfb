#!/usr/bin/env -S python3 -X utf8
"""Measures how sensitive the main text, titles and comments are to constants of lib/extract.

usage: tests/bench/extraction/constants.py FOLDER OUT

FOLDER is that of compare.py. Each numeric constant of the files below is halved and doubled, one at a
time: fetch-extract is built in a copy of the checkout that reads constants from the environment, and
extracts all pages. Appends lines of tab-separated values to OUT, so that an interrupted sweep resumes:
the constant and its value, then

    f1        mean word F1 of the main text, as compare.py prints it
    titles    pages whose title is in the first four lines of the known text
    comments  comments of the pages whose comments are marked
    words     share of their words that are in the marked ones
    lines     share of the marked lines that are in a text, an author or a date
    authors   share of the comments with an author
    dates     share of the comments with a date
    bare      comments of all pages without author and date, most of which are no comments
    same      share of the comments of all pages that the unchanged build reads alike: text, author, date
"""
import os
import pathlib
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "constants"))
import compare  # noqa: E402
from comments import count_unlabelled, measure, squash  # noqa: E402
from sweep import ROOT, UNCHANGED, build_adjustable, constants, variants  # noqa: E402

PATHS = ["lib/extract/src/comments", "lib/extract/src/page_comment.rs", "lib/extract/src/comment_threads.rs",
         "lib/extract/src/repetition.rs", "lib/extract/src/lib.rs"]


def variable(file, name):
    return f"CONSTANT_{file.stem}_{name}"


def triples(record):
    return [(c["text"], c.get("author"), c.get("date")) for c in record.get("comments") or []]


def has_title(record, gold):
    lines = " ".join(map(squash, gold["text"].split("\n")[:4]))
    return bool(record.get("title")) and squash(record["title"]) in lines


def values(pages, records, unchanged):
    text = [n for n, (_, _, gold) in enumerate(pages) if "text" in gold]
    pairs = [(gold, records[n].get("comments") or []) for n, (_, _, gold) in enumerate(pages) if gold.get("comments")]
    rows = {name: value.split(" of ")[0] for name, value in measure(pairs)}
    before = [set(triples(record)) for record in unchanged]
    kept = sum(len(old & set(triples(new))) for old, new in zip(before, records))
    return {
        "f1": f"{statistics.mean(compare.word_f1(records[n], pages[n][2], records[n].get('title') or '') for n in text):.4f}",
        "titles": sum(has_title(records[n], pages[n][2]) for n in text),
        "comments": sum(len(comments) for _, comments in pairs),
        "words": rows["words of our comments that are in the marked ones"],
        "lines": rows["the same, with lines of author and date"],
        "authors": rows["comments with an author"],
        "dates": rows["comments with a date"],
        "bare": count_unlabelled([record.get("comments") or [] for record in records])[1],
        "same": f"{kept / max(sum(map(len, before)), 1):.4f}",
    }


def main():
    pages, out = list(compare.read_pages(sys.argv[1])), pathlib.Path(sys.argv[2])
    done = {tuple(line.split("\t")[:2]) for line in open(out)} if out.exists() else set()
    found = list(constants(PATHS))
    bins = build_adjustable(ROOT / "target/extract-constants", [name for _, name, _, _ in found], PATHS,
                            ["fetch-extract"], variable)
    compare.TOOL = str(bins / "fetch-extract")
    unchanged = compare.extract(pages, ["--comments"])[0]
    runs = [(UNCHANGED, "", {})]
    for file, name, value, kind in found:
        label = f"{file.relative_to('lib/extract/src')}:{name}={value}"
        runs += [(label, new, {variable(file, name): new}) for new in variants(value, kind)]
    with open(out, "a") as table:
        for label, value, change in runs:
            if (label, value) in done:
                continue
            os.environ.update(change)
            records = compare.extract(pages, ["--comments"])[0]
            for name in change:
                del os.environ[name]
            row = values(pages, records, unchanged)
            if not table.tell():
                print("constant", "value", *row, sep="\t", file=table)
            print(label, value, *row.values(), sep="\t", file=table, flush=True)


if __name__ == "__main__":
    main()

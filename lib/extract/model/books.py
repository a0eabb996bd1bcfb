#!/usr/bin/env -S python3 -X utf8
"""Bind pages into long ones, as books and manuals on one page are, for train.py to learn from as well.

    books.py [--folds N] < PAGES.jsonl > BOOKS.jsonl

A book is a page with full text, in whose main part those of others follow; how many, and which, is drawn, the same each
time. `of` names the pages. Those of a book are of one fold, as train.py splits them, so that none is both learned from and
judged. Needs lxml.
"""
import argparse, collections, json, random, re, sys, zlib
from urllib.parse import urlparse
from lxml import html as markup

BOOKS = 120
# Pages of one book, and the share of a page's main text that its main part holds.
FEWEST, MOST, SHARE = 3, 48, 0.95
KINDS = {"article", "documentation"}
WORD = re.compile(r"\w+")


def words(text):
    return collections.Counter(WORD.findall(text.lower()))


def main_part(tree, wanted):
    """The deepest element that holds the main text."""
    at, need = tree, SHARE * sum(wanted.values())
    while True:
        inner = next((child for child in at if isinstance(child.tag, str)
                      and sum((words(child.text_content()) & wanted).values()) >= need), None)
        if inner is None:
            return at
        at = inner


def read(page):
    """A page's tree, and its main part."""
    tree = markup.document_fromstring(page["html"].encode("utf-8"), parser=markup.HTMLParser(encoding="utf-8"))
    for element in list(tree.iter("script", "style", "noscript")):
        element.drop_tree()
    wanted = words(page["text"])
    if sum((words(tree.text_content()) & wanted).values()) < SHARE * sum(wanted.values()):
        return None
    part = main_part(tree, wanted)
    # A page whose main part is the whole of it tells nothing of what is around a book.
    return (tree, part) if part.tag not in ("html", "p", "pre", "td") else None


def bound(pages, draw):
    """One page of several."""
    (tree, part), *others = map(read, pages)
    is_flat = draw.random() < 0.5
    for _, other in others:
        if is_flat:
            for child in list(other):
                part.append(child)
        else:
            other.tag = draw.choice(["div", "section", "article"])
            part.append(other)
    return markup.tostring(tree, encoding="unicode")


def site(page):
    host = urlparse((page.get("url") or page["id"]).split("::")[-1]).netloc or page["id"]
    return zlib.crc32(".".join(host.split(".")[-2:]).encode())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folds", type=int, default=4)
    folds = collections.defaultdict(list)
    args = parser.parse_args()
    for page in map(json.loads, sys.stdin):
        if page.get("type") in KINDS and len(page["text"]) > 500 and read(page):
            folds[site(page) % args.folds].append(page)
    for number in range(BOOKS):
        draw = random.Random(number)
        pages = folds[number % args.folds]
        count = min(round(FEWEST * (MOST / FEWEST) ** draw.random()), len(pages))
        chosen = draw.sample(pages, count)
        book = {"id": f"book-{number:03}", "url": chosen[0].get("url") or chosen[0]["id"], "of": [page["id"] for page in chosen]}
        print(json.dumps({**book, "html": bound(chosen, draw)}, ensure_ascii=False))


if __name__ == "__main__":
    main()

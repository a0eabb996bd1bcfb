#!/usr/bin/env -S python3 -X utf8
"""Combine pages into long ones, like books and manuals on one page, as further training data for train.py.

    books.py [--folds N] < PAGES.jsonl > BOOKS.jsonl      PAGES: as for train.py

A book is a page with full text, to whose main part the main parts of other pages are appended. Their number and choice are
random, with a fixed seed. `of` lists the pages. All pages of a book are in the same fold of train.py, so that no page is
used for both training and testing. Needs lxml.
"""
import argparse, collections, json, random, re, sys, zlib
from lxml import html as markup

BOOKS = 120
# Fewest and most pages of a book. Set by judgement, not measured.
MIN_PAGES, MAX_PAGES = 3, 48
# Share of a page's main text that its main part must contain. Set by judgement, not measured.
MAIN_PART_SHARE = 0.95
KINDS = {"article", "documentation"}
WORD = re.compile(r"\w+")


def words(text):
    return collections.Counter(WORD.findall(text.lower()))


def main_part(tree, main_words):
    """Return the deepest element that contains the main text."""
    element, needed = tree, MAIN_PART_SHARE * sum(main_words.values())
    while True:
        inner = next((child for child in element if isinstance(child.tag, str)
                      and sum((words(child.text_content()) & main_words).values()) >= needed), None)
        if inner is None:
            return element
        element = inner


def parse_page(page):
    """Return a page's tree and its main part, or None if the page can't be used."""
    tree = markup.document_fromstring(page["html"].encode("utf-8"), parser=markup.HTMLParser(encoding="utf-8"))
    for element in list(tree.iter("script", "style", "noscript")):
        element.drop_tree()
    main_words = words(page["text"])
    if sum((words(tree.text_content()) & main_words).values()) < MAIN_PART_SHARE * sum(main_words.values()):
        return None
    part = main_part(tree, main_words)
    # A page that is all main part would yield a book without boilerplate around it.
    return (tree, part) if part.tag not in ("html", "p", "pre", "td") else None


def combine_pages(pages, generator):
    """Return the HTML of one page made of several."""
    (tree, part), *others = map(parse_page, pages)
    is_flat = generator.random() < 0.5
    for _, other in others:
        if is_flat:
            for child in list(other):
                part.append(child)
        else:
            other.tag = generator.choice(["div", "section", "article"])
            part.append(other)
    return markup.tostring(tree, encoding="unicode")


def fold_of(page, folds):
    """Return the fold of a page: all pages of a site are in the same one."""
    return zlib.crc32(page["site"].encode()) % folds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folds", type=int, default=4)
    folds = collections.defaultdict(list)
    args = parser.parse_args()
    for page in map(json.loads, sys.stdin):
        if page["kind"] in KINDS and len(page["text"]) > 500 and parse_page(page):
            folds[fold_of(page, args.folds)].append(page)
    for number in range(BOOKS):
        generator = random.Random(number)
        pages = folds[number % args.folds]
        count = min(round(MIN_PAGES * (MAX_PAGES / MIN_PAGES) ** generator.random()), len(pages))
        chosen = generator.sample(pages, count)
        book = {"id": f"book-{number:03}", "site": chosen[0]["site"], "of": [page["id"] for page in chosen]}
        print(json.dumps({**book, "html": combine_pages(chosen, generator)}, ensure_ascii=False))


if __name__ == "__main__":
    main()

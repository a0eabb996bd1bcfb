#!/usr/bin/env -S python3 -X utf8
"""Lists the first and last words of articles that are not in the text that fetch-extract gives.

usage: FETCH_EXTRACT=target/release/fetch-extract PYTHON-WITH-LXML tests/bench/extraction/snippets.py FOLDER

FOLDER is that of compare.py; the pages are those of pages-news with gold.with. Tells for each part that is missing if its
words are there in this order, and if it is on the page at all: in the text of all elements, white space aside.
"""
import re
import sys

import lxml.html

sys.dont_write_bytecode = True
from compare import extract, read_pages  # noqa: E402


def words(text):
    return " ".join(re.findall(r"\w+", text.lower()))


def without_spaces(text):
    return re.sub(r"\s+", "", text)


def main():
    pages = [page for page in read_pages(sys.argv[1]) if page[0] == "pages-news" and "with" in page[2]]
    found = found_words = on_page = total = 0
    for (_, page, gold), record in zip(pages, extract(pages, [])[0]):
        text = re.sub(r"\s+", " ", record.get("text") or "")
        for part in gold["with"]:
            total += 1
            found += (is_found := re.sub(r"\s+", " ", part) in text)
            found_words += (has_words := words(part) in words(text))
            if not is_found:
                whole = lxml.html.fromstring(page["html"].encode(), parser=lxml.html.HTMLParser(encoding="utf-8")).text_content()
                on_page += (is_on_page := without_spaces(part) in without_spaces(whole))
                print(f"{page['id']}: words {has_words}, on the page {is_on_page}: {part[:60]!r}")
    print(f"{found} of {total} found; {found_words} with the words only; {on_page} of the missing {total - found} are on the page as they are")


if __name__ == "__main__":
    main()

#!/usr/bin/env -S python3 -X utf8
"""Extract pages of which only parts are known with other extractors, as further training data for train.py.

    others.py < PAGES.jsonl > OTHERS.jsonl

Needs trafilatura and readability-lxml.
"""
import json, logging, sys
import trafilatura
from lxml import html as markup
from readability import Document

# trafilatura balanced, for precision and for recall.
SETTINGS = ({}, {"favor_precision": True}, {"favor_recall": True})


def readable_text(page):
    try:
        return markup.fromstring(Document(page).summary()).text_content()
    except Exception:  # of any kind, on a page that it cannot read
        return ""


def main():
    logging.disable()
    for page in map(json.loads, sys.stdin):
        if "with" in page:
            html = page["html"]
            texts = [trafilatura.extract(html, include_comments=False, **setting) or "" for setting in SETTINGS]
            print(json.dumps({"id": page["id"], "texts": [*texts, readable_text(html)]}, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env -S python3 -X utf8
"""Rewrite pages as they would have been written fifteen years ago, for train.py to learn from as well.

    old-fashioned.py < PAGES.jsonl > OLD.jsonl

No element says what it holds, nothing has a name, and there are no data for machines; on every other page paragraphs are
separated by two line breaks, too.
"""
import json, re, sys, zlib

MEANING = re.compile(r"<(/?)(?:article|main|section|header|footer|nav|aside|figure|figcaption|time|picture|hgroup"
                     r"|address|details|summary)\b", re.I)
NAMES = re.compile(r"""\s(?:class|id|role|item\w+|aria-[a-z]+|data-[a-z0-9-]+)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)""", re.I)
TAG = re.compile(r"<[a-zA-Z][^<>]*>")
DATA = re.compile(r"<script\b.*?</script\s*>|<meta[^>]*\b(?:og|article|twitter):[^>]*>", re.I | re.S)
BEGINS, ENDS = re.compile(r"<p\b[^>]*>", re.I), re.compile(r"</p\s*>", re.I)

for page in map(json.loads, sys.stdin):
    html = MEANING.sub(r"<\1div", DATA.sub("", page["html"]))
    html = TAG.sub(lambda tag: NAMES.sub("", tag.group()), html)
    if zlib.crc32(page["id"].encode()) % 2:
        html = ENDS.sub("<br><br>", BEGINS.sub("", html))
    page["html"] = html
    print(json.dumps(page, ensure_ascii=False))

#!/usr/bin/env -S python3 -X utf8
"""Rewrite pages in the style of fifteen years ago, as further training data for train.py.

    old-fashioned.py < PAGES.jsonl > OLD.jsonl

The result has no semantic elements, no names (class, id, role) and no data for machines; on every other page, two line
breaks separate paragraphs.
"""
import json, re, sys, zlib

SEMANTIC = re.compile(r"<(/?)(?:article|main|section|header|footer|nav|aside|figure|figcaption|time|picture|hgroup"
                     r"|address|details|summary)\b", re.I)
NAMES = re.compile(r"""\s(?:class|id|role|item\w+|aria-[a-z]+|data-[a-z0-9-]+)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)""", re.I)
TAG = re.compile(r"<[a-zA-Z][^<>]*>")
DATA = re.compile(r"<script\b.*?</script\s*>|<meta[^>]*\b(?:og|article|twitter):[^>]*>", re.I | re.S)
PARAGRAPH_START, PARAGRAPH_END = re.compile(r"<p\b[^>]*>", re.I), re.compile(r"</p\s*>", re.I)

for page in map(json.loads, sys.stdin):
    html = SEMANTIC.sub(r"<\1div", DATA.sub("", page["html"]))
    html = TAG.sub(lambda tag: NAMES.sub("", tag.group()), html)
    if zlib.crc32(page["id"].encode()) % 2:
        html = PARAGRAPH_END.sub("<br><br>", PARAGRAPH_START.sub("", html))
    page["html"] = html
    print(json.dumps(page, ensure_ascii=False))

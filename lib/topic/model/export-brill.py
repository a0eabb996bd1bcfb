#!/usr/bin/env python3
"""Writes the lexicon and the rules of Brill's tagger: export-brill.py BRILL TEXTBLOB OUT.

BRILL is the unpacked npm package brill, which has all tags of each word; TEXTBLOB is the unpacked
wheel of textblob, which has the rules, and the first tag of each word. OUT gets lexicon.tsv (word,
tab, tags, the most frequent first), contextual-rules.txt and lexical-rules.txt.
"""
import json
import re
import sys
from pathlib import Path

brill, textblob, out = map(Path, sys.argv[1:])


def read_rules(name):
    lines = (textblob / "textblob/en" / name).read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith(";;;")]


def read_tags():
    """Returns the table of tags, to which the numbers in words.js refer."""
    source = (brill / "lib/tags.js").read_text(encoding="utf-8")
    return re.findall(r"^  '((?:[^'\\]|\\.)*)'|^  \"([^\"]*)\"", source, re.M)


def read_words():
    """Yields each word with the numbers of its tags."""
    entry = re.compile(r"^  (?:'((?:[^'\\]|\\.)*)'|\"([^\"]*)\"|([\w$]+)): (\d+|\[[^\]]*\])", re.M)
    source = (brill / "lib/words.js").read_text(encoding="utf-8")
    for single, double, bare, numbers in entry.findall(source):
        value = json.loads(numbers)
        word = re.sub(r"\\(.)", r"\1", single) or double or bare
        yield word, value if isinstance(value, list) else [value]


tags = [single or double for single, double in read_tags()]
first = dict(
    fields
    for fields in (line.split() for line in read_rules("en-lexicon.txt"))
    if len(fields) == 2
)
lexicon = {}
for word, numbers in read_words():
    names = [tags[number] for number in numbers if number < len(tags)]
    # The first number of some words is one too high in the package; textblob has the right tag.
    if word in first:
        names = [first[word]] + [name for name in names[1:] if name != first[word]]
    # A word with two tags at once, such as NN|JJ, counts as the first.
    lexicon[word] = list(dict.fromkeys(name.split("|")[0] for name in names if name))
with open(out / "lexicon.tsv", "w", encoding="utf-8") as file:
    for word in sorted(lexicon):
        file.write(f"{word}\t{' '.join(lexicon[word])}\n")
for name, rules in ("contextual-rules.txt", "en-context.txt"), ("lexical-rules.txt", "en-morphology.txt"):
    (out / name).write_text("".join(f"{rule}\n" for rule in read_rules(rules)), encoding="utf-8")

#!/usr/bin/env -S python3 -X utf8
"""Makes the sets of texts on which the accuracy of langid is measured (docs/LANGID.md).

usage: tests/bench/langid-sets/make.py DATA CLOSED_WEB OUT
       make -C tests/lab accuracy SETS="Declaration=OUT/declaration.tsv News=OUT/news.tsv ..."

DATA is the folder from which `make -C tests/lab model` builds the model (lib/langid/model/README.md), with `lidpack/udhr-test.tsv`,
`sentences/dev/CODE_Script.SOURCE.txt`, and `news/CODE.txt`, the test sentences of the crates lingua-*-language-model;
`make -C tests/lab model` reads nothing of these, `make -C tests/lab reject-model` every fifth line of `news`. CLOSED_WEB is docs.jsonl.zst of the closed web. OUT gets declaration, news,
prose, messages, pages and sentences.tsv, with lines of code, tab, text. Texts are drawn at random with a fixed seed.
"""
import collections
import json
import pathlib
import random
import re
import subprocess
import sys

# Sources of sentences/dev that are messages of programs, and not prose.
MESSAGES = {"mwext", "pywikibot", "etherpad", "osmid", "osmweb", "wikiapps", "mozorg", "firefox", "libreoffice",
            "wordpress", "tldr"}
SENTENCES_PER_FILE = 150
# Letters of a sentence: fewer say little, in Chinese, Japanese and Thai already from 15 on.
MIN_LETTERS, MIN_LETTERS_WITHOUT_BLANKS = 40, 15
PAGES_PER_LANGUAGE, PAGE_WORDS = 150, 100
SENTENCES_PER_LANGUAGE, SENTENCE_LETTERS = 200, (40, 250)


def has_enough_letters(text):
    least = MIN_LETTERS_WITHOUT_BLANKS if any("\u0e00" <= c <= "\u0fff" or c >= "\u2e80" for c in text) else MIN_LETTERS
    return sum(c.isalpha() for c in text) >= least


def draw(rng, items, number):
    return rng.sample(items, min(number, len(items)))


def read_lines(path):
    return [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def declaration(data, _):
    for line in read_lines(data / "lidpack" / "udhr-test.tsv"):
        code, text = line.split("\t", 1)
        yield code, text


def news(data, _):
    for path in sorted((data / "news").glob("*.txt")):
        for line in read_lines(path):
            yield path.stem, line


def dev_sentences(data, rng, are_messages):
    for path in sorted((data / "sentences" / "dev").glob("*.txt")):
        name, source = path.stem.split(".")
        if (source in MESSAGES) == are_messages:
            for line in draw(rng, [line for line in read_lines(path) if has_enough_letters(line)], SENTENCES_PER_FILE):
                yield name.split("_")[0], line


def web_texts(documents, rng, number, texts_of):
    by_language = collections.defaultdict(list)
    for document in documents:
        by_language[document["lang"]].extend(texts_of(document["text"], rng))
    for code in sorted(by_language):
        for text in draw(rng, by_language[code], number):
            yield code, text


def page_of(text, _):
    return [text] if len(text.split()) >= PAGE_WORDS else []


def sentence_of(text, rng):
    """Returns one sentence of a document, if it has any of a usual length."""
    least, most = SENTENCE_LETTERS
    found = [s.strip() for s in re.split(r"\n|(?<=[.!?])\s+", text) if least <= len(s.strip()) <= most]
    return [rng.choice(found)] if found else []


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    data, closed_web, out = map(pathlib.Path, sys.argv[1:])
    out.mkdir(parents=True, exist_ok=True)
    unpacked = subprocess.run(["zstd", "-dcq", closed_web], stdout=subprocess.PIPE, check=True).stdout
    documents = [json.loads(line) for line in unpacked.splitlines()]
    sets = dict(
        declaration=declaration, news=news,
        prose=lambda data, rng: dev_sentences(data, rng, False), messages=lambda data, rng: dev_sentences(data, rng, True),
        pages=lambda _, rng: web_texts(documents, rng, PAGES_PER_LANGUAGE, page_of),
        sentences=lambda _, rng: web_texts(documents, rng, SENTENCES_PER_LANGUAGE, sentence_of),
    )
    for name, texts in sets.items():
        lines = [f"{code}\t{' '.join(text.split())}\n" for code, text in texts(data, random.Random(name))]
        (out / f"{name}.tsv").write_text("".join(lines), encoding="utf-8")
        print(f"{name}: {len(lines)} texts", file=sys.stderr)


if __name__ == "__main__":
    main()

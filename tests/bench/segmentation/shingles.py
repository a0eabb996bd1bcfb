#!/usr/bin/env -S python3 -X utf8
"""Compares shingles of characters with shingles of segmented words, in scripts without blanks.

    shingles.py

Pages of ten test sentences of the crates lingua-*-language-model are changed at random: one character
in 400, 100 and 50 is replaced by another of the page, or one word in 50 and 25 by another of the
language. Prints for each change the mean resemblance of page and changed page by sets of five
characters (Unicode word boundaries, as `dedup` has them in these scripts) and of five segmented
words, and the share of pairs at or above .8, which `dedup --threshold 0.8` would find; by rule, the
last line says which finds more.

Needs Cargo, and a network for its first run.
"""
import random, sys

import compare

SENTENCES_PER_PAGE = 10
SHINGLE = 5
THRESHOLD = 0.8
METHODS = {"characters": "unicode", "words": "forage"}


def shingles(words):
    words = [word.lower() for word in words]
    return {tuple(words[i:i + SHINGLE]) for i in range(max(1, len(words) - SHINGLE + 1))}


def resemblance(a, b):
    return len(a & b) / len(a | b)


def replace_characters(page, words, vocabulary, interval, rng):
    characters = list(page)
    for _ in range(max(1, len(page) // interval)):
        characters[rng.randrange(len(page))] = rng.choice(page)
    return "".join(characters)


def replace_words(page, words, vocabulary, interval, rng):
    replaceable = [word for word in words if len(word) > 1]
    for word in rng.sample(replaceable, max(1, len(words) // interval)):
        page = page.replace(word, rng.choice(vocabulary), 1)
    return page


CHANGES = [("a character in 400", replace_characters, 400), ("a character in 100", replace_characters, 100),
           ("a character in 50", replace_characters, 50), ("a word in 50", replace_words, 50),
           ("a word in 25", replace_words, 25)]


def main():
    program, _ = compare.install()
    found = dict.fromkeys(METHODS, 0)
    print("| language, change | characters: mean | found | words: mean | found |\n|---|--:|--:|--:|--:|")
    for language, (crate, *_) in compare.LANGUAGES.items():
        lines = compare.read_lines([compare.find_crate(f"lingua-{crate}-language-model") / "testdata" / "sentences.txt"])
        starts = range(0, len(lines) - SENTENCES_PER_PAGE + 1, SENTENCES_PER_PAGE)
        pages = [" ".join(lines[i:i + SENTENCES_PER_PAGE]) for i in starts]
        segment = {name: lambda texts, method=method: compare.run_once([program, method], texts)[0]
                   for name, method in METHODS.items()}
        words = segment["words"](pages)
        vocabulary = [word for page in words for word in page]
        for name, change, interval in CHANGES:
            rng = random.Random(1)
            changed = [change(page, page_words, vocabulary, interval, rng) for page, page_words in zip(pages, words)]
            cells = []
            for method in METHODS:
                sets = [[shingles(w) for w in segment[method](texts)] for texts in (pages, changed)]
                values = [resemblance(a, b) for a, b in zip(*sets)]
                share = sum(value >= THRESHOLD for value in values) / len(values)
                found[method] += share
                cells += [f"{sum(values) / len(values):.3f}", f"{share:.3f}"]
            print(f"| {language}, {name} | {' | '.join(cells)} |", flush=True)
    print(f"\nMore pairs are found by {max(found, key=found.get)}.")


if __name__ == "__main__":
    sys.exit(main())

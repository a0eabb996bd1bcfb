#!/usr/bin/env python3
"""Export the word lists of which the lexicons are built: export-word-lists.py FOLDER.

Needs `pip install wordfreq opencc-python-reimplemented pythainlp`. Writes han-zh.tsv, han-zht.tsv (the same in
traditional characters), han-ja.tsv and thai.tsv: word, tab, count."""
import pathlib, sys
import opencc, pythainlp, wordfreq

MAX_WORDS = 200_000

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)


def write_list(name, counts):
    rows = sorted(((n, word) for word, n in counts.items() if n), key=lambda pair: (-pair[0], pair[1]))[:MAX_WORDS]
    (folder / f"{name}.tsv").write_text("".join(f"{word}\t{n}\n" for n, word in rows), encoding="utf-8")


def wordfreq_counts(code):
    return {word: round(f * 1e9) for word, f in wordfreq.get_frequency_dict(code, "large").items()}


chinese = wordfreq_counts("zh")
write_list("han-zh", chinese)
convert = opencc.OpenCC("s2t").convert
traditional = {}
for word, n in chinese.items():
    traditional[convert(word)] = traditional.get(convert(word), 0) + n
write_list("han-zht", traditional)
write_list("han-ja", wordfreq_counts("ja"))

thai = {}
corpus = pathlib.Path(pythainlp.__file__).parent / "corpus" / "tnc_freq.txt"
for line in corpus.read_text(encoding="utf-8-sig").splitlines():
    word, _, count = line.partition("\t")
    if word and count.isdigit():
        thai[word] = thai.get(word, 0) + int(count)
write_list("thai", thai)

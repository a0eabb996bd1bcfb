#!/usr/bin/env python3
"""Writes the word lists of wordfreq that build-model reads: export-wordfreq.py FOLDER (needs `pip install wordfreq`)."""
import pathlib, sys
import wordfreq

# Languages that Unilex lacks, and two whose nearest relative is one of them.
CODES = dict(cs="ces", da="dan", en="eng", he="heb", is_="isl", lt="lit", nb="nob", ru="rus", sk="slk", vi="vie")

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for code, name in CODES.items():
    words = wordfreq.get_frequency_dict(code.rstrip("_"), "small")
    counts = sorted(((round(f * 1e9), word) for word, f in words.items()), key=lambda pair: (-pair[0], pair[1]))
    lines = (f"{word}\t{count}\n" for count, word in counts if count)
    (folder / f"{name}.tsv").write_text("".join(lines), encoding="utf-8")

#!/usr/bin/env python3
"""Writes the word lists of wordfreq that build-model reads: export-wordfreq.py FOLDER.

Needs `pip install wordfreq opencc-python-reimplemented`. Chinese is written in both its scripts."""
import pathlib, sys
import opencc, wordfreq

CODES = dict(ar="ara", bg="bul", bn="ben", ca="cat", cs="ces", da="dan", de="deu", el="ell", en="eng", es="spa", fa="fas",
             fi="fin", fil="tgl", fr="fra", he="heb", hi="hin", hu="hun", id="ind", it="ita", ja="jpn", ko="kor", lt="lit",
             lv="lvs", mk="mkd", ms="zsm", nb="nob", nl="nld", pl="pol", pt="por", ro="ron", ru="rus", sk="slk", sl="slv",
             sv="swe", ta="tam", tr="tur", uk="ukr", ur="urd", vi="vie", zh="zho") | {"is": "isl"}
MOST = 60_000

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)


def write(name, counts):
    rows = sorted(((n, word) for word, n in counts.items() if n), key=lambda pair: (-pair[0], pair[1]))[:MOST]
    (folder / f"{name}.tsv").write_text("".join(f"{word}\t{n}\n" for n, word in rows), encoding="utf-8")


for code, name in CODES.items():
    counts = {word: round(f * 1e9) for word, f in wordfreq.get_frequency_dict(code, "best").items()}
    write(name, counts)
    if name == "zho":
        convert, traditional = opencc.OpenCC("s2t").convert, {}
        for word, n in counts.items():
            traditional[convert(word)] = traditional.get(convert(word), 0) + n
        write("zho-Hant", traditional)

#!/usr/bin/env python3
"""Export wordfreq's word lists for build-langid-model and build-general-words: export-wordfreq.py FOLDER.

Needs `pip install wordfreq opencc-python-reimplemented`. Chinese is written in both scripts, simplified and traditional."""
import pathlib, sys
import opencc, wordfreq

CODES = dict(ar="ara", bg="bul", bn="ben", ca="cat", cs="ces", da="dan", de="deu", el="ell", en="eng", es="spa", fa="fas",
             fi="fin", fil="tgl", fr="fra", he="heb", hi="hin", hu="hun", id="ind", it="ita", ja="jpn", ko="kor", lt="lit",
             lv="lvs", mk="mkd", ms="zsm", nb="nob", nl="nld", pl="pol", pt="por", ro="ron", ru="rus", sk="slk", sl="slv",
             sv="swe", ta="tam", tr="tur", uk="ukr", ur="urd", vi="vie", zh="zho") | {"is": "isl"}
MAX_WORDS = 60_000

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)


def write_list(name, counts):
    rows = sorted(((n, word) for word, n in counts.items() if n), key=lambda pair: (-pair[0], pair[1]))[:MAX_WORDS]
    (folder / f"{name}.tsv").write_text("".join(f"{word}\t{n}\n" for n, word in rows), encoding="utf-8")


for code, name in CODES.items():
    counts = {word: round(f * 1e9) for word, f in wordfreq.get_frequency_dict(code, "best").items()}
    write_list(name, counts)
    if name == "zho":
        convert = opencc.OpenCC("s2t").convert
        traditional = {}
        for word, n in counts.items():
            traditional[convert(word)] = traditional.get(convert(word), 0) + n
        write_list("zho-Hant", traditional)

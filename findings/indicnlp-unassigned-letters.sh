#!/bin/sh
# indic-nlp-library transliterates into code points that no letter has [0.92]
#
# Expected: where a script lacks a letter the nearest one is written (Bengali ব for Devanagari व,
# Gurmukhi ਸ਼ for ष, ਰਿ for ऋ), as other converters of Indic scripts do.
# Seen: the offset of the letter is added to the block of the other script, whatever is there. Into
# Bengali and Assamese व becomes U+09B5 and ळ U+09B3, into Gurmukhi ष becomes U+0A37 and ऋ U+0A0B,
# into Tamil ऋ U+0B8B: all unassigned. The text has "letters" without a glyph, a case or a class.
# Contrast: indic-transliteration 2.3.82 writes assigned letters for व and ळ in Bengali. What it
# does not know (ऋ, ष in Gurmukhi) it leaves in Devanagari, where one can see it.
# Valid input: Hindi and Marathi words. Unicode core specification 12.1: the blocks are parallel
# where letters correspond; a code point without a counterpart is reserved, not a letter.
# Why it matters: parallel and pre-training corpora are transliterated to one script with this
# function. Such words match nothing, tokenizers fall back to bytes, \w does not hold them.
# Instead: another converter, or refuse output with unicodedata.category(c) == "Cn".
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv v
v/bin/pip install -q indic-transliteration==2.3.82 numpy==1.26.4 pandas==2.2.3
v/bin/pip install -q --no-deps indic-nlp-library==0.92

cat >t.py <<'E'
import unicodedata
from indic_transliteration.sanscript import transliterate
from indicnlp.transliterate.unicode_transliterate import UnicodeIndicTransliterator as Indic

words = {"water": "जल", "faith": "विश्वास", "season": "ऋतु", "language": "भाषा", "eye": "डोळा"}
scripts = {"bn": "bengali", "pa": "gurmukhi", "ta": "tamil"}

def unassigned(text):
    return sum(unicodedata.category(c) == "Cn" for c in text)

for code, script in scripts.items():
    ours = [name for name, word in words.items() if unassigned(Indic.transliterate(word, "hi", code))]
    others = sum(unassigned(transliterate(w, "devanagari", script)) for w in words.values())
    print(script, *ours, others)
E
seen=$(v/bin/python t.py)
expected='bengali faith eye 0
gurmukhi season language 0
tamil season 0'
if [ "$seen" = "$expected" ]; then
	echo 'indic-nlp-library 0.92: hi to bn writes U+09B5 for व, hi to pa U+0A37 for ष: both unassigned'
else
	printf 'words with unassigned code points, seen instead:\n%s\n' "$seen"
	exit 1
fi

#!/bin/sh
# trafilatura deletes joiners and word separators inside words [2.3.1]
#
# Expected: extraction removes markup and boilerplate; the letters of the text stay.
# Seen: each character for which Python's str.isprintable() is false is deleted from the text,
# and that holds for all format characters (category Cf): ZWNJ U+200C, ZWJ U+200D, the zero width
# space U+200B, word joiner, marks of direction. Persian and Sorani words lose the mark between
# their parts, Sinhala ශ්‍රී becomes ශ්රී, Malayalam and Bengali forms with a joiner change too, and
# Khmer loses the word boundaries that its writers typed. All outputs (txt, xml, tei, markdown,
# json, csv) but html do so; letters newer than Python's Unicode tables are deleted as well.
# Contrast: justext (which trafilatura itself uses) and lxml keep them.
# Valid input: Unicode core specification 23.2 (ZWJ and ZWNJ are part of the spelling), 13.2
# (Sinhala), 16.4 (ZWSP between Khmer words); HTML allows them in text.
# Why it matters: two spellings of one word in a corpus that mixes sources, forms that no
# dictionary has, and no way back. Language identifiers and tokenizers are trained on the loss.
# Instead: output_format="html", and text of that. (To hide the marks as private-use characters
# does not help: those are not "printable" either.)
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv v
v/bin/pip install -qq trafilatura==2.3.1 justext==3.0.2 lxml==6.1.3 lxml_html_clean==0.4.6

cat >t.py <<'E'
import justext, lxml.html, trafilatura

words = {
    "Persian": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "Sorani": "\u0646\u0647\u200c\u0648\u062a",
    "Sinhala": "\u0dc1\u0dca\u200d\u0dbb\u0dd3",
    "Malayalam": "\u0d05\u0d35\u0d28\u0d4d\u200d",
    "Khmer": "\u1797\u17b6\u179f\u17b6\u200b\u1781\u17d2\u1798\u17c2\u179a",
}
filler = " is a word of this page, and the sentence is long enough for any extractor to keep it."
body = "".join(f"<p>{w}{filler}</p>" for w in words.values())
page = f"<html><head><meta charset=utf-8></head><body><article>{body}</article></body></html>"
kept = "".join(p.text for p in justext.justext(page.encode(), frozenset(), encoding="utf-8"))
readers = {
    "trafilatura": trafilatura.extract(page),
    "trafilatura-html": trafilatura.extract(page, output_format="html"),
    "justext": kept,
    "lxml": lxml.html.fromstring(page).text_content(),
}
for name, text in readers.items():
    print(name, *(language for language, w in words.items() if w + " is" in text))
E
seen=$(v/bin/python t.py)
expected='trafilatura
trafilatura-html Persian Sorani Sinhala Malayalam Khmer
justext Persian Sorani Sinhala Malayalam Khmer
lxml Persian Sorani Sinhala Malayalam Khmer'
if [ "$seen" = "$expected" ]; then
	echo "trafilatura 2.3.1: ZWNJ, ZWJ and ZWSP are deleted inside words; justext, lxml keep them"
else
	printf 'words kept, seen instead:\n%s\n' "$seen"
	exit 1
fi

#!/bin/sh
# pysubs2 reads no subtitle of a TTML file whose div holds another div [1.8.1]
#
# Expected: all paragraphs of the body, however deep the divs are nested.
# Seen: only paragraphs that are children of a div of the body itself are read. Of a file with two
# nested divs, zero events come; of a mixed file, a part; no error in either case, and the
# converted SubRip file is written, empty.
# Contrast: ttconv 1.2.3 reads them. (pycaption has another loss: pycaption-two-divs.sh.)
# Valid input: TTML2 (W3C, 2018), element div: its content is (Metadata.class*, Animation.class*,
# Layout.class?, Block.class*), and Block.class is div or p.
# Why it matters: files with a div for each language or shot around the div of each scene give
# corpora of subtitles without these films, or half of a film, and nothing is reported.
# Instead: move the paragraphs up before reading (sum up begin times on the way), or ttconv.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv v
v/bin/pip install -q pysubs2==1.8.1 ttconv==1.2.3

cat >in.ttml <<'E'
<tt xmlns="http://www.w3.org/ns/ttml" xmlns:tts="http://www.w3.org/ns/ttml#styling" xml:lang="dsb">
<head><layout><region xml:id="r" tts:origin="10% 10%" tts:extent="80% 80%"/></layout></head>
<body region="r">
<div><p begin="1s" end="2s">Dobry źeń.</p></div>
<div><div><p begin="3s" end="4s">Wjelgin źěkujom.</p></div>
<div><p begin="5s" end="6s">Na zasejwiźenje.</p></div></div>
</body></tt>
E
cat >t.py <<'E'
import xml.etree.ElementTree as tree
import pysubs2, ttconv.imsc.reader, ttconv.srt.writer

text = open("in.ttml", encoding="utf-8").read()
model = ttconv.imsc.reader.to_model(tree.ElementTree(tree.fromstring(text)))
print("pysubs2", len(pysubs2.SSAFile.from_string(text, "ttml")))
print("ttconv", ttconv.srt.writer.from_model(model).count("-->"))
E
seen=$(v/bin/python t.py)
expected='pysubs2 1
ttconv 3'
if [ "$seen" = "$expected" ]; then
	echo 'pysubs2 1.8.1: 1 of 3 cues is read, those in a nested div are not; ttconv reads 3'
else
	printf 'number of cues, seen instead:\n%s\n' "$seen"
	exit 1
fi

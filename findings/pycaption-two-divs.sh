#!/bin/sh
# pycaption keeps only the last of several divs of one language in a TTML file [2.3.14]
#
# Expected: the captions of a language are those of all its paragraphs.
# Seen: the captions are stored by language once for each div, and each div replaces the one
# before. Of three divs the cues of the last are left; no error, no warning. With a different
# xml:lang on each div all are there.
# Contrast: pysubs2 1.8.1 and ttconv 1.2.3 read all three.
# Valid input: TTML2 (W3C, 2018), element body: its content is (Metadata.class*, Animation.class*,
# Layout.class?, div*): any number of them.
# Why it matters: a div for each part, speaker or reel is common in broadcasters' files; a corpus of
# subtitles then holds the last minutes of each film, all of it well-formed text.
# Instead: pysubs2 for flat files (see pysubs2-nested-div.sh and ttml-container-begin.sh), or move
# all paragraphs into one div before reading.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv v
v/bin/pip install -q pycaption==2.3.14 pysubs2==1.8.1 ttconv==1.2.3

cat >in.ttml <<'E'
<tt xmlns="http://www.w3.org/ns/ttml" xmlns:tts="http://www.w3.org/ns/ttml#styling" xml:lang="dsb">
<head><layout><region xml:id="r" tts:origin="10% 10%" tts:extent="80% 80%"/></layout></head>
<body region="r">
<div><p begin="1s" end="2s">Dobry źeń.</p></div>
<div><p begin="3s" end="4s">Wjelgin źěkujom.</p></div>
<div><p begin="5s" end="6s">Na zasejwiźenje.</p></div>
</body></tt>
E
cat >t.py <<'E'
import warnings
import xml.etree.ElementTree as tree
import pysubs2, ttconv.imsc.reader, ttconv.srt.writer
from pycaption import DFXPReader
warnings.filterwarnings("ignore")

text = open("in.ttml", encoding="utf-8").read()
model = ttconv.imsc.reader.to_model(tree.ElementTree(tree.fromstring(text)))
captions = DFXPReader().read(text)
print("pycaption", *(caption.get_text() for caption in captions.get_captions("dsb")))
print("pysubs2", len(pysubs2.SSAFile.from_string(text, "ttml")))
print("ttconv", ttconv.srt.writer.from_model(model).count("-->"))
E
seen=$(v/bin/python t.py)
expected='pycaption Na zasejwiźenje.
pysubs2 3
ttconv 3'
if [ "$seen" = "$expected" ]; then
	echo 'pycaption 2.3.14: of three divs only the cues of the last are read; pysubs2, ttconv read all'
else
	printf 'seen instead:\n%s\n' "$seen"
	exit 1
fi

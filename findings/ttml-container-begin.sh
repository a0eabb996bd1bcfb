#!/bin/sh
# TTML: pycaption ignores the begin of a div, ttconv loses the cues of a div that has no end
#
# Expected: times of a paragraph are relative to the begin of the div and body around it; a div
# without an end lasts as long as its paragraphs.
# Seen: a div begins at 10 s, its paragraphs are at 1 to 3 and 4 to 6 s. pycaption 2.3.14 puts them
# at 1 and 4 s. ttconv 1.2.3 gives an empty SubRip file, exit 0: it takes the end of the div as if
# its begin were 0. (With a begin of 1 s only the last cue is lost or cut.)
# Contrast: pysubs2 1.8.1 says 11 and 14 s.
# Valid input: TTML2 (W3C, 2018), Timing, begin and timeContainer: the default is "par", children are
# relative to their parent's begin, the implicit duration ends with the last child.
# Why it matters: broadcasters give each part of a programme or each reel a div with its offset.
# Speech corpora then have all segments shifted by the same amount, or lack whole programmes.
# Instead: pysubs2 for flat files (pysubs2-nested-div.sh); or write an end on each div first.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv v
v/bin/pip install -q pycaption==2.3.14 ttconv==1.2.3 pysubs2==1.8.1

cat >t.py <<'E'
import warnings, xml.etree.ElementTree as tree
import pysubs2, ttconv.imsc.reader, ttconv.srt.writer
from pycaption import DFXPReader
warnings.filterwarnings("ignore")

def document(times):
    return f"""<tt xmlns="http://www.w3.org/ns/ttml" xmlns:tts="http://www.w3.org/ns/ttml#styling"
xml:lang="sr-Latn"><head><layout><region xml:id="r" tts:origin="10% 10%" tts:extent="80% 80%"/>
</layout></head><body region="r"><div {times}><p begin="1s" end="3s">Prvi red</p>
<p begin="4s" end="6s">Drugi red</p></div></body></tt>"""

def starts(text):
    model = ttconv.imsc.reader.to_model(tree.ElementTree(tree.fromstring(text)))
    captions = DFXPReader().read(text)
    lines = ttconv.srt.writer.from_model(model).split("\n")
    return {
        "pycaption": [c.start // 1000000 for c in captions.get_captions("sr-Latn")],
        "ttconv": [int(line[6:8]) for line in lines if "-->" in line],
        "pysubs2": [event.start // 1000 for event in pysubs2.SSAFile.from_string(text, "ttml")],
    }

for times in ('begin="10s"', 'begin="10s" end="20s"'):
    for name, seconds in starts(document(times)).items():
        print(times, name, *seconds)
E
seen=$(v/bin/python t.py)
expected='begin="10s" pycaption 1 4
begin="10s" ttconv
begin="10s" pysubs2 11 14
begin="10s" end="20s" pycaption 1 4
begin="10s" end="20s" ttconv 11 14
begin="10s" end="20s" pysubs2 11 14'
if [ "$seen" = "$expected" ]; then
	echo 'pycaption 2.3.14: begin of a div is ignored; ttconv 1.2.3: cues of a div without end are lost'
else
	printf 'starts in seconds, seen instead:\n%s\n' "$seen"
	exit 1
fi

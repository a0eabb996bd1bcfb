#!/bin/sh
# alto-tools writes the first half of a hyphenated word twice and drops the second [0.1.0]
#
# Expected: `alto-tools -t` gives a word that is divided at a line end either whole (from
# SUBS_CONTENT) or as its two parts (from CONTENT), perhaps with the hyphen.
# Seen: where the second part is due, the first part is printed again, and the second part is
# lost: "zum Wör-" / "terbuch gehört" becomes "zum Wör" / "Wörgehört". The blank after it is lost
# too, so the next word is glued on. Exit 0, no message. Each divided word of a book is hit.
# Valid input: ALTO 4.4, String/@SUBS_TYPE (HypPart1, HypPart2) and HYP, as ABBYY FineReader,
# docWorks and the national libraries' newspapers have them.
# Contrast: the plain walk over CONTENT and SUBS_CONTENT below, six lines.
# Why it matters: digitized newspapers are the largest texts of many small languages, and in
# narrow columns many words are divided. The result looks like bad OCR.
# Instead: read the XML; take SUBS_CONTENT at HypPart1 and nothing at HypPart2.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv v
v/bin/pip install -q alto-tools==0.1.0

cat >page.xml <<'E'
<?xml version="1.0" encoding="UTF-8"?>
<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Layout><Page ID="p" PHYSICAL_IMG_NR="1">
<PrintSpace ID="s"><TextBlock ID="b">
<TextLine ID="l1"><String ID="w1" CONTENT="zum"/><SP/>
<String ID="w2" CONTENT="Wör" SUBS_TYPE="HypPart1" SUBS_CONTENT="Wörterbuch"/><HYP CONTENT="-"/>
</TextLine>
<TextLine ID="l2"><String ID="w3" CONTENT="terbuch" SUBS_TYPE="HypPart2" SUBS_CONTENT="Wörterbuch"/>
<SP/><String ID="w4" CONTENT="gehört"/><SP/><String ID="w5" CONTENT="das"/></TextLine>
</TextBlock></PrintSpace></Page></Layout></alto>
E
seen=$(v/bin/alto-tools -t page.xml | tr '\n' '|')
right=$(v/bin/python - <<'E'
import xml.etree.ElementTree as tree
words = []
for string in tree.parse("page.xml").iter("{http://www.loc.gov/standards/alto/ns-v4#}String"):
    if string.get("SUBS_TYPE") != "HypPart2":
        words.append(string.get("SUBS_CONTENT") or string.get("CONTENT"))
print(*words)
E
)
if [ "$seen" = '|zum Wör|Wörgehört das ' ] && [ "$right" = 'zum Wörterbuch gehört das' ]; then
	echo 'alto-tools 0.1.0: "Wör-" + "terbuch gehört" is written as "Wör" + "Wörgehört"'
else
	printf 'seen instead: %s (right: %s)\n' "$seen" "$right"
	exit 1
fi

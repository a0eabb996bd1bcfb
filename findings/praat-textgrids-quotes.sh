#!/bin/sh
# praat-textgrids leaves doubled quotes doubled and drops those at a label's edge [1.4.0]
#
# Expected: in a TextGrid a quote inside a label is written twice, and a reader undoes that.
# Seen: "ka""le:va" is read as ka""le:va, and """tam@" (the label "tam@) as tam@: the quote at the
# edge is gone. Written again, the file has no trace of it.
# Contrast: textgrid 1.6.1, praatio 6.2.2 and pympi-ling 1.71 read ka"le:va and "tam@.
# Valid input: Praat manual, "TextGrid file formats": text is enclosed in double quotes, and a
# double quote in it is written as two.
# Why it matters: in SAMPA and X-SAMPA the quote is the sign of primary stress. That of initial
# syllables, and no other, is lost from a speech corpus.
# Instead: one of the other three.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv v
v/bin/pip install -q praat-textgrids==1.4.0 textgrid==1.6.1 praatio==6.2.2 pympi-ling==1.71

# The short form of the format; the long form gives the same.
printf '%s\n' 'File type = "ooTextFile"' 'Object class = "TextGrid"' '' 0 2 '<exists>' 1 '"IntervalTier"' \
	'"SAMPA"' 0 2 2 0 1 '"ka""le:va"' 1 2 '"""tam@"' >in.TextGrid
cat >t.py <<'E'
import pympi, textgrid, textgrids
from praatio import textgrid as praatio

file = "in.TextGrid"
print("praat-textgrids", *(i.text for i in textgrids.TextGrid(file)["SAMPA"]))
print("textgrid", *(i.mark for i in textgrid.TextGrid.fromFile(file)[0]))
print("praatio", *(e.label for e in praatio.openTextgrid(file, False).getTier("SAMPA").entries))
print("pympi", *(label for _, _, label in pympi.Praat.TextGrid(file).get_tier(1).get_intervals()))
E
seen=$(v/bin/python t.py)
expected='praat-textgrids ka""le:va tam@
textgrid ka"le:va "tam@
praatio ka"le:va "tam@
pympi ka"le:va "tam@'
if [ "$seen" = "$expected" ]; then
	echo 'praat-textgrids 1.4.0: label "tam@ is read as tam@, ka"le:va as ka""le:va; three others are right'
else
	printf 'seen instead:\n%s\n' "$seen"
	exit 1
fi

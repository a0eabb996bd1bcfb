#!/bin/sh
# conllu (Python) cuts a MISC value at its second "=" [6.0.0]
#
# Expected: reading a CoNLL-U file and writing it gives the same MISC column; a value reaches from
# the first "=" to the next "|".
# Seen: of `Gloss=come=1SG` only `Gloss=come` is left, in token["misc"] and in serialize().
# A second line of sentence comments with the same key replaces the first as well.
# Contrast: pyconll and udapi keep the whole value.
# Valid input: CoNLL-U, MISC: attribute=value pairs as in FEATS, and the value of MISC is free but
# for "|" and blanks (https://universaldependencies.org/format.html, "Miscellaneous").
# Why it matters: "=" is the sign of a clitic boundary in the Leipzig Glossing Rules (rule 2), and
# treebanks of small languages keep the glosses and morphemes of fieldwork in MISC (Gloss=, MGloss=,
# MSeg=). Each clitic is lost at the first read and write, in silence.
# Instead: pyconll 3.3.1 or udapi; or split the tenth column by hand.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv v
v/bin/pip install -q conllu==6.0.0 pyconll==3.3.1 udapi==0.5.2

cat >t.py <<'E'
import conllu, pyconll
from udapi.core.document import Document

def row(number, form, head, relation, misc):
    return "\t".join([str(number), form, form, "X", "_", "_", str(head), relation, "_", misc])

text = "\n".join([
    "# sent_id = one",
    "# text = kamu=ku na",
    row(1, "kamuku", 0, "root", "Gloss=come=1SG|MSeg=kamu=ku"),
    row(2, "na", 1, "advmod", "Gloss=now"),
    "", "",
])
document = Document()
document.from_conllu_string(text)
written = {
    "conllu": "".join(sentence.serialize() for sentence in conllu.parse(text)),
    "pyconll": pyconll.load_from_string(text).conll(),
    "udapi": document.to_conllu_string(),
}
for name, result in written.items():
    print(name, result.split("\n")[2].split("\t")[9])
E
seen=$(v/bin/python t.py)
expected='conllu Gloss=come|MSeg=kamu
pyconll Gloss=come=1SG|MSeg=kamu=ku
udapi Gloss=come=1SG|MSeg=kamu=ku'
if [ "$seen" = "$expected" ]; then
	echo 'conllu 6.0.0: MISC "Gloss=come=1SG" is read and written as "Gloss=come"'
else
	printf 'seen instead:\n%s\n' "$seen"
	exit 1
fi

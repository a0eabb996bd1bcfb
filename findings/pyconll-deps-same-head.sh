#!/bin/sh
# pyconll drops a relation where a token has two relations to one head [3.3.1]
#
# Expected: DEPS is a list of head:relation pairs, and reading and writing it loses none.
# Seen: the pairs are kept in a dictionary by head, so of two relations to the same head the last
# one wins: `2:nsubj|2:nsubj:xsubj` is written as `2:nsubj:xsubj`. No message.
# Contrast: conllu (Python) and udapi keep both. (Each of the readers has its own loss: conllu cuts
# MISC values, see conllu-misc-equals.sh.)
# Valid input: CoNLL-U, DEPS: "list of head-deprel pairs"; in the enhanced graph two edges between
# the same two nodes are allowed if their labels differ (UD's validator refuses only two of the
# same label: udvalidate 0.2.9, repeated-deps). Controlled subjects and empty nodes give them.
# Why it matters: each program that reads a treebank with pyconll to add a column or to select
# sentences changes the enhanced graph of the sentences that it did not mean to touch.
# Instead: udapi; or take the DEPS column as text.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv v
v/bin/pip install -q pyconll==3.3.1 conllu==6.0.0 udapi==0.5.2

cat >t.py <<'E'
import conllu, pyconll
from udapi.core.document import Document

def row(number, form, head, relation, deps):
    return "\t".join([str(number), form, form, "X", "_", "_", str(head), relation, deps, "_"])

text = "\n".join([
    "# sent_id = one",
    "# text = mi laik go",
    row(1, "mi", 2, "nsubj", "2:nsubj|2:nsubj:xsubj"),
    row(2, "laik", 0, "root", "0:root"),
    row(3, "go", 2, "xcomp", "2:xcomp"),
    "", "",
])
document = Document()
document.from_conllu_string(text)
written = {
    "pyconll": pyconll.load_from_string(text).conll(),
    "conllu": "".join(sentence.serialize() for sentence in conllu.parse(text)),
    "udapi": document.to_conllu_string(),
}
for name, result in written.items():
    print(name, result.split("\n")[2].split("\t")[8])
E
seen=$(v/bin/python t.py)
expected='pyconll 2:nsubj:xsubj
conllu 2:nsubj|2:nsubj:xsubj
udapi 2:nsubj|2:nsubj:xsubj'
if [ "$seen" = "$expected" ]; then
	echo 'pyconll 3.3.1: DEPS "2:nsubj|2:nsubj:xsubj" is written as "2:nsubj:xsubj"'
else
	printf 'seen instead:\n%s\n' "$seen"
	exit 1
fi

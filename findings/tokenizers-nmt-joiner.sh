#!/bin/sh
# Nmt of tokenizers makes a blank of ZWJ, sentencepiece of ZWNJ only [0.23.3; 0.2.3]
#
# Expected: the normalizer Nmt is the one that sentencepiece has under the name nmt; a joiner, which
# has no width, is kept or dropped.
# Seen: both turn ZWNJ (U+200C) and the zero width space (U+200B) into a *blank*, by default, so
# that a Persian or Sorani word is two words after decoding and Khmer text has blanks at each
# word boundary that its writer typed. tokenizers also turns ZWJ (U+200D) into a blank, which
# sentencepiece keeps: Sinhala "Sri" (ශ්‍රී) is one word in one and two in the other. A model trained
# with sentencepiece and run with a converted tokenizer gets other pieces.
# Valid input: Unicode core specification 23.2: ZWJ and ZWNJ are part of the spelling of words and
# never a boundary (UAX #29, WB4); 13.2: ZWJ writes the Sinhala conjuncts.
# Why it matters: the default of sentencepiece is the tokenizer of most multilingual models; text
# that such a model writes, and corpora decoded from token ids, have false blanks for good.
# Instead: --normalization_rule_name=identity (sentencepiece; nmt_nfkc is the default), and no Nmt
# in tokenizers, or a rule table of one's own.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv v
v/bin/pip install -qqq --no-deps sentencepiece==0.2.3 tokenizers==0.23.3

cat >t.py <<'E'
import io
import sentencepiece
from tokenizers import normalizers

words = {
    "Persian": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "Khmer": "\u1797\u17b6\u179f\u17b6\u200b\u1781\u17d2\u1798\u17c2\u179a",
    "Sinhala": "\u0dc1\u0dca\u200d\u0dbb\u0dd3",
}

def train(**options):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(list(words.values()) * 20), model_writer=model, vocab_size=60,
        hard_vocab_limit=False, num_threads=1, minloglevel=2, **options)
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())

default, identity = train(), train(normalization_rule_name="identity")
for name, word in words.items():
    results = (
        default.decode(default.encode(word)),
        normalizers.Nmt().normalize_str(word),
        identity.decode(identity.encode(word)),
    )
    print(name, *("same" if r == word else "two-words" if " " in r else "other" for r in results))
E
seen=$(v/bin/python t.py)
expected='Persian two-words two-words same
Khmer two-words two-words same
Sinhala same two-words same'
if [ "$seen" = "$expected" ]; then
	echo 'tokenizers 0.23.3: Nmt makes two words of Sinhala with ZWJ; sentencepiece 0.2.3 of ZWNJ, not of ZWJ'
else
	printf 'sentencepiece, tokenizers, identity; seen instead:\n%s\n' "$seen"
	exit 1
fi

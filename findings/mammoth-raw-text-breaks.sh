#!/bin/sh
# mammoth's raw text glues the words around a line break of a docx [1.13.0, Python and npm]
#
# Expected: extract_raw_text gives a newline, or at least a blank, for w:br, as it gives a tab for
# w:tab and two newlines after a paragraph.
# Seen: a break gives nothing: "evening" <br> "star" is "eveningstar". convert_to_html of the same file
# has <br />, so the break is read. The package of the same name on npm does the same.
# Contrast: python-docx 1.2.0, docx2txt 0.9 and docx2python 3.7.1 write a newline.
# Valid input: ECMA-376-1, 17.3.3.1 br: without a type it is a text wrapping break, "the text shall
# continue on the next line"; Word writes it for Shift+Enter.
# Why it matters: songs, poems, hymns, addresses and bilingual lines are typed so; the last word of each
# line and the first of the next become one: three false words in a verse of four lines, which look
# like compounds.
# Instead: convert_to_html and the text of that, or one of the other three.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv v
v/bin/pip install -q mammoth==1.13.0 python-docx==1.2.0 docx2txt==0.9 docx2python==3.7.1
npm install --silent --no-audit --no-fund --prefix . mammoth@1.13.0 >/dev/null

cat >t.py <<'E'
import docx, docx2txt, mammoth
from docx2python import docx2python

document = docx.Document()
paragraph = document.add_paragraph("evening")
paragraph.add_run().add_break()
paragraph.add_run("star")
document.save("in.docx")

with open("in.docx", "rb") as file:
    texts = {
        "mammoth": mammoth.extract_raw_text(file).value,
        "python-docx": "\n".join(p.text for p in docx.Document("in.docx").paragraphs),
        "docx2txt": docx2txt.process("in.docx"),
        "docx2python": docx2python("in.docx").text,
    }
    print("html", mammoth.convert_to_html(file).value)
for name, text in texts.items():
    print(name, *text.split())
E
seen=$(v/bin/python t.py
node -e 'require("mammoth").extractRawText({ path: "in.docx" }).then((text) => console.log("npm", text.value.trim()))')
expected='html <p>evening<br />star</p>
mammoth eveningstar
python-docx evening star
docx2txt evening star
docx2python evening star
npm eveningstar'
if [ "$seen" = "$expected" ]; then
	echo 'mammoth 1.13.0: raw text of "evening", line break, "star" is "eveningstar"'
else
	printf 'seen instead:\n%s\n' "$seen"
	exit 1
fi

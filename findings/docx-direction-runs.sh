#!/bin/sh
# mammoth and python-docx drop the text of runs with a direction of their own in a docx
#
# Expected: w:dir and w:bdo say how their runs are laid out; the words in them are text.
# Seen: mammoth 1.13.0 (raw text, HTML, Markdown) and python-docx 1.2.0 (Paragraph.text) leave out
# all that is inside w:dir and w:bdo. python-docx says nothing; mammoth puts "unrecognised element"
# into a list of messages that few programs print. It reads w:smartTag, so it is not the nesting.
# Contrast: docx2txt 0.9 and docx2python 3.7.1.
# Valid input: ECMA-376-1, 17.3.2.3 (bdo, Bidirectional Override) and 17.3.2.8 (dir, Bidirectional
# Embedding): children of a paragraph that hold runs. Word writes them where a text has the marks of
# embedding and override (U+202A to U+202E), LibreOffice reads them.
# Why it matters: they stand in documents that mix directions, so in Hebrew, Kurdish, Uyghur, Syriac,
# Thaana, N'Ko; names, numbers and quotations go, and the sentences around look complete.
# Instead: those two, or all w:t of a paragraph but those in w:del.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv v
v/bin/pip install -q mammoth==1.13.0 python-docx==1.2.0 docx2txt==0.9 docx2python==3.7.1

cat >t.py <<'E'
import docx, docx2txt, mammoth, zipfile
from docx2python import docx2python

main = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
package = "http://schemas.openxmlformats.org/package/2006"
word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
run = '<w:r><w:t xml:space="preserve">{}</w:t></w:r>'.format
body = "".join(
    f'<w:p>{run("one ")}<w:{name} w:val="rtl">{run(name.upper())}</w:{name}>{run(" two")}</w:p>' for name in ("dir", "bdo"))
with zipfile.ZipFile("in.docx", "w") as file:
    file.writestr("[Content_Types].xml", f'<Types xmlns="{package}/content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="{word}"/></Types>')
    file.writestr("_rels/.rels", f'<Relationships xmlns="{package}/relationships"><Relationship Id="a" '
        f'Type="{office}/officeDocument" Target="word/document.xml"/></Relationships>')
    file.writestr("word/_rels/document.xml.rels", f'<Relationships xmlns="{package}/relationships"/>')
    file.writestr("word/document.xml", f'<w:document xmlns:w="{main}" xmlns:r="{office}"><w:body>{body}</w:body></w:document>')

raw = mammoth.extract_raw_text(open("in.docx", "rb"))
print("mammoth", *raw.value.split())
print("python-docx", *" ".join(p.text for p in docx.Document("in.docx").paragraphs).split())
print("docx2txt", *docx2txt.process("in.docx").split())
print("docx2python", *docx2python("in.docx").text.split())
print("messages", len(raw.messages))
E
seen=$(v/bin/python t.py)
expected='mammoth one two one two
python-docx one two one two
docx2txt one DIR two one BDO two
docx2python one DIR two one BDO two
messages 2'
if [ "$seen" = "$expected" ]; then
	echo 'mammoth 1.13.0, python-docx 1.2.0: text in w:dir and w:bdo is dropped; docx2txt, docx2python keep it'
else
	printf 'seen instead:\n%s\n' "$seen"
	exit 1
fi

#!/bin/sh
# PDF: pypdf and pdfminer.six ignore ActualText, pdftotext does if it is in a named property list
#
# Expected: /ActualText of marked content is the text that a reader extracts for it, in the place of
# the glyphs' own codes, whether its property list is written in the content or is a resource.
# Seen: pypdf 7.1.1 and pdfminer.six 20260107 give the codes of the glyphs. pdftotext (poppler
# 22.12) replaces the text of /Span <</ActualText (…)>> BDC, but not of /Span /P0 BDC, where P0 in
# /Properties of the page's resources has the same dictionary. No message in any of them.
# Contrast: pymupdf 2.0 gives the replacement in both.
# Valid input: ISO 32000-1, 14.9.4 (replacement text) and 14.6.2 (property lists: a direct object, or
# a name in the Properties resource).
# Why it matters: it is the way in which LibreOffice, Word and TeX packages give the text of shaped
# scripts: Khmer, Burmese, Indic and Arabic clusters whose glyphs have no codes, or have those of
# another letter. Such books look right and are extracted as noise by one tool, well by the next.
# Instead: pymupdf; or compare the output of two of them, and mistrust fonts where they differ.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv v
v/bin/pip install -q pypdf==7.1.1 pdfminer.six==20260107 pymupdf==2.0
command -v pdftotext >/dev/null || { echo 'needs pdftotext (Debian: poppler-utils)'; exit 1; }

cat >t.py <<'E'
import subprocess
import pdfminer.high_level, pymupdf, pypdf

content = (b"BT /F1 20 Tf 20 100 Td (one ) Tj /Span <</ActualText <FEFF178117D2179817C2179A>>> BDC (ZZZ) Tj EMC"
           b" ( two ) Tj /Span /P0 BDC (YY) Tj EMC ( three) Tj ET")
objects = [
    b"<</Type/Catalog/Pages 2 0 R/MarkInfo<</Marked true>>>>",
    b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
    b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>"
    b"/Properties<</P0<</ActualText<FEFF17811793>>>>>>>>>",
    b"<</Length %d>>\nstream\n%s\nendstream" % (len(content), content),
    b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
]
data, table = b"%PDF-1.7\n", b"0000000000 65535 f \n"
for number, body in enumerate(objects, 1):
    table += b"%010d 00000 n \n" % len(data)
    data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
trailer = b"xref\n0 6\n%strailer\n<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (table, len(data))
with open("in.pdf", "wb") as file:
    file.write(data + trailer)
print("pypdf", pypdf.PdfReader("in.pdf").pages[0].extract_text().strip())
print("pdfminer.six", pdfminer.high_level.extract_text("in.pdf").strip())
print("pdftotext", subprocess.check_output(["pdftotext", "in.pdf", "-"], text=True).strip())
print("pymupdf", pymupdf.open("in.pdf")[0].get_text().strip())
E
seen=$(v/bin/python t.py)
expected='pypdf one ZZZ two YY three
pdfminer.six one ZZZ two YY three
pdftotext one ខ្មែរ two YY three
pymupdf one ខ្មែរ two ខន three'
if [ "$seen" = "$expected" ]; then
	echo "pypdf 7.1.1, pdfminer.six 20260107: no ActualText; pdftotext $(pdftotext -v 2>&1 | sed -n '1s/.* //p'): only inline"
else
	printf 'seen instead:\n%s\n' "$seen"
	exit 1
fi

#!/bin/sh
# xliff (npm) keeps only the last segment of an XLIFF 2 unit, and no text of annotations [6.4.0]
#
# Expected: a unit of two segments gives both, joined or as a list; <mrk> is an annotation, and the
# words in it are text.
# Seen: of a unit of the segments "One." and "Two." source and target are "Two." and "Dos."; of
# "A <mrk>term</mrk> here" the word in <mrk> becomes "". No error.
# Contrast: translate-toolkit 3.20.4 gives both segments and the word.
# Valid input: XLIFF 2.0 and 2.1 (OASIS), element unit: one or more segment or ignorable elements in
# any order; element mrk: an annotation of the text that it holds.
# Why it matters: translation tools segment a paragraph into sentences, one <segment> each, and mark
# terms; a parallel corpus made of such files has the last sentence of each paragraph only, without
# its terms, and both sides are equally short, so that length filters see nothing.
# Instead: translate.storage.xliff2, or one pass over the XML that joins source and target apart.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --prefix . xliff@6.4.0 >/dev/null
python3 -m venv v
v/bin/pip install -q translate-toolkit==3.20.4

cat >in.xlf <<'E'
<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="nv">
<file id="f"><unit id="u1">
<segment id="s1"><source>One.</source><target>Uno.</target></segment>
<ignorable><source> </source></ignorable>
<segment id="s2"><source>Two.</source><target>Dos.</target></segment>
</unit><unit id="u2">
<segment><source>A <mrk id="m1" type="term">term</mrk> here</source></segment>
</unit></file></xliff>
E
cat >t.cjs <<'E'
const { xliff2js } = require("xliff");
xliff2js(require("fs").readFileSync("in.xlf", "utf8"), (error, file) => {
  const text = (part) =>
    typeof part === "string" ? part
    : Array.isArray(part) ? part.map(text).join("")
    : Object.values(part).map((inline) => text(inline.contents ?? "")).join("");
  for (const unit of Object.values(file.resources.f)) console.log("xliff", text(unit.source));
});
E
seen=$(node t.cjs
v/bin/python - <<'E'
from translate.storage.xliff2 import Xliff2File
for unit in Xliff2File.parsefile("in.xlf").units:
    print("translate-toolkit", unit.source)
E
)
expected='xliff Two.
xliff A  here
translate-toolkit One.
translate-toolkit Two.
translate-toolkit A term here'
if [ "$seen" = "$expected" ]; then
	echo 'xliff 6.4.0: of two segments of a unit the first is lost; words in <mrk> are lost'
else
	printf 'seen instead:\n%s\n' "$seen"
	exit 1
fi

#!/usr/bin/env -S python3 -X utf8
"""Lists the public names of a crate: list-api.py FOLDER, where `cargo doc` has written the pages of the crate.

Prints a line for each item: its kind, its name, its own functions, fields and variants.
"""
import pathlib
import re
import sys

MEMBER = re.compile(r'id="(?:method|tymethod|structfield|variant|associatedconstant)\.(\w+)"')

folder = pathlib.Path(sys.argv[1])
for page in sorted(set(re.findall(r'href="([\w/]+\.\w+\.html)"', (folder / "all.html").read_text(encoding="utf-8")))):
    # Traits of other crates and of the compiler come last.
    own = re.split(r'id="(?:trait-implementations|synthetic-implementations|blanket-implementations)"',
                   (folder / page).read_text(encoding="utf-8"))[0]
    kind, name = page.removesuffix(".html").split(".")
    print(kind, name, *sorted(set(MEMBER.findall(own))))

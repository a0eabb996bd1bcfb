#!/usr/bin/env -S python3 -X utf8
"""Lists the pages of which one fetch-extract keeps much less text than another, such as one built without a rule.

usage: tests/bench/extraction/shorter-texts.py TOOL OTHER WORD FILE.jsonl.zst… [--share .2]

The files have records with url and html. Only pages whose record contains WORD are extracted. Prints the sizes in
characters of the texts that TOOL cuts by more than the share, and their number.
"""
import argparse
import json
import subprocess


def read_pages(files, word):
    for file in files:
        lines = subprocess.run(["zstd", "-dcq", "--long=27", file], stdout=subprocess.PIPE, check=True).stdout.splitlines()
        for line in lines:
            if word.encode() in line.lower():
                page = json.loads(line)
                if page.get("html"):
                    yield {"url": page["url"], "html": page["html"]}


def text_sizes(tool, records):
    out = subprocess.run([tool, "--quiet"], input=records, stdout=subprocess.PIPE, check=True).stdout
    return [len(json.loads(line).get("text") or "") for line in out.splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", nargs=2, metavar="TOOL")
    parser.add_argument("word")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--share", type=float, default=0.2)
    args = parser.parse_args()
    pages = list(read_pages(args.files, args.word))
    records = "".join(json.dumps(page) + "\n" for page in pages).encode()
    sizes = [text_sizes(tool, records) for tool in args.tools]
    cut = [(page["url"], own, other) for page, own, other in zip(pages, *sizes) if own < (1 - args.share) * other]
    for row in cut:
        print(*row)
    print(f"{len(cut)} of {len(pages)} pages with {args.word!r} are cut by more than {args.share:.0%}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Measures what each step of a corpus costs, and whether it grows: measure.py [SIZE...], numbers of documents.

The documents are those of tests/bench/dedup-peers/run.py; a page has the text of one, 300 links and a script, 90 kB.
Prints for each step the CPU time of a document, of a process and its children, between two sizes, and at the largest
size what a document takes on disk and the peak of own memory, without mapped files. GNU parallel runs dedup-at-scale,
whose CPU time includes the signatures, the comparison and the shell around them.
"""
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "dedup-peers"))
import run as peers

WORK = peers.ROOT / "target/bench/scale"
LINKS = "".join(f'<li><a href="/section/{n}">Section {n}</a></li>' for n in range(300))
SCRIPT = "<script>" + "var a={b:[1,2,3],c:function(d){return d+1}};\n" * 1500 + "</script>"

# Step, input, command, and what it leaves on disk.
STEPS = [
    ("`fetch-extract --from-warc`", "pages.warc.gz", "fetch-extract --jobs 1 --from-warc {in}", ""),
    ("`langid`", "texts.jsonl", "langid --jobs 1 {in}", ""),
    ("`dedup --index`", "labelled.jsonl", "dedup --jobs 1 --threshold 0.8 --index {out}/seen.db {in}", "seen.db*"),
    ("`dedup-at-scale`", "labelled", "dedup-at-scale --on parallel --threshold 0.8 --in {in}/* --out {out}/u", "u.dedup"),
    ("`update-stats`", "labelled.jsonl", "update-stats --stats {out}/stats.db {in}", "stats.db*"),
    ("`gen-query`, a query", "labelled.jsonl", "gen-query --stats {stats} --target slv --learn auto --step 1", ""),
    ("`search --add`", "labelled.jsonl", "search --engine index:{out}/web --add {in}", "web"),
    ("`corpus-export`", "labelled.jsonl", "corpus-export --target slv --out {out}/slv.jsonl {in}", ""),
]


def main():
    sizes = [int(size) for size in sys.argv[1:]] or [5_000, 10_000, 20_000, 40_000]
    os.environ["PATH"] = f"{peers.TOOLS}:{peers.ROOT / 'pipelines'}:{os.environ['PATH']}"
    prepare(sizes)
    between = " | ".join(f"{a:,} to {b:,}, µs" for a, b in zip(sizes, sizes[1:]))
    print(f"| step | {between} | hours of a million | disk, bytes | memory, MB |")
    print("|---|" + "--:|" * (len(sizes) + 2))
    for name, source, command, kept in STEPS:
        runs = [measure(WORK / str(size), source, command, kept) for size in sizes]
        if "{stats}" in command:
            cells = [f"{cpu * 1e6:,.0f}" for cpu, _, _ in runs[1:]] + [""]
        else:
            slopes = [(b[0] - a[0]) / (n - m) for a, b, m, n in zip(runs, runs[1:], sizes, sizes[1:])]
            cells = [f"{slope * 1e6:,.0f}" for slope in slopes] + [f"{slopes[-1] * 1e6 / 3600:.2f}"]
        disk = f"{runs[-1][2] / sizes[-1]:,.0f}" if kept else ""
        print("|", " | ".join([name, *cells, disk, f"{runs[-1][1]:,.0f}"]), "|", flush=True)


def prepare(sizes):
    """Writes the inputs of each size."""
    shutil.rmtree(WORK, ignore_errors=True)
    texts = peers.made(sizes[-1])
    for size in sizes:
        folder = WORK / str(size)
        (folder / "labelled").mkdir(parents=True)
        with open(folder / "texts.jsonl", "w", encoding="utf-8") as records, open(folder / "pages.warc.gz", "wb") as pages:
            for number, text in enumerate(texts[:size]):
                url = f"http://host{number % 1000}.test/{number}"
                record = {"id": str(number), "url": url, "title": text[:40], "text": text}
                records.write(json.dumps(record, ensure_ascii=False) + "\n")
                pages.write(warc_record(url, text))
        with open(folder / "labelled.jsonl", "w") as labelled:
            subprocess.run(["langid", folder / "texts.jsonl"], stdout=labelled, check=True)
        split = ["split", "-l", str(max(size // 16, 1)), "-d", folder / "labelled.jsonl", f"{folder}/labelled/part"]
        subprocess.run(split, check=True)


def warc_record(url, text):
    """Returns a response with a page that has the text."""
    words = text.split()
    paragraphs = "".join(f"<p>{' '.join(words[at : at + 60])}</p>\n" for at in range(0, len(words), 60))
    head = f"<html><head><title>{text[:40]}</title>{SCRIPT}</head>"
    page = f"{head}<body><ul>{LINKS}</ul><article>{paragraphs}</article></body></html>"
    body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + page.encode()
    lines = ["WARC/1.0", "WARC-Type: response", f"WARC-Target-URI: {url}", "WARC-Date: 2026-01-01T00:00:00Z"]
    lines += ["Content-Type: application/http;msgtype=response", f"Content-Length: {len(body)}", "", ""]
    return gzip.compress("\r\n".join(lines).encode() + body + b"\r\n\r\n", 1)


def measure(folder, source, command, kept):
    """Returns the CPU seconds, the own memory in MB, and the bytes on disk of a step."""
    out = folder / "out"
    stats = folder / "stats.db"
    names = {"in": folder / source, "out": out, "stats": stats}
    cpu, memory = peers.process([word.format_map(names) for word in command.split()], folder)
    files = [path for top in out.glob(kept or "-") for path in [top, *top.rglob("*")] if path.is_file()]
    disk = sum(path.stat().st_blocks * 512 for path in files)
    if kept == "stats.db*":
        shutil.copy(out / "stats.db", stats)
    return cpu, memory, disk


if __name__ == "__main__":
    main()

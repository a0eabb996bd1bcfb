#!/usr/bin/env -S python3 -X utf8
"""How much of the text of PDFs readers find, in which order, and how long they take.

    compare.py FOLDER ...

A folder holds NAME.pdf, and NAME.txt where the text is known. Where it is not, the text of the other readers stands for it:
a word counts as often as more than half of them have it. Readers that are not installed are left out: fetch-extract (by the
environment's FETCH_EXTRACT or on the PATH), pdf-extract-alone (an example of forage-pdf), pdftotext (poppler), mutool (MuPDF),
pypdfium2, pdf_oxide, pdfminer, pypdf. All but fetch-extract, which does both itself, get ligatures undone and words that
are broken at the end of a line joined, so that they are not judged by that.

Prints for each folder and reader: recall and precision of words (of characters in Chinese and Thai), recall of pairs of
neighbouring words, documents without text, and processor seconds a document. The mean over documents, each counting the same.
"""
import collections, json, os, pathlib, re, resource, shutil, statistics, subprocess, sys, unicodedata

WORD = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]|[^\W\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]+")
LIMIT = 900


def run(*command):
    done = subprocess.run(command, capture_output=True, timeout=LIMIT)
    return done.stdout.decode("utf8", "replace")


def ours(path):
    program = os.environ.get("FETCH_EXTRACT") or "fetch-extract"
    lines = run(program, "--html", path).splitlines()
    return json.loads(lines[0]).get("text", "") if lines else ""


def by_python(code):
    return lambda path: run(sys.executable, "-c", "import sys; sys.stdout.reconfigure(errors='replace')\n" + code, path)


PDFIUM = "import pypdfium2 as p\nfor page in p.PdfDocument(sys.argv[1]): print(page.get_textpage().get_text_bounded())"
OXIDE = "import pdf_oxide as p\nd = p.PdfDocument(sys.argv[1])\nfor n in range(d.page_count() if callable(d.page_count) else d.page_count): print(d.extract_text(n))"
MINER = "from pdfminer.high_level import extract_text\nprint(extract_text(sys.argv[1]))"
PYPDF = "import pypdf\nfor page in pypdf.PdfReader(sys.argv[1]).pages: print(page.extract_text())"
READERS = {
    "fetch-extract": ours,
    "pdf-extract alone": lambda path: run(os.environ.get("PDF_EXTRACT_ALONE") or "pdf-extract-alone", path),
    "pdftotext": lambda path: run("pdftotext", "-enc", "UTF-8", path, "-"),
    "mutool": lambda path: run("mutool", "draw", "-q", "-F", "txt", path),
    "pypdfium2": by_python(PDFIUM),
    "pdf_oxide": by_python(OXIDE),
    "pdfminer": by_python(MINER),
    "pypdf": by_python(PYPDF),
}


def installed(name):
    variable = {"fetch-extract": "FETCH_EXTRACT", "pdf-extract alone": "PDF_EXTRACT_ALONE"}.get(name)
    if variable: return bool(os.environ.get(variable) or shutil.which(name.replace(" ", "-")))
    if name in ("pdftotext", "mutool"): return shutil.which(name) is not None
    return subprocess.run([sys.executable, "-c", f"import {name}"], capture_output=True).returncode == 0


def words(text, joins=True):
    text = unicodedata.normalize("NFKC", text).replace("\u00ad\n", "").replace("\u00ad", "")
    if joins: text = re.sub(r"(?<=\w)[-\u2010]\s*\n\s*(?=[^\W\d_])(?=\S)(?![A-ZÀ-Þ])", "", text)
    return WORD.findall(text.casefold())


def cpu():
    """Processor time of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def agreed(others):
    """Counts that more than half of the readers reach."""
    keys, need = set().union(*others), len(others) // 2 + 1
    counts = {key: sorted((other[key] for other in others), reverse=True)[need - 1] for key in keys}
    return collections.Counter({key: n for key, n in counts.items() if n})


def pairs(tokens):
    return collections.Counter(zip(tokens, tokens[1:]))


def share(part, whole):
    return sum((part & whole).values()) / max(sum(whole.values()), 1)


def main(folders):
    readers = {name: read for name, read in READERS.items() if installed(name)}
    for folder in folders:
        scores, paths = collections.defaultdict(list), sorted(pathlib.Path(folder).glob("*.pdf"))
        detail = open(pathlib.Path(folder) / "scores.tsv", "w")
        for path in paths:
            found, took = {}, {}
            for name, read in readers.items():
                before = cpu()
                try:
                    text = read(str(path))
                except (subprocess.TimeoutExpired, OSError, ValueError):
                    text = ""
                took[name] = cpu() - before
                found[name] = words(text, joins=name != "fetch-extract")
            known = path.with_suffix(".txt")
            for name, tokens in found.items():
                counts, order = collections.Counter(tokens), pairs(tokens)
                if known.exists():
                    true = words(known.read_text())
                    true, true_order = collections.Counter(true), pairs(true)
                else:
                    # One vote for those that share code, and none of a reader's own.
                    kin = {name, "pdf-extract alone"} | ({"fetch-extract"} if name == "pdf-extract alone" else set())
                    others = [tokens for other, tokens in found.items() if other not in kin]
                    true, true_order = agreed([collections.Counter(t) for t in others]), agreed([pairs(t) for t in others])
                row = (share(counts, true), share(true, counts), share(order, true_order), not tokens, took[name])
                scores[name].append(row)
                print(path.name, name, *(f"{x:.4f}" for x in row), sep="\t", file=detail)
        print(f"\n{folder}: {len(paths)} documents\n\n| reader | recall | precision | pairs | without text | CPU s |\n|---|---|---|---|---|---|")
        for name, rows in scores.items():
            recall, precision, order, none, took = (statistics.mean(column) for column in zip(*rows))
            print(f"| {name} | {recall:.3f} | {precision:.3f} | {order:.3f} | {none * len(rows):.0f} | {took:.2f} |")


main(sys.argv[1:])

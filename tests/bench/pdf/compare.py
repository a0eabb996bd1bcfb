#!/usr/bin/env -S python3 -X utf8
"""Compares readers of PDF: how much of the text they find, in which order, and in what time.

    compare.py FOLDER ...                  known texts, or those of the other readers
    compare.py --beside pdftotext FOLDER   the texts of one reader
    compare.py --export FOLDER CLONE ...   writes the public PDFs of PINNED, from clones of them

A folder has NAME.pdf, and NAME.txt if the text is known. If it is not, the reference is the text of
the other readers: a word counts as often as it occurs in more than half of them.

With --beside, it is the text of the reader that is named. Documents for which pdftotext needs a
password, or more than a minute, are left out. The figures are those of all words together, and the number of documents with
15 words or more, of two characters or more, of which fetch-extract has less than .8.

Readers: fetch-extract (FETCH_EXTRACT in the environment, or on the PATH), pdftotext (poppler),
mutool (MuPDF), pypdfium2, pdf_oxide, pdfminer, pypdf. Readers that are not installed are skipped.
Ligatures are resolved and words broken at the end of a line are joined before texts are compared;
fetch-extract does this itself.

Prints for each folder and reader: recall and precision of words (of characters in Chinese and
Thai), recall of pairs of neighbouring words, the number of documents without text, and CPU seconds
per document. All but that number are means over documents of equal weight. FOLDER/scores.tsv gets
the figures of each document.
"""
import collections, json, os, pathlib, re, resource, shutil, statistics, subprocess, sys, unicodedata

WORD = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]|[^\W\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]+")
TIMEOUT = 900  # seconds per document
PINNED = [  # name, commit and folder of public collections on GitHub
    ("mozilla/pdf.js", "0f26334f9d6f96119f6e5164fb65832fbbde7344", "test/pdfs"),
    ("pdfminer/pdfminer.six", "9e1243c4ad000bf9bbe60e81fc8dde2fccc0ed3b", "."),
    ("py-pdf/sample-files", "6921079eb3e1ed0944db5ec75016910d59da7fdb", "."),
]


def run(*command):
    result = subprocess.run(command, capture_output=True, timeout=TIMEOUT)
    return result.stdout.decode("utf8", "replace")


def read_by_fetch_extract(path):
    program = os.environ.get("FETCH_EXTRACT") or "fetch-extract"
    lines = run(program, "--html", path).splitlines()
    return json.loads(lines[0]).get("text", "") if lines else ""


def python_reader(code):
    """Returns a reader that runs `code` in a process of its own."""
    setup = "import sys; sys.stdout.reconfigure(errors='replace')\n"
    return lambda path: run(sys.executable, "-c", setup + code, path)


PDFIUM = ("import pypdfium2 as p\n"
          "for page in p.PdfDocument(sys.argv[1]): print(page.get_textpage().get_text_bounded())")
OXIDE = ("import pdf_oxide as p\nd = p.PdfDocument(sys.argv[1])\n"
         "count = d.page_count() if callable(d.page_count) else d.page_count\n"
         "for n in range(count): print(d.extract_text(n))")
MINER = "from pdfminer.high_level import extract_text\nprint(extract_text(sys.argv[1]))"
PYPDF = "import pypdf\nfor page in pypdf.PdfReader(sys.argv[1]).pages: print(page.extract_text())"
READERS = {
    "fetch-extract": read_by_fetch_extract,
    "pdftotext": lambda path: run("pdftotext", "-enc", "UTF-8", path, "-"),
    "mutool": lambda path: run("mutool", "draw", "-q", "-F", "txt", path),
    "pypdfium2": python_reader(PDFIUM),
    "pdf_oxide": python_reader(OXIDE),
    "pdfminer": python_reader(MINER),
    "pypdf": python_reader(PYPDF),
}


def is_installed(name):
    if name == "fetch-extract":
        return bool(os.environ.get("FETCH_EXTRACT") or shutil.which(name))
    if name in ("pdftotext", "mutool"):
        return shutil.which(name) is not None
    command = [sys.executable, "-c", f"import {name}"]
    return subprocess.run(command, capture_output=True).returncode == 0


def split_words(text, joins=True):
    """Returns the case-folded words of a text; `joins` joins words that are broken at line ends."""
    text = unicodedata.normalize("NFKC", text).replace("\u00ad\n", "").replace("\u00ad", "")
    if joins:
        text = re.sub(r"(?<=\w)[-\u2010]\s*\n\s*(?=[^\W\d_])(?=\S)(?![A-ZÀ-Þ])", "", text)
    return WORD.findall(text.casefold())


def cpu_seconds():
    """Returns the CPU time of all child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def majority_counts(others):
    """Returns for each key the highest count that more than half of the readers reach."""
    keys, majority = set().union(*others), len(others) // 2 + 1
    counts = {key: sorted((other[key] for other in others), reverse=True)[majority - 1]
              for key in keys}
    return collections.Counter({key: n for key, n in counts.items() if n})


def count_pairs(tokens):
    return collections.Counter(zip(tokens, tokens[1:]))


def covered_share(part, whole):
    """Returns the share of the counts of `whole` that `part` contains."""
    return sum((part & whole).values()) / max(sum(whole.values()), 1)


def main(folders):
    readers = {name: read for name, read in READERS.items() if is_installed(name)}
    for folder in folders:
        scores, paths = collections.defaultdict(list), sorted(pathlib.Path(folder).glob("*.pdf"))
        details = open(pathlib.Path(folder) / "scores.tsv", "w")
        for path in paths:
            tokens_by_reader, seconds_by_reader = {}, {}
            for name, read in readers.items():
                start = cpu_seconds()
                try:
                    text = read(str(path))
                except (subprocess.TimeoutExpired, OSError, ValueError):
                    text = ""
                seconds_by_reader[name] = cpu_seconds() - start
                tokens_by_reader[name] = split_words(text, joins=name != "fetch-extract")
            known = path.with_suffix(".txt")
            for name, tokens in tokens_by_reader.items():
                words, pairs = collections.Counter(tokens), count_pairs(tokens)
                if known.exists():
                    reference = split_words(known.read_text())
                    true_words, true_pairs = collections.Counter(reference), count_pairs(reference)
                else:
                    # A reader has no vote on itself.
                    others = [tokens for other, tokens in tokens_by_reader.items() if other != name]
                    true_words = majority_counts([collections.Counter(t) for t in others])
                    true_pairs = majority_counts([count_pairs(t) for t in others])
                row = (covered_share(words, true_words), covered_share(true_words, words),
                       covered_share(pairs, true_pairs), not tokens, seconds_by_reader[name])
                scores[name].append(row)
                print(path.name, name, *(f"{x:.4f}" for x in row), sep="\t", file=details)
        print(f"\n{folder}: {len(paths)} documents\n")
        print("| reader | recall | precision | pairs | without text | CPU s |\n|---|---|---|---|---|---|")
        for name, rows in scores.items():
            means = (statistics.mean(column) for column in zip(*rows))
            recall, precision, pairs, empty, seconds = means
            print(f"| {name} | {recall:.3f} | {precision:.3f} | {pairs:.3f} "
                  f"| {empty * len(rows):.0f} | {seconds:.2f} |")


def export(folder, clones):
    """Writes the PDFs of the pinned commits, a file for each."""
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    for clone in clones:
        git = lambda *command: subprocess.run(["git", "-C", clone, *command], capture_output=True)
        pinned = [pin for pin in PINNED if not git("cat-file", "-e", pin[1]).returncode]
        for name, commit, part in pinned:
            listed = git("ls-tree", "-r", "-z", "--name-only", commit, "--", part).stdout.decode()
            for path in filter(lambda path: path.endswith(".pdf"), listed.split("\0")):
                body = git("show", f"{commit}:{path}").stdout
                if body:  # not a pointer to a file elsewhere
                    file = f"{name}/{path}".replace("/", "__")
                    (pathlib.Path(folder) / file).write_bytes(body)


def main_beside(reader, folder):
    """Compares fetch-extract with one reader."""
    found, words, read, long, short = 0, 0, 0, 0, []
    for path in sorted(pathlib.Path(folder).glob("*.pdf")):
        if reader == "pdftotext":
            check = ["timeout", "60", "pdftotext", path, os.devnull]
            result = subprocess.run(check, capture_output=True)
            if b"ncorrect password" in result.stderr or result.returncode == 124:
                continue
        true = collections.Counter(split_words(READERS[reader](str(path))))
        own = collections.Counter(split_words(read_by_fetch_extract(str(path)), joins=False))
        found, words, read = found + (true & own).total(), words + true.total(), read + own.total()
        true = collections.Counter({word: n for word, n in true.items() if len(word) > 1})
        if true.total() >= 15:
            long += 1
            if covered_share(own, true) < 0.8:
                short.append(path.name)
    print(f"recall {found / words:.4f}, precision {found / read:.4f}; under .8: {len(short)} of {long}")
    print(*short, sep="\n")


if sys.argv[1] == "--export":
    export(sys.argv[2], sys.argv[3:])
elif sys.argv[1] == "--beside":
    main_beside(*sys.argv[2:4])
else:
    main(sys.argv[1:])

#!/usr/bin/env python3
r"""Compares dedup with gaoya, rensa, datasketch, text-dedup and datatrove on the same documents, at a threshold of .8.

run.py [--documents N] [FILE] prints a table in Markdown. FILE has JSON lines with `text`. Without it, N documents are
made of the paragraphs of demo-web: two fifths are copies of others, exact or with words replaced, a part left out, or
text added. The packages of requirements.txt are installed in target/bench/dedup-peers, and gaoya is built there.

The measure is the exact resemblance of the sets of five consecutive words (lower case, \w+). Recall: of the documents
with a resemblance of at least .82 to a kept one (earlier, if they are kept themselves), the share that is dropped.
Precision: of the dropped documents, the share with a resemblance of at least .78 to an earlier or a kept one. "Lost":
of the dropped ones, the share without such a kept one, as a chain of duplicates is reduced to one document. Documents
between .78 and .82 count for neither. CPU time is that of a process and its children, less that of a run on a twentieth
of the documents, so that the start of Python does not count. Memory is the peak of what they have of their own, without
mapped files. "Disk" has an index, or what one step writes for the next.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time
import unicodedata

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
WORK = ROOT / "target/bench/dedup-peers"
TOOLS = ROOT / "target/release"
GAOYA = WORK / "release/dedup-peers"

# Name, package, parameters, command; {out} is an empty folder. First the parameters of a project's documentation, then
# those nearest to ours. The rho pipeline of rensa is left out: it flags all documents of a group, also the first.
DEDUP = f"{TOOLS}/dedup --jobs 1 --threshold 0.8 --drop"
OURS = "--num_perm 100 --b 20 --r 5 --hash_func xxh3 --hash_bits 32"
PEERS = [
    ("`dedup --index`", "", "128 hashes, 20 bands", f"{DEDUP} --index {{out}}/index"),
    ("`dedup`", "", "the same, in memory", DEDUP),
    ("gaoya", "gaoya 0.2.2", "128 hashes, 21 bands", f"{GAOYA} 0 0"),
    ("gaoya", "", "100 hashes, 20 bands", f"{GAOYA} 20 5"),
    ("rensa", "rensa", "128 hashes", "rensa {in} {out} 128"),
    ("rensa", "", "100 hashes, 20 bands", "rensa {in} {out} 100 20"),
    ("datasketch", "datasketch", "128 hashes", "datasketch {in} {out} 128"),
    ("datasketch", "", "100 hashes, 20 bands, estimate checked", "datasketch {in} {out} 100 20 5"),
    ("text-dedup", "text-dedup", "250 hashes", "text_dedup {in} {out}"),
    ("text-dedup", "", "100 hashes, 20 bands, xxh3", f"text_dedup {{in}} {{out}} {OURS}"),
    ("datatrove", "datatrove", "112 hashes, 14 bands, spaCy's words", "datatrove {in} {out} 14 8 eng"),
    ("datatrove", "", "100 hashes, 20 bands, words by `\\w+`", "datatrove {in} {out} 20 5 words"),
]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--documents", type=int, default=20_000)
    arguments.add_argument("file", nargs="?")
    arguments = arguments.parse_args()
    prepare()
    if arguments.file:
        texts = [json.loads(line)["text"] for line in open(arguments.file, encoding="utf-8")]
    else:
        texts = made(arguments.documents)
    write(WORK / "all/in.jsonl", texts)
    write(WORK / "part/in.jsonl", texts[: len(texts) // 20])
    near = Resemblances(texts)
    print("| tool | parameters | recall | precision | lost | documents per CPU s | memory, MB | disk, bytes a document |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    for name, package, parameters, command in PEERS:
        base, _, _, _ = run(command, WORK / "part")
        cpu, memory, disk, kept = run(command, WORK / "all")
        rate = (len(texts) - len(texts) // 20) / max(cpu - base, 0.01)
        figures = [f"{figure:.4f}".removeprefix("0") for figure in near.judge(kept)]
        size = f"{disk / len(texts):,.0f}" if disk else ""
        title = f"{name} {version(package)}".strip() if package else name
        print("|", " | ".join([title, parameters, *figures, f"{rate:,.0f}", f"{memory:,.0f}", size]), "|", flush=True)


def prepare():
    """Installs and builds what is missing."""
    if not (WORK / "installed").exists():
        subprocess.run([sys.executable, "-m", "venv", WORK], check=True)
        pip = [WORK / "bin/pip", "install", "-q", "--disable-pip-version-check", "-r", HERE / "requirements.txt"]
        subprocess.run(pip, check=True)
        (WORK / "installed").touch()
    for package in ("dedup", "demo-web"):
        if not (TOOLS / package).exists():
            cargo = ["cargo", "build", "-q", "--release", "--locked", "--target-dir", ROOT / "target", "-p", package]
            subprocess.run(cargo, check=True, cwd=ROOT)
    cargo = ["cargo", "build", "-q", "--release", "--locked", "--target-dir", WORK]
    subprocess.run([*cargo, "--manifest-path", HERE / "Cargo.toml"], check=True)


def version(package):
    if " " in package:
        return package.split()[1]
    code = f"import importlib.metadata as m; print(m.version('{package}'))"
    return subprocess.run([WORK / "bin/python", "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def write(path, texts):
    shutil.rmtree(path.parent, ignore_errors=True)
    path.parent.mkdir(parents=True)
    with open(path, "w", encoding="utf-8") as out:
        for number, text in enumerate(texts):
            out.write(json.dumps({"id": str(number), "text": text}, ensure_ascii=False) + "\n")


# --- the documents ---------------------------------------------------------------------------------------------------


def made(number):
    """Returns documents of 150 to 900 words; two of a language may have a paragraph in common."""
    rng = random.Random(1)
    pages, labels = (
        subprocess.run([TOOLS / "demo-web", what], capture_output=True, text=True, check=True).stdout.splitlines()
        for what in ("docs", "truth")
    )
    paragraphs = collections.defaultdict(list)
    for page, label in zip(pages, labels):
        text = json.loads(page)["text"]
        # Not of scripts without blanks, and not of those in which \w divides words.
        if len(text) < 12 * len(text.split()) and not any(unicodedata.category(letter)[0] == "M" for letter in text):
            paragraphs[label.split("\t")[1]] += text.split("\n")
    pools = [pool for pool in paragraphs.values() if len(pool) > 50]

    def document():
        pool, words, length = rng.choice(pools), [], rng.randint(150, 900)
        while len(words) < length:
            words += rng.choice(pool).split()
        return words

    base = [document() for _ in range(number * 3 // 5)]
    copies = [changed(rng, rng.choice(base), rng.choice(base)) for _ in range(number - len(base))]
    texts = [" ".join(words) for words in base + copies]
    rng.shuffle(texts)
    return texts


def changed(rng, words, other):
    """Returns words changed so that their resemblance is drawn from .6 to .99, or, one time in five, the same words."""
    share, length = rng.uniform(0.6, 0.99), len(words)
    match rng.randrange(5):
        case 0:
            words = list(words)
            for place in rng.sample(range(length), max(1, round(length * (1 - share) / (5 * (1 + share))))):
                words[place] = rng.choice(other)
        case 1:
            start = rng.randrange(length - int(length * share) + 1)
            words = words[start : start + int(length * share)]
        case 2:
            words = words + other[: int(length * (1 / share - 1))]
        case 3:
            size = int(length * (1 - share) / (1 + share))
            start = rng.randrange(length - size)
            words = words[:start] + other[:size] + words[start + size :]
    return words


class Resemblances:
    """For each document, the other documents with a resemblance of at least .78."""

    def __init__(self, texts):
        ids = {}
        sets = [sorted({ids.setdefault(s, len(ids)) for s in self.shingles(text)}) for text in texts]
        counts = collections.Counter(s for found in sets for s in found)
        self.near = [{} for _ in texts]
        documents = collections.defaultdict(list)
        for number, found in enumerate(sets):
            # Two sets with that resemblance have one of their rarest shingles in common.
            rare = sorted(found, key=lambda s: (counts[s], s))[: len(found) - -int(-0.78 * len(found) // 1) + 1]
            own = set(found)
            for other in {other for s in rare for other in documents[s]}:
                common = len(own.intersection(sets[other]))
                resemblance = common / (len(own) + len(sets[other]) - common)
                if resemblance >= 0.78:
                    self.near[number][other] = self.near[other][number] = resemblance
            for s in rare:
                documents[s].append(number)

    @staticmethod
    def shingles(text):
        words = re.findall(r"\w+", text.lower())
        return {tuple(words[i : i + 5]) for i in range(max(1, len(words) - 4))}

    def judge(self, kept):
        """Returns recall, precision, and the share of lost documents."""
        found = missed = wrong = lost = dropped = 0
        for number, near in enumerate(self.near):
            others = [other for other in near if other in kept and (number not in kept or other < number)]
            best = max((near[other] for other in others), default=0)
            if number in kept:
                missed += best >= 0.82
            else:
                dropped += 1
                found += best >= 0.82
                lost += best < 0.78
                wrong += best < 0.78 and not any(other < number for other in near)
        return found / max(found + missed, 1), 1 - wrong / max(dropped, 1), lost / max(dropped, 1)


# --- the tools -------------------------------------------------------------------------------------------------------


def run(command, folder):
    """Returns CPU seconds, own memory in MB, bytes on disk, and the numbers of the documents that a tool keeps."""
    out = folder / "out"
    command = command.format_map({"in": folder / "in.jsonl", "out": out}).split()
    if not command[0].startswith("/"):
        command = [WORK / "bin/python", HERE / "peers.py", *command]
    cpu, peak = process(command, folder)
    with open(folder / "stdout", encoding="utf-8") as lines:
        numbers = {int(json.loads(line)["id"] if line.startswith("{") else line) for line in lines}
    files = [path for path in out.rglob("*") if path.is_file() and "out" not in path.relative_to(out).parts]
    return cpu, peak, sum(path.stat().st_blocks * 512 for path in files), numbers


def process(command, folder):
    """Runs a command with an empty folder `out`; returns its CPU seconds and own memory in MB."""
    shutil.rmtree(folder / "out", ignore_errors=True)
    (folder / "out").mkdir()
    source, log = folder / "in.jsonl", folder / "log"
    source = source if source.exists() else os.devnull
    with open(source) as stdin, open(folder / "stdout", "w") as stdout, open(log, "w") as stderr:
        child = subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=stderr)
    peak = 0
    while True:
        peak = max(peak, own_memory(child.pid))
        done, status, usage = os.wait4(child.pid, os.WNOHANG)
        if done:
            break
        time.sleep(0.05)
    if status:
        sys.exit(f"{' '.join(map(str, command))}: failed; see {log}")
    return usage.ru_utime + usage.ru_stime, peak / 1024


def own_memory(process):
    """Returns the kB that a process and its children have of their own."""
    try:
        status = pathlib.Path(f"/proc/{process}/status").read_text()
        children = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return 0
    found = re.search(r"RssAnon:\s+(\d+)", status)
    return (int(found[1]) if found else 0) + sum(own_memory(child) for child in children)


if __name__ == "__main__":
    main()

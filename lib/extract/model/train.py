#!/usr/bin/env -S python3 -X utf8
"""Train the model that rates the blocks of a page; with --folds, one model for each fold, without the fold's pages.

    train.py PAGES.jsonl SAMPLES.jsonl OLD.jsonl --books BOOKS.jsonl BOOK-SAMPLES.jsonl OLD-BOOKS.jsonl \\
        [--others OTHERS.jsonl] [--out blocks.txt] [--folds 4]

PAGES are records with `id`, `site`, and either `text` (the full main text, marked by hand) or `with` and `without` (snippets
that must and must not be in it). With `"headline": false`, the blocks that repeat the title are not used. `weight`
multiplies the weight of a page; pages with weight 0 are not used. `old` multiplies the share of its old-fashioned form.
SAMPLES and OLD are the output of extraction-samples for these pages and for their old-fashioned form, and BOOKS that of
books.py. OTHERS are records with `id` and `texts`, the results of other extractors: on pages with snippets, blocks that all
of them keep or all of them drop are used too, with a low weight. The Makefile has all the steps. Needs numpy, lightgbm and
lxml. With --folds, the models are blocks.0.txt, blocks.1.txt, …; all pages of a site are in the same fold, and judge.py
measures the quality on these pages.
"""
import argparse, collections, difflib, json, re
import lightgbm, numpy
from books import fold_of

# A word, or a single ideograph, kana or Hangul syllable.
TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
PARAMETERS = dict(objective="binary", learning_rate=0.05, num_leaves=12, min_data_in_leaf=60, lambda_l2=5,
                  feature_fraction=0.3, max_bin=63, seed=0, num_threads=1, deterministic=True, verbose=-1)
ROUNDS = 400
# The weights and shares below are set by judgement, except for BOOK_SHARE. A page with full text has a weight of about 20.
# Weight of a block with a snippet, and of one on which other extractors agree.
SNIPPET, AGREED = 1.5, 0.1
# Each page is used three times: unchanged; with this share of its weight as if Readability had kept nothing of it, so that
# the model doesn't depend on those features (numbers in src/features.rs) alone, as Readability fails on some pages;
READABILITY, WITHOUT_SHARE = [17, 124, 132, 140, 148, 156, 162, 168, 185], 0.3
# and without the positions of its blocks, as for long pages (NO_POSITION in src/features.rs).
POSITIONS, NO_POSITION, NO_POSITION_SHARE = [22, 23, 24, 25, 26], -1, 0.2
# The share of the title that a block covers, and the largest one of a block that does not repeat it.
TITLE_SHARE, MAX_TITLE_SHARE = 18, 0.7
# Each page is also used in its old-fashioned form (old-fashioned.py), with this share of its weight: pages with valuable
# text are often old, but those of the two sets are not.
OLD_SHARE = 0.2
# Weight of a book (books.py) relative to that of a page; chosen of two values, see BENCHMARKS.md, "Main text".
BOOK_SHARE = 0.3


def tokens(text):
    return TOKEN.findall(text.lower())


def squash(text):
    return re.sub(r"\s+", " ", text)


def aligned_shares(blocks, text):
    """Return the share of each block's tokens that an alignment matches with the main text."""
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
    return {tuple(text[start:start + 3]) for start in range(max(len(text) - 2, 1))}


def snippet_labels(page, blocks, others):
    """Return the label of each block (1, 0 or NaN), and for each if it comes from a snippet."""
    labels = numpy.full(len(blocks), numpy.nan)
    flat = [squash(block) for block in blocks]
    for value, snippets in ((0, page["without"]), (1, page["with"])):
        for snippet in map(squash, snippets):
            for number, block in enumerate(flat):
                if snippet in block or (len(block) > 15 and block in snippet):
                    labels[number] = value
    is_from_snippet = ~numpy.isnan(labels)
    sets = [shingles(text) for text in others]
    for number, block in enumerate(blocks):
        if sets and not is_from_snippet[number]:
            own = shingles(block)
            shares = [len(own & other) / len(own) for other in sets]
            labels[number] = 1 if min(shares) > 0.8 else 0 if max(shares) < 0.2 else numpy.nan
    return labels, is_from_snippet


def block_weights(lengths, share):
    """Return the weights of a page's blocks: most by block, some by token, so that each page has the same total weight."""
    roots = numpy.sqrt(lengths)
    return 15 * roots / max(roots.sum(), 1) + 5 * lengths / max((share * lengths).sum(), 30)


def unpack_sample(sample):
    """Return the blocks of a page, their features and their lengths in tokens."""
    blocks = sample["texts"]
    lengths = numpy.array([len(tokens(block)) for block in blocks], dtype=float)
    return blocks, sample["rows"], lengths


def page_examples(page, sample, others):
    """Return the features, labels and weights of a page's blocks."""
    blocks, rows, lengths = unpack_sample(sample)
    page_weight = page.get("weight", 1)
    if "text" in page:
        share = aligned_shares(blocks, page["text"])
        weights = page_weight * numpy.minimum(block_weights(lengths, share), 8)
        if page.get("headline") is False:
            weights = numpy.where(rows[:, TITLE_SHARE] > MAX_TITLE_SHARE, 0, weights)
        return rows, share >= 0.5, weights
    labels, is_from_snippet = snippet_labels(page, blocks, others)
    weights = page_weight * numpy.where(is_from_snippet, SNIPPET, AGREED * numpy.minimum(numpy.sqrt(lengths) / 3, 1.5))
    is_labelled = ~numpy.isnan(labels)
    return rows[is_labelled], labels[is_labelled] > 0.5, weights[is_labelled]


def labels_by_text(page, sample):
    """Map each text of a block of the page to its set of labels: both, if some such blocks are main text and some are not."""
    labels = collections.defaultdict(set)
    for block, share in zip(sample["texts"], aligned_shares(sample["texts"], page["text"])):
        labels[squash(block)].add(bool(share >= 0.5))
    return labels


def book_examples(book, sample, page_labels):
    """Return the features, labels and weights of a book's blocks, given those of its pages by `labels_by_text`."""
    blocks, rows, lengths = unpack_sample(sample)
    found = [set().union(*(page_labels[name].get(squash(block), ()) for name in book["of"])) for block in blocks]
    # A text that is main text on one page and boilerplate on another is ambiguous.
    is_labelled = numpy.array([len(either) == 1 for either in found])
    labels = numpy.array([True in either for either in found])
    return rows[is_labelled], labels[is_labelled], (BOOK_SHARE * block_weights(lengths, labels))[is_labelled]


def combine_forms(page, parts):
    """Combine the examples of a page in both forms, unchanged and old-fashioned."""
    old_share = OLD_SHARE * page.get("old", 1)
    shares = (1 - old_share, old_share)
    rows, labels, weights = zip(*((rows, labels, weights * share) for (rows, labels, weights), share in zip(parts, shares)))
    return tuple(map(numpy.concatenate, (rows, labels, weights)))


def replace_columns(rows, columns, value):
    rows = rows.copy()
    rows[:, columns] = value
    return rows


def train_model(parts):
    rows, labels, weights = (numpy.concatenate(part) for part in zip(*parts))
    rows = numpy.concatenate((rows, replace_columns(rows, READABILITY, 0), replace_columns(rows, POSITIONS, NO_POSITION)))
    labels = numpy.concatenate((labels, labels, labels))
    shares = (1 - WITHOUT_SHARE - NO_POSITION_SHARE, WITHOUT_SHARE, NO_POSITION_SHARE)
    weights = numpy.concatenate([weights * share for share in shares])
    return lightgbm.train(PARAMETERS, lightgbm.Dataset(rows, labels, weight=weights), num_boost_round=ROUNDS)


def format_trees(model):
    """Return the trees in the format of src/boosted_trees.rs."""
    def parts(node):
        if "leaf_value" in node:
            return [f"={node['leaf_value']:.4g}"]
        return [f"{node['split_feature']}<{node['threshold']:.6g}", *parts(node["left_child"]), *parts(node["right_child"])]
    return "".join(" ".join(parts(tree["tree_structure"])) + "\n" for tree in model.dump_model()["tree_info"])


def read_records(path, *omitted):
    with open(path) as lines:
        for record in map(json.loads, lines):
            yield record["id"], {name: value for name, value in record.items() if name not in omitted}


def read_samples(path, pages):
    """Return the samples of these pages by id, without those of pages that have no block."""
    samples = {}
    for name, sample in read_records(path):
        if name in pages and sample["texts"]:
            # Lists of numbers would need ten times the memory.
            sample["rows"] = numpy.array(sample["rows"], dtype=numpy.float32)
            samples[name] = sample
    return samples


def all_examples(args):
    """Return the pages and books, each with its examples."""
    pages = {name: page for name, page in read_records(args.pages, "html") if page.get("weight", 1) > 0}
    forms = [read_samples(path, pages) for path in (args.samples, args.old)]
    others = dict(read_records(args.others)) if args.others else {}
    pages = {name: page for name, page in pages.items() if all(name in samples for samples in forms)}
    parts = [(page, combine_forms(page, [page_examples(page, samples[name], others.get(name, {}).get("texts", []))
                                         for samples in forms]))
             for name, page in pages.items()]
    if not args.books:
        return parts
    books = dict(read_records(args.books[0], "html"))
    book_forms = [read_samples(path, books) for path in args.books[1:]]
    in_books = {name for book in books.values() for name in book["of"]}
    page_labels = [{name: labels_by_text(pages[name], samples[name]) for name in in_books} for samples in forms]
    return parts + [(book, combine_forms(book, [book_examples(book, samples[name], labels)
                                                for samples, labels in zip(book_forms, page_labels)]))
                    for name, book in books.items()]


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
    parts = all_examples(args)
    for fold in range(args.folds or 1):
        used = [part for page, part in parts if not args.folds or fold_of(page, args.folds) != fold]
        name = args.out.replace(".txt", f".{fold}.txt") if args.folds else args.out
        with open(name, "w") as file:
            file.write(format_trees(train_model(used)))


if __name__ == "__main__":
    main()

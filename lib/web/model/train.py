#!/usr/bin/env -S python3 -X utf8
"""Train the model that judges blocks of a page, or measure it by cross-validation.

    cargo build --release -p forage-web --example extraction-samples
    extraction-samples < PAGES.jsonl > SAMPLES.jsonl
    old-fashioned.py < PAGES.jsonl | extraction-samples > OLD.jsonl
    train.py PAGES.jsonl SAMPLES.jsonl OLD.jsonl [--others OTHERS.jsonl] [--out blocks.txt | --folds 4]

PAGES are records with `id`, `url`, `html` and either `text` (the full main text, by hand) or `with` and `without` (parts
that must and must not be in it). OTHERS are records of `id` and `texts`, what other extractors made of the page: of pages
with snippets, blocks that all of them keep or all of them drop are learned from as well, with little weight.
Needs numpy and lightgbm. With --folds the pages are split by site, and nothing is written: what is printed is how well
held-out pages are judged, as they are and old-fashioned.
"""
import argparse, collections, difflib, json, re, statistics, zlib
from urllib.parse import urlparse
import lightgbm, numpy

# A word, or an ideograph or kana by itself.
TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
PARAMETERS = dict(objective="binary", learning_rate=0.05, num_leaves=12, min_data_in_leaf=60, lambda_l2=5,
                  feature_fraction=0.3, max_bin=63, seed=0, num_threads=1, deterministic=True, verbose=-1)
ROUNDS = 400
# Weight of a block with a snippet, and of one that other extractors agree on; a page with full text weighs some 20.
SNIPPET, AGREED = 1.5, 0.1
# Each page counts three times: as it is, with a smaller share of its weight as if Readability had kept nothing of it, so
# that the model doesn't lean on those features (src/extract/features.rs) alone: Readability is wrong on some pages.
READABILITY, WITHOUT_SHARE = [17, 124, 132, 140, 148, 156, 162, 168, 185], 0.3
# And once as if nothing were known of where its blocks stand, as it is with long pages (NOWHERE in features.rs).
PLACES, NOWHERE, NOWHERE_SHARE = [22, 23, 24, 25, 26], -1, 0.2
# Each page is also learned from as it would have been written fifteen years ago (old-fashioned.py), with this share of
# its weight: pages with text worth having are often old, and the pages at hand are not.
OLD_SHARE = 0.2


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


def examples(page, sample, others):
    """Rows, labels and weights of a page."""
    blocks, rows = sample["texts"], numpy.array(sample["rows"], dtype=numpy.float32)
    lengths = numpy.array([len(tokens(block)) for block in blocks], dtype=float)
    if "text" in page:
        share = aligned(blocks, page["text"])
        roots = numpy.sqrt(lengths)
        # Half by block, half by token, so that each page counts alike.
        weights = 15 * roots / max(roots.sum(), 1) + 5 * lengths / max((share * lengths).sum(), 30)
        return rows, share >= 0.5, numpy.minimum(weights, 8)
    labels, said = snippet_labels(page, blocks, others)
    weights = numpy.where(said, SNIPPET, AGREED * numpy.minimum(numpy.sqrt(lengths) / 3, 1.5))
    known = ~numpy.isnan(labels)
    return rows[known], labels[known] > 0.5, weights[known]


def learned(page, forms, others):
    """Examples of a page in both forms."""
    parts = [examples(page, samples[page["id"]], others) for samples in forms]
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


def word_f1(got, wanted):
    a, b = (collections.Counter(re.findall(r"\w+", text.lower())) for text in (got, wanted))
    both = sum((a & b).values())
    return 2 * both / max(sum(a.values()) + sum(b.values()), 1)


def measure(what, pages, samples, predictions):
    words, counts = collections.defaultdict(list), numpy.zeros(3)
    for page in pages:
        blocks = samples[page["id"]]["texts"]
        lengths = numpy.array([max(len(tokens(block)), 1) for block in blocks], dtype=float)
        taken = chosen(predictions[page["id"]], lengths)
        text = "\n".join(block for block, is_taken in zip(blocks, taken) if is_taken)
        if "text" in page:
            words[page.get("type") or "other"].append(word_f1(text, page["text"]))
        else:
            hits = sum(squash(part) in squash(text) for part in page["with"])
            wrong = sum(squash(part) in squash(text) for part in page["without"])
            counts += [hits, wrong, len(page["with"]) - hits]
    hits, wrong, missed = counts
    mean = statistics.mean(f1 for kind in words.values() for f1 in kind)
    print(f"{what}: word F1 {mean:.4f}  snippet F1 {2 * hits / (2 * hits + wrong + missed):.4f}  by kind:",
          *(f"{kind} {statistics.mean(f1):.4f}" for kind, f1 in sorted(words.items())))


def site(page):
    host = urlparse((page.get("url") or page["id"]).split("::")[-1]).netloc or page["id"]
    return zlib.crc32(".".join(host.split(".")[-2:]).encode())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages")
    parser.add_argument("samples")
    parser.add_argument("old")
    parser.add_argument("--others")
    parser.add_argument("--out", default="blocks.txt")
    parser.add_argument("--folds", type=int)
    args = parser.parse_args()
    def read(path, *without):
        with open(path) as lines:
            for record in map(json.loads, lines):
                yield record["id"], {name: value for name, value in record.items() if name not in without}
    pages = [page for _, page in read(args.pages, "html")]
    forms = [{name: sample for name, sample in read(path) if sample["texts"]} for path in (args.samples, args.old)]
    others = dict(read(args.others)) if args.others else {}
    pages = [page for page in pages if all(page["id"] in samples for samples in forms)]
    parts = [learned(page, forms, others.get(page["id"], {}).get("texts", [])) for page in pages]
    if not args.folds:
        with open(args.out, "w") as file:
            file.write(written(fit(parts)))
        return
    predictions = [{}, {}]
    for fold in range(args.folds):
        is_test = [site(page) % args.folds == fold for page in pages]
        model = fit([part for part, held in zip(parts, is_test) if not held])
        for page in (page for page, held in zip(pages, is_test) if held):
            for samples, predicted in zip(forms, predictions):
                predicted[page["id"]] = model.predict(numpy.array(samples[page["id"]]["rows"], dtype=numpy.float32))
    for what, samples, predicted in zip(("as they are", "old-fashioned"), forms, predictions):
        measure(what, pages, samples, predicted)


main()

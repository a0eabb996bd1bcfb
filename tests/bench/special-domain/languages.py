#!/usr/bin/env -S python3 -X utf8
"""Measures special-domain in languages without a tagger: articles found per call.

usage: tests/bench/special-domain/languages.py DOCS [--languages LIST] [--samples N] [--calls N]

DOCS is a file of documents (.jsonl.zst) with url, lang and text. Nobody has labelled their subjects, so long documents are
cut into passages of about a hundred words: those of one document are on one subject. The first passage is the sample; the
web has the others of all documents of the language. The tools are those in target/release, or of $FORAGE_BIN.

For each language, the means over the samples are written to stdout: passages of the sample's document that the queries
found per call; those of them that the filter accepted during the run, and that are in the collection at its end, both per
call and with the share of right ones.
"""
import argparse
import collections
import json
import pathlib
import random
import shutil
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
import news
import run

LANGUAGES = "slv,pol,ces,hun,fin,tur,ell,ind,tgl,ukr"
DOCUMENTS = 60  # of a language
PASSAGES = 9  # of a document, with the sample
WORDS = 100  # of a passage


def read_documents(file, languages):
    """Returns the documents of each language that are long enough, in the order of the file."""
    found = collections.defaultdict(list)
    process = subprocess.Popen(["zstd", "-dcq", "--long=27", file], stdout=subprocess.PIPE)
    for line in process.stdout:
        document = json.loads(line)
        if document["lang"] in languages and len(document["text"].split()) >= WORDS * PASSAGES // 2:
            found[document["lang"]].append(document)
    return found


def cut(document):
    """Returns the passages of a document: whole sentences of at least WORDS words, spread over the document."""
    passages, words = [], []
    for word in document["text"].split():
        words.append(word)
        if len(words) >= WORDS and word[-1] in ".!?…;:»”" or len(words) >= 2 * WORDS:
            passages.append(" ".join(words))
            words = []
    step = max(1, len(passages) // PASSAGES)
    return [{"url": f"{document['url']}#{n}", "text": text} for n, text in enumerate(passages[::step][:PASSAGES])]


def build_web(documents, language, work):
    """Makes an index of the passages of documents that are drawn evenly from the sources. Returns its samples by document."""
    by_source = collections.defaultdict(list)
    for document in documents:
        by_source[document.get("source")].append(document)
    rng, drawn = random.Random(language), []
    for members in by_source.values():
        rng.shuffle(members)
    for rank in range(DOCUMENTS):
        drawn += [members[rank] for _, members in sorted(by_source.items()) if rank < len(members)]
    cuts = {d["url"]: passages for d in drawn[:DOCUMENTS] if len(passages := cut(d)) >= 4}
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    passages = [p for first, *others in cuts.values() for p in others]
    rng.shuffle(passages)
    run.run_tool(["search", "--engine", f"index:{work / 'web'}", "--add"], news.to_lines(passages))
    return {url: first["text"] for url, (first, *_) in cuts.items()}


def collect(url, sample, work, calls):
    """Collects passages of one document. Returns the figures of the run."""
    (work / "sample.txt").write_text(sample)
    shutil.rmtree(work / "run", ignore_errors=True)
    run.run_tool([run.ROOT / "pipelines/special-domain", "--sample", work / "sample.txt", "--engine", f"index:{work / 'web'}",
                  "--out", work / "run", "--calls", calls, "--seed", 1, "--quiet"])
    journal = [json.loads(line) for line in open(work / "run/journal.jsonl")]
    found = {r["url"]: r.get("label") for r in journal if r.get("step") and r.get("url") and r.get("text")}
    corpus = work / "run/corpus/on-topic.jsonl"
    collected = [json.loads(line)["url"] for line in open(corpus)] if corpus.exists() else []
    accepted = [u for u, label in found.items() if label == "on-topic"]
    right = lambda urls: sum(u.rsplit("#", 1)[0] == url for u in urls)
    return {"found": right(found) / calls, "accepted": right(accepted) / calls, "collected": right(collected) / calls,
            "all accepted": len(accepted) / calls, "all": len(collected) / calls}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docs")
    parser.add_argument("--languages", default=LANGUAGES)
    parser.add_argument("--samples", type=int, default=5, help="samples of a language")
    parser.add_argument("--calls", type=int, default=20, help="calls of a run")
    options = parser.parse_args()
    languages = options.languages.split(",")
    documents = read_documents(options.docs, languages)
    print("language\tfound\taccepted\tprecision\tcollected\tprecision", flush=True)
    total = []
    for language in languages:
        work = run.WORK / f"languages-{language}"
        samples = build_web(documents[language], language, work)
        step = max(1, len(samples) // options.samples)
        chosen = sorted(samples.items())[::step][:options.samples]
        rows = [collect(url, text, work, options.calls) for url, text in chosen]
        mean = {name: statistics.mean(row[name] for row in rows) for name in rows[0]}
        total.append(mean)
        print_row(language, mean)
    print_row("mean", {name: statistics.mean(row[name] for row in total) for name in total[0]})


def print_row(name, mean):
    share = lambda part, whole: f"{mean[part] / mean[whole]:.2f}" if mean[whole] else "-"
    print(f"{name}\t{mean['found']:.3f}\t{mean['accepted']:.3f}\t{share('accepted', 'all accepted')}"
          f"\t{mean['collected']:.3f}\t{share('collected', 'all')}", flush=True)


if __name__ == "__main__":
    main()

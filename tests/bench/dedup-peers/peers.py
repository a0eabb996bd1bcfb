"""Runs a library on JSON lines whose `id` is the line's number: peers.py NAME FILE FOLDER [PARAMETER...].

Prints the ids of the documents that it keeps. FOLDER is empty and takes its files. `run.py` starts this script.
"""
import os

# Before the libraries that start threads are loaded.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", RAYON_NUM_THREADS="1", HF_HUB_OFFLINE="1")

import gzip
import pathlib
import re
import subprocess
import sys

import orjson


def shingles(text):
    words = re.findall(r"\w+", text.lower())
    return [" ".join(words[i : i + 5]) for i in range(max(1, len(words) - 4))]


def records(file):
    with open(file, "rb") as lines:
        for line in lines:
            record = orjson.loads(line)
            yield record["id"], shingles(record["text"])


def datasketch(file, folder, hashes, *params):
    """With bands that are given, candidates are checked by the estimate of their resemblance."""
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(threshold=0.8, num_perm=int(hashes), params=tuple(map(int, params)) or None)
    stored = {}
    for number, found in records(file):
        minhash = MinHash(num_perm=int(hashes))
        minhash.update_batch([shingle.encode() for shingle in found])
        candidates = index.query(minhash)
        if params:
            candidates = any(minhash.jaccard(stored[candidate]) >= 0.8 for candidate in candidates)
        if not candidates:
            index.insert(number, minhash)
            if params:
                stored[number] = minhash
            yield number


def rensa(file, folder, hashes, bands=None):
    from rensa import RMinHashDeduplicator

    index = RMinHashDeduplicator(0.8, int(hashes), True, bands and int(bands))
    batch = []
    for pair in records(file):
        batch.append(pair)
        if len(batch) == 1000:
            yield from keep(index, batch)
            batch = []
    yield from keep(index, batch)


def keep(index, batch):
    return [number for (number, _), kept in zip(batch, index.add_pairs(batch)) if kept]


def text_dedup(file, folder, *options):
    out = f"{folder}/out"
    arguments = ["--path", "json", "--data_files", file, "--split", "train", "--cache_dir", f"{folder}/cache"]
    arguments += ["--output", out, "--column", "text", "--num_proc", "1", "--ngram", "5", "--threshold", "0.8"]
    # In a process of its own: `datasets` pickles the main module.
    subprocess.run([sys.executable, "-m", "text_dedup.minhash", *arguments, *options], stdout=sys.stderr, check=True)
    import datasets

    return datasets.load_from_disk(out)["id"]


def datatrove(file, folder, buckets, hashes, tokenizer):
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline import dedup
    from datatrove.pipeline.dedup.minhash import MinhashConfig
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers import JsonlWriter
    from datatrove.utils.word_tokenizers import WordTokenizer

    class Words(WordTokenizer):
        def __init__(self):
            super().__init__("words")

        def word_tokenize(self, text):
            return re.findall(r"\w+", text)

        def sent_tokenize(self, text):
            raise NotImplementedError

        def span_tokenize(self, text):
            raise NotImplementedError

    config = MinhashConfig(num_buckets=int(buckets), hashes_per_bucket=int(hashes))
    language = Words() if tokenizer == "words" else tokenizer
    signatures, pairs, removed, out = (f"{folder}/{name}" for name in ("signatures", "buckets", "removed", "out"))
    read = JsonlReader(os.path.dirname(file), glob_pattern=os.path.basename(file))
    steps = [
        [read, dedup.MinhashDedupSignature(signatures, config, language)],
        [dedup.MinhashDedupBuckets(signatures, pairs, config=config)],
        [dedup.MinhashDedupCluster(pairs, removed, config=config)],
        [read, dedup.MinhashDedupFilter(removed), JsonlWriter(out)],
    ]
    for number, step in enumerate(steps):
        tasks = config.num_buckets if number == 1 else 1
        LocalPipelineExecutor(step, tasks, workers=1, logging_dir=f"{folder}/logs{number}").run()
    for path in pathlib.Path(out).iterdir():
        with gzip.open(path) as lines:
            yield from (orjson.loads(line)["id"] for line in lines)


if __name__ == "__main__":
    kept = globals()[sys.argv[1]](*sys.argv[2:])
    sys.stdout.writelines(f"{number}\n" for number in kept)

#!/usr/bin/env -S python3 -X utf8
"""Measures which good and which bad texts `quality` marks.

usage: QUALITY=target/release/quality tests/bench/quality/run.py FOLDER [--figures]

FOLDER has closed-web/docs.jsonl.zst (url, lang, source, text), extraction/pages-news.jsonl.zst and pages.jsonl.zst
(html, and the main text in text or gold.text), and langid/sentences.tar.zst (running text by language). Good texts
are documents of at least 100 words, as they are, and the same in lines of 38 columns without regard to sentences, as
verse has them. Bad ones are the lines of pages outside of the main text, their scripts and styles, and pages made of
the words of good ones: menus, prices, names and numbers, tags, addresses, tables, random letters, repetitions. Prints
the share that is marked by kind and language, and with --figures quantiles of each figure.
"""
import base64
import collections
import html
import json
import os
import random
import re
import subprocess
import sys
import tarfile
import textwrap
import unicodedata

TOOL = os.environ.get("QUALITY", "quality")
PER_GROUP = int(os.environ.get("PER_GROUP", 40))
rng = random.Random(1)


def read(path):
    with subprocess.Popen(["zstd", "-dc", "--long=27", path], stdout=subprocess.PIPE) as p:
        yield from (json.loads(line) for line in p.stdout)


def size(text):
    wide = sum(unicodedata.east_asian_width(c) == "W" or "\u0e00" <= c <= "\u109f" or "\u1780" <= c <= "\u17ff" for c in text)
    return len(text.split()) + wide // 3


def good(folder):
    groups = collections.defaultdict(list)
    for d in read(f"{folder}/closed-web/docs.jsonl.zst"):
        groups[f"web {d['source']}", d["lang"]].append(d["text"])
    for d in read(f"{folder}/extraction/pages-news.jsonl.zst"):
        if text := (d["gold"] or {}).get("text"):
            groups["page main text", d["lang"]].append(text)
    for d in read(f"{folder}/extraction/pages.jsonl.zst"):
        if d.get("type"):
            groups[f"page {d['type']}", "eng"].append(d["text"])
    p = subprocess.Popen(["zstd", "-dc", "--long=27", f"{folder}/langid/sentences.tar.zst"], stdout=subprocess.PIPE)
    for member in (tar := tarfile.open(fileobj=p.stdout, mode="r|")):
        kind, _, name = member.name.partition("/")
        source = name.split(".")[1] if "." in name else ""
        if kind == "train" and source in ("asp", "pratham", "tico19", "hornmt", "ud", "nusawrites", "zanews"):
            lines = tar.extractfile(member).read().decode().splitlines()
            groups[f"text {source}", name[:3]] += ["\n".join(lines[i : i + 15]) for i in range(0, len(lines), 15)]
    for (kind, lang), texts in groups.items():
        texts = [t for t in texts if size(t) >= 100]
        for text in rng.sample(texts, min(PER_GROUP, len(texts))):
            yield kind, lang, text
            if kind.startswith(("web eltec", "text", "web sword", "page main")):
                yield "in verse lines", lang, wrap(text[:3000])
                yield "dialogue", lang, "\n".join(f"— {s}" for s in re.split(r"(?<=[.!?。！？।።؟])\s*", text[:3000]) if s.strip())


def wrap(text):
    if size(text) > 2 * len(text.split()):
        columns = 60 if "\u0f00" < max(text[:50]) < "\u0fff" else 16
        return "\n".join(text[i : i + columns] for i in range(0, len(text), columns))
    return "\n".join(textwrap.wrap(re.sub(r"\s+", " ", text), 38))


def bad(folder, vocabulary):
    for d in [*read(f"{folder}/extraction/pages.jsonl.zst"), *read(f"{folder}/extraction/pages-news.jsonl.zst")]:
        source = d["html"]
        for tag in ("script", "style"):
            parts = re.findall(rf"(?is)<{tag}\b[^>]*>(.*?)</{tag}>", source)
            if parts and len(longest := max(parts, key=len)) > 400 and rng.random() < 0.1:
                yield f"page {tag}", "und", longest[:4000]
        main = d.get("text") or (d.get("gold") or {}).get("text")
        if main and rng.random() < 0.5:
            shown = re.sub(r"(?is)<(script|style|noscript)\b.*?</\1>|<!--.*?-->", " ", source)
            lines = [" ".join(html.unescape(re.sub(r"<[^>]+>", " ", l)).split()) for l in re.split(r"(?i)<(?:/?(?:p|div|li|td|tr|h\d|ul|br|a|section|option)\b)[^>]*>", shown)]
            rest = [l for l in lines if l and l not in main and len(l) < 100]
            if len(rest) > 30:
                yield "page outside of main text", d.get("lang", "eng"), "\n".join(rest)
    for lang, words in sorted(vocabulary.items()):
        if len(words) < 400:
            continue
        w = lambda n=1: " ".join(rng.choice(words) for _ in range(n))
        cap = lambda n=1: " ".join(rng.choice(words).capitalize() for _ in range(n))
        num = lambda n: "".join(rng.choice("0123456789") for _ in range(n))
        lines = lambda n, f: "\n".join(f(i) for i in range(n))
        yield "menu, one item", lang, f"{cap(2)} »\n" * 40
        yield "menu", lang, lines(50, lambda i: cap(rng.choice((1, 1, 2))))
        yield "menu on a line", lang, " | ".join(cap() for _ in range(120))
        yield "prices, same", lang, f"{cap()}: 12,90 EUR | {w(2)} | {w()}\n" * 30
        yield "prices", lang, lines(40, lambda i: f"{cap(2)} {num(2)},{num(2)} € {w()}")
        yield "names and numbers", lang, lines(60, lambda i: f"{i}. {cap(2)}, {cap()}, 0{num(1)} {num(3)} {num(3)}")
        yield "names", lang, lines(80, lambda i: cap(2))
        yield "tags", lang, ", ".join(w() for _ in range(150))
        yield "hashtags", lang, " ".join("#" + w().replace(" ", "") for _ in range(120))
        yield "addresses", lang, lines(40, lambda i: f"https://{num(4)}.example.com/{w()}/{num(5)}.html")
        yield "table", lang, lines(50, lambda i: "\t".join([cap(), *(num(3) for _ in range(6))]))
        yield "word list", lang, "\n".join(sorted({w() for _ in range(200)}))
        yield "results", lang, lines(40, lambda i: f"{cap()} – {cap()} {num(1)}:{num(1)} ({num(1)}:{num(1)})")
        yield "repeated word", lang, f"{w()} " * 200
        yield "repeated sentence", lang, f"{cap()} {w(9)}. " * 30
        yield "doorway", lang, "".join((s := locals().get("s") or f"{w(6)} {{}} {w(7)}. ").format(cap()) for _ in range(40))
        yield "symbols", lang, " ".join(["a1 b2 c3 ;;; ### $$$ %%%"] * 60)
        yield "random letters", lang, " ".join("".join(rng.sample("bcdfghjklmnpqrstvwxz", rng.randint(3, 9))) for _ in range(150))
        yield "shuffled letters", lang, " ".join("".join(rng.sample(x, len(x))) for x in (w() for _ in range(200)))
        yield "base64", lang, base64.b64encode(rng.randbytes(900)).decode()
        yield "json", lang, json.dumps([{"id": i, "name": w(), "n": int(num(5))} for i in range(40)], ensure_ascii=False)
        yield "dates", lang, lines(60, lambda i: f"{i % 28 + 1}. {i % 12 + 1}. 20{num(2)} {cap()}")


def main():
    folder = sys.argv[1]
    texts = [(True, *t) for t in good(folder)]
    vocabulary = collections.defaultdict(list)
    for _, kind, lang, text in texts:
        if kind.startswith(("web", "text", "page main")) and len(vocabulary[lang]) < 4000:
            # Content words: the longer half.
            words = re.findall(r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f\u0900-\u0dff\u0e31-\u0e4e\u1000-\u109f])+", text)
            words = sum(([x[i : i + 2] for i in range(0, len(x), 2)] if "\u3000" < x[0] < "\uabff" or "\u0e00" <= x[0] < "\u0eff" else [x] for x in words), [])
            vocabulary[lang] += [x for x in words if len(x) > 4 or x[0] > "\u1000" or x[0] > "\u0590" and len(x) > 3]
    texts += [(False, *t) for t in bad(folder, vocabulary)]
    label = lambda t: {} if "--no-labels" in sys.argv else {"label": t[2]}
    lines = "".join(json.dumps({"id": str(i), **label(t), "text": t[3]}, ensure_ascii=False) + "\n" for i, t in enumerate(texts))
    out = subprocess.run([TOOL], input=lines.encode(), stdout=subprocess.PIPE, check=True).stdout
    qualities = [json.loads(line)["quality"] for line in out.splitlines()]
    table = collections.defaultdict(list)
    for (is_good, kind, lang, _), quality in zip(texts, qualities):
        table[is_good, kind, ""].append(quality)
        table[is_good, "(language)", lang].append(quality)
    figures = [k for k, v in qualities[0].items() if isinstance(v, float)]
    if "--dump" in sys.argv:
        with open(sys.argv[sys.argv.index("--dump") + 1], "w") as f:
            for t, q in zip(texts, qualities):
                f.write(json.dumps([*t[:3], q, t[3][:1500]], ensure_ascii=False) + "\n")
    for (is_good, kind, lang), found in sorted(table.items(), key=lambda x: (not x[0][0], *x[0][1:])):
        marked = sum(bool(q["reasons"]) for q in found) / len(found)
        reasons = collections.Counter(r for q in found for r in q["reasons"]).most_common(4)
        print(f"{'good' if is_good else 'bad '} {kind} {lang}: {len(found)}, marked {marked:.3f} {dict(reasons)}")
        if "--figures" in sys.argv and kind != "(language)":
            for name in figures:
                values = sorted(q.get(name) or 0 for q in found)
                at = lambda p: values[min(len(values) - 1, int(p * len(values)))]
                print("     ", name, *(f"{at(p):.2f}" for p in (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)))


main()

#!/usr/bin/env -S python3 -X utf8
"""Write the pages with known main text as records for train.py.

    pages.py FOLDER > PAGES.jsonl      FOLDER: data/extraction in the folder of shared data

FOLDER has pages.jsonl.zst (WCXB, and parts of texts from the evaluation data of trafilatura) and pages-news.jsonl.zst. A
record has `id`, `url`, `html`, `kind` and `site`; either `text`, or `with` and `without`; `weight`; and for news `headline`,
which is false because its sources differ in whether the text has the headline, and `old` (OLD_NEWS). Pages with weight 0 are
not trained on, because of their licences.
"""
import collections, json, os, re, subprocess, sys
from urllib.parse import urlparse

# Weights by kind of page: those of which there are few pages weigh more, so that articles do not decide alone. Chosen of
# five settings by the figures of BENCHMARKS.md, "Training with news".
WEIGHTS = {"news": 1.0, "parts": 2.5, "forum": 8.0, "collection": 3.0, "listing": 2.5, "product": 2.5, "service": 2.0,
           "documentation": 2.0}
# The share of a news page's old-fashioned form, relative to that of other pages: without names, a box after an article looks
# like the last paragraphs of a manual, which the model would then leave out.
OLD_NEWS = 0.25
# Sources that must not be trained on: AGPL, or no licence.
JUDGED_ONLY = {"dragnet", "cleaneval", "cleanportaleval"}
# The address that a page gives of itself, and those of its links.
OWN_ADDRESS = re.compile(r"""<(?:link\b[^>]*\brel=["']?canonical|meta\b[^>]*\bog:url)[^>]*?(?:href|content)=["']?https?://([\w.-]+)""", re.I)
ADDRESS = re.compile(r"""(?:href|src|action)\s*=\s*["']?https?://([\w.-]+)""", re.I)


def read_packed(path):
    command = ["zstd", "-dcq", "--long=27", path]
    return map(json.loads, subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.splitlines())


def host_of(page):
    """Return the host of a page; if its address is not known, the one that its markup names, or names most often."""
    host = urlparse((page.get("url") or "").split("::")[-1]).netloc
    own = OWN_ADDRESS.search(page["html"])
    named = collections.Counter(ADDRESS.findall(page["html"]))
    return host or (own[1] if own else named.most_common(1)[0][0] if named else page["id"])


def to_record(page):
    gold = page.get("gold") or page
    is_news = "source" in page
    has_text = "text" in gold and page.get("set") != "snippets"
    kind = page["source"] if is_news else page.get("type") or "parts"
    known = {"text": gold["text"]} if has_text else {"with": gold["with"], "without": gold.get("without") or []}
    weight = 0 if kind in JUDGED_ONLY else WEIGHTS.get("news" if is_news else kind, 1)
    return {"id": page["id"], "url": page.get("url"), "site": ".".join(host_of(page).lower().split(".")[-2:]), "kind": kind,
            "weight": weight, **({"headline": False, "old": OLD_NEWS} if is_news else {}),
            **({"comments": True} if gold.get("comments") else {}), **known, "html": page["html"]}


def main():
    for name in ("pages.jsonl.zst", "pages-news.jsonl.zst"):
        for page in read_packed(os.path.join(sys.argv[1], name)):
            print(json.dumps(to_record(page), ensure_ascii=False))


if __name__ == "__main__":
    main()

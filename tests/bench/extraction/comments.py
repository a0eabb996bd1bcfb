#!/usr/bin/env -S python3 -X utf8
"""Compares the comments of fetch-extract --comments with marked ones.

usage: FETCH_EXTRACT=target/release/fetch-extract tests/bench/extraction/comments.py FOLDER

FOLDER is that of compare.py; the pages are those with gold.comments (one text) and gold.without (lines
that are no article text, here those of comments, authors and dates included). Prints a table for the
pages by which the rules were designed, whose host without "www." has an even MD5, and for the others;
then how many comments of all pages tell neither author nor date, which are mostly no comments.
The host of a page without a URL is the one that its markup names (canonical, og:url); if it names
none, the id is taken.
"""
import collections
import hashlib
import re
import sys
from urllib.parse import urlsplit

sys.dont_write_bytecode = True
from compare import extract, read_pages  # noqa: E402

MIN_LINE = 40  # characters; shorter lines are mostly dates and links
FOUND = 0.85  # share of a line's words in our texts, authors and dates; set by judgement
OWN_URL = re.compile(r"""<link[^>]+rel=["']?canonical[^>]+href=["']?(https?:[^"'> ]+)|property=["']?og:url[^>]+content=["']?(https?:[^"'> ]+)""", re.I)


def is_design_page(page):
    own = OWN_URL.search(page["html"])
    url = page.get("url") or (own and (own[1] or own[2])) or ""
    name = (urlsplit(url).hostname or page["id"]).removeprefix("www.")
    return int(hashlib.md5(name.encode()).hexdigest(), 16) % 2 == 0


def squash(text):
    return re.sub(r"\s+", " ", text).strip()


def words(text):
    return collections.Counter(re.findall(r"\w+", text.lower()))


def measure(pairs):
    """Return the rows of the table: a name and a value."""
    right = all_words = in_text = in_any = all_lines = with_author = with_date = count = pages = 0
    for gold, comments in pairs:
        pages += bool(comments)
        count += len(comments)
        with_author += sum("author" in comment for comment in comments)
        with_date += sum("date" in comment for comment in comments)
        text = squash(" ".join(comment["text"] for comment in comments))
        labels = " ".join(comment.get(name, "") for comment in comments for name in ("author", "date"))
        own, either = words(text), set(words(text + " " + labels))
        right += sum((own & words(gold["comments"])).values())
        all_words += sum(own.values())
        for line in map(squash, gold.get("without") or []):
            if len(line) <= MIN_LINE:
                continue
            all_lines += 1
            is_text = line[:80] in text
            in_text += is_text
            of_line = set(words(line))
            in_any += is_text or len(of_line & either) > FOUND * len(of_line)
    return [
        ("pages", f"{len(pairs)}"),
        ("words of our comments that are in the marked ones", f"{right / max(all_words, 1):.3f} of {all_words}"),
        ("marked lines that are in the text of a comment", f"{in_text / max(all_lines, 1):.3f} of {all_lines}"),
        ("the same, with lines of author and date", f"{in_any / max(all_lines, 1):.3f}"),
        ("comments with an author", f"{with_author / max(count, 1):.2f} of {count}"),
        ("comments with a date", f"{with_date / max(count, 1):.2f}"),
        ("pages with comments", f"{pages}"),
    ]


def count_unlabelled(pages):
    """Return the number of comments, of those without author and date, and of pages with no other ones."""
    unlabelled = [[not comment.keys() & {"author", "date"} for comment in comments] for comments in pages]
    return sum(map(len, unlabelled)), sum(map(sum, unlabelled)), sum(bool(page) and all(page) for page in unlabelled)


def main():
    pages = list(read_pages(sys.argv[1]))
    comments = [record.get("comments") or [] for record in extract(pages, ["--comments"])[0]]
    halves = [], []
    for (_, page, gold), found in zip(pages, comments):
        if gold.get("comments"):
            halves[not is_design_page(page)].append((gold, found))
    print("| | design | judged |\n|---|--:|--:|")
    for (name, design), (_, judged) in zip(*map(measure, halves)):
        print(f"| {name} | {design} | {judged} |")
    found, unlabelled, only = count_unlabelled(comments)
    print(f"\nOn {len(pages)} pages: {found} comments, {unlabelled} of them without author and date, on {only} pages nothing else.")


if __name__ == "__main__":
    main()

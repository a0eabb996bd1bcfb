"""A web of labelled pages, and the scores of its pages by topic profiles.

The tools of the checkout, or of $FORAGE_BIN, extract the pages, propose the profiles and compute the scores. A page
that is not HTML counts as a dead link."""
import collections
import functools
import json
import os
import pathlib
import random
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = pathlib.Path(os.environ.get("FORAGE_BIN", ROOT / "target" / "release"))
METRICS = ("vsm", "term", "pair", "triple", "passage")


@functools.cache
def host_of(url):
    return urllib.parse.urlsplit(url).netloc


def directory_of(url):
    return url[:url.rindex("/") + 1]


def records(path):
    """Yields the records of a packed file."""
    with subprocess.Popen(["zstd", "-dcq", "--long=27", path], stdout=subprocess.PIPE) as unpack:
        for line in unpack.stdout:
            yield json.loads(line)


def run_tool(command, text=""):
    return subprocess.run(list(map(str, command)), input=text, capture_output=True, text=True, check=True).stdout


class Web:
    """A web of pages with labels. `links` has the URLs that each page links to, in order, and `anchors` the anchor text
    of each; a page that has no text is a dead link, and in neither. `in_links` has the pages that link to a URL."""

    def __init__(self, pack, folder, start):
        self.folder, self.start = folder, start
        folder.mkdir(parents=True, exist_ok=True)
        self.labels = extract_pages(pack, folder)
        self.links, self.anchors, self.lengths = {}, {}, {}
        for line in open(folder / "pages.jsonl"):
            page = json.loads(line)
            if isinstance(page.get("text"), str):
                self.add_page(page)
        self.reached = self.reachable_pages()
        self.in_links = collections.defaultdict(list)
        for url in sorted(self.links):
            for link in self.links[url]:
                self.in_links[link].append(url)

    def add_page(self, page):
        texts = collections.defaultdict(dict)
        for link in page.get("links") or []:
            url = urllib.parse.urldefrag(link["url"])[0]
            if url.startswith("http"):
                texts[url][link.get("text") or ""] = None
        url = page["url"]
        self.links[url], self.lengths[url] = list(texts), len(page["text"])
        self.anchors[url] = [" ".join(parts).strip() for parts in texts.values()]

    def reachable_pages(self):
        reached, queue = {self.start}, collections.deque([self.start])
        while queue:
            for link in self.links.get(queue.popleft(), ()):
                if link in self.links and link not in reached:
                    reached.add(link)
                    queue.append(link)
        return reached

    def is_relevant(self, url, subject):
        return subject in self.labels[url][0]

    def is_borderline(self, url):
        return self.labels[url][1]

    def goal(self, subject, core):
        """Returns the pages that a crawl should find: on the subject, reachable, neither borderline nor in the core."""
        sure = {url for url, (topics, borderline) in self.labels.items() if subject in topics and not borderline}
        return (sure & self.reached) - set(core)

    def draw_core(self, subject, seed, hosts=5, pages=24):
        """Returns the URLs of a core: pages of one subject, as many of each of some hosts."""
        rng, pool = random.Random(f"core {subject} {seed}"), collections.defaultdict(list)
        for url, (topics, borderline) in self.labels.items():
            if topics == [subject] and not borderline and self.lengths.get(url, 0) >= 500:
                pool[host_of(url)].append(url)
        chosen = rng.sample(sorted(host for host in pool if len(pool[host]) >= pages), hosts)
        return [url for host in chosen for url in rng.sample(sorted(pool[host]), pages)]

    def texts(self, urls):
        """Returns the records of these pages, one per line."""
        wanted = set(urls)
        return [line for line in open(self.folder / "pages.jsonl") if json.loads(line)["url"] in wanted]


def extract_pages(pack, folder):
    """Writes the text and the links of all pages to the folder, and returns their labels."""
    if not (folder / "labels.json").exists():
        labels = {}
        with open(folder / "pages.part", "wb") as out:
            tool = subprocess.Popen([BIN / "fetch-extract", "--links", "-q"], stdin=subprocess.PIPE, stdout=out)
            for path in sorted(pack.glob("*.jsonl.zst")):
                for page in records(path):
                    labels[page["url"]] = page["topics"], bool(page["borderline"])
                    if "html" in page:
                        record = {"url": page["url"], "html": page["html"]}
                        tool.stdin.write((json.dumps(record) + "\n").encode())
            tool.stdin.close()
            if tool.wait():
                sys.exit("fetch-extract failed")
        os.rename(folder / "pages.part", folder / "pages.jsonl")
        (folder / "labels.json").write_text(json.dumps(labels))
    return json.loads((folder / "labels.json").read_text())


# --- profiles and scores ----------------------------------------------------------------------------------------------


def write_profile(path, core_lines, c):
    """Writes a profile of a core. Entries are selected and weighted by log odds, as by topic-profile, with another
    exponent, or by their counts in the core."""
    everything = [option for kind in ("terms", "pairs", "triples") for option in (f"--{kind}", "1000000")]
    table = run_tool([BIN / "topic-profile", "--explain", "-q", *everything], "".join(core_lines))
    entries = collections.defaultdict(list)
    for row in table.splitlines()[1:]:
        kind, stems, _, count, documents, hosts, log_odds, weight = row.split("\t")
        weight = float(weight) * float(log_odds) ** (c["exponent"] - 2) if float(log_odds) > 0 else 0.0
        if c["selection"] == "count":
            entries[kind].append((int(count), stems, count, weight))
        elif int(documents) > 2 and int(hosts) > 1 and float(log_odds) > 0:
            entries[kind].append((weight, stems, count, weight))
    profile = ["# language: eng"]
    for kind, size in (("term", 100), ("pair", 100), ("triple", 33)):
        for _, stems, count, weight in sorted(entries[kind], key=lambda e: (-e[0], e[1]))[:size]:
            profile.append(f"{kind}\t{stems}\t{count}\t{count if c['weights'] == 'count' else weight}")
    path.write_text("\n".join(profile) + "\n")


def profile_path(web, subject, seed, core, c):
    """Returns the file of a profile, which is written if it is missing."""
    kind = c["exponent"] if c["selection"] == c["weights"] == "odds" else f"{c['selection']}-{c['weights']}"
    path = web.folder / f"{subject}-{seed}-{kind}.tsv"
    if not path.exists():
        write_profile(path, web.texts(core), c)
    return path


def score_texts(profile, path):
    """Yields the record of each text of a file, and its scores: those of METRICS, and that for the frontier. With a
    threshold of 1, the latter is a cosine."""
    command = [BIN / "topic-filter", "-q", "--profile", profile, "--thresholds", "vsm=1,term=1,pair=1,triple=1", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as tool:
        for line in tool.stdout:
            page = json.loads(line)
            if page.get("topic"):
                topic = page["topic"]
                yield page, [*(topic["scores"][metric] for metric in METRICS), topic["score"]]


def score_pages(web, subject, seed, core, c):
    """Returns the scores of all pages by the profile of a core, as by score_texts."""
    profile = profile_path(web, subject, seed, core, c)
    cached = profile.with_suffix(".page-scores.json")
    if not cached.exists():
        cached.write_text(json.dumps({page["url"]: s for page, s in score_texts(profile, web.folder / "pages.jsonl")}))
    return json.loads(cached.read_text())

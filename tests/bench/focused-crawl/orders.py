"""Orders of a focused crawl with which those of frontier are compared, and crawls by frontier itself.

Each order has the methods of simulation.MeanOrder."""
import collections
import json
import pathlib
import random
import re
import subprocess
import tempfile

from classifiers import LinkClassifier
from labelled_web import BIN, host_of
from simulation import MeanOrder

RELEVANT = 0.5  # probability from which a page is relevant to the page classifier


class Breadth(MeanOrder):
    """Links in the order in which they were found."""

    def add_link(self, parent, page, link, anchor):
        return 0.0


class BestParent(MeanOrder):
    """Links by the highest score of a page that links to them: best-first search."""

    def __init__(self):
        self.best = collections.Counter()

    def add_link(self, parent, page, link, anchor):
        self.best[link] = max(self.best[link], page.score)
        return self.best[link]


class AnchorText(MeanOrder):
    """Links by the highest cosine of an anchor text and the words of the URL with the terms of the profile."""

    def __init__(self, cosines):
        self.cosines, self.best = cosines, collections.Counter()

    def add_link(self, parent, page, link, anchor):
        self.best[link] = max(self.best[link], self.cosines.get(link_text(link, anchor), 0.0))
        return self.best[link]


class RandomOrder(MeanOrder):
    """Any link that is known."""

    def __init__(self, seed):
        self.rng, self.priority = random.Random(f"order {seed}"), {}

    def add_link(self, parent, page, link, anchor):
        return self.priority.setdefault(link, self.rng.random())


class Oracle(MeanOrder):
    """Links to pages on the subject first, then to other pages, in the order in which they were found; no dead links.
    It looks one link ahead, so it is no strict upper bound."""

    def __init__(self, web, goal):
        self.web, self.goal = web, goal

    def add_link(self, parent, page, link, anchor):
        return None if link not in self.web.links else 2.0 if link in self.goal else 1.0


class PageClassifierOrder(MeanOrder):
    """ACHE's LinkClassifierBaseline: a link has the probability of the page on which it was found first. With
    `hard_focus`, only links of relevant pages and of the host that it names are followed; `per_host` is the maximum
    number of links of a host."""

    def __init__(self, probability, hard_focus=None, per_host=None):
        self.probability, self.hard_focus, self.per_host = probability, hard_focus, per_host
        self.priority, self.links_of_host = {}, collections.Counter()

    def add_link(self, parent, page, link, anchor):
        if link in self.priority:
            return None
        if self.hard_focus and self.probability[parent] < RELEVANT and host_of(parent) != self.hard_focus:
            return None
        host = host_of(link)
        if self.per_host is not None and self.links_of_host[host] >= self.per_host:
            return None
        self.links_of_host[host] += 1
        self.priority[link] = self.new_priority(parent, link, anchor)
        return self.priority[link]

    def new_priority(self, parent, link, anchor):
        return self.probability[parent]


class LinkClassifierOrder(PageClassifierOrder):
    """ACHE's LinkClassifierImpl with online learning: after every 500 pages, a naive Bayes classifier of the words of
    URL and anchor text learns which links led to relevant pages, and gives all links their priorities. As long as there
    is none, the order is that of the page classifier."""

    INTERVAL = 500

    def __init__(self, probability):
        super().__init__(probability)
        self.words, self.classifier, self.trained = {}, None, 0

    def new_priority(self, parent, link, anchor):
        self.words[link] = link_words(link, anchor)
        return self.classifier.log_odds(self.words[link]) if self.classifier else self.probability[parent]

    def end_batch(self, requests):
        pages = sum(page is not None for _, page in requests)
        if pages // self.INTERVAL == self.trained:
            return None
        self.trained = pages // self.INTERVAL
        relevant, others = [], []
        for url, page in requests:
            if url in self.words:
                is_relevant = page is not None and self.probability[url] >= RELEVANT
                (relevant if is_relevant else others).append(self.words[url])
        if not relevant or not others:
            return None
        # As many of both, as in ACHE.
        others = random.Random(pages).sample(others, min(len(others), len(relevant)))
        self.classifier = LinkClassifier(relevant, others)
        self.priority = {link: self.classifier.log_odds(words) for link, words in self.words.items()}
        return dict(self.priority)


# --- words of links ---------------------------------------------------------------------------------------------------


def path_words(url):
    return re.findall(r"[^\W\d_]{2,}", url.split("/", 3)[-1])


def link_text(url, anchor):
    """Returns the text of a link as a document: its anchor text, and the words of its path."""
    return f"{anchor}\n{' '.join(path_words(url))}".lower()


def link_words(url, anchor):
    """Returns the features of a link: the words of its anchor text, of its path and its host."""
    words = {f"anchor {word}" for word in re.findall(r"[^\W\d_]{2,}", anchor.lower())}
    words.update(f"url {word.lower()}" for word in path_words(url))
    # Sorted, as the order of a set differs between runs, and with it the last digit of a sum.
    return tuple(sorted(words | {f"host {host_of(url)}"}))


def anchor_cosines(web, profile, score_texts):
    """Returns the cosine of each text of a link with the terms of a profile, where it is not 0."""
    cached = profile.with_suffix(".anchors.json")
    if not cached.exists():
        texts = web.folder / "anchors.jsonl"
        if not texts.exists():
            known = {link_text(*link) for page in web.links for link in zip(web.links[page], web.anchors[page])}
            lines = (json.dumps({"url": "http://a.test/", "text": text}) + "\n" for text in sorted(known))
            texts.with_suffix(".part").write_text("".join(lines))
            texts.with_suffix(".part").rename(texts)
        cached.write_text(json.dumps({page["text"]: s[0] for page, s in score_texts(profile, texts) if s[0]}))
    return json.loads(cached.read_text())


# --- frontier ---------------------------------------------------------------------------------------------------------


def frontier_crawl(web, judge, order, requests, batch=20):
    """Returns the requests of a crawl whose URLs frontier gives; as simulation.crawl."""
    # In memory where that is possible: hundreds of commits wait for the disk, and the state is not needed again.
    memory = pathlib.Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else web.folder) as folder:
        return crawl_with_state(web, judge, order, requests, pathlib.Path(folder) / "frontier.db", batch)


def crawl_with_state(web, judge, order, requests, state, batch):
    tool = [BIN / "frontier", "-q", "--state", state]

    def run(*options, records=()):
        lines = "".join(json.dumps(record) + "\n" for record in records)
        done = subprocess.run([*tool, *options], input=lines.encode(), stdout=subprocess.PIPE, check=True)
        return done.stdout

    def judged(record):
        url = record["url"]
        if url not in web.links:
            error = {"tool": "fetch-extract", "kind": "http-status", "message": "404 Not Found"}
            return None, {**record, "fetch": {"status": 404}, "error": error}
        page = judge(url)
        links = [{"url": link, "text": anchor} for link, anchor in zip(web.links[url], web.anchors[url])]
        return page, {**record, "fetch": {"url": url, "status": 200}, "links": links, "topic": {"score": page.score}}

    run("--add", records=[{"url": web.start}])
    crawled = []
    while len(crawled) < requests:
        given = [json.loads(line) for line in run("--next", str(batch), "--order", order).splitlines()]
        if not given:
            break
        pages = [judged(record) for record in given]
        crawled += [(record["url"], page) for record, (page, _) in zip(given, pages)]
        run(records=[record for _, record in pages])
    return crawled

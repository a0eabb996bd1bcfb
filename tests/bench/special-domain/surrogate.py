"""Keyword search with the inverse document frequencies of other corpora: the paper's table I.

Of 1,000 articles, each is searched for with its best keywords. An article is found if it is the first hit.
"""
import collections
import math
import random
import shutil

import news

ARTICLES = 1000
# The collection and the surrogate corpora of each language, as names of news data.
CORPORA = {"eng": ("reuters21578", {"wikinews": "wikinews-en"}), "jpn": ("livedoor", {"wikinews": "wikinews-ja"})}


def measure(folder, language, run_tool, work):
    """Returns for each source of keywords the shares of articles that are found."""
    name, surrogates = CORPORA[language]
    # The embedded index has the words of the texts only.
    everything = [dict(article, title="") for article in news.read_news(folder, name)]
    chosen = sorted(random.Random(f"surrogate {language}").sample(everything, ARTICLES), key=lambda a: a["url"])
    urls = {article["url"] for article in chosen}
    corpora = {"own": chosen, "same source": [a for a in everything if a["url"] not in urls][:ARTICLES]}
    corpora.update({key: news.read_news(folder, other)[:ARTICLES] for key, other in surrogates.items()})
    corpora["none"] = []
    keywords = {}
    for key, articles in corpora.items():
        corpus = news.SurrogateCorpus(articles)
        keywords[key] = {a["url"]: [word for word, _ in corpus.weigh(a)] for a in chosen}
    found = run_tool(["keywords"], news.to_lines(news.as_record(a, language) for a in chosen))
    keywords["NPScore"] = {r["url"]: [k["phrase"] for k in r.get("keywords") or []] for r in found}
    engine = build_index(chosen, language, run_tool, work)
    ranker = Ranker(chosen)
    for key, by_url in keywords.items():
        values = {}
        for count in (10, 3):
            best = {url: words[:count] for url, words in by_url.items()}
            values[f"any-{count}"] = sum(ranker.first_hit(words) == url for url, words in best.items()) / ARTICLES
            values[f"all-{count}"] = share_found_with_all(engine, best, run_tool)
        yield key, values


def build_index(articles, language, run_tool, work):
    folder = work / f"index-surrogate-{language}"
    shutil.rmtree(folder, ignore_errors=True)
    run_tool(["search", "--engine", f"index:{folder}", "--add"], news.to_lines({k: a[k] for k in ("url", "title", "text")} for a in articles))
    return f"index:{folder}"


def share_found_with_all(engine, queries, run_tool):
    """Returns the share of articles that are the first hit of the embedded index for a query of which all terms must occur."""
    records = ({"asked": url, "step": {"number": number, "target": "x"}, "query": {"id": str(number), "include": words, "exclude": []}}
               for number, (url, words) in enumerate(queries.items(), 1) if words)
    hits = run_tool(["search", "--engine", engine, "--top", 1], news.to_lines(records))
    return len({hit["asked"] for hit in hits if hit.get("url") == hit["asked"]}) / ARTICLES


class Ranker:
    """Ranks articles by BM25 (k1 1.2, b 0.75) over the words of a query, any of which may occur."""

    def __init__(self, articles):
        bags = {a["url"]: collections.Counter(news.words_of(news.text_of(a))) for a in articles}
        average = sum(sum(bag.values()) for bag in bags.values()) / len(bags)
        self.postings = collections.defaultdict(list)
        for url, bag in bags.items():
            long = 1.2 * (0.25 + 0.75 * sum(bag.values()) / average)
            for word, count in bag.items():
                self.postings[word].append((url, count * 2.2 / (count + long)))
        self.size = len(bags)

    def first_hit(self, phrases):
        scores = collections.Counter()
        for word in dict.fromkeys(word for phrase in phrases for word in news.words_of(phrase)):
            found = self.postings.get(word, ())
            idf = math.log(1 + (self.size - len(found) + 0.5) / (len(found) + 0.5))
            for url, weight in found:
                scores[url] += idf * weight
        return min(scores, key=lambda url: (-scores[url], url), default=None)

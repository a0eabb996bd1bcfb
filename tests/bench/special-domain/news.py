"""News articles, their domains, and the words of a text, for the experiments on special-domain collections."""
import collections
import json
import math
import pathlib
import re
import subprocess

LANGUAGES = {"eng": ["reuters21578"], "jpn": ["wikinews-ja", "livedoor"]}
SIZE = 51  # articles of a domain, as in the paper
# No subjects: no label, and the two labels of company reports, which every second article has.
BROAD = {"none", "unlabelled", "earn", "acq"}


def read_news(folder, name):
    """Returns the articles of NAME.jsonl.zst: records with url, title, text, topic and topics."""
    command = ["zstd", "-dcq", "--long=27", pathlib.Path(folder) / f"{name}.jsonl.zst"]
    articles = [json.loads(line) for line in subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.splitlines()]
    if name == "livedoor":
        # The other labels are the columns of the site, which are no subjects.
        for article in articles:
            article["topics"] = [t for t in article["topics"] if t.startswith("title:")]
            article["topic"] = article["topics"][0] if len(article["topics"]) == 1 else "none"
    return articles


def is_on_topic(article, topic):
    """Returns whether an article has a topic, in either source: livedoor has `title:baseball` where Wikinews has `baseball`."""
    return not {topic, f"title:{topic}", topic.removeprefix("title:")}.isdisjoint(article["topics"])


def find_domains(articles):
    """Returns topics with articles that belong to no other of these topics: at least SIZE each, the smallest topic first."""
    count = collections.Counter(article["topic"] for article in articles)
    names = {topic for topic in count if count[topic] >= SIZE and topic not in BROAD}
    while True:
        members = {name: [] for name in names}
        for article in articles:
            own = names.intersection(article["topics"])
            if len(own) == 1:
                members[own.pop()].append(article)
        size, weakest = min((len(members[name]), name) for name in names)
        if size >= SIZE:
            return dict(sorted(members.items(), key=lambda item: (len(item[1]), item[0])))
        names.remove(weakest)


def eight_domains(folder, language):
    """Returns eight domains: topics with the fewest articles, in Japanese four of Wikinews and four of livedoor."""
    sets = [list(find_domains(read_news(folder, name)).items()) for name in LANGUAGES[language]]
    each = 8 // len(sets)
    return dict(domain for domains in sets for domain in domains[:each])


def as_record(article, language):
    """Returns the article as the tools may see it, without its topics."""
    return {"url": article["url"], "id": article["url"], "title": article["title"], "text": article["text"],
            "langid": {"code": language}}


def to_lines(records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


# English: words of two letters and more. Japanese: runs of one script, without single kana and runs of hiragana, which are mostly
# particles and endings. A tagger would be better; this is the method for which nothing has to be installed.
WORD = re.compile(r"[^\W\d_]{2,}(?:'[^\W\d_]+)?|[\u4e00-\u9fff々]+|[\u30a0-\u30ff]+")
STOP_WORDS = set("""a about after all also an and any are as at be been before but by can could did do for from had has have he
her his how if in into is it its more may most no not of on one only or other our out over said say says she should so some
such than that the their them then there these they this to two under up was we were what when which who will with would
you""".split())
JAPANESE_WORD = re.compile(r"[\u4e00-\u9fff々]{2,}|[\u30a1-\u30faー]{2,}|[A-Za-z]{2,}")


def is_japanese(text):
    return len(re.findall(r"[\u3040-\u30ff]", text)) * 20 > len(text)


def words_of(text):
    """Returns the words of a text in lower case, without stop words."""
    found = (JAPANESE_WORD if is_japanese(text) else WORD).findall(text.lower())
    return [word for word in found if word not in STOP_WORDS]


def text_of(record):
    return f"{record.get('title') or ''}\n{record.get('text') or ''}"


class SurrogateCorpus:
    """Inverse document frequencies of a corpus: ln((N + 1) / (df + 1)). Without articles, all are 1."""

    def __init__(self, articles=(), frequencies=None, size=0):
        self.frequencies = collections.Counter(frequencies or {})
        self.size = size
        for article in articles:
            self.size += 1
            self.frequencies.update(set(words_of(text_of(article))))

    def weigh(self, article):
        """Returns the words of an article with tf · idf, best first; equal ones by code point."""
        weights = {}
        for word, count in collections.Counter(words_of(text_of(article))).items():
            idf = math.log((self.size + 1) / (self.frequencies[word] + 1)) if self.size else 1.0
            if idf > 0:
                weights[word] = count * idf
        return sorted(weights.items(), key=lambda item: (-item[1], item[0]))

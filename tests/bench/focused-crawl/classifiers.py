"""Classifiers of an ACHE-like crawler: of pages by logistic regression, of links by naive Bayes.

ACHE trains a support vector machine or a random forest for pages, and a naive Bayes classifier for links. Logistic
regression is, like a linear support vector machine, a linear classifier with a regularised loss, and needs no
library."""
import collections
import json
import math
import random
import re

WORD = re.compile(r"[^\W\d_]{2,}")
EPOCHS, RATE, REGULARISATION = 60, 1.0, 1e-3


class PageClassifier:
    """Logistic regression on words: weights (1 + ln tf) · idf, vectors of length 1. Trained by gradient descent."""

    def __init__(self, positive, negative, seed):
        labelled = [(text, 1) for text in positive] + [(text, 0) for text in negative]
        documents = [(collections.Counter(words_of(text)), label) for text, label in labelled]
        df = collections.Counter(word for words, _ in documents for word in words)
        self.idf = {word: math.log(len(documents) / n) for word, n in df.items() if n > 1}
        self.weights, self.bias = collections.defaultdict(float), 0.0
        examples = [(self.vector(words), label) for words, label in documents]
        rng = random.Random(seed)
        for epoch in range(EPOCHS):
            rng.shuffle(examples)
            rate = RATE / (1 + epoch * 0.1)
            for vector, label in examples:
                error = label - self.probability_of(vector)
                self.bias += rate * error
                for word, value in vector.items():
                    self.weights[word] += rate * (error * value - REGULARISATION * self.weights[word])

    def vector(self, words):
        vector = {word: (1 + math.log(tf)) * self.idf[word] for word, tf in words.items() if word in self.idf}
        length = math.sqrt(sum(value * value for value in vector.values())) or 1.0
        return {word: value / length for word, value in vector.items()}

    def probability_of(self, vector):
        logit = self.bias + sum(self.weights[word] * value for word, value in vector.items() if word in self.weights)
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))

    def probability(self, words):
        return self.probability_of(self.vector(words))


class LinkClassifier:
    """Naive Bayes over the features of links: with or without each word, add-one smoothing."""

    def __init__(self, positive, negative):
        sizes = len(positive), len(negative)
        counts = [collections.Counter(word for words in links for word in words) for links in (positive, negative)]
        self.prior = math.log(sizes[0] / sizes[1])
        self.weights = {}
        for word in counts[0] | counts[1]:
            shares = [(count[word] + 1) / (size + 2) for count, size in zip(counts, sizes)]
            self.weights[word] = math.log(shares[0] / shares[1])

    def log_odds(self, words):
        return self.prior + sum(self.weights.get(word, 0.0) for word in words)


def words_of(text):
    return WORD.findall(text.lower())


def draw_negatives(web, subject, seed, number):
    """Returns random pages that are not on a subject. No other order is told of them."""
    pool = sorted(
        url for url, (topics, borderline) in web.labels.items()
        if subject not in topics and not borderline and web.lengths.get(url, 0) >= 500
    )
    return random.Random(f"negatives {subject} {seed}").sample(pool, number)


def page_probabilities(web, cores):
    """Returns the probabilities of all pages by the classifier of each core, as `cores`, by (subject, seed)."""
    cached = web.folder / "probabilities.json"
    if not cached.exists():
        negatives = {key: draw_negatives(web, *key, len(core)) for key, core in cores.items()}
        wanted = {url for urls in (*cores.values(), *negatives.values()) for url in urls}
        texts = {page["url"]: page["text"] for page in map(json.loads, web.texts(wanted))}
        models = {
            key: PageClassifier([texts[url] for url in core], [texts[url] for url in negatives[key]], key[1])
            for key, core in cores.items()
        }
        probabilities = {" ".join(map(str, key)): {} for key in models}
        for line in open(web.folder / "pages.jsonl"):
            page = json.loads(line)
            if isinstance(page.get("text"), str):
                words = collections.Counter(words_of(page["text"]))
                for key, model in models.items():
                    name = " ".join(map(str, key))
                    probabilities[name][page["url"]] = round(model.probability(words), 6)
        cached.write_text(json.dumps(probabilities))
    stored = json.loads(cached.read_text())
    return {key: stored[" ".join(map(str, key))] for key in cores}

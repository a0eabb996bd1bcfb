"""A classifier that learns from positives only: the nearest centroid of the training halves, by cosine; of words by
tf · idf, or of keyphrases by their scores.

It is the simplest method that needs nothing but the collections: no negatives, no thresholds, no parameters. Each test
article is assigned to the collection with the nearest centroid; whether it truly is on the subject plays no part, so a
collection that strayed from its subject as a whole is classified well.
"""
import collections
import math


def unit(vector):
    length = math.sqrt(sum(weight * weight for weight in vector.values()))
    return {word: weight / length for word, weight in vector.items()} if length else {}


def word_vectors(collections_by_topic, words_of):
    """Returns the vector of each article of each collection: its words by tf · idf, with the idf of the training halves."""
    bags = {topic: [collections.Counter(words_of(f"{a['title']}\n{a['text']}")) for a in articles]
            for topic, articles in collections_by_topic.items()}
    train = [bag for articles in bags.values() for bag in articles[0::2]]
    df = collections.Counter(word for bag in train for word in bag)
    vector = lambda bag: unit({w: (1 + math.log(n)) * math.log(len(train) / df[w]) for w, n in bag.items() if df[w]})
    return {topic: [vector(bag) for bag in articles] for topic, articles in bags.items()}


def evaluate(vectors):
    """Trains with every second article of each collection, and tests with the others. Returns micro and macro averages.

    `vectors` has those of the articles of each collection. An article that is in several collections is tested once in
    each. Micro recall and precision are equal, as every test article is assigned to exactly one collection. A collection
    without a test article counts as 0.
    """
    centroids = {}
    for topic, articles in vectors.items():
        total = collections.Counter()
        for words in articles[0::2]:
            total.update(words)
        centroids[topic] = unit(total)
    right, assigned, tested = collections.Counter(), collections.Counter(), collections.Counter()
    for topic, articles in vectors.items():
        for words in articles[1::2]:
            similarity = {name: sum(words[w] * centroid.get(w, 0) for w in words) for name, centroid in centroids.items()}
            nearest = max(similarity, key=lambda name: (similarity[name], name))
            tested[topic] += 1
            assigned[nearest] += 1
            right[topic] += nearest == topic
    recalls = [right[topic] / max(tested[topic], 1) for topic in vectors]
    precisions = [right[topic] / max(assigned[topic], 1) for topic in vectors]
    fs = [2 * r * p / (r + p) if r + p else 0.0 for r, p in zip(recalls, precisions)]
    mean = lambda values: sum(values) / len(values)
    return {"micro-F": sum(right.values()) / max(sum(tested.values()), 1), "macro-recall": mean(recalls),
            "macro-precision": mean(precisions), "macro-F": mean(fs), "test-articles": sum(tested.values())}

#!/usr/bin/env -S python3 -X utf8
"""Repeats the experiments of Bracewell, Ren & Kuroiwa (2007) on special-domain collections.

usage: tests/bench/special-domain/run.py FOLDER [--only similarity,collection,subjects,speed,measures,surrogate,throughput]
         [--languages eng,jpn] [--draws N] [--seeds N] [--calls N] [--domains N] [--methods LIST] [--out FILE]

FOLDER has news articles: reuters21578.jsonl.zst, wikinews-en.jsonl.zst, wikinews-ja.jsonl.zst and livedoor.jsonl.zst,
records with url, lang, title, text, topic and topics. The tools are those in target/release, or of $FORAGE_BIN;
Japanese needs `make dictionary`. The results are written to tests/lab/papers/special-domain.jsonl.zst, and replace
results of the same experiment, target and setting; then tests/lab/report writes all tables and findings to target/lab.

similarity  (the paper's A) The similarity measures by threshold. Of each of eight domains 51 articles are drawn, one of
            which is the sample; all 400 others are compared with each of the eight samples. Means over the draws.
collection  (B) Eight collections by seven methods, their purity by true label, and two classifiers trained on one half
            of each and tested with the other: of words, and of keyphrases.
subjects    (ours) Collections from two samples of different domains, and from three of one, for BENCHMARKS.md.
speed       (C) Articles collected per hour, over HTTP on the loopback interface, from five samples.
surrogate   (D) The share of 1,000 articles that are the first hit for a query of their own keywords.
measures    (C) CPU time of topic-filter by similarity measure.
throughput  Articles per CPU second, start and memory of keywords and topic-filter, for BENCHMARKS.md.
"""
import argparse
import itertools
import json
import os
import pathlib
import random
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.append(str(ROOT / "tests/lab"))
import classifier
import news
import results as stored
import surrogate

BIN = pathlib.Path(os.environ.get("FORAGE_BIN", ROOT / "target/release"))
WORK = ROOT / "target/special-domain"
RESULTS = ROOT / "tests/lab/papers/special-domain.jsonl.zst"
ENV = dict(os.environ, PATH=f"{BIN}:{os.environ['PATH']}")
PAPER_MEASURES = ["dice", "jaccard", "cosine", "overlap", "percentage", "vector-cosine", "partial-cosine"]
SIZE = 100  # articles of a collection, as in the paper
SITES = 5  # of a web whose sites are searched one by one: 20 hits each make a collection
# Queries made by hand, one for each subject, before any result was seen.
QUERIES = {
    "carcass": ["meat"], "cpi": ["consumer prices"], "gold": ["gold"], "coffee": ["coffee"], "interest": ["interest rates"],
    "ship": ["shipping"], "money-fx": ["foreign exchange"], "grain": ["grain"], "crude": ["crude oil"], "wheat": ["wheat"],
    "corn": ["corn"], "earthquake": ["地震", "震源"], "railway": ["鉄道"], "football-soccer": ["サッカー"], "baseball": ["野球"],
    "title:akb48": ["AKB48"], "title:galaxy": ["GALAXY"], "title:twitter-sns": ["Twitter"], "title:iphone": ["iPhone"],
    "title:korea": ["韓国"], "title:windows-pc": ["Windows", "パソコン"], "title:marriage": ["結婚"],
}


def run_tool(command, records=b"", **env):
    done = subprocess.run(list(map(str, command)), input=records, stdout=subprocess.PIPE, check=True, env=dict(ENV, **env))
    return [json.loads(line) for line in done.stdout.splitlines()]


def row(experiment, target, setting, **values):
    """Returns a result with one point."""
    return {"experiment": experiment, "target": target, "setting": setting, "columns": list(values),
            "points": [[round_value(value) for value in values.values()]]}


def round_value(value):
    return value if value is None or isinstance(value, int) else round(value, 4)


# --- similarity: the measures by threshold ---------------------------------------------------------------------------


def f_printed(precision, recall):
    """F0.25 as the paper prints it, which is F with beta 0.5."""
    return 1.25 * precision * recall / (0.25 * precision + recall) if precision and recall else 0.0


def f_usual(precision, recall):
    return 1.0625 * precision * recall / (0.0625 * precision + recall) if precision and recall else 0.0


def precision_and_recall(pairs, threshold, wanted):
    found = [relevant for score, relevant in pairs if score > threshold]
    return sum(found) / max(len(found), 1), sum(found) / wanted


def full_precision(pairs):
    """Returns the highest score of an article off the subject, and the recall of a threshold there: all above it is on it."""
    threshold = max(score for score, relevant in pairs if not relevant)
    return {"threshold": threshold, "recall": sum(r for s, r in pairs if s > threshold) / sum(r for _, r in pairs)}


def scores_of_draw(domains, keywords, draw, language):
    """Returns for each measure and domain the pairs (score, relevant) of all articles of a draw."""
    rng = random.Random(f"{language} {draw}")
    drawn = {topic: rng.sample(sorted(articles, key=lambda a: a["url"]), news.SIZE) for topic, articles in domains.items()}
    samples = {topic: articles.pop(rng.randrange(news.SIZE)) for topic, articles in drawn.items()}
    others = [(topic, keywords[article["url"]]) for topic, articles in drawn.items() for article in articles]
    scores = {}
    for topic, sample in samples.items():
        file = WORK / f"sample-{language}.jsonl"
        file.write_bytes(news.to_lines([keywords[sample["url"]]]))
        compared = run_tool(["topic-filter", "--samples", file, "--all-measures"], news.to_lines(r for _, r in others))
        for (other, _), record in zip(others, compared):
            for measure, score in (record.get("topic") or {}).get("scores", {}).items():
                scores.setdefault(measure, {}).setdefault(topic, []).append((score, other == topic))
    return scores


def similarity(options, language):
    domains = news.eight_domains(options.folder, language)
    articles = [article for members in domains.values() for article in members]
    records = run_tool(["keywords"], news.to_lines(news.as_record(article, language) for article in articles))
    keywords = {record["url"]: record for record in records}
    columns = ["threshold", "precision", "recall", "F", "F-low", "F-high", "F-usual", "F-domains", "F-usual-domains"]
    points, pure = {}, {}
    for draw in range(options.draws):
        for measure, by_domain in scores_of_draw(domains, keywords, draw, language).items():
            pooled = [pair for pairs in by_domain.values() for pair in pairs]
            pure.setdefault(measure, []).append(full_precision(pooled))
            for hundredths in range(0, 100):
                threshold = hundredths / 100
                p, r = precision_and_recall(pooled, threshold, (news.SIZE - 1) * len(domains))
                single = [precision_and_recall(pairs, threshold, news.SIZE - 1) for pairs in by_domain.values()]
                points.setdefault(measure, {}).setdefault(threshold, []).append((
                    p, r, f_printed(p, r), f_usual(p, r),
                    statistics.mean(f_printed(*x) for x in single), statistics.mean(f_usual(*x) for x in single)))
    for measure, draws in pure.items():
        if measure in PAPER_MEASURES:
            yield row("full-precision", language, measure, **mean_of(draws))
    for measure, by_threshold in points.items():
        lines = []
        for threshold, draws in by_threshold.items():
            p, r, f, usual, domain, usual_domain = (statistics.mean(values) for values in zip(*draws))
            fs = [values[2] for values in draws]
            if f > 0:
                lines.append([round_value(x) for x in (threshold, p, r, f, min(fs), max(fs), usual, domain, usual_domain)])
        experiment = "similarity" if measure in PAPER_MEASURES else "similarity-others"
        yield {"experiment": experiment, "target": language, "setting": measure, "columns": columns, "points": lines}


# --- collection: purity and classification ---------------------------------------------------------------------------


def build_index(options, language):
    """Builds the embedded index of the articles. Returns its engine, and the articles by URL."""
    articles = [article for name in news.LANGUAGES[language] for article in news.read_news(options.folder, name)]
    folder = WORK / f"index-{language}"
    shutil.rmtree(folder, ignore_errors=True)
    records = ({key: article[key] for key in ("url", "title", "text")} for article in articles)
    run_tool(["search", "--engine", f"index:{folder}", "--add"], news.to_lines(records))
    return f"index:{folder}", {article["url"]: article for article in articles}


def draw_sample(articles, topic, seed):
    """Draws an article of a topic that is long enough to have fifteen keyphrases."""
    return draw_samples(articles, topic, seed, 1)[0]


def draw_samples(articles, topic, seed, number):
    """Draws articles of a topic as draw_sample: the same one first, whatever their number."""
    least = 400 if articles[0]["lang"] == "ja" else 1000
    suitable = sorted((a for a in articles if a["topic"] == topic and len(a["text"]) >= least), key=lambda a: a["url"])
    rng = random.Random(f"{topic} {seed}")
    first = rng.choice(suitable)
    others = [article for article in suitable if article is not first]
    return [first, *rng.sample(others, min(number - 1, len(others)))]


def build_site_indexes(articles):
    """Spreads the articles over SITES embedded indexes. Returns their engines."""
    engines = []
    for number in range(SITES):
        folder = WORK / f"site-{number}"
        shutil.rmtree(folder, ignore_errors=True)
        records = ({key: article[key] for key in ("url", "title", "text")} for article in articles[number::SITES])
        run_tool(["search", "--engine", f"index:{folder}", "--add"], news.to_lines(records))
        engines.append(f"index:{folder}")
    return engines


def search_sites(engines, topic):
    """Returns the first 20 hits of each site, in turn, and the calls made."""
    answers = [search_by_hand(engine, topic, 20) for engine in engines]
    urls = [url for rank in itertools.zip_longest(*(urls for urls, _ in answers)) for url in rank if url]
    return urls, sum(calls for _, calls in answers)


def search_by_hand(engine, topic, top=SIZE):
    query = {"id": topic, "include": QUERIES.get(topic, [topic.removeprefix("title:")]), "exclude": []}
    record = {"step": {"number": 1, "target": "on-topic"}, "query": query}
    hits = run_tool(["search", "--engine", engine, "--top", top, "--page-size", 10, "--max-pages", 10], news.to_lines([record]))
    return [hit["url"] for hit in hits if hit.get("url")], -(-len(hits) // 10)


def cpu_of_children():
    """Returns the CPU seconds of all child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def collect(name, engine, language, samples, arguments, **env):
    """Runs special-domain. Returns the URLs of the collection without the samples, the calls made, and wall and CPU seconds."""
    run = WORK / f"run-{name}"
    shutil.rmtree(run, ignore_errors=True)
    command = [ROOT / "pipelines/special-domain", "--lang", language, "--engine", engine, "--out", run, "--quiet"]
    for number, sample in enumerate(samples):
        file = WORK / f"sample-{name}-{number}.txt"
        file.write_text(news.text_of(sample))
        command += ["--sample", file]
    begin, cpu_begin = time.monotonic(), cpu_of_children()
    run_tool([*command, *arguments], **env)
    seconds = time.monotonic() - begin, cpu_of_children() - cpu_begin
    with open(run / "corpus/on-topic.jsonl") as lines:
        urls = [json.loads(line).get("url") for line in lines]
    calls = 0
    with open(run / "journal.jsonl") as lines:
        calls = sum((json.loads(line).get("hit") or {}).get("calls") or 0 for line in lines)
    shutil.rmtree(run)
    return [url for url in urls if url and url not in {sample["url"] for sample in samples}], calls, seconds


def collection_methods(options, engine, language, articles, domains):
    """Returns the methods of collecting by name: functions of a topic and a sample."""
    limits = ["--calls", options.calls, "--docs", 1_000_000]
    loop = lambda *more, samples=1, **env: lambda topic, seed: collect(
        f"{language}-{topic.replace(':', '-')}", engine, language, draw_samples(articles, topic, seed, samples),
        [*limits, "--seed", seed, *more], **env)[:2]
    tf_idf = "--learn", "samples", "--measure", "vector-cosine", "--threshold", "0.3"
    stand_in = WORK / "stand-in"
    stand_in.mkdir(exist_ok=True)
    (stand_in / "keywords").unlink(missing_ok=True)
    (stand_in / "keywords").symlink_to(HERE / "tfidf-keywords")
    rest = news.SurrogateCorpus(a for a in articles if not any(news.is_on_topic(a, topic) for topic in domains))
    table = WORK / f"idf-{language}.json"
    table.write_text(json.dumps({"size": rest.size, "frequencies": rest.frequencies}, ensure_ascii=False))
    with_tfidf = dict(PATH=f"{stand_in}:{ENV['PATH']}", FORAGE_IDF=str(table), PYTHONPATH=str(HERE))
    sites = build_site_indexes(articles)
    return {
        "plain-search": lambda topic, seed: search_by_hand(engine, topic),
        "plain-search-sites": lambda topic, seed: search_sites(sites, topic),
        "tf-idf": loop(*tf_idf, **with_tfidf),
        "tf-idf-15": loop(*tf_idf, samples=15, **with_tfidf),
        "samples": loop("--learn", "samples"),
        "auto": loop("--learn", "auto"),
        "default": loop(),
    }


def collection(options, language):
    domains = list(news.eight_domains(options.folder, language))[:options.domains]
    engine, by_url = build_index(options, language)
    articles = list(by_url.values())
    for name, method in collection_methods(options, engine, language, articles, domains).items():
        if name not in options.methods.split(","):
            continue
        by_topic, by_seed = {topic: [] for topic in domains}, []
        for seed in range(1, 1 + (1 if name.startswith("plain-search") else options.seeds)):
            first = {}
            for topic in domains:
                urls, calls = method(topic, seed)
                right = sum(news.is_on_topic(by_url[url], topic) for url in urls)
                first[topic] = [by_url[url] for url in urls[:SIZE]]
                pure = sum(news.is_on_topic(article, topic) for article in first[topic])
                by_topic[topic].append({
                    "articles": len(urls), "right": right, "purity": right / max(len(urls), 1),
                    "purity-100": pure / max(len(first[topic]), 1), "calls": calls})
                print(f"{language} {name} {topic} {seed}: {right} of {len(urls)} right, {calls} calls", file=sys.stderr)
            by_seed.append({"words": classifier.evaluate(classifier.word_vectors(first, news.words_of)),
                            "keyphrases": classifier.evaluate(keyphrase_vectors(first, language))})
        means = {topic: mean_of(rows) for topic, rows in by_topic.items()}
        for topic, values in means.items():
            yield row(f"collection-{name}", language, topic, **values)
        sizes = [values["articles"] for rows in by_topic.values() for values in rows]
        overall = mean_of(means.values())
        yield row("collection", language, name, **overall, **{
            "articles-median": statistics.median(sizes), "samples": len(sizes), "calls-per-right": overall["calls"] / max(overall["right"], 1)})
        yield row("classification", language, name, **mean_of(values["words"] for values in by_seed))
        yield row("classification-keyphrases", language, name, **mean_of(values["keyphrases"] for values in by_seed))


def keyphrase_vectors(collections_by_topic, language):
    """Returns the vectors of the articles of each collection: their keyphrases, as extracted for the loop, by score."""
    vectors = {}
    for topic, articles in collections_by_topic.items():
        records = run_tool(["keywords"], news.to_lines(news.as_record(article, language) for article in articles))
        vectors[topic] = [classifier.unit({k["phrase"]: k["score"] for k in record["keywords"]}) for record in records]
    return vectors


def subjects(options, language):
    domains = list(news.eight_domains(options.folder, language))
    engine, by_url = build_index(options, language)
    articles = list(by_url.values())
    pairs = [[domain, domains[(number + 3) % len(domains)]] for number, domain in enumerate(domains)]
    for setting, groups in {"two-subjects": pairs, "one-subject": [[domain] * 3 for domain in domains]}.items():
        rows = []
        for topics in groups:
            for seed in (1, 2):
                samples = [draw_sample(articles, topic, 10 * seed + number) for number, topic in enumerate(topics)]
                limits = ["--calls", options.calls, "--docs", 1_000_000, "--seed", seed]
                urls, _, _ = collect(f"subjects-{language}", engine, language, samples, limits)
                right = [{url for url in urls if news.is_on_topic(by_url[url], topic)} for topic in topics]
                found = len(set().union(*right))
                rows.append({"articles": len(urls), "right": found, "purity": found / max(len(urls), 1), "fewest": min(map(len, right))})
                print(f"{language} {topics}: {found} of {len(urls)} right, {rows[-1]['fewest']} of a topic", file=sys.stderr)
        yield row("subjects", language, setting, **mean_of(rows), lost=sum(r["fewest"] < 3 for r in rows))


def mean_of(rows):
    rows = list(rows)
    return {key: statistics.mean(values[key] for values in rows) for key in rows[0]}


# --- speed: articles collected per hour -------------------------------------------------------------------------------


def speed(options, language):
    articles = [article for name in news.LANGUAGES[language] for article in news.read_news(options.folder, name)]
    sets = [news.find_domains(news.read_news(options.folder, name)) for name in news.LANGUAGES[language]]
    largest = sorted(((len(members), topic) for domains in sets for topic, members in domains.items()), reverse=True)[:5]
    web = subprocess.Popen([HERE / "web.py", options.folder, language], stdout=subprocess.PIPE, text=True)
    try:
        port = int(web.stdout.readline())
        for name, more in {"samples": ["--learn", "samples"], "default": []}.items():
            if name not in options.methods.split(","):
                continue
            rows = []
            for seed, (_, topic) in enumerate(largest, 1):
                arguments = ["--connect-to", f"127.0.0.1:{port}", "--delay", 0, "--rate", 1000, "--contact", "test@example.org",
                             "--calls", options.calls, "--seed", seed, *more]
                sample = draw_sample(articles, topic, seed)
                urls, calls, (seconds, cpu) = collect(f"speed-{language}", f"searxng:http://127.0.0.1:{port}", language, [sample], arguments)
                rows.append({"per-hour": 3600 * len(urls) / seconds, "per-cpu-hour": 3600 * len(urls) / cpu, "articles": len(urls),
                             "calls": calls, "seconds": seconds, "cpu-seconds": cpu})
                print(f"{language} {topic}: {len(urls)} articles in {seconds:.1f} s", file=sys.stderr)
            yield row("speed", language, name, **mean_of(rows), slowest=min(values["per-hour"] for values in rows))
    finally:
        web.terminate()
        web.wait()


# --- surrogate corpora --------------------------------------------------------------------------------------------------


def surrogate_corpora(options, language):
    yield from (row("surrogate", language, name, **values) for name, values in surrogate.measure(options.folder, language, run_tool, WORK))


# --- throughput -----------------------------------------------------------------------------------------------------------


def measure_process(command, file):
    """Returns CPU seconds, peak memory in MB and wall seconds of a command of the shell."""
    begin = time.monotonic()
    with open(file, "rb") as source:
        process = subprocess.Popen(command, stdin=source, stdout=subprocess.DEVNULL, env=ENV)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command}: exit {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, time.monotonic() - begin


def throughput(options, language):
    articles = [article for name in news.LANGUAGES[language] for article in news.read_news(options.folder, name)]
    source, one, sample = (WORK / f"{name}-{language}.jsonl" for name in ("articles", "one", "samples"))
    source.write_bytes(news.to_lines(news.as_record(article, language) for article in articles))
    one.write_bytes(news.to_lines([news.as_record(articles[0], language)]))
    sample.write_bytes(news.to_lines(run_tool(["keywords"], news.to_lines([news.as_record(articles[7], language)]))))
    pipe = f"set -o pipefail; keywords --jobs 1 | topic-filter --jobs 1 --samples {shlex.quote(str(sample))}"
    cpu = min(measure_process(["bash", "-c", pipe], source)[0] for _ in range(3))
    memory = measure_process(["keywords", "--jobs", "1"], source)[1]
    start = statistics.median(measure_process(["keywords", "--jobs", "1"], one)[2] for _ in range(21))
    yield row("throughput", language, "keywords-topic-filter", **{
        "articles": len(articles), "articles-per-second": len(articles) / cpu, "keywords-MB": memory, "keywords-start-ms": 1000 * start})


def measures(options, language):
    articles = [article for name in news.LANGUAGES[language] for article in news.read_news(options.folder, name)]
    source, sample = WORK / f"keywords-{language}.jsonl", WORK / f"samples-{language}.jsonl"
    records = run_tool(["keywords"], news.to_lines(news.as_record(article, language) for article in articles))
    source.write_bytes(news.to_lines(records))
    sample.write_bytes(news.to_lines(records[7:8]))
    seconds = {measure: [] for measure in PAPER_MEASURES}
    for _ in range(21):
        for measure, values in seconds.items():
            command = ["topic-filter", "--jobs", "1", "--samples", sample, "--measure", measure]
            values.append(measure_process(command, source)[0])
    for measure, values in seconds.items():
        ratios = {}
        for other in ("dice", "cosine"):  # in the same round, as the machine may have other work
            low, middle, _ = statistics.quantiles([own / its for own, its in zip(values, seconds[other])])
            ratios |= {f"times-{other}": middle, f"times-{other}-low": low}
        yield row("measures", language, measure, **{"articles": len(articles), "cpu-ms": 1000 * statistics.median(values), **ratios})


EXPERIMENTS = {"similarity": similarity, "collection": collection, "subjects": subjects, "speed": speed, "measures": measures, "surrogate": surrogate_corpora, "throughput": throughput}


def common_thresholds(tables):
    """Returns for each measure and threshold the least share of the best F of a language that it has."""
    curves = {}
    for table in tables:
        if table["experiment"] == "similarity":
            f = {point[0]: point[table["columns"].index("F")] for point in table["points"]}
            curves.setdefault(table["setting"], []).append({t: value / max(f.values()) for t, value in f.items()})
    for measure, shares in curves.items():
        if len(shares) > 1:
            thresholds = set.intersection(*(set(share) for share in shares))
            points = [[t, round_value(min(share[t] for share in shares))] for t in sorted(thresholds)]
            yield {"experiment": "common-threshold", "target": "all", "setting": measure, "columns": ["threshold", "share"], "points": points}


def write_results(file, results):
    """Writes results in place of those of the same experiment, target and setting; sorted by experiment and target."""
    name = lambda result: (result["experiment"], result["target"], result["setting"])
    new = {name(result): result for result in results}
    old = [json.loads(line) for line in stored.read_results(file)]
    kept = {name(result): result for result in old}
    kept.update(new)
    kept.update((name(table), table) for table in common_thresholds(list(kept.values())))
    ordered = sorted(kept.values(), key=lambda result: name(result)[:2])
    stored.write_results(file, [json.dumps(r, ensure_ascii=False, separators=(",", ":")) for r in ordered])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="the news articles")
    parser.add_argument("--only", default=",".join(EXPERIMENTS), help="experiments")
    parser.add_argument("--languages", default="eng,jpn", help="languages")
    parser.add_argument("--draws", type=int, default=10, help="draws of similarity")
    parser.add_argument("--seeds", type=int, default=3, help="samples per domain of collection")
    parser.add_argument("--domains", type=int, default=8, help="domains of collection")
    parser.add_argument("--methods", default="plain-search,plain-search-sites,tf-idf,tf-idf-15,samples,auto,default", help="methods of collection and speed")
    parser.add_argument("--calls", type=int, default=150, help="limit of calls of collection and speed")
    parser.add_argument("--out", type=pathlib.Path, default=RESULTS, help="file of results")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    for name in options.only.split(","):
        for language in options.languages.split(","):
            write_results(options.out, list(EXPERIMENTS[name](options, language)))
            print(f"{name} {language}: written", file=sys.stderr)
    if options.out == RESULTS:
        stored.write_report()


if __name__ == "__main__":
    main()

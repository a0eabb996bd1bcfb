#!/usr/bin/env python3
"""Vary the constants of topic profiles and of the crawl, in simulated crawls of a web whose pages have labels.

  constants.py WEB [--folder target/focused-crawl]      prints the table of BENCHMARKS.md, "Topic profiles"

WEB is a folder of packed pages (`*.jsonl.zst` of records with url, html or base64, charset, mime, topics, borderline), as
data/topic/docsweb in the folder of shared data. The tools of the checkout extract the pages, propose a profile for each core and
compute the scores; only the order of the crawl and the votes are simulated, so that one setting takes seconds. A core has 24 pages
of each of five hosts. Each figure is the mean over three cores; precision leaves out borderline pages and the core."""
import argparse, collections, heapq, json, math, multiprocessing, os, pathlib, random, statistics, subprocess, sys, urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = pathlib.Path(os.environ.get("FORAGE_BIN", ROOT / "target" / "release"))
SUBJECTS = {"algorithms": 1500, "programming-languages": 3200}  # documents of a crawl
METRICS = ("vsm", "term", "pair", "triple", "passage")
BASE = dict(exponent=2, entry_share=0.1, recognise=0.7, known=5, host_share=0.1, factor=2, directory=3, back_off=20)
VARIED = dict(exponent=[1, 3], entry_share=[0.05, 0.2, 1], recognise=[0.6, 0.65, 0.75], known=[3, 10, 20], host_share=[0, 0.05, 0.2],
              factor=[1.5, 3], directory=[0, 1, 6], back_off=[0, 10, 40])


def host(url): return urllib.parse.urlsplit(url).netloc


def records(path):
    with subprocess.Popen(["zstd", "-dcq", "--long=27", path], stdout=subprocess.PIPE).stdout as lines:
        for line in lines: yield json.loads(line)


def extract(web, folder):
    """Writes the text and the links of all pages, and returns the labels."""
    pages, labels = folder / "pages.jsonl", {}
    if not (folder / "labels.json").exists():
        with open(folder / "pages.part", "wb") as out:
            tool = subprocess.Popen([BIN / "fetch-extract", "--links", "-q"], stdin=subprocess.PIPE, stdout=out)
            for path in sorted(web.glob("*.jsonl.zst")):
                for page in records(path):
                    labels[page["url"]] = page["topics"], bool(page["borderline"])
                    if "html" in page: tool.stdin.write((json.dumps({"url": page["url"], "html": page["html"]}) + "\n").encode())
            tool.stdin.close()
            if tool.wait(): sys.exit("fetch-extract failed")
        os.rename(folder / "pages.part", pages)
        (folder / "labels.json").write_text(json.dumps(labels))
    return json.loads((folder / "labels.json").read_text())


def read_pages(folder):
    """Returns the links of each page with a text, in order."""
    links, lengths = {}, {}
    for line in open(folder / "pages.jsonl"):
        page = json.loads(line)
        if isinstance(page.get("text"), str):
            out = dict.fromkeys(urllib.parse.urldefrag(link["url"])[0] for link in page.get("links") or [])
            links[page["url"]], lengths[page["url"]] = [link for link in out if link.startswith("http")], len(page["text"])
    return links, lengths


def draw_core(subject, seed, labels, lengths):
    rng, pool = random.Random(f"core {subject} {seed}"), collections.defaultdict(list)
    for url, (topics, borderline) in labels.items():
        if topics == [subject] and not borderline and lengths.get(url, 0) >= 500: pool[host(url)].append(url)
    return [url for name in rng.sample(sorted(h for h in pool if len(pool[h]) >= 24), 5) for url in rng.sample(sorted(pool[name]), 24)]


def score_pages(subject, seed, exponent, folder, core):
    """Returns the scores of all pages by the profile of a core, with another exponent of the log odds."""
    name = folder / f"{subject}-{seed}-{exponent}"
    cached = name.with_suffix(".scores.json")
    if not cached.exists():
        wanted = set(core)
        lines = [line for line in open(folder / "pages.jsonl") if json.loads(line)["url"] in wanted]
        sizes = [option for kind in ("terms", "pairs", "triples") for option in (f"--{kind}", "1000000")]
        table = subprocess.run([BIN / "topic-profile", "--explain", "-q", *sizes], input="".join(lines), capture_output=True, text=True, check=True).stdout
        entries = collections.defaultdict(list)
        for row in table.splitlines()[1:]:
            kind, stems, _, count, documents, hosts, log_odds, weight = row.split("\t")
            if int(documents) > 2 and int(hosts) > 1 and float(log_odds) > 0: entries[kind].append((float(weight) * float(log_odds) ** (exponent - 2), stems, count))
        profile = ["# language: eng"]
        for kind, size in (("term", 100), ("pair", 100), ("triple", 33)):
            profile += [f"{kind}\t{stems}\t{count}\t{weight}" for weight, stems, count in sorted(entries[kind], key=lambda e: (-e[0], e[1]))[:size]]
        name.with_suffix(".tsv").write_text("\n".join(profile) + "\n")
        judged = subprocess.Popen([BIN / "topic-filter", "-q", "--profile", name.with_suffix(".tsv"), "--thresholds", "vsm=1,term=1,pair=1,triple=1",
                                   folder / "pages.jsonl"], stdout=subprocess.PIPE, text=True)
        scores = {}
        for line in judged.stdout:
            page = json.loads(line)
            if page.get("topic"): scores[page["url"]] = [page["topic"]["scores"][metric] for metric in METRICS]
        cached.write_text(json.dumps(scores))
    return json.loads(cached.read_text())


def votes(scores, thresholds, factor=1):
    reach = [score > 0 and score >= threshold * factor for score, threshold in zip(scores, thresholds)]
    return reach[0] + reach[1] + (reach[2] or reach[3]) + reach[4]


def fit(scores, core, c):
    columns = [sorted((scores[url][m] for url in core), reverse=True) for m in range(5)]
    def thresholds(rank):
        at = lambda column, share: column[max(int(rank * share + 0.5), 1) - 1] or min((s for s in column if s), default=1)
        return [at(column, 1 if metric in ("vsm", "passage") else c["entry_share"]) for metric, column in zip(METRICS, columns)]
    recognised = lambda t: sum(votes(scores[url], t) > 0 for url in core)
    return min(map(thresholds, range(1, len(core) + 1)), key=lambda t: abs(recognised(t) - c["recognise"] * len(core)))


def crawl(scores, links, thresholds, c, documents, start, batch=20):
    """Returns the fetched documents with their votes, and the number of requests."""
    total, parents, place, queue, given = collections.Counter(), collections.Counter(), {}, [], {start}
    streak, live, due, parked = collections.Counter(), set(), {}, collections.defaultdict(list)
    judged, sure, sure_in = collections.Counter(), collections.Counter(), collections.Counter()
    done, requests, current = {}, 0, [start]
    while current and len(done) < documents:
        for url in current:
            requests += 1; name = host(url)
            if url not in links:
                streak[name] += 1
                if streak[name] > 1 and c["back_off"]: due[name] = requests + c["back_off"] * (1 if name in live else 2 ** min(streak[name] - 2, 10))
                continue
            streak[name] = 0; live.add(name); due.pop(name, None)
            seldom = judged[name] >= c["known"] and sure[name] < c["host_share"] * judged[name]
            factor, directory = c["factor"] if seldom else 1, url[:url.rindex("/") + 1]
            count = votes(scores[url], thresholds, factor)
            by_directory = not count and not seldom and c["directory"] and sure_in[directory] >= c["directory"]
            judged[name] += 1; sure[name] += count > 1; sure_in[directory] += count > 1
            done[url] = count, bool(by_directory)
            for link in links[url]:
                if link not in given:
                    total[link] += scores[url][0] / thresholds[0] / factor; parents[link] += 1
                    heapq.heappush(queue, (-total[link] / parents[link], place.setdefault(link, len(place)), parents[link], link))
        for name in [name for name, when in due.items() if when <= requests]:
            for entry in parked.pop(name, []): heapq.heappush(queue, entry)
            del due[name]
        current, skipped, taken = [], [], set()
        while queue and len(current) < batch:
            entry = heapq.heappop(queue); _, _, count, url = entry; name = host(url)
            if url in given or count != parents[url]: continue
            if name in due: parked[name].append(entry)
            elif streak[name] and name in taken: skipped.append(entry)
            else: taken.add(name); given.add(url); current.append(url)
        for entry in skipped: heapq.heappush(queue, entry)
        if not current and parked:
            for name in list(parked):
                for entry in parked.pop(name): heapq.heappush(queue, entry)
            due.clear()
            while queue and len(current) < batch:
                _, _, count, url = heapq.heappop(queue)
                if url not in given and count == parents[url]: given.add(url); current.append(url)
    return done, requests


def measure(task):
    subject, seed, c = task
    core = draw_core(subject, seed, LABELS, LENGTHS)
    scores = score_pages(subject, seed, c["exponent"], FOLDER, core)
    thresholds = fit(scores, core, c)
    done, requests = crawl(scores, LINKS, thresholds, c, SUBJECTS[subject], START)
    known, goal = set(core), {url for url, (topics, borderline) in LABELS.items() if subject in topics and not borderline and url in REACHED}
    def precision(chosen):
        true = [subject in LABELS[url][0] for url in done if url not in known and not LABELS[url][1] and chosen(*done[url])]
        return sum(true) / max(len(true), 1)
    undoubted = sum(count > 1 for url, (count, _) in done.items() if url not in known)
    return [precision(lambda count, _: count > 1), precision(lambda count, directory: count or directory), undoubted,
            sum(url in done for url in goal - known) / len(goal - known), requests / len(done)]


def main():
    global LABELS, LINKS, LENGTHS, FOLDER, START, REACHED
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("web", type=pathlib.Path); parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "target" / "focused-crawl")
    parser.add_argument("--start", default="http://portal.test/index.html"); parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    FOLDER, START = args.folder, args.start; FOLDER.mkdir(parents=True, exist_ok=True)
    LABELS = extract(args.web, FOLDER); LINKS, LENGTHS = read_pages(FOLDER)
    REACHED, queue = {START}, collections.deque([START])
    while queue:
        for link in LINKS.get(queue.popleft(), ()):
            if link in LINKS and link not in REACHED: REACHED.add(link); queue.append(link)
    settings = [("as chosen", BASE)] + [(f"{name.replace('_', ' ')} {value}", {**BASE, name: value}) for name, values in VARIED.items() for value in values]
    tasks = [(subject, seed, c) for _, c in settings for subject in SUBJECTS for seed in (1, 2, 3)]
    with multiprocessing.Pool(args.jobs) as pool: results = dict(zip(((i // 6, t[0], t[1]) for i, t in enumerate(tasks)), pool.map(measure, tasks, 3)))
    print("| setting | undoubted | recommended | undoubted pages | recall | requests per document |\n|---|--:|--:|--:|--:|--:|")
    for number, (name, _) in enumerate(settings):
        cells = []
        for column, form in enumerate(("{:.3f}", "{:.3f}", "{:.0f}", "{:.2f}", "{:.1f}")):
            cells.append(" / ".join(form.format(statistics.mean(results[number, subject, seed][column] for seed in (1, 2, 3))) for subject in SUBJECTS))
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__": main()

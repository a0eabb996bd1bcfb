"""Simulated crawls of a labelled web: votes and the order of the crawl are computed as by topic-filter and frontier,
from the scores of all pages, so that one crawl takes seconds."""
import bisect
import collections
import dataclasses
import heapq
import itertools
import math

from labelled_web import METRICS, directory_of, host_of

VOTES = ("vsm", "term", "collocation", "passage")
# The defaults of topic-profile, topic-filter and frontier.
DEFAULTS = dict(
    exponent=2, selection="odds", weights="odds", metrics=VOTES, entry_share=0.1, recognise=0.75, passage="fitted",
    shares=None, fixed=None, background=True, prior_pages=10, wrong=0.25, wrong_undoubted=0.05, certain=1.645,
    independent=True, directory=3, back_off=20, relevant_only=False, in_links=0, forget=0, variable_part=0,
)


# --- the filter -------------------------------------------------------------------------------------------------------


def votes_of(scores, thresholds, factor=1, metrics=VOTES):
    """Returns the metrics that vote for a page."""
    vsm, term, pair, triple, passage = (s > 0 and s >= t * factor for s, t in zip(scores, thresholds))
    reached = dict(vsm=vsm, term=term, collocation=pair or triple, passage=passage)
    return [metric for metric in metrics if reached[metric]]


def fit_thresholds(scores, core, c):
    """Returns the thresholds by which the share `recognise` of the core has a vote, as by topic-filter --fit.

    `shares` fixes those of terms, pairs and triples, and `fixed` all; with `passage` half, that of passages is half of
    that of VSM."""
    if c["fixed"]:
        return c["fixed"]
    columns = [sorted((scores[url][m] for url in core), reverse=True) for m in range(len(METRICS))]

    def value_at(column, rank):
        return column[max(int(rank + 0.5), 1) - 1] or min((s for s in column if s), default=1)

    def thresholds_at(rank):
        shares = (1 if metric in ("vsm", "passage") else c["entry_share"] for metric in METRICS)
        vsm, *counted, passage = (value_at(column, rank * share) for column, share in zip(columns, shares))
        return [vsm, *(c["shares"] or counted), passage if c["passage"] == "fitted" else vsm / 2]

    def distance(thresholds):
        votes = (votes_of(scores[url], thresholds, metrics=c["metrics"]) for url in core)
        recognised = sum(bool(set(names) - {"passage"}) for names in votes)
        return abs(recognised - c["recognise"] * len(core))

    return min(map(thresholds_at, range(1, len(core) + 1)), key=distance)


@dataclasses.dataclass(frozen=True)
class Judgement:
    """What the filter says of a page: its score for the frontier, and the metrics that voted."""
    score: float
    votes: tuple

    @property
    def group(self):
        if not self.votes:
            return "rejected"
        return self.votes[0] if len(self.votes) == 1 else "undoubted"


def wilson_lower(found, judged, errors):
    """Returns the lower limit of a share, by Wilson's interval of a number of standard errors."""
    share, square = found / max(judged, 1), errors * errors
    spread = errors * (share * (1 - share) / max(judged, 1) + square / 4 / max(judged, 1) ** 2) ** 0.5
    return (share + square / 2 / judged - spread) / (1 + square / judged) if judged else 0


class Place:
    """A directory, a host, or all hosts: the square roots of the cosines of judged pages, with and without a vote by
    the thresholds of the core, and the numbers of all, of those with a vote, and of undoubted ones."""

    def __init__(self):
        self.voted, self.rejected = [], []
        self.pages = self.recommended = self.undoubted = self.core = 0

    def reached(self, root):
        return sum(len(roots) - bisect.bisect_left(roots, root) for roots in (self.voted, self.rejected))


class Filter:
    """Judges pages in the order of a crawl, as topic-filter --profile --fit --state: by metrics, host and directory.

    Without `background`, all hosts have the thresholds of the core; with `certain` None, those on the subject have none
    of these, but thresholds by their background; without `independent`, two votes of the same evidence are two."""

    BINS = 512

    def __init__(self, scores, thresholds, c, core):
        self.c, self.core, self.places = c, set(core), collections.defaultdict(Place)
        self.change_scores(scores, thresholds)
        for url in core:
            for place in (self.places[directory_of(url)], self.places[host_of(url)]):
                place.pages, place.recommended = place.pages + 1, place.recommended + 1
                place.undoubted, place.core = place.undoubted + 1, place.core + 1

    def change_scores(self, scores, thresholds):
        """Judges by these scores from now on."""
        self.scores, self.thresholds = scores, thresholds
        self.least = min(sorted(scores[url][0] for url in self.core)[len(self.core) // 20], thresholds[0])
        self.lone_passage = self.strict_passage(self.core)
        self.strict = self.least_undoubted(self.core) if self.c["independent"] and not self.c["fixed"] else 1

    def strict_passage(self, core):
        rank = sum(self.scores[url][0] >= self.thresholds[0] for url in core)
        return sorted((self.scores[url][4] for url in core), reverse=True)[max(int(rank * 0.1 + 0.5), 1) - 1]

    def least_undoubted(self, core):
        goal = self.c["recognise"] ** 2 * len(core)
        has_more = lambda factor: sum(len(self.all_votes(url, factor)) > 1 for url in core) > goal
        factors = [1, *sorted(f for url in core if (f := self.scores[url][0] / self.thresholds[0]) > 1)]
        return next((factor for factor in factors if not has_more(factor)), factors[-1])

    def judge(self, url):
        host, directory, everything = (self.places[key] for key in (host_of(url), directory_of(url), ""))
        factor, strict = self.factors(host, everything)
        votes = self.votes(url, factor)
        if len(votes) > 1 and len(self.all_votes(url, strict)) < 2:
            votes = votes[:1]
        recommended, undoubted = bool(votes), len(votes) > 1
        if not votes and self.is_relevant(directory, host) and not directory_of(url).rsplit("/", 2)[1].isdigit():
            votes = ["directory"]
        for place in (directory, host, everything):
            place.pages, place.recommended = place.pages + 1, place.recommended + recommended
            place.undoubted += undoubted
        for place in (host, everything):
            bisect.insort(place.voted if self.votes(url, 1) else place.rejected, self.scores[url][0] ** 0.5)
        return Judgement(self.scores[url][-1] / self.thresholds[0] / max(factor, 1), tuple(votes))

    def all_votes(self, url, factor):
        return votes_of(self.scores[url], self.thresholds, factor, self.c["metrics"])

    def votes(self, url, factor):
        votes = self.all_votes(url, factor)
        is_weak = votes == ["passage"] and not self.c["fixed"] and self.scores[url][4] < self.lone_passage * factor
        return [] if is_weak else votes

    def is_relevant(self, directory, host):
        limit = self.c["directory"]
        if not limit or self.c["fixed"]:
            return limit and directory.undoubted >= limit
        place = directory if directory.undoubted >= limit else host
        least = 0.5 if place is directory or host.core >= limit else 0.75
        share = wilson_lower(place.recommended, place.pages, 1)
        return place.undoubted >= limit and share > least * self.c["recognise"]

    def factors(self, host, everything):
        """Returns the factors of the thresholds for a vote and for two."""
        c, judged = self.c, len(host.voted) + len(host.rejected)
        if not c["background"] or c["fixed"] or not everything.rejected:
            return 1, self.strict
        if c["certain"] and wilson_lower(len(host.voted), judged, c["certain"]) > 0.75 * c["recognise"]:
            return 1, self.strict
        median, upper = self.quantiles(host.rejected, everything.rejected)
        deviation = max((upper - median) / 0.6745, 1e-9)
        factor, strict = (self.least_root(host, median, deviation, wrong) ** 2 / self.thresholds[0]
                          for wrong in (c["wrong"], c["wrong_undoubted"]))
        return factor, max(strict, self.strict)

    def least_root(self, host, median, deviation, wrong):
        pages, least = 1 + len(host.voted) + len(host.rejected), self.least ** 0.5
        for step in range(int(least * self.BINS), self.BINS):
            root = max(step / self.BINS, least)
            background = pages * 0.5 * math.erfc((root - median) / deviation / 2 ** 0.5)
            if background <= wrong * (1 + host.reached(root)):
                return root
        return 1

    def quantiles(self, own, of_all):
        """Returns the median and the upper quartile of a host's roots, and of some of all hosts."""
        weight = self.c["prior_pages"] / len(of_all)

        def quantile(share):
            rank = share * (len(own) + self.c["prior_pages"]) - 1e-9

            def reaches(root):
                return bisect.bisect_right(own, root) + weight * bisect.bisect_right(of_all, root) >= rank

            indices = ((roots, bisect.bisect_left(range(len(roots)), True, key=lambda i: reaches(roots[i])))
                       for roots in (own, of_all))
            return min((roots[i] for roots, i in indices if i < len(roots)), default=1)

        return quantile(0.5), quantile(0.75)


# --- the crawl --------------------------------------------------------------------------------------------------------


class MeanOrder:
    """Links by the mean score of the pages that link to them (Kluev 2000): `frontier --order mean`."""

    def __init__(self):
        self.sums = {}

    def add_link(self, parent, page, link, anchor):
        """Returns the priority of a link, the highest first, after it was found on a page; None leaves it out."""
        total, parents = self.sums.get(link, (0.0, 0))
        total, parents = self.sums[link] = total + page.score, parents + 1
        return total / parents

    def end_batch(self, requests):
        """Returns new priorities of all waiting links by what was fetched, or None if they do not change."""

    def count(self, url, is_dead):
        """Counts a request."""

    # Returns the estimate by which the links with the highest priorities are ordered again; None if they are not.
    estimate = None


class BestOrder(MeanOrder):
    """Links by the greatest score of a page that links to them, times the share of links to the directory that led to a
    page, which starts from that of the host: `frontier --order best`."""

    PRIOR = 2  # links

    def __init__(self):
        self.best, self.live, self.followed = {}, collections.Counter(), collections.Counter()

    def add_link(self, parent, page, link, anchor):
        if self.best.get(link, -1) >= page.score:
            return None  # it waits with a priority at least as high
        self.best[link] = page.score
        return page.score

    def count(self, url, is_dead):
        for place in (host_of(url), directory_of(url)):
            self.followed[place] += 1
            self.live[place] += not is_dead

    def estimate(self, url, priority):
        host, directory = host_of(url), directory_of(url)
        live = (self.live[host] + self.PRIOR) / (self.followed[host] + self.PRIOR)
        return priority * (self.live[directory] + self.PRIOR * live) / (self.followed[directory] + self.PRIOR)


class HostState:
    """The hosts that are backed off, as by frontier: after two dead links in a row, a host waits for some requests."""

    def __init__(self, back_off):
        self.back_off, self.requests = back_off, 0
        self.streak, self.live = collections.Counter(), set()
        self.due, self.parked = {}, collections.defaultdict(list)

    def count(self, host, is_dead):
        self.requests += 1
        if not is_dead:
            self.streak[host] = 0
            self.live.add(host)
            self.due.pop(host, None)
            return
        self.streak[host] += 1
        if self.streak[host] > 1 and self.back_off:
            doublings = 0 if host in self.live else min(self.streak[host] - 2, 10)
            self.due[host] = self.requests + self.back_off * 2 ** doublings

    def release(self, everything=False):
        """Returns the parked links of hosts that are due, or of all."""
        hosts = list(self.parked) if everything else [host for host, due in self.due.items() if due <= self.requests]
        released = [entry for host in hosts for entry in self.parked.pop(host, [])]
        self.due = {} if everything else {host: due for host, due in self.due.items() if due > self.requests}
        return released


POOL = 20, 500  # links that are ordered again: for each URL of a batch, and at least


class Queue:
    """The links that wait, by priority and then in the order in which they were found."""

    def __init__(self, hosts, order):
        self.order = order
        self.hosts, self.heap, self.place, self.priority, self.given = hosts, [], {}, {}, set()

    def add(self, url, priority):
        self.priority[url] = priority
        heapq.heappush(self.heap, (-priority, self.place.setdefault(url, len(self.place)), url))

    def replace(self, priorities):
        """Gives all waiting links other priorities."""
        self.priority, self.heap = priorities, []
        self.hosts.parked.clear()
        for url, priority in priorities.items():
            if url not in self.given:
                self.heap.append((-priority, self.place[url], url))
        heapq.heapify(self.heap)

    def pop(self):
        """Removes the best entry and returns it, or None if none waits."""
        while self.heap:
            entry = heapq.heappop(self.heap)
            if entry[2] not in self.given and -entry[0] == self.priority[entry[2]]:
                return entry
        return None

    def next_batch(self, size):
        hosts = self.hosts
        for entry in hosts.release():
            heapq.heappush(self.heap, entry)
        batch, skipped, taken = [], [], set()
        for entry in self.candidates(size):
            host = host_of(entry[2])
            if len(batch) == size or hosts.streak[host] and host in taken:
                skipped.append(entry)
            else:
                taken.add(host)
                self.give(entry, batch)
                if len(batch) == size and not self.order.estimate:
                    break
        for entry in skipped:
            heapq.heappush(self.heap, entry)
        if not batch and hosts.parked:
            for entry in hosts.release(everything=True):
                heapq.heappush(self.heap, entry)
            while len(batch) < size and (entry := self.pop()):
                self.give(entry, batch)
        return batch

    def candidates(self, size):
        """Yields the entries of hosts that are not backed off, best first."""
        entries = self.entries_by_priority()
        if not self.order.estimate:
            return entries
        pool = itertools.islice(entries, max(POOL[0] * size, POOL[1]))
        return sorted(pool, key=lambda entry: -self.order.estimate(entry[2], -entry[0]))

    def entries_by_priority(self):
        while entry := self.pop():
            host = host_of(entry[2])
            if host in self.hosts.due:
                self.hosts.parked[host].append(entry)
            else:
                yield entry

    def give(self, entry, batch):
        self.given.add(entry[2])
        batch.append(entry[2])


def crawl(web, judge, order, c, documents=None, requests=None, batch=20):
    """Returns the requests of a crawl up to a number of documents or requests: URL and judgement, or None for a dead
    link. A batch that was begun is completed. Links of the start page's host are followed in any case. A relevant page
    also brings `in_links` pages that link to it, as a search engine would; after every `forget` documents, visited URLs
    can be found again."""
    hosts = HostState(c["back_off"])
    queue, done, live, forgotten, current = Queue(hosts, order), [], 0, 0, [web.start]
    queue.given.add(web.start)
    while current and (documents is None or live < documents) and (requests is None or len(done) < requests):
        for url in current:
            page = judge(url) if url in web.links else None
            done.append((url, page))
            hosts.count(host_of(url), page is None)
            order.count(url, page is None)
            if page is None:
                continue
            live += 1
            if c["relevant_only"] and not page.votes and host_of(url) != host_of(web.start):
                continue
            in_links = web.in_links[url][:c["in_links"]] if page.votes else []
            for link, anchor in [*zip(web.links[url], web.anchors[url]), *((link, "") for link in in_links)]:
                if link not in queue.given and (priority := order.add_link(url, page, link, anchor)) is not None:
                    queue.add(link, priority)
        priorities = order.end_batch(done)
        if priorities is not None:
            queue.replace(priorities)
        current = queue.next_batch(batch)
        if c["forget"] and live // c["forget"] > forgotten:
            forgotten = live // c["forget"]
            queue.given = set(current)
    return done

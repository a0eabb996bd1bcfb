"""Measures of crawls: recall and harvest rate by requests and documents, precision by group, and ranges over cores."""
import itertools
import statistics

GROUPS = ("undoubted", "vsm", "passage", "term", "collocation", "directory", "rejected")


class CrawlResult:
    """The requests of a crawl, URL and judgement, beside the true labels. Precision leaves out borderline pages and the
    core; recall is that of the goal of the web."""

    def __init__(self, web, subject, core, requests):
        self.web, self.subject = web, subject
        self.core, self.goal = set(core), web.goal(subject, core)
        self.requests = requests
        # A page that is fetched again, by a crawl that forgets its URLs, is no further document.
        first = {}
        for number, (url, _) in enumerate(requests):
            first.setdefault(url, number)
        is_new = [first[url] == number for number, (url, _) in enumerate(requests)]
        self.found = list(itertools.accumulate(new and url in self.goal for new, (url, _) in zip(is_new, requests)))
        self.documents = list(itertools.accumulate(new and page is not None for new, (_, page) in zip(is_new, requests)))
        self.pages = {url: page for url, page in requests if page and url not in self.core}

    def after(self, number):
        """Returns documents and found pages after a number of requests; a crawl that ended earlier finds no more."""
        index = min(number, len(self.requests)) - 1
        return self.documents[index], self.found[index]

    def after_documents(self, number):
        """Returns requests and found pages after a number of documents; None if the crawl ended earlier."""
        if self.documents[-1] < number:
            return None
        index = self.documents.index(number)
        return index + 1, self.found[index]

    def recall_at(self, number):
        return self.after(number)[1] / len(self.goal)

    def area(self, number):
        """Returns the mean recall over the requests up to a number: the area under the curve."""
        found = self.found[:number]
        found += found[-1:] * (number - len(found))
        return sum(found) / number / len(self.goal)

    def group(self, *names):
        """Returns the pages of groups that are neither borderline nor in the core, in order."""
        return [url for url, page in self.pages.items() if page.group in names and not self.web.is_borderline(url)]

    def recommended(self):
        return self.group(*GROUPS[:-1])

    def relevant(self, urls):
        return [url for url in urls if self.web.is_relevant(url, self.subject)]

    def precision(self, urls):
        """Returns the share of relevant pages; None of no page."""
        return len(self.relevant(urls)) / len(urls) if urls else None

    def collected(self):
        """Returns the share of the goal that was fetched and recommended."""
        return len(set(self.recommended()) & self.goal) / len(self.goal)

    def f1(self):
        """Returns the harmonic mean of the precision and the recall of what was recommended."""
        precision, recall = self.precision(self.recommended()) or 0.0, self.collected()
        return 2 * precision * recall / ((precision + recall) or 1.0)


def mean(numbers):
    """Returns the mean of the numbers that are not None; None if there is none."""
    numbers = [number for number in numbers if number is not None]
    return round(statistics.fmean(numbers), 4) if numbers else None


def spread(name, numbers):
    """Returns the mean, the least and the greatest of some numbers, as columns."""
    known = [round(number, 4) for number in numbers if number is not None]
    return {name: mean(known), f"{name}-low": min(known, default=None), f"{name}-high": max(known, default=None)}


def paired(values, baseline):
    """Returns the numbers of cores with which a setting is better and worse than the default, as columns."""
    pairs = list(zip(values, baseline))
    return {"better": sum(a > b for a, b in pairs), "worse": sum(a < b for a, b in pairs)}


def table(experiment, target, setting, *points):
    """Returns a measured table, as report-runs reads it, of points with the same columns."""
    columns = list(points[0])
    rows = [[point[column] for column in columns] for point in points]
    return {"experiment": experiment, "target": target, "setting": setting, "columns": columns, "points": rows}

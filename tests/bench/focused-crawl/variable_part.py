"""The variable part of the profile (Kluev 2000, section 4.5) in a simulated crawl: topic-profile draws its entries, and the
filter's scores and thresholds follow."""
import json
import pathlib
import tempfile

from labelled_web import BIN, run_tool, score_texts
from simulation import Filter, fit_thresholds


class ChangingFilter:
    """Judges pages by a profile to which `every` further recommended pages add a variable part."""

    def __init__(self, web, profile, core, scores, c, seed):
        self.web, self.core, self.c = web, core, c
        self.options = ["--profile", profile, "--every", c["variable_part"], "--seed", seed]
        self.filter = Filter(scores, fit_thresholds(scores, core, c), c, core)
        self.recommended, self.due = [], c["variable_part"]

    def judge(self, url):
        if len(self.recommended) >= self.due:
            self.due += self.c["variable_part"]
            self.change()
        page = self.filter.judge(url)
        if page.votes and url not in self.filter.core:
            self.recommended.append(url)
        return page

    def change(self):
        """Draws the variable part, and gives the filter the scores of all pages by the new profile."""
        texts = {json.loads(line)["url"]: json.loads(line)["text"] for line in self.web.texts({*self.core, *self.recommended})}
        lines = [{"url": url, "text": texts[url], "label": "on-topic"} for url in self.core]
        lines += [{"step": {"number": number, "target": "on-topic"}, "url": url, "text": texts[url], "label": "on-topic"}
                  for number, url in enumerate(self.recommended, 1)]
        with tempfile.TemporaryDirectory() as folder:
            journal = pathlib.Path(folder) / "journal.jsonl"
            journal.write_text("".join(json.dumps(line) + "\n" for line in lines))
            profile = run_tool([BIN / "topic-profile", "-q", *self.options, "--update", folder, journal]).strip()
            scores = {page["url"]: s for page, s in score_texts(profile, self.web.folder / "pages.jsonl")}
        self.filter.change_scores(scores, fit_thresholds(scores, self.core, self.c))

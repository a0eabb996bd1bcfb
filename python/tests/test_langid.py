"""Tests of forage.langid as it is installed. LANGID and DEMO_WEB name the programs; without them, the answers are not
compared with those of the tool."""

import json
import os
import pathlib
import pickle
import subprocess
import tempfile
import threading
import unittest

from forage import langid

SLOVENIAN = "Danes je lep dan, zato bomo šli na sprehod do jezera."


def run_tool(records, *options):
    """Returns the field langid that the tool adds to records."""
    lines = "".join(json.dumps(record) + "\n" for record in records)
    command = [os.environ["LANGID"], "--quiet", *options]
    output = subprocess.run(command, input=lines.encode(), check=True, stdout=subprocess.PIPE).stdout
    return [json.loads(line)["langid"] for line in output.splitlines()]


def read_texts():
    """Returns texts of a demo web in many languages: whole, and pieces of all lengths."""
    web = subprocess.run([os.environ["DEMO_WEB"]], check=True, stdout=subprocess.PIPE).stdout
    documents = [json.loads(line)["text"] for line in web.splitlines()]
    pieces = [text[n % 50 : n % 50 + 1 + n % 200] for n, text in enumerate(documents)]
    words = [text.split()[0] for text in documents]
    return documents + pieces + words + [text[:300] for text in documents]


@unittest.skipUnless("LANGID" in os.environ, "LANGID does not name the tool")
class ComparisonWithTheTool(unittest.TestCase):
    def test_answers_are_those_of_the_tool(self):
        texts = read_texts() + ["", "\x00", "\ud800", "x \udc00\ud800 Danes je lep dan", "vkids fy, d,d fd ds gSA esa ls"]
        self.assertGreater(len(texts), 10_000)
        answers = [result.to_dict() for result in langid.identify_many(texts)]
        self.assertEqual(answers, run_tool([{"text": text} for text in texts]))

    def test_languages_are_chosen_as_in_the_tool(self):
        texts = read_texts()[:1000]
        records = [{"text": text} for text in texts]
        with tempfile.TemporaryDirectory() as folder:
            profile = pathlib.Path(folder, "hrv.profile")
            self.make_profile(profile)
            for options, arguments in [
                ({"only": ["sl", "hrv", "eng"]}, ["--only", "sl,hrv,eng"]),
                ({"without": ["slv"]}, ["--without", "slv"]),
                ({"without": ["hrv"], "profiles": [profile]}, ["--without", "hrv", "--profile", profile]),
            ]:
                identifier = pickle.loads(pickle.dumps(langid.Identifier(**options)))
                answers = [result.to_dict() for result in identifier.identify_many(texts)]
                self.assertEqual(answers, run_tool(records, *arguments), options)

    @staticmethod
    def make_profile(profile):
        seed = subprocess.run([os.environ["DEMO_WEB"], "seed", "hrv"], check=True, stdout=subprocess.PIPE).stdout
        tool = pathlib.Path(os.environ["LANGID"]).with_name("ngram-profile")
        subprocess.run([tool, "--lang", "hrv", "--out", profile, "--quiet"], input=seed, check=True)

    def test_the_version_is_that_of_the_tool(self):
        version = subprocess.run([os.environ["LANGID"], "--version"], check=True, stdout=subprocess.PIPE).stdout
        self.assertEqual(langid.__version__, version.decode().split()[1])


class Results(unittest.TestCase):
    def test_a_text_is_identified(self):
        result = langid.identify(SLOVENIAN)
        self.assertEqual((result.code, result.script, result.font), ("slv", "Latn", None))
        self.assertEqual(result.top[0], ("slv", result.score))
        self.assertIn("code='slv'", repr(result))

    def test_languages_that_nothing_tells_apart_are_alternatives(self):
        result = langid.identify("Ustani, stani na visoko i obazri se na istok!")
        self.assertEqual(sorted([result.code, *result.alternatives]), ["bos", "hrv", "srp"])
        self.assertEqual(result.to_dict()["alternatives"], result.alternatives)
        self.assertNotIn("alternatives", langid.identify(SLOVENIAN).to_dict())

    def test_results_are_compared_and_pickled(self):
        result = langid.identify("Ustani, stani na visoko i obazri se na istok!")
        self.assertEqual(pickle.loads(pickle.dumps(result)), result)
        self.assertNotEqual(langid.identify("A fine day today."), result)

    def test_results_have_the_order_of_the_texts_for_any_number_of_jobs(self):
        texts = [SLOVENIAN[: n % 50] for n in range(10_000)]
        expected = [langid.identify(text) for text in texts]
        for jobs in (0, 1, 3):
            self.assertEqual(list(langid.identify_many(iter(texts), jobs=jobs)), expected)

    def test_an_endless_iterable_is_read_in_chunks(self):
        read = 0

        def texts():
            nonlocal read
            while True:
                read += 1
                yield SLOVENIAN

        results = langid.identify_many(texts())
        self.assertEqual([next(results).code for _ in range(5000)], ["slv"] * 5000)
        self.assertLess(read, 10_000)

    def test_threads_share_an_identifier(self):
        identifier = langid.Identifier(only=["slv", "eng"])
        codes = []
        threads = [
            threading.Thread(target=lambda: codes.extend(r.code for r in identifier.identify_many([SLOVENIAN] * 500)))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(codes, ["slv"] * 2000)

    def test_languages_are_listed(self):
        self.assertEqual(langid.Identifier(only={"slv", "hr"}).languages, ["hrv", "slv"])
        self.assertGreater(len(langid.Identifier().languages), 1600)
        self.assertNotIn("slv", langid.Identifier(without=["slv"]).languages)


class Errors(unittest.TestCase):
    def test_other_objects_than_texts_are_refused(self):
        for call in (
            lambda: langid.identify(None),
            lambda: langid.identify(b"text"),
            lambda: langid.identify_many("text"),
            lambda: langid.identify_many(7),
            lambda: langid.Identifier(only="slv"),
            lambda: langid.Identifier(profiles="slv.profile"),
        ):
            self.assertRaises(TypeError, call)

    def test_unknown_languages_are_refused(self):
        for options in ({"only": ["slovenian"]}, {"only": []}, {"only": ["slv"], "without": ["slv"]}, {"without": ["qaa"]}):
            with self.subTest(options):
                self.assertRaises(ValueError, lambda options=options: langid.Identifier(**options))

    def test_a_profile_that_cannot_be_read_is_named(self):
        with self.assertRaises(FileNotFoundError) as raised:
            langid.Identifier(profiles=["missing.profile"])
        self.assertEqual(raised.exception.filename, "missing.profile")
        with self.assertRaisesRegex(ValueError, "test_langid.py: not an n-gram profile"):
            langid.Identifier(profiles=[pathlib.Path(__file__)])

    def test_a_row_without_a_text_has_a_result(self):
        codes = [result.code for result in langid.identify_many([None, SLOVENIAN, float("nan")])]
        self.assertEqual(codes, ["und", "slv", "und"])

    def test_results_before_an_error_are_given(self):
        results = langid.identify_many([SLOVENIAN, SLOVENIAN, 7, SLOVENIAN])
        self.assertEqual([next(results).code, next(results).code], ["slv", "slv"])
        with self.assertRaisesRegex(TypeError, "a text must be str, not int"):
            next(results)
        self.assertEqual(list(results), [])

    def test_an_error_of_the_iterable_is_raised(self):
        def texts():
            yield SLOVENIAN
            raise KeyError("end")

        results = langid.identify_many(texts())
        self.assertEqual(next(results).code, "slv")
        self.assertRaises(KeyError, lambda: next(results))


if __name__ == "__main__":
    unittest.main()

"""Runs the examples of the README on texts of the demo web, those whose libraries are installed."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

README = pathlib.Path(__file__).parent.parent / "README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
# The libraries of the examples; each is shown, so that a renamed one cannot be missed.
LIBRARIES = {"pandas", "polars", "duckdb", "datasets", "datatrove", "pyspark"}
# Checks what the example has left: its names, or files.
CHECKS = {
    "pandas": "assert list(table['language'][:3]) == expected[:3]",
    "polars": "assert table['language'].to_list() == expected",
    "duckdb": "assert dict(db.sql(\"SELECT language(text), count(*) FROM 'web.jsonl' GROUP BY 1\").fetchall()) == counts",
    "datasets": "assert table['language'][:] == expected",
    "datatrove": "import glob; assert sum(len(list(records.read(f))) for f in glob.glob('slovenian/*')) == counts['slv']",
    "pyspark": "assert {row.language: row['count'] for row in table.groupBy('language').count().collect()} == counts",
}
EXPECTED = """
import collections
from forage import langid, records
expected = [result.code for result in langid.identify_many(r["text"] for r in records.read("web.jsonl"))]
counts = dict(collections.Counter(expected))
assert counts["slv"] > 10
"""


def find_library(block):
    """Returns the library that an example is for; an empty string if it needs none."""
    return next((name for name in LIBRARIES if re.search(rf"^(import|from) {name}\b", block, re.MULTILINE)), "")


class Examples(unittest.TestCase):
    def test_there_is_an_example_for_each_library(self):
        self.assertEqual({find_library(block) for block in BLOCKS}, LIBRARIES | {""})

    @unittest.skipUnless("DEMO_WEB" in os.environ, "DEMO_WEB does not name the program")
    def test_examples_run(self):
        web = subprocess.run([os.environ["DEMO_WEB"]], check=True, stdout=subprocess.PIPE).stdout
        lines = web.splitlines(keepends=True)[:500]
        for block in BLOCKS:
            library = find_library(block)
            with self.subTest(library):
                if library and not importlib.util.find_spec(library):
                    self.skipTest(f"{library} is not installed: its example was not run")
                self.run_example(block, library, lines)

    def run_example(self, block, library, lines):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "web.jsonl").write_bytes(b"".join(lines))
            subprocess.run(["gzip", "-k", "web.jsonl"], cwd=folder, check=True)
            script = pathlib.Path(folder, "example.py")
            script.write_text(block + EXPECTED + CHECKS.get(library, ""), encoding="utf-8")
            # Hugging Face's libraries are not to look for anything elsewhere.
            environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": folder, "PYSPARK_PYTHON": sys.executable}
            run = subprocess.run([sys.executable, "-X", "utf8", script], cwd=folder, env=environment, capture_output=True)
            self.assertEqual(run.returncode, 0, run.stderr.decode()[-3000:])


if __name__ == "__main__":
    unittest.main()

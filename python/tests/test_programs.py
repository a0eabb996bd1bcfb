"""Tests of the programs as forage-corpus installs them, if LANGID names one of them."""

import os
import pathlib
import subprocess
import tempfile
import unittest

from forage import records

DEMO = """
demo-web | search --engine index:web --add --quiet
for l in slv eng ces; do demo-web seed $l >$l.txt; done
corpus-builder --target slv --engine index:web --init slv=slv.txt --init eng=eng.txt --init ces=ces.txt \\
  --docs 30 --quiet --out run
"""


@unittest.skipUnless("LANGID" in os.environ, "LANGID does not name the tool")
class Programs(unittest.TestCase):
    def setUp(self):
        self.bin = pathlib.Path(os.environ["LANGID"]).parent
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_the_demo_collects_slovenian_documents(self):
        environment = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}"}
        subprocess.run(["bash", "-euc", DEMO], cwd=self.folder, env=environment, check=True)
        urls = {record["url"] for record in records.read(self.folder / "run/corpus/slv.jsonl")}
        self.assertGreaterEqual(len(urls), 20)

    def test_each_tool_answers_by_its_name_and_through_a_link_elsewhere(self):
        tools = subprocess.run([self.bin / "forage", "--help"], check=True, stdout=subprocess.PIPE).stdout.decode()
        names = [path.name for path in self.bin.iterdir() if f" {path.name}" in tools and path.name != "forage"]
        self.assertGreater(len(names), 15)
        for name in names:
            link = self.folder / name
            link.symlink_to(self.bin / name)
            for program in (self.bin / name, link):
                version = subprocess.run([program, "--version"], check=True, stdout=subprocess.PIPE).stdout
                self.assertEqual(version.split()[0].decode(), name)


if __name__ == "__main__":
    unittest.main()

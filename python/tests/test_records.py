"""Tests of forage.records."""

import gzip
import io
import pathlib
import pickle
import tempfile
import unittest

from forage import records

RECORDS = [{"url": "http://a.example/", "text": "čaj", "n": 10**30}, {"b": None, "a": [1.5, {}]}, {"text": "\ud800x"}]


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write_bytes(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def test_records_are_read_as_they_were_written(self):
        for name in ["a.jsonl", "a.jsonl.gz"] + (["a.jsonl.zst"] if records.zstd else []):
            path = self.folder / name
            records.write(path, RECORDS)
            self.assertEqual(list(records.read(path)), RECORDS, name)
            self.assertEqual(list(records.read(str(path))), RECORDS, name)
            first = path.read_bytes()
            records.write(path, records.read(path))
            self.assertEqual(path.read_bytes(), first, name)
        self.assertEqual(gzip.decompress((self.folder / "a.jsonl.gz").read_bytes()), (self.folder / "a.jsonl").read_bytes())

    def test_letters_are_written_as_such(self):
        out = io.BytesIO()
        records.write(out, RECORDS[:1])
        self.assertEqual(out.getvalue(), '{"url":"http://a.example/","text":"čaj","n":1%s}\n'.encode() % (b"0" * 30))

    def test_open_files_are_read_and_written(self):
        self.assertEqual(list(records.read(io.BytesIO(b'\xef\xbb\xbf{"a":1}\r\n\n{"a":2}'))), [{"a": 1}, {"a": 2}])

    def test_a_line_that_is_no_record_is_named(self):
        for line, cause in [
            (b"[1]", "not a JSON object, but list"),
            (b'{"a":NaN}', "not JSON: NaN is no number in JSON"),
            (b'{"a":1', "not JSON: Expecting ',' delimiter"),
            (b'{"a":"\xff"}', "invalid UTF-8 at byte 7"),
            (b"[" * 100_000, "not JSON: "),
        ]:
            path = self.write_bytes("b.jsonl", b'{"a":1}\n\n' + line + b'\n{"a":2}\n')
            read = records.read(path)
            self.assertEqual(next(read), {"a": 1})
            with self.assertRaises(records.RecordError) as raised:
                next(read)
            error = raised.exception
            self.assertEqual((error.file, error.line), (str(path), 3))
            self.assertTrue(str(error).startswith(f"{path}:3: {cause}"), error)
            self.assertEqual(str(pickle.loads(pickle.dumps(error))), str(error))

    def test_a_damaged_file_is_named(self):
        for name in ["c.gz"] + (["c.zst"] if records.zstd else []):
            path = self.folder / name
            records.write(path, RECORDS)
            for damaged in (path.read_bytes()[:-9], b'{"a":1}\n'):
                path.write_bytes(damaged)
                with self.assertRaisesRegex(records.RecordError, rf"{name}:\d: the file is damaged"):
                    list(records.read(path))

    def test_objects_that_are_no_records_are_refused_and_leave_the_file(self):
        path = self.write_bytes("d.jsonl", b'{"a":1}\n')
        for bad in (7, {"a": float("nan")}, {"a": {1, 2}}):
            with self.assertRaisesRegex(records.RecordError, r"d\.jsonl:2: "):
                records.write(path, [{}, bad])
        self.assertEqual(path.read_bytes(), b'{"a":1}\n')
        self.assertEqual([p.name for p in self.folder.iterdir()], ["d.jsonl"])

    def test_a_missing_file_is_named(self):
        with self.assertRaises(FileNotFoundError):
            next(records.read(self.folder / "missing.jsonl"))


if __name__ == "__main__":
    unittest.main()

"""Reads and writes records, the JSON lines that the tools of Forage read and write.

>>> from forage import records
>>> slovenian = (r for r in records.read("web.jsonl.gz") if r.get("label") == "slv")
>>> records.write("slovenian.jsonl.zst", slovenian)

A name that ends in `.gz` or `.zst` is compressed; Zstandard needs Python 3.14 or the package
backports.zstd.
"""

import contextlib
import gzip
import importlib
import json
import os
import shutil
import sys
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, Union, cast

zstd: Any = None
with contextlib.suppress(ImportError):
    zstd = importlib.import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")

__all__ = ["RecordError", "read", "write"]

Record = dict[str, Any]
File = Union[str, os.PathLike[str], BinaryIO]

# What reading a damaged file raises.
_DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error, *([zstd.ZstdError] if zstd else []))


class RecordError(ValueError):
    """A line that is not a record, or an object that cannot be one."""

    def __init__(self, file: str, line: int, cause: str) -> None:
        super().__init__(file, line, cause)
        self.file = file
        self.line = line
        self.cause = cause

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.cause}"


def read(file: File) -> Iterator[Record]:
    """Returns an iterator over the records of a path, or of a file open for reading bytes.

    Raises RecordError at the first line that is not a record. Blank lines are skipped.
    """
    with contextlib.ExitStack() as stack:
        if isinstance(file, (str, os.PathLike)):
            name = os.fspath(file)
            raw = stack.enter_context(open(name, "rb"))
            lines = stack.enter_context(_open_compressed(raw, name, "rb"))
        else:
            name = str(getattr(file, "name", "-"))
            lines = file
        number = 0
        while True:
            number += 1
            try:
                line = lines.readline()
            except _DAMAGED as error:
                raise RecordError(name, number, f"the file is damaged: {error}") from error
            if not line:
                return
            if line.strip():
                yield _parse_record(line, name, number)


def write(file: File, records: Iterable[Record]) -> None:
    """Writes records to a path, or to a file open for writing bytes.

    A file is replaced once all records are written, so that it can be the source of `records`.
    """
    if not isinstance(file, (str, os.PathLike)):
        _write_lines(file, str(getattr(file, "name", "-")), records)
        return
    name = os.fspath(file)
    # A link stays, and what it refers to is written.
    path = os.path.realpath(name)
    # A device or a pipe cannot be replaced.
    is_special = os.path.exists(path) and not os.path.isfile(path)
    target = path if is_special else f"{path}.{os.getpid()}.new"
    try:
        with open(target, "wb") as raw, _open_compressed(raw, name, "wb") as out:
            _write_lines(out, name, records)
        if not is_special:
            if os.path.exists(path):
                shutil.copymode(path, target)
            os.replace(target, path)
    except BaseException:
        if not is_special:
            with contextlib.suppress(FileNotFoundError):
                os.remove(target)
        raise


def _open_compressed(raw: BinaryIO, name: str, mode: str) -> BinaryIO:
    if name.endswith(".gz"):
        # Without name and time, so that equal records are equal bytes.
        return cast(BinaryIO, gzip.GzipFile("", mode, fileobj=raw, mtime=0))
    if name.endswith(".zst"):
        if zstd is None:
            raise ImportError(f"{name}: Zstandard needs Python 3.14 or the package backports.zstd")
        return cast(BinaryIO, zstd.open(raw, mode))
    return raw


def _parse_record(line: bytes, name: str, number: int) -> Record:
    try:
        record = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"), parse_constant=_refuse)
    except UnicodeDecodeError as error:
        raise RecordError(name, number, f"invalid UTF-8 at byte {error.start + 1}") from None
    # A number of too many digits is a ValueError, too.
    except (ValueError, RecursionError) as error:
        raise RecordError(name, number, f"not JSON: {error}") from None
    if not isinstance(record, dict):
        raise RecordError(name, number, f"not a JSON object, but {type(record).__name__}")
    return record


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number in JSON")


def _write_lines(out: BinaryIO, name: str, records: Iterable[Record]) -> None:
    for number, record in enumerate(records, start=1):
        if not isinstance(record, dict):
            raise RecordError(name, number, f"a record must be dict, not {type(record).__name__}")
        try:
            out.write(_format_record(record) + b"\n")
        except (TypeError, ValueError, RecursionError) as error:
            raise RecordError(name, number, f"not JSON: {error}") from error


def _format_record(record: Record) -> bytes:
    def dump(ensure_ascii: bool) -> str:
        return json.dumps(record, ensure_ascii=ensure_ascii, allow_nan=False, separators=(",", ":"))

    try:
        return dump(False).encode()
    except UnicodeEncodeError:
        # Unpaired surrogates can be escaped only.
        return dump(True).encode()

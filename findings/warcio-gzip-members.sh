#!/bin/sh
# warcio ends a page at the first member of its gzip body [1.8.1]
#
# Expected: content_stream() gives the whole page, or an error.
# Seen: of a body with `Content-Encoding: gzip` whose data are two gzip members only the first is
# given; what follows is dropped, exit 0, no warning. The record's own compression is not
# concerned: the WARC below is not compressed at all. `x-gzip`, which means the same, is not
# decoded: compressed bytes come as the text.
# Contrast: FastWARC 2.0.1 (auto_decode="all") and Python's gzip give both members.
# Valid input: RFC 9110 8.4.1.3 (gzip coding is RFC 1952; x-gzip is equivalent to gzip) and RFC 1952
# 2.2: a file is a series of members, "one after another". Browsers and curl show the whole page.
# Why it matters: servers that store parts compressed (header, article, footer; cached fragments;
# log-like pages that grow by appending) send such bodies. The archive is whole, the corpus made of
# it has pages that stop after the site's header.
# Instead: FastWARC; or decode raw_stream with gzip.decompress, which reads all members.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv v
v/bin/pip install -q warcio==1.8.1 fastwarc==2.0.1

cat >t.py <<'E'
import gzip, io
import warcio.archiveiterator, fastwarc.warc

def warc(coding, body):
    http = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: {coding}\r\n\r\n".encode() + body
    head = (
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://example.org/\r\n"
        "WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: application/http;msgtype=response\r\n"
        "WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\n"
        f"Content-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"

def by_warcio(data):
    return next(warcio.archiveiterator.ArchiveIterator(io.BytesIO(data))).content_stream().read()

def by_fastwarc(data):
    records = fastwarc.warc.ArchiveIterator(io.BytesIO(data), parse_http=True, auto_decode="all")
    return next(iter(records)).reader.read()

two = gzip.compress(b"head " * 9000) + gzip.compress(b"text " * 9000)
print("warcio", len(by_warcio(warc("gzip", two))))
print("fastwarc", len(by_fastwarc(warc("gzip", two))))
print("gzip", len(gzip.decompress(two)))
print("x-gzip", by_warcio(warc("x-gzip", gzip.compress(b"text")))[:2].hex())
E
seen=$(v/bin/python t.py)
expected='warcio 45000
fastwarc 90000
gzip 90000
x-gzip 1f8b'
if [ "$seen" = "$expected" ]; then
	echo 'warcio 1.8.1: 45,000 of 90,000 bytes of a page in two gzip members; x-gzip is not decoded'
else
	printf 'bytes, seen instead:\n%s\n' "$seen"
	exit 1
fi

#!/bin/sh
# Trailers of a chunked page: warcio adds them to the text, FastWARC fails at the next record
#
# Expected: fields after the last chunk belong to the header; the page is "hello".
# Seen: warcio 1.8.1 gives "hello0\r\nSum: 1\r\n\r\n", the end of the chunks and the trailer less two
# bytes as text. FastWARC 2.0.1 with auto_decode gives "hello", then raises OSError at the next
# record, so a loop loses those behind it. warcio also leaves chunks as they are under `Chunked`.
# Contrast: Python's http.client reads "hello".
# Valid input: RFC 9112 7.1.2 (trailer section) and 7 (names of transfer codings are case-insensitive);
# WARC 1.1 6.3.2 keeps the message as it was received.
# Why it matters: servers put digests there. They become the last words of texts, or the run ends.
# Instead: decode chunks yourself up to the one of size 0.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv v
v/bin/pip install -q warcio==1.8.1 fastwarc==2.0.1

cat >t.py <<'E'
import http.client, io, warcio.archiveiterator, fastwarc.warc
from types import SimpleNamespace

def message(coding, chunks):
    return f"HTTP/1.1 200 OK\r\nTransfer-Encoding: {coding}\r\n\r\n{chunks}".encode()

def record(http, number):
    return (
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://example.org/\r\n"
        "WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: application/http;msgtype=response\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-00000000000{number}>\r\n"
        f"Content-Length: {len(http)}\r\n\r\n"
    ).encode() + http + b"\r\n\r\n"

messages = message("chunked", "5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n"), message("Chunked", "5\r\nhello\r\n0\r\n\r\n")
archive = b"".join(record(http, number) for number, http in enumerate(messages))
print("warcio", *(r.content_stream().read() for r in warcio.archiveiterator.ArchiveIterator(io.BytesIO(archive))))
read = ["fastwarc"]
try:
    for r in fastwarc.warc.ArchiveIterator(io.BytesIO(archive), parse_http=True, auto_decode="all"):
        read.append(r.reader.read())
except OSError as error:
    read.append(str(error).split(":")[0])
print(*read)
for data in messages:
    response = http.client.HTTPResponse(SimpleNamespace(makefile=lambda mode: io.BytesIO(data)))
    response.begin()
    print("http.client", response.read())
E
seen=$(v/bin/python t.py)
expected="warcio b'hello0\\r\\nSum: 1\\r\\n\\r\\n' b'5\\r\\nhello\\r\\n0\\r\\n\\r\\n'
fastwarc b'hello' Invalid chunk header
http.client b'hello'
http.client b'hello'"
if [ "$seen" = "$expected" ]; then
	echo 'warcio 1.8.1: a trailer becomes text; FastWARC 2.0.1: the record after a trailer is lost'
else
	printf 'seen instead:\n%s\n' "$seen"
	exit 1
fi

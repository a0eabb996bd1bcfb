#!/bin/sh
# DuckDB makes integers of the fractions that come late in a file of JSON lines [2.0.1]
#
# Expected: a column of numbers that are whole in the first rows and have fractions later is DOUBLE,
# or the query fails, as it does for a late string.
# Seen: the type is that of the first 20,480 rows, BIGINT, and each later 0.5 is read as 0: exit 0,
# no message. A late field is missed likewise, but its name is then an error.
# Valid input: JSON (RFC 8259) has one type of number; 0 and 0.5 are two of its values.
# Contrast: pyarrow 26.0.1 reads the same file as double; polars 2.1.0 fails.
# Why it matters: scores, shares and prices are 0 or 1 for the first thousands of documents of many
# corpora, and a mean of 0 looks like a result.
# Instead: read_json(FILE, sample_size=-1), or columns={...}.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv v
v/bin/pip install -q duckdb==2.0.1

v/bin/python - <<'E' >scores.jsonl
for number in range(30000):
    print('{"id":%d,"score":%s}' % (number, "0.5" if number >= 29000 else "0"))
E
ask() { v/bin/python -c 'import duckdb, sys; print(*duckdb.sql(sys.argv[1]).fetchall()[0])' "$1"; }
seen=$(ask "SELECT count(*), sum(score) FROM 'scores.jsonl'")
right=$(ask "SELECT count(*), sum(score) FROM read_json('scores.jsonl', sample_size=-1)")
if [ "$seen" = '30000 0' ] && [ "$right" = '30000 500.0' ]; then
	echo 'DuckDB 2.0.1: the sum of 29,000 zeros and 1,000 halves is 0'
else
	printf 'seen instead: %s (right: %s)\n' "$seen" "$right"
	exit 1
fi

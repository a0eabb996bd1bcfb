//! The sections of the man page that follow the options.

/// Text after the options in the long help.
pub const SECTIONS: &str = "\
READS
  step    number: the step to which calls are attributed
  query   {include, exclude}: terms that a document must, and must not,
          contain; variants: further spellings of terms, by term;
          like: URL of a document that hits are to be similar to;
          links_to: URL of a page that hits are to link to;
          limit: maximum number of hits, if it is less than that of --next

Records without query, and records with hit, url or error, are passed on
unchanged. With --add: url and text, and title, id and links if present. Records
without url or text are skipped. With --in-links: url, fetch.url, text, label,
dedup.status, error and step.

ADDS
  url     URL of the hit; absent if there is none
  step    last: true on the last record of the step only
  hit     {engine, rank, title, snippet, calls, outcome}
          rank is counted from 1. calls is the number of calls that the record
          cost: the first record of a step has all calls of the step, the
          others have 0 (of several engines, the first record without an
          error). outcome is hit, empty (the query has no hits) or exhausted
          (all hits were returned before). The last record of a step also has
          unseen (hits of the query in the cache that have not been returned),
          more (pages if further pages may be requested, hidden if --max-pages
          forbids it), and the engine's document counts: total (documents that
          match) and df (documents that contain each word); not with several
          engines.
  id, title, text
          from the embedded index, which stores the documents
  error   if the query was not answered, of kind refused (the engine rejects the
          query or the key, or its quota is exhausted), throttled (it asks to
          wait for longer than --patience), engine-down (no connection, no
          response in time, or none that can be read), no-hits (the engine
          seems to fail although it answers, see --max-empty), budget
          (--max-calls or --max-queries is reached) or bad-field (query has the
          wrong type). None of these means that there are no hits, and none is
          cached. hit then has only engine and calls.
  in_links
          with --in-links, and instead of all other fields: the pages that link
          to a relevant page, url and title of each. Empty if the engine knows
          none; absent if it did not answer, which is reported and not cached,
          or if --max-calls or --max-queries is reached. A record that has
          in_links is passed on unchanged.

SEVERAL ENGINES
The hits of several engines are interleaved by rank: the first hit of each
engine, in the order of --engine, then the second of each, and so on. A URL that
several engines return is returned once. --next, --top and the limit of a query
hold for the interleaved hits; a page is requested when its first hit is due, so
that --top 20 takes ten hits from each of two engines, by one call to each.
hit.engine and hit.rank are those of the engine that returned the hit. A query
is empty or exhausted if it is so for all engines that answer.

An engine that fails does not affect the others: the step has an additional
record with an error, before its hits. search waits for a failing engine
(--patience) only if no engine answers. --max-calls and --max-queries limit all
engines together.

THE EMBEDDED INDEX
A document matches if its text contains all inclusion terms and no exclusion
term. Terms are those of all tools of Forage: lower-cased words with a letter,
of at most 40 characters, in alphabets of at least 2. A term of several words is
a phrase. Documents similar to one of the index (query.like) are those that
contain any of its 25 most indicative words, by tf * log(N/df), except the
document itself. Matches are ranked by BM25, equal scores by URL.

Documents that link to a page (query.links_to) are those whose record had the
link when it was added, as fetch-extract --links writes them. URLs are compared
without fragments and tracking parameters. Links of a page to itself do not
count. Only the URLs of links are indexed, and --dump does not write them, so
make an index with links of the records, not of --dump. An index without links,
or of a version before in-links, refuses such queries.

--add creates the folder if it is missing, replaces a document with the same
URL, and generates a missing id. Documents can be found after --add has ended,
and during it after each 50,000. Only one process can add to an index at a time,
but any number of processes can search it meanwhile.

The index records the version of the rules that split text into terms. An index
of another version is refused, because its terms differ from those of queries.
Make a new index of its documents with --dump and --add.

ENGINES ON THE WEB
    SPEC                  key in the environment    hits per page, per query
    searxng:URL           SEARXNG_AUTHORIZATION?    set by the engine
    mediawiki:LANG|URL    MEDIAWIKI_AUTHORIZATION?  500, 10,000
    brave:                BRAVE_API_KEY             20, 200
    mojeek:               MOJEEK_API_KEY            100
    marginalia:           MARGINALIA_API_KEY?       100
    opensearch:URL/INDEX  OPENSEARCH_AUTHORIZATION? 10,000, 10,000
    quickwit:URL/INDEX    QUICKWIT_AUTHORIZATION?   10,000, 10,000
    solr:URL/solr/NAME    SOLR_AUTHORIZATION?       no limit
    yacy:URL              YACY_AUTHORIZATION?       no limit
    gdelt:                none                      one page of 250
    description:URL       DESCRIPTION_AUTHORIZATION?  set by the engine
    feed:URL              FEED_AUTHORIZATION?       the items of the feed

A key with `?` is needed only if the engine requires one. AUTHORIZATION
variables hold the value of the Authorization header, as in \"Basic
dXNlcjpwYXNz\". Keys are sent to the engine's own host only, and are not written
to any record, file or message.

A URL may also follow `brave:`, `mojeek:`, `marginalia:` and `gdelt:`, for a
proxy or an instance of your own. The query part of a URL has options for the
engine, as in brave:?country=SI. For opensearch:, quickwit: and solr:, the
options url=FIELD, title=FIELD and text=FIELD name the fields of the index.
Elasticsearch is searched as opensearch:, and any engine with an OpenSearch 1.1
description, or a page that links to one, as description:. Wikipedias require a
--contact.

A feed (RSS or Atom) lists the latest documents of a site. It is requested once
for all queries, which are matched with the titles and summaries of its items:
terms and phrases as in the embedded index, in the order of the feed. With
--hits, it is requested once per FILE.

Proxies are read from http_proxy, https_proxy and all_proxy. NO_PROXY lists
hosts without a proxy. Engines on this machine or in a private network
(localhost, 127.0.0.1, 192.168.1.9 ...) are always called directly.

Engines split text into words by rules of their own. A phrase is sent in
quotation marks, and so is a term of a script without blanks between words, such
as Japanese, so that it is found whatever these rules are. Only description: is
sent all terms as they are, because its query syntax is unknown.

In-links: mediawiki: finds the pages of the wiki that link to a page of the same
wiki (linksto:), or to a page elsewhere (the first 500 external links that begin
with its URL, without terms). yacy: finds pages of other hosts (inlink:). Other
engines on the web do not support in-links.

Exclusion terms are sent with a minus sign, or in the engine's own syntax.
Engines on the web may ignore them: hits whose title or snippet contains an
exclusion term are skipped, which is reported once. description: and feed:
do not support exclusion, so their hits are only checked. --canary tests any engine. If a
query is too long (brave: 400 characters and 50 words, mediawiki: 300
characters), exclusion terms are dropped, the last ones first, and hits are
checked for them. A query that is too long without them is refused.

A part of an engine may not answer: an engine behind SearXNG (which is then
suspended, asks for a CAPTCHA, or is too slow), or a shard of OpenSearch. If
there are hits nevertheless, they are used, with the ranks that they have, and
what is missing is reported once. When all these hits have been returned, and
the part has answered other queries since, the page is requested once more, and
replaces the first one. If there are no hits, and the engine has never had hits
without these parts, a query that must have hits is sent: the last one that had
some, or a common word. If it has none, the query gets an error: throttled if
all these parts were called too often, otherwise engine-down. If it has some,
the page is requested once more, and may then be empty. These requests are not
counted as calls, as retries are not.

The cache distinguishes engines, page sizes and queries. Two calls to a server
are at least the engine's interval apart, so that engines that others use, too,
are not overloaded and do not suspend you: yacy 11 s, gdelt 5 s, searxng 4 s,
marginalia and description 2 s, brave, mediawiki, mojeek and feed 1 s, an index
of your own 0 s, or as --rate sets it; with --hits, also between processes. An
engine that asks to wait or, with --patience, one that is down is retried after its Retry-After, or after 1, 2, 4
... 300 s, until --patience has passed. An engine that names a longer time is
not called before that time, or for a day at most; with --hits this also holds
for later processes, except with --patience 0. A wait is reported at its start
and every quarter of an hour. An exhausted quota is an error of kind refused,
and search does not wait for it.

Warnings that are marked as reported once are printed once per process, or with
--hits, once per FILE.

STATE
--hits stores pages of hits as soon as they arrive, and returned URLs after
their records have been written. If the output breaks off, run search again on
the same input: nothing is lost or paid for twice, but records that were written
just before a kill may occur twice. With --from-step, in a pipeline that repeats
an interrupted step, URLs are stored before.

When search ends normally, FILE of --hits is complete on its own. With
--from-step and after a kill, FILE-wal belongs to it.

MEMORY AND TIME
Searching needs about 15 MB in addition to the parts of the index that are in
use. Adding needs 64 MB per core, for up to 4 cores. The time of a query to the
embedded index is proportional to the number of documents that match.

EXIT STATUS
  0  all input was processed, including records with an error; with --canary:
     exclusion works
  1  some lines were not records and were skipped; with --canary: exclusion
     does not work
  2  could not run or had to stop: the engine or index does not exist, the key
     is missing, --hits is not a cache of hits, the disk is full; with
     --canary: no conclusion

EXAMPLES
Build an index, and search it for pages with two words and without a third:

  $ search --engine index:web --add docs.jsonl
  $ echo '{\"query\":{\"include\":[\"je\",\"da\"],\"exclude\":[\"the\"]}}' |
      search --engine index:web --top 5 | jq -r .url

Make a new index of the documents of an older one:

  $ search --engine index:web --dump | search --engine index:new --add

Search for pages similar to a given one:

  $ echo '{\"query\":{\"like\":\"http://example.org/\"}}' |
      search --engine index:web --top 5 | jq -r .url

Make an index of pages with their links, and add the pages that link to each
relevant one:

  $ fetch-extract --links urls.jsonl | search --engine index:web --add
  $ search --in-links --engine index:web judged.jsonl

Retrieve the next three Slovenian pages from the web, with a SearXNG instance:

  $ gen-query --stats stats.db --target slv --include or:3 --exclude or:3 \\
      --step 7 | search --engine searxng:http://localhost:8888 \\
      --hits hits.db --next 3 | fetch-extract

Search two engines for news, ten articles from each:

  $ echo '{\"query\":{\"include\":[\"gold\",\"mine\"]}}' |
      search --engine gdelt: --engine mediawiki:https://en.wikinews.org \\
      --top 20 | jq -r '[.hit.engine, .url] | @tsv'

Search a Wikipedia for pages with two words:

  $ echo '{\"query\":{\"include\":[\"lep\",\"dan\"]}}' |
      search --engine mediawiki:sl --top 3 | jq -r .url

Test whether Brave honours exclusion terms:

  $ BRAVE_API_KEY=... search --engine brave: --canary dan,the

Restore the returned URLs of a run whose cache of hits is lost:

  $ search --hits RUN/hits.db --rebuild RUN/journal.jsonl

SEE ALSO
gen-query(1), fetch-extract(1), forage-records(5), forage(7)

R. Ghani, R. Jones, D. Mladenić: Mining the web to create minority language
corpora. CIKM 2001.

V. Kluev: Compiling document collections from the Internet. SIGIR Forum. 2000.";

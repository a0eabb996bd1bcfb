#!/usr/bin/env -S python3 -X utf8
"""A search engine and a web on the loopback interface, for the articles collected per hour.

usage: web.py FOLDER LANGUAGE

Prints its port. /search answers as SearXNG does in JSON: ten articles a page that contain all terms, those with most
occurrences first. Any other address is the page of an article, by its path, with a menu, links and a footer.
"""
import collections
import html
import http.server
import json
import re
import sys
import urllib.parse

import news

PAGE = """<!DOCTYPE html>
<html lang="{lang}"><head><meta charset="utf-8"><title>{title} - The Loopback Times</title></head>
<body><nav><ul><li><a href="/">Home</a></li><li><a href="/world">World</a></li><li><a href="/sport">Sport</a></li></ul></nav>
<article><h1>{title}</h1>
{paragraphs}
</article>
<aside><h2>Most read</h2><ul><li><a href="/1">One</a></li><li><a href="/2">Two</a></li><li><a href="/3">Three</a></li></ul></aside>
<footer>Copyright 2007 The Loopback Times. All rights reserved.</footer></body></html>
"""
PAGE_SIZE = 10


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65536  # one packet for headers and body
    disable_nagle_algorithm = True
    articles = {}  # by path and query
    texts = []     # (text in lower case, article)

    def log_message(self, *_):
        pass

    def answer(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        address = urllib.parse.urlsplit(self.path)
        if address.path == "/search":
            query = urllib.parse.parse_qs(address.query)
            found = find(self.texts, query.get("q", [""])[0])
            first = (int(query.get("pageno", ["1"])[0]) - 1) * PAGE_SIZE
            results = [{"url": a["url"], "title": a["title"], "content": a["text"][:200]} for a in found[first:first + PAGE_SIZE]]
            self.answer(200, "application/json", json.dumps({"results": results}).encode())
            return
        article = self.articles.get((self.headers.get("Host", ""), urllib.parse.unquote(address.path)))
        if article is None:
            self.answer(404, "text/plain", b"not found")
            return
        paragraphs = "\n".join(f"<p>{html.escape(p)}</p>" for p in re.split(r"\n+", article["text"]) if p.strip())
        page = PAGE.format(lang=article["lang"], title=html.escape(article["title"]), paragraphs=paragraphs)
        self.answer(200, "text/html; charset=utf-8", page.encode())


def find(texts, query):
    """Returns the articles with all terms of a query, those with most occurrences first. A term in quotes is a phrase."""
    terms = [(bool(no), (phrase or word).lower()) for no, phrase, word in re.findall(r'(-?)(?:"([^"]*)"|(\S+))', query)]
    wanted = [term for no, term in terms if not no and term]
    unwanted = [term for no, term in terms if no and term]
    counts = collections.Counter()
    for number, (text, _) in enumerate(texts):
        if wanted and all(term in text for term in wanted):
            occurrences = [count(term, text) for term in wanted]
            if all(occurrences) and not any(count(term, text) for term in unwanted):
                counts[number] = sum(occurrences)
    return [texts[number][1] for number, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def count(term, text):
    """Returns the occurrences of a term: between the borders of words if it has Latin letters."""
    return len(re.findall(rf"(?<!\w){re.escape(term)}(?!\w)", text)) if term.isascii() and term in text else text.count(term)


def main():
    folder, language = sys.argv[1:]
    for name in news.LANGUAGES[language]:
        for article in news.read_news(folder, name):
            address = urllib.parse.urlsplit(article["url"])
            Handler.articles[address.netloc, urllib.parse.unquote(address.path)] = article
            Handler.texts.append((news.text_of(article).lower(), article))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()

#!/usr/bin/env -S python3 -X utf8
"""engine_meanings: what the words of a query mean to real search servers, measured.

  up NAME...     start servers on loopback, each with the same documents; print NAME and --engine
  down           stop them, and remove what they have written
  table NAME...  ask each server that runs the queries below, and print a table for the guide

NAME is sqlite, postgres or mariadb (MediaWiki on that database), kiwix or omega. `tests/engines up NAME...` installs what
is missing and then calls this program, which needs the built programs in target/release. The documents are 30 pages of ten
languages of the demo's web, and pages with what those lack. The measure is the embedded index of the same documents.
"""
import html, http.server, json, os, pathlib, re, shutil, signal, subprocess, sys, threading, time, urllib.error, urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN, STATE = ROOT / "target/release", pathlib.Path(os.environ.get("XDG_RUNTIME_DIR") or "/tmp") / "forage-engines-web"
WIKI, OMEGA, LIBZIM = pathlib.Path("/usr/share/mediawiki"), "/usr/lib/cgi-bin/omega/omega", ROOT / "target/python/libzim"
PORTS = {"sqlite": 18191, "postgres": 18192, "mariadb": 18193, "kiwix": 18194, "omega": 18195}
LANGUAGES = "slv hrv ces eng rus kat tha ara hin zho".split()
EXTRA = [  # apostrophes as typed and as typeset, hyphens, capitals, diacritics, an order of words; Khmer, N'Ko, Thai
    "У хаті було п'ять котів і одна кішка.", "Минуло п’ять років, а п’ять ще буде.", "Emañ ar c'hoad bras en tu all.",
    "Ar c’hoad a oa teñval ha yen.", "Stara slika je črno-bela in zelo lepa.", "Lepa bela cesta pelje v dolino.",
    "Na cesti bela lepa hiša stoji sama.", "OTOK LOŠINJ leži daleč na jugu.", "otok lošinj je lep in otok je zelen.",
    "Caj in kava sta na mizi pri oknu.", "Čaj in kava sta na mizi pri peči.", "ខ្ញុំស្រឡាញ់ភាសាខ្មែរ ហើយខ្ញុំរៀនរាល់ថ្ងៃ។",
    "ភាសាខ្មែរពិបាកណាស់ ប៉ុន្តែស្រស់ស្អាត។", "ߒߞߏ ߞߊ߲ ߦߋ߫ ߞߊ߲ ߢߌߡߊ߫ ߟߋ߬ ߘߌ߫", "ߞߊ߲ ߞߋߟߋ߲߫ ߕߍ߫ ߛߋ߫", "ฉันรักภาษาไทยและวัฒนธรรมไทย", "เขาเรียนภาษาไทยทุกวัน",
    "Рівно пʼять яблук на столі.",
]
QUERIES = [  # column, inclusion terms, exclusion terms
    ("word", ["dan"], []), ("two words", ["je", "se"], []), ("phrase", ["bela cesta"], []), ("exclusion", ["je"], ["godine"]),
    ("stop word excluded", ["dan"], ["in"]), ("apostrophe", ["п'ять"], []), ("Breton", ["c’hoad"], []), ("hyphen", ["črno"], []),
    ("short word", ["ki"], []), ("stop word", ["about"], []), ("capital", ["lošinj"], []), ("diacritic", ["čaj"], []),
    ("Georgian", ["და"], []), ("Thai", ["ภาษา"], []), ("Khmer", ["ភាសា"], []), ("N'Ko", ["ߞߊ߲"], []),
]


def run(*command, **options):
    p = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if p.returncode:
        sys.exit(f"engine_meanings: {command[0]}: {p.stdout.strip()[-400:]}")
    return p.stdout


def start(name, *command, **options):
    with open(STATE / f"{name}.log", "a") as log:
        p = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, **options)
    with open(STATE / "pids", "a") as pids:
        print(p.pid, file=pids)


def wait_for(url):
    for _ in range(100):
        try:
            return urllib.request.urlopen(url, timeout=20).read()
        except OSError:
            time.sleep(0.2)
    sys.exit(f"engine_meanings: {url} does not answer; see {STATE}")


def slovenian_pages():
    truth = dict(line.split("\t") for line in run(BIN / "demo-web", "truth").splitlines())
    texts = {json.loads(line)["text"] for line in run(BIN / "demo-web", "docs").splitlines() if truth[json.loads(line)["url"]] == "slv"}
    return {number for number, text in enumerate(documents()) if text in texts}


def documents():
    truth = dict(line.split("\t") for line in run(BIN / "demo-web", "truth").splitlines())
    chosen, count = [], dict.fromkeys(LANGUAGES, 30)
    for line in run(BIN / "demo-web", "docs").splitlines():
        record = json.loads(line)
        if count.get(truth[record["url"]], 0):
            count[truth[record["url"]]] -= 1
            chosen.append(record["text"])
    return chosen + EXTRA


def pages():
    return [(f"Page {number}", text) for number, text in enumerate(documents())]


def up_wiki(name):
    port, conf = PORTS[name], STATE / name
    conf.mkdir()
    database = ["--dbtype", "sqlite", "--dbpath", conf]
    account = ["--dbuser", "wiki", "--dbpass", "x", "--installdbuser", "wiki", "--installdbpass", "x"]
    if name == "postgres":
        data, bin = conf / "data", next(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
        shutil.chown(conf, "postgres")
        as_user = lambda *command: run("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *command, cwd="/")
        as_user(bin / "initdb", "-D", data, "-A", "trust", "-U", "wiki", "-E", "UTF8", "--locale=C.UTF-8")
        start(name, "setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", bin / "postgres", "-D", data, "-p", "18432", "-k", conf, "-h", "127.0.0.1", cwd="/")
        database = ["--dbtype", "postgres", "--dbserver", "127.0.0.1", "--dbport", "18432", *account]
    elif name == "mariadb":
        run("mariadb-install-db", "--user=root", f"--datadir={conf}/data", "--auth-root-authentication-method=normal", "--skip-test-db")
        start(name, "mariadbd", "--no-defaults", "--user=root", f"--datadir={conf}/data", "--port=18306", "--bind-address=127.0.0.1", f"--socket={conf}/socket")
        wait_until(lambda: (conf / "socket").exists())
        run("mariadb", "-S", conf / "socket", "-u", "root", "-e", "create user wiki@'127.0.0.1' identified by 'x'; grant all on *.* to wiki@'127.0.0.1' with grant option")
        database = ["--dbtype", "mysql", "--dbserver", "127.0.0.1:18306", *account]
    if name == "postgres":
        wait_until(lambda: subprocess.run(["pg_isready", "-h", "127.0.0.1", "-p", "18432"], stdout=subprocess.DEVNULL).returncode == 0)
    environment = dict(os.environ, MW_CONFIG_FILE=str(conf / "LocalSettings.php"))
    run("php", WIKI / "maintenance/install.php", "--dbname", "wiki", *database, "--confpath", conf, "--scriptpath", "", "--server", "http://wiki.test", "--pass", "forage-forage-1", "--skins", "Vector", "Demo", "Admin")
    with open(conf / "LocalSettings.php", "a") as settings:
        settings.write("\n$wgRateLimits = [];\n$wgArticlePath = '/index.php/$1';\n")
    with open(conf / "pages.xml", "w") as out:
        out.write('<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">')
        for number, (title, text) in enumerate(pages(), 10):
            out.write(f"<page><title>{title}</title><ns>0</ns><id>{number}</id><revision><id>{number}</id><timestamp>2026-01-01T00:00:00Z</timestamp><model>wikitext</model><format>text/x-wiki</format><text>{html.escape(text)}</text></revision></page>")
        out.write("</mediawiki>")
    run("php", WIKI / "maintenance/importDump.php", "--no-updates", conf / "pages.xml", env=environment)
    if name != "postgres":  # which has a trigger
        run("php", WIKI / "maintenance/rebuildtextindex.php", env=environment)
    start(name, "php", "-S", f"127.0.0.1:{port}", "-t", WIKI, env=environment)
    wait_for(f"http://127.0.0.1:{port}/api.php")


def wait_until(is_ready):
    for _ in range(150):
        if is_ready():
            return
        time.sleep(0.2)
    sys.exit(f"engine_meanings: a server does not start; see {STATE}")


def up_kiwix():
    sys.path.insert(0, str(LIBZIM))
    from libzim.writer import Creator, Hint, Item, StringProvider

    class Page(Item):
        def __init__(self, title, text):
            super().__init__()
            self.title, self.text = title, text
        def get_path(self): return self.title.replace(" ", "_")
        def get_title(self): return self.title
        def get_mimetype(self): return "text/html"
        def get_hints(self): return {Hint.FRONT_ARTICLE: True}
        def get_contentprovider(self):
            return StringProvider(f"<html><head><title>{self.title}</title></head><body><p>{html.escape(self.text)}</p></body></html>")

    with Creator(STATE / "demo.zim").config_indexing(True, "eng") as zim:
        zim.set_mainpath("Page_0")
        for title, text in pages():
            zim.add_item(Page(title, text))
        for name in "Title Name Creator Publisher Description".split():
            zim.add_metadata(name, "demo")
        zim.add_metadata("Language", "eng")
        zim.add_metadata("Date", "2026-01-01")
    start("kiwix", "kiwix-serve", "-i", "127.0.0.1", "-p", PORTS["kiwix"], STATE / "demo.zim")
    wait_for(f"http://127.0.0.1:{PORTS['kiwix']}/search/searchdescription.xml")


def up_omega():
    folder = STATE / "omega"
    folder.mkdir()
    (folder / "dump").write_text("".join(f"url=http://omega.test/page/{number}\ntitle={title}\ntext={' '.join(text.split())}\n\n" for number, (title, text) in enumerate(pages())))
    (folder / "script").write_text("url : field=url boolean=Q unique=Q\ntitle : field=title\ntext : index truncate=300 field=sample\n")
    (folder / "omega.conf").write_text(f"database_dir {folder}\ntemplate_dir /usr/share/xapian-omega/templates\n")
    run("scriptindex", folder / "default", folder / "script", folder / "dump")
    start("omega", sys.executable, __file__, "serve-omega", folder)
    wait_for(f"http://127.0.0.1:{PORTS['omega']}/osd.xml")


def serve_omega(folder):
    description = """<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/"><ShortName>Omega</ShortName><Url type="application/rss+xml"
        indexOffset="0" template="/omega?P={searchTerms}&amp;FMT=opensearch&amp;DEFAULTOP=and&amp;HITSPERPAGE={count?}&amp;TOPDOC={startIndex?}"/></OpenSearchDescription>"""

    texts = pages()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            path, _, query = self.path.partition("?")
            media_type, body = "application/opensearchdescription+xml", description.encode()
            if path.startswith("/page/"):
                title, text = texts[int(path[6:])]
                media_type, body = "text/html; charset=utf-8", f"<html><head><title>{title}</title></head><body><p>{html.escape(text)}</p></body></html>".encode()
            if path == "/omega":
                environment = dict(os.environ, OMEGA_CONFIG_FILE=f"{folder}/omega.conf", REQUEST_METHOD="GET", SCRIPT_NAME="/omega", QUERY_STRING=query)
                headers, _, body = subprocess.run([OMEGA], env=environment, stdout=subprocess.PIPE).stdout.partition(b"\n\n")
                media_type = headers.decode().strip().partition("Content-Type: ")[2]
            self.send_response(200)
            self.send_header("Content-Type", media_type)
            self.end_headers()
            self.wfile.write(body)
        def log_message(self, *_): pass

    http.server.ThreadingHTTPServer(("127.0.0.1", PORTS["omega"]), Handler).serve_forever()


def engine(name):
    address = f"http://127.0.0.1:{PORTS[name]}"
    path = {"kiwix": "/search/searchdescription.xml", "omega": "/osd.xml"}.get(name, "/api.php")
    return f"{'description' if path.endswith('xml') else 'mediawiki'}:{address}{path}"


def index():
    folder = STATE / "index"
    if not folder.exists():
        records = [json.dumps({"url": f"http://index.test/{number}", "title": title, "text": text}) for number, (title, text) in enumerate(pages())]
        run(BIN / "search", "--engine", f"index:{folder}", "--add", input="\n".join(records))
    return f"index:{folder}"


def find(spec, include, exclude, *options):
    """Return the titles of all hits in order, and the total that the engine reports."""
    query = json.dumps({"query": {"include": include, "exclude": exclude}})
    command = [str(BIN / "search"), "--engine", spec, "--rate", "1000", "--contact", "test@example.org", "--top", "1000", "--max-pages", "100", *options]
    p = subprocess.run(command, input=query, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    records = [json.loads(line) for line in p.stdout.splitlines()]
    titles = [record["hit"]["title"] for record in records if record.get("url")]
    return titles, records[-1]["hit"].get("total"), records[-1].get("error")


def cell(spec, column, include, exclude):
    true, found = set(find(index(), include, exclude)[0]), find(spec, include, exclude)
    if found[2]:
        return "error"
    right, wrong = len(true & set(found[0])), len(set(found[0]) - true)
    return "=" if right == len(true) and not wrong else f"{right} of {len(true)}" + (f", +{wrong}" if wrong else "")


class Proxy(http.server.BaseHTTPRequestHandler):
    """A proxy by which kiwix.test is kiwix-serve: its links are relative, and pages of 127.0.0.1 are not fetched."""
    def do_GET(self):
        path = "/" + self.path.split("/", 3)[3]
        try:
            answer = urllib.request.urlopen(f"http://127.0.0.1:{PORTS['kiwix']}{path}", timeout=20)
        except urllib.error.HTTPError as error:
            answer = error
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.headers["Content-Type"])
        self.end_headers()
        self.wfile.write(answer.read())
    def log_message(self, *_): pass


def count_run(name, spec):
    """Return the number of Slovenian documents that a default run finds."""
    environment = dict(os.environ, PATH=f"{BIN}:{os.environ['PATH']}")
    if name == "kiwix":
        proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        environment["http_proxy"] = f"http://127.0.0.1:{proxy.server_port}"
        spec = "description:http://kiwix.test/search/searchdescription.xml"
    out = STATE / f"run-{name}"
    shutil.rmtree(out, ignore_errors=True)
    inits = []
    for code in "slv hrv ces eng".split():
        (STATE / f"{code}.txt").write_text(run(BIN / "demo-web", "seed", code))
        inits += ["--init", f"{code}={STATE / code}.txt"]
    web = [] if spec.startswith("index:") else ["--contact", "test@example.org", "--connect-to", f"127.0.0.1:{PORTS[name]}", "--delay", "0", "--rate", "1000"]
    command = [ROOT / "pipelines/corpus-builder", "--target", "slv", "--engine", spec, "--learn", "auto", "--calls", "100", "--quiet", "--out", out, *inits, *web]
    p = subprocess.run([str(c) for c in command], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    corpus = out / "corpus/slv.jsonl"
    if not corpus.exists():
        return p.stdout.strip().splitlines()[-1]
    numbers = {int(re.findall(r"\d+$", json.loads(line)["url"])[0]) for line in open(corpus)}
    return len(numbers & slovenian_pages())


def measure(name):
    spec = engine(name)
    cells = [cell(spec, *query) for query in QUERIES]
    titles, total, _ = find(spec, ["je"], [], "--page-size", "10")
    count = len(find(index(), ["je"], [])[0])
    cells.append("none" if total is None else "=" if total == count else f"{total} of {count}")
    cells.append("=" if len(set(titles)) == count else f"{len(set(titles))} of {count}")
    canary = [BIN / "search", "--engine", spec, "--rate", "1000", "--contact", "test@example.org", "--engines", "canary=je"]
    canary = subprocess.run([str(c) for c in canary], stdout=subprocess.PIPE, text=True).stdout
    return cells + [canary.split("\t")[0] or "unknown", str(count_run(name, spec))]


def table(names):
    """Print for each query how many of the true hits a server has, and how many others; "=" if it has these alone."""
    shown = lambda include, exclude: ", ".join([f"`{term}`" for term in include] + [f"not `{term}`" for term in exclude])
    rows = [f"{column}: {shown(include, exclude)}" for column, include, exclude in QUERIES]
    rows += ["total", "all pages of `je`", "`canary`", f"a run, of {count_run('index', index())}"]
    cells = [measure(name) for name in names]
    print(f"| query | {' | '.join(names)} |\n|{'---|' * (len(names) + 1)}")
    for row, line in zip(rows, zip(*cells)):
        print(f"| {row} | {' | '.join(line)} |", flush=True)


def up(names):
    STATE.mkdir(parents=True, exist_ok=True)
    os.chmod(STATE, 0o755)
    for name in names:
        if not (STATE / f"{name}.up").exists():
            {"kiwix": up_kiwix, "omega": up_omega}.get(name, lambda: up_wiki(name))()
            (STATE / f"{name}.up").touch()
        print(f"{name}\t{engine(name)}", flush=True)


def down():
    pids = STATE / "pids"
    for pid in reversed(pids.read_text().split() if pids.exists() else []):
        try:
            os.killpg(int(pid), signal.SIGTERM)
        except ProcessLookupError:
            pass
    for _ in range(50):
        if not any(pathlib.Path(f"/proc/{pid}/cmdline").exists() and pathlib.Path(f"/proc/{pid}/cmdline").read_bytes() for pid in (pids.read_text().split() if pids.exists() else [])):
            break
        time.sleep(0.2)
    shutil.rmtree(STATE, ignore_errors=True)


action, names = (sys.argv[1:2] or [""])[0], sys.argv[2:]
if action == "serve-omega":
    serve_omega(names[0])
elif action == "down" and not names:
    down()
elif action in ("up", "table") and names and set(names) <= set(PORTS):
    {"up": up, "table": table}[action](names)
else:
    sys.exit(__doc__)

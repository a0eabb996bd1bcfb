//! Archives of fetch-extract, read by other programs: warcio, FastWARC, cdxj-indexer, wacz and
//! pywb, in the versions of tests/install-needs.

use forage_tests::archives::run_python;
use forage_tests::server::{HostResponse, HostServer, broken, html, status};
use forage_tests::temp_folder;
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, UNIX_EPOCH};

/// What each script begins with: the packages, and the archives in the folder that it is given.
const START: &str = "import json, os, sys
sys.path.insert(0, os.environ['PYTHONPATH'] + '/archive-readers')
os.chdir(sys.argv[1])
files = ['1.warc.gz', '2.warc.gz']
";

/// Types of records with URL, status and bytes of the body.
const WARCIO: &str = "
from warcio.archiveiterator import ArchiveIterator
for file in files:
    for r in ArchiveIterator(open(file, 'rb'), check_digests='raise'):
        url, h = r.rec_headers.get_header('WARC-Target-URI'), r.http_headers
        body = r.content_stream().read()
        if r.rec_type in ('response', 'revisit'):
            print(file[0], r.rec_type, url, h.get_statuscode(), len(body))
";

const FASTWARC: &str = "
from fastwarc.warc import ArchiveIterator
for file in files:
    for r in ArchiveIterator(open(file, 'rb'), parse_http=False):
        assert r.verify_block_digest(), r.record_id
    for r in ArchiveIterator(open(file, 'rb')):
        kind, url = r.headers['WARC-Type'], r.headers.get('WARC-Target-URI')
        if kind in ('response', 'revisit'):
            print(file[0], kind, url, r.http_headers.status_code, len(r.reader.read()))
";

const INDEX: &str = "
from cdxj_indexer.main import main
main(files)
";

const WACZ: &str = "
import gzip, zipfile
from wacz.main import main
code = main(['create', '-o', 'a.wacz', *files]) or main(['validate', '-f', 'a.wacz'])
index = gzip.decompress(zipfile.ZipFile('a.wacz').read('indexes/index.cdx.gz'))
print(code, len(index.splitlines()))
";

/// Prints status and text of each capture, as the server of pywb replays it.
const PYWB: &str = "
from gevent.monkey import patch_all; patch_all()
import contextlib, logging
from wsgiref.util import setup_testing_defaults
from pywb.manager.manager import main
from pywb.apps.frontendapp import FrontEndApp
with contextlib.redirect_stdout(sys.stderr):
    main(['init', 'c'])
    main(['add', 'c', *files])
    app = FrontEndApp()
def get(path, query=''):
    env, seen = {}, []
    setup_testing_defaults(env)
    env.update(PATH_INFO=path, QUERY_STRING=query, REQUEST_URI=path, REMOTE_ADDR='127.0.0.1')
    body = b''.join(app(env, lambda status, headers, e=None: seen.append(status)))
    return seen[0], body.decode()
with contextlib.redirect_stdout(sys.stderr):
    index = get('/c/cdx', 'url=http://a.test/*&output=json&allowFuzzy=0')[1]
    captures = [json.loads(line) for line in index.splitlines()]
    pages = [(c, get('/c/%sid_/%s' % (c['timestamp'], c['url']))) for c in captures]
for c, (status, body) in pages:
    print(c['filename'][0], c['url'], status[:3], 'Konec' in body, 'Potok' in body)
sys.stdout.flush()
os._exit(0)
";

fn page(path: &str) -> String {
    let text = "Potok teče skozi vas in naprej do reke. ".repeat(20);
    format!("<html lang=sl><title>{path}</title><p>{text}</p><p>Konec")
}

/// Writes two archives: of pages, of which one breaks off, and of the same ones again, of which one
/// is not modified and one has the payload of the first archive.
fn write_archives(folder: &Path) {
    let requests = AtomicU32::new(0);
    let server = HostServer::start(move |_, path| match path {
        "/robots.txt" => status(404),
        "/short" => broken(),
        "/tagged" if requests.fetch_add(1, Ordering::Relaxed) > 0 => {
            HostResponse::Complete(304, "ETag: \"a\"\r\n".into(), Vec::new())
        }
        "/tagged" => {
            let fields = "Content-Type: text/html; charset=utf-8\r\nETag: \"a\"\r\n";
            HostResponse::Complete(200, fields.into(), page("tagged").into_bytes())
        }
        _ => html(page("same")),
    });
    let [first, second] = ["1.warc.gz", "2.warc.gz"].map(|name| folder.join(name));
    let [first, second] = [&first, &second].map(|path| path.to_str().unwrap());
    let lines = |paths: &[&str]| -> String {
        let line = |path: &&str| format!("{{\"url\":\"http://a.test/{path}\"}}\n");
        paths.iter().map(line).collect()
    };
    let args = ["--retries", "0", "--warc", first];
    server
        .fetch(&args, lines(&["tagged", "same", "short"]))
        .expect_exit(0);
    // For pywb, captures of a URL in the same second are one.
    let second_now = || UNIX_EPOCH.elapsed().unwrap().as_secs();
    let start = second_now();
    while second_now() == start {
        std::thread::sleep(Duration::from_millis(20));
    }
    let args = ["--retries", "0", "--warc", second, "--earlier", first];
    server
        .fetch(&args, lines(&["tagged", "same", "copy"]))
        .expect_exit(0);
}

/// Returns the sorted lines that a script writes: pages are archived as they arrive.
fn read_with(script: &str, folder: &Path) -> Vec<String> {
    let output = run_python(&format!("{START}{script}"), folder);
    let mut lines: Vec<String> = output.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn warcio_and_fastwarc_read_every_record() {
    let dir = temp_folder();
    write_archives(dir.path());
    let bytes = page("tagged").len();
    let same = page("same").len();
    let expected = [
        format!("1 response http://a.test/same 200 {same}"),
        "1 response http://a.test/short 200 8".to_owned(),
        format!("1 response http://a.test/tagged 200 {bytes}"),
        "2 revisit http://a.test/copy 200 0".to_owned(),
        "2 revisit http://a.test/same 200 0".to_owned(),
        "2 revisit http://a.test/tagged 304 0".to_owned(),
    ];
    for script in [WARCIO, FASTWARC] {
        assert_eq!(read_with(script, dir.path()), expected, "{script}");
    }
}

#[test]
fn cdxj_indexer_and_wacz_index_every_capture() {
    let dir = temp_folder();
    write_archives(dir.path());
    let index = read_with(INDEX, dir.path());
    let capture = |line: &String| {
        let json = &line[line.find('{').unwrap()..];
        let fields: Value = json.parse().unwrap();
        let text = |name: &str| fields[name].as_str().unwrap_or_default().to_owned();
        let file = text("filename")[..1].to_owned();
        [file, text("url"), text("mime"), text("status")].join(" ")
    };
    let mut captures: Vec<String> = index.iter().map(capture).collect();
    captures.sort();
    assert_eq!(
        captures,
        [
            "1 http://a.test/same text/html 200",
            "1 http://a.test/short  200",
            "1 http://a.test/tagged text/html 200",
            "2 http://a.test/copy warc/revisit 200",
            "2 http://a.test/same warc/revisit 200",
            "2 http://a.test/tagged warc/revisit 304",
        ]
    );
    assert!(read_with(WACZ, dir.path()).contains(&"0 6".to_owned()));
}

#[test]
fn pywb_replays_every_capture() {
    let dir = temp_folder();
    write_archives(dir.path());
    assert_eq!(
        read_with(PYWB, dir.path()),
        [
            "1 http://a.test/same 200 True True",
            "1 http://a.test/short 200 False True",
            "1 http://a.test/tagged 200 True True",
            // The payload is that of the other archive and, in the last one, of another URL.
            "2 http://a.test/copy 200 True True",
            "2 http://a.test/same 200 True True",
            // pywb replays the 304 response itself.
            "2 http://a.test/tagged 304 False False",
        ]
    );
}

#!/usr/bin/env -S python3 -X utf8
"""Measures how sensitive `--learn auto` and coverage estimation are to their constants.

Each numeric constant of the source files below is halved and doubled, one at a time: the tools are
built in a copy of the checkout that reads constants from the environment, and corpus-builder runs
on a closed web whose classes are known. Constants of coverage estimation are measured by runs with
--until-coverage, all others by runs with a limit of calls. The results are appended to OUT as
tab-separated lines, so that an interrupted sweep resumes where it stopped:

    constant  value  target  seed  calls  relevant  recall  estimate  low  high

`relevant` is the number of documents of the target by true class, `recall` their share of all such
documents of the web. The last three are the estimated coverage and the 95 % interval of the number
of documents in the web.
`report.py` makes the table of BENCHMARKS.md from them.

    tests/bench/constants/sweep.py --index DIR --documents FILE --truth FILE \\
      --targets slv,bcl --coverage-targets bcl,ceb --versus eng,ces,hrv,srp --out sweep.tsv
"""
import argparse, concurrent.futures, json, os, pathlib, re, shutil, subprocess, sys, threading

ROOT = pathlib.Path(__file__).resolve().parents[3]
REGIONS = ["lib/query/src/strategy/regions"]
COVERAGE = ["lib/query/src/coverage", "lib/query/src/strategy/probed", "lib/query/src/query_log.rs"]
# Not a parameter: a quantile of the normal distribution.
NOT_MEASURED = ["Z"]
TOOLS = ["gen-query", "update-stats"]
CONSTANT = re.compile(
    r"^(?P<head>\s*(?:pub(?:\([a-z]+\))? )?const (?P<name>[A-Z_0-9]+): *(?P<type>[a-z0-9]+) = )"
    r"(?P<value>[0-9_.e-]+);", re.M)
UNCHANGED = "unchanged"


def source_files(paths):
    for path in map(ROOT.joinpath, paths):
        yield from sorted(path.rglob("*.rs")) if path.is_dir() else [path]


def constants(paths):
    """Yields (file, name, value, type) of each constant; files are relative to the checkout."""
    for file in source_files(paths):
        if file.name == "tests.rs":
            continue
        body = file.read_text().split("#[cfg(test)]\nmod tests {")[0]
        for match in CONSTANT.finditer(body):
            if match["name"] in NOT_MEASURED:
                continue
            yield file.relative_to(ROOT), match["name"], match["value"], match["type"]


def variants(value, kind):
    """Returns half and double the value as literals of its type; integers remain above 0."""
    number = float(value.replace("_", ""))
    if kind.startswith("f"):
        return [repr(number / 2), repr(number * 2)]
    return [str(new) for new in (max(1, int(number / 2)), int(number * 2)) if new != number]


def build_adjustable(folder, names, paths=REGIONS + COVERAGE, tools=TOOLS, variable=lambda file, name: f"CONSTANT_{name}"):
    """Builds the tools in a copy of the checkout in which each constant of `paths` named in `names`
    is a function that reads its value from the environment variable CONSTANT_NAME, if that is set;
    `variable` gives another name to that of a file. Returns the folder of the tools."""
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in files.stdout.splitlines():
        source, copy = ROOT / name, folder / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, copy)
    use_or_name = re.compile(r"^\s*(?:pub(?:\([a-z]+\))? )?use [^;]*;|^\s*//.*$|\b(?:%s)\b(?!\()" % "|".join(names), re.M)

    def definition(path, match):
        if match["name"] not in names:
            return match[0]
        head = match["head"].split("const ")[0]
        return (f"#[allow(non_snake_case)]\n{head}fn {match['name']}() -> {match['type']} {{\n"
                f"    static VALUE: std::sync::OnceLock<{match['type']}> = std::sync::OnceLock::new();\n"
                f"    *VALUE.get_or_init(|| std::env::var(\"{variable(path.relative_to(ROOT), match['name'])}\")"
                f".map_or({match['value']}, |value| value.parse().unwrap()))\n}}")
    for path in source_files(paths):
        copy = folder / path.relative_to(ROOT)
        body = re.sub(r"#\[cfg\(test\)\]\nmod tests(;| \{.*)", "", copy.read_text(), flags=re.S)
        parts, last = [], 0
        for match in CONSTANT.finditer(body):
            parts += [calls(use_or_name, body[last:match.start()]), definition(path, match)]
            last = match.end()
        copy.write_text("".join(parts) + calls(use_or_name, body[last:]))
    subprocess.run(["cargo", "build", "-q", "--release", "--locked", "--target-dir", str(folder / "target"),
                    *(f"--package={tool}" for tool in tools)], cwd=folder, check=True)
    return folder / "target/release"


def calls(use_or_name, text):
    """Makes a call of each name in `text`, apart from comments and imports."""
    return use_or_name.sub(lambda m: m[0] if m[0].lstrip().startswith(("use ", "pub", "//")) else f"{m[0]}()", text)


def run(args, bins, out, target, seed, limits, change):
    """Runs corpus-builder; returns calls, relevant documents and the estimate: share, low, high."""
    shutil.rmtree(out, ignore_errors=True)
    classes = [target, *(c for c in args.versus if c != target)]
    inits = [arg for c in classes for arg in ("--init", f"{c}={args.work}/init/{c}-{seed}.txt")]
    env = dict(os.environ, **change, PATH=f"{bins}:{ROOT}/target/release:{os.environ['PATH']}")
    command = [ROOT / "pipelines/corpus-builder"]
    subprocess.run([*command, "--target", target, *inits, "--engine", f"index:{args.index}",
                    "--learn", "auto", "--batch", "10", "--seed", str(seed), "--quiet", "--out", out, *limits],
                   env=env, check=True, stderr=subprocess.DEVNULL)
    urls, calls = set(), 0
    for line in open(out / "journal.jsonl"):
        record = json.loads(line)
        calls += (record.get("hit") or {}).get("calls") or 0
        if "step" in record and "text" in record and args.classes.get(record.get("url")) == target:
            if (record.get("dedup") or {}).get("status") == "new":
                urls.add(record["url"])
    coverage = json.load(open(out / "report.json")).get("coverage", {}).get(target) or {}
    share, population = coverage.get("share") or {}, coverage.get("population") or {}
    shutil.rmtree(out)
    return calls, len(urls), share.get("value"), population.get("low"), population.get("high")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", required=True, type=pathlib.Path,
                        help="embedded index, built by search --add")
    parser.add_argument("--documents", required=True, help="the documents of the index, JSON lines")
    parser.add_argument("--truth", required=True, help="true classes, lines of URL, tab, class")
    parser.add_argument("--targets", default="slv,bcl",
                        help="targets of runs without --until-coverage")
    parser.add_argument("--coverage-targets", default="bcl,ceb",
                        help="targets of runs with --until-coverage")
    parser.add_argument("--versus", default="eng,ces,hrv,srp",
                        help="classes of the other initial documents")
    parser.add_argument("--seeds", default="1", help="seeds of runs with a changed constant")
    parser.add_argument("--unchanged-seeds", default="1,2,3,4,5,6",
                        help="seeds of runs with unchanged constants")
    parser.add_argument("--calls", default="150",
                        help="limit of calls of runs without --until-coverage")
    parser.add_argument("--jobs", type=int, default=1,
                        help="runs in parallel, each with its own checkout")
    parser.add_argument("--work", default="target/constants", type=pathlib.Path,
                        help="folder for checkouts and runs")
    parser.add_argument("--out", default="sweep.tsv", type=pathlib.Path,
                        help="file to append the results to")
    args = parser.parse_args()
    args.work, args.index = args.work.resolve(), args.index.resolve()
    args.versus = args.versus.split(",")
    args.classes = dict(line.rstrip("\n").split("\t")[:2] for line in open(args.truth))
    sizes = {}
    for line in open(args.documents):
        label = args.classes.get(json.loads(line)["url"])
        sizes[label] = sizes.get(label, 0) + 1
    subprocess.run(["cargo", "build", "-q", "--release", "--locked", "--workspace", "--bins"], cwd=ROOT, check=True)
    seeds, unchanged = args.seeds.split(","), args.unchanged_seeds.split(",")
    groups = [(REGIONS, args.targets.split(","), ["--calls", args.calls]),
              (COVERAGE, args.coverage_targets.split(","), ["--until-coverage", "0.9"])]
    classes = sorted({c for _, targets, _ in groups for c in targets} | set(args.versus))
    subprocess.run([ROOT / "target/release/draw-documents", "--quiet", "--truth", args.truth, "--words", "150-800",
                    "--out", args.work / "init", "--class", ",".join(classes),
                    "--seed", ",".join(sorted({*seeds, *unchanged})), args.documents], check=True)

    done = {tuple(line.split("\t")[:4]) for line in open(args.out)} if args.out.exists() else set()
    work, names = [], []
    for group, (paths, targets, limits) in enumerate(groups):
        name = ["regions", "coverage"][group]
        runs = [(f"{name}:{UNCHANGED}", UNCHANGED, {}, unchanged)]
        for file, constant, value, kind in constants(paths):
            names.append(constant)
            runs += [(f"{file.as_posix()}:{constant}={value}", new, {f"CONSTANT_{constant}": new}, seeds)
                     for new in variants(value, kind)]
        work += [(label, value, target, seed, limits, change)
                 for label, value, change, seeds in runs for target in targets for seed in seeds
                 if (label, value, target, seed) not in done]
    assert len(names) == len(set(names)), "two constants have the same name"
    bins = build_adjustable(args.work / "checkout", names)
    out, lock = open(args.out, "a"), threading.Lock()
    folders = [args.work / f"run-{n}" for n in range(args.jobs)]

    def measure(item):
        label, value, target, seed, limits, change = item
        with lock:
            folder = folders.pop()
        try:
            calls, relevant, *estimate = run(args, bins, folder, target, seed, limits, change)
        finally:
            with lock:
                folders.append(folder)
        fields = [label, value, target, seed, calls, relevant, f"{relevant / sizes[target]:.4f}", *estimate]
        with lock:
            print(*fields, sep="\t", file=out, flush=True)
            print(*fields, sep="\t", file=sys.stderr)

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        list(pool.map(measure, work))


if __name__ == "__main__":
    main()

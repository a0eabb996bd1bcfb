#!/usr/bin/env python3
"""Lists the crates that programs are linked with: `list-crates.py notices|sbom --package NAME ...`.

`notices` prints their licences with the texts that the crates contain, and names on standard error
the crates without one. `sbom` prints a bill of materials in the format CycloneDX 1.5, with the
checksums of Cargo.lock. Both depend on Cargo.lock and the packages alone, not on time or folder.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys
import uuid


def run_cargo(*arguments):
    return subprocess.run(["cargo", *arguments], check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


output, *selection = sys.argv[1:]
metadata = json.loads(run_cargo("metadata", "--locked", "--format-version", "1"))
# `cargo metadata` does not tell which features and platforms a program is built with.
tree = run_cargo("tree", "--locked", "--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}", *selection)
linked = {tuple(line.split()[:2]) for line in tree.splitlines()}
crates = [p for p in metadata["packages"] if p["source"] and (p["name"], "v" + p["version"]) in linked]
crates.sort(key=lambda crate: (crate["name"], crate["version"]))
for crate in crates:
    crate["title"] = f"{crate['name']} {crate['version']}"
    crate["license"] = re.sub(r"\s*/\s*", " OR ", crate["license"] or "")


def read_license_texts(crate):
    """Returns the distinct texts, those of code that the crate bundles included."""
    folder = pathlib.Path(crate["manifest_path"]).parent
    named = re.compile(r"(un)?licen[cs]e|copying|copyright|notice", re.IGNORECASE)
    paths = {p for p in folder.rglob("*") if named.match(p.name) and p.suffix != ".rs" and p.is_file()}
    if crate["license_file"]:
        paths.add(folder / crate["license_file"])
    return list(dict.fromkeys(p.read_text(encoding="utf-8", errors="replace").strip() for p in sorted(paths)))


def print_notices():
    titles_by_text = collections.defaultdict(list)
    without = []
    print("The programs of Forage are linked with these crates, and with the Rust standard library (MIT OR")
    print("Apache-2.0), whose notices are in the folder share/doc/rust of the compiler.\n")
    for crate in crates:
        texts = read_license_texts(crate)
        for text in texts:
            titles_by_text[text].append(crate["title"])
        print(f"{crate['title']}: {crate['license']}")
        print(f"  {crate['repository'] or crate['homepage']}")
        if not texts:
            without.append(crate["title"])
            print(f"  without a licence text; by {', '.join(crate['authors']) or 'authors whom it does not name'}")
    for text, titles in titles_by_text.items():
        print("\n" + "-" * 80 + "\n" + ", ".join(titles) + "\n\n" + text)
    print(f"{len(without)} of {len(crates)} crates have no licence text: {', '.join(without)}", file=sys.stderr)


def print_sbom():
    lock = pathlib.Path(metadata["workspace_root"], "Cargo.lock").read_text(encoding="utf-8")
    package = re.compile(r'^name = "(.+)"\nversion = "(.+)"\nsource = .+\nchecksum = "(.+)"$', re.MULTILINE)
    checksums = {(name, version): checksum for name, version, checksum in package.findall(lock)}
    references = {crate["id"]: f"pkg:cargo/{crate['name']}@{crate['version']}" for crate in crates}
    nodes = {node["id"]: node["dependencies"] for node in metadata["resolve"]["nodes"]}
    members = [p for p in metadata["packages"] if not p["source"] and (p["name"], "v" + p["version"]) in linked]
    used = {dependency for member in members for dependency in nodes[member["id"]]}
    forage = {"type": "application", "bom-ref": "forage", "name": "forage", "version": members[0]["version"]}
    forage["licenses"] = [{"expression": members[0]["license"]}]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, lock + str(sorted(linked)))}",
        "version": 1,
        "metadata": {"component": forage},
        "components": [
            {
                "type": "library",
                "bom-ref": references[crate["id"]],
                "name": crate["name"],
                "version": crate["version"],
                "hashes": [{"alg": "SHA-256", "content": checksums[crate["name"], crate["version"]]}],
                "licenses": [{"expression": crate["license"]}],
                "purl": references[crate["id"]],
            }
            for crate in crates
        ],
        "dependencies": [
            {"ref": reference, "dependsOn": sorted(references[d] for d in dependencies if d in references)}
            for reference, dependencies in [("forage", used)] + [(r, nodes[i]) for i, r in references.items()]
        ],
    }
    print(json.dumps(document, indent=1, ensure_ascii=False))


{"notices": print_notices, "sbom": print_sbom}[output]()

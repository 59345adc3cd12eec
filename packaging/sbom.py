#!/usr/bin/env python3
"""Writes a bill of materials (CycloneDX 1.5) from what `swift package show-dependencies --format json` prints.

    swift package show-dependencies --format json | sbom.py VERSION [--swift TEXT] [--notices FILE [LICENCE...]]

--swift takes what `swift --version` prints: the libraries of that toolchain are linked into the program.
--notices writes the licences and notices of all packages into a file, and the LICENCE files behind them.
"""

import argparse
import json
import pathlib
import re
import sys
import uuid


def purl(url, version):
    """pkg:swift/HOST/OWNER/NAME@VERSION; nothing for a package that has no address."""
    match = re.match(r"(?:https?://|ssh://)?(?:[^@/]+@)?([^/:]+)[/:](.+?)(?:\.git)?/?$", url)
    return f"pkg:swift/{match[1]}/{match[2]}@{version}" if match else None


def packages(node, found):
    """Every package of the tree once, by its identity."""
    if node["identity"] not in found:
        found[node["identity"]] = node
        for dependency in node["dependencies"]:
            packages(dependency, found)
    return found


def component(package):
    address = purl(package["url"], package["version"])
    result = {"type": "library", "bom-ref": reference(package), "name": package["name"], "version": package["version"]}
    if address:
        result["purl"] = address
    result["externalReferences"] = [{"type": "vcs", "url": package["url"]}]
    return result


def reference(package):
    return purl(package["url"], package["version"]) or package["identity"]


def toolchain(text):
    match = re.search(r"Swift version (\S+)(?: \((swift-[^)]+)\))?", text)
    if not match:
        sys.exit(f"sbom.py: no version of Swift in: {text}")
    address = f"pkg:github/swiftlang/swift@{match[2] or match[1]}"
    return {"type": "library", "bom-ref": address, "name": "swift", "version": match[1], "purl": address,
            "description": "the standard library, Foundation and Dispatch"}


def bill(root, found, version, swift):
    top = f"pkg:generic/dualgauge@{version}"
    libraries = [package for package in found.values() if package is not root]
    components = [component(package) for package in libraries]
    graph = [{"ref": reference(package), "dependsOn": sorted({reference(found[each["identity"]]) for each in package["dependencies"]})}
             for package in libraries]
    direct = sorted({reference(found[each["identity"]]) for each in root["dependencies"]})
    if swift:
        runtime = toolchain(swift)
        components.append(runtime)
        graph.append({"ref": runtime["bom-ref"], "dependsOn": []})
        direct.append(runtime["bom-ref"])
    result = {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": {"type": "application", "bom-ref": top, "name": "dualgauge", "version": version, "purl": top,
                                   "licenses": [{"license": {"id": "Apache-2.0"}}]}},
        "components": sorted(components, key=lambda each: each["bom-ref"].lower()),
        "dependencies": [{"ref": top, "dependsOn": direct}] + sorted(graph, key=lambda each: each["ref"].lower()),
    }
    # The same materials have the same number, so that the same sources give the same file.
    result["serialNumber"] = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(result, sort_keys=True)).urn
    return result


def notices(root, found, more):
    """The texts that the licences want to go along with a copy of the program."""
    parts = ["Dualgauge contains the packages below. Their licences and notices follow."]
    for package in sorted(found.values(), key=lambda each: each["name"].lower()):
        if package is root:
            continue
        folder = pathlib.Path(package["path"])
        # A package may carry sources of others, with licences of their own.
        files = sorted(file for pattern in ("LICEN[CS]E*", "NOTICE*", "COPYING*") for file in folder.rglob(pattern)
                       if file.is_file() and "Tests" not in file.relative_to(folder).parts)
        if not files:
            sys.exit(f"sbom.py: {package['name']} has no licence in {package['path']}")
        parts += [f"{'=' * 80}\n{package['name']} {package['version']}, {package['url']}: {file.relative_to(folder)}\n{'=' * 80}\n\n"
                  f"{file.read_text(encoding='utf-8', errors='replace').strip()}" for file in files]
    for name in more:
        text = pathlib.Path(name).read_text(encoding="utf-8", errors="replace").strip()
        parts.append(f"{'=' * 80}\nThe libraries of the Swift toolchain\n{'=' * 80}\n\n{text}")
    return "\n\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version")
    parser.add_argument("--swift")
    parser.add_argument("--notices", nargs="+")
    arguments = parser.parse_args()
    root = json.load(sys.stdin)
    found = packages(root, {})
    if arguments.notices:
        file, *more = arguments.notices
        pathlib.Path(file).write_text(notices(root, found, more), encoding="utf-8")
    json.dump(bill(root, found, arguments.version, arguments.swift), sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()

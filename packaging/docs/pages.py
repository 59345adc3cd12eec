#!/usr/bin/env python3
"""Puts the pages of the site into a folder: the documentation as it stands, pages made from other files, and the files that pages name.

    pages.py FOLDER

The places are those in the repository, so each link of a page leads where it leads in the repository. README.md is the first page.
"""

import os
import re
import shutil
import sys

sys.dont_write_bytecode = True
from endpoints import Pages  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LINK = re.compile(r"\]\(([^)#\s:]+)(?:#[^)]*)?\)|^\[[^]]+\]: ([^#\s:]+)", re.MULTILINE)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def pages():
    """The pages in the repository."""
    found = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
    for top in ("docs", "samples"):
        for folder, folders, files in os.walk(os.path.join(ROOT, top)):
            folders.sort()
            found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in sorted(files) if name.endswith(".md")]
    return found


def main(folder):
    shutil.rmtree(folder, ignore_errors=True)
    for page in pages():
        # The description of the endpoints is a page here.
        text = read(os.path.join(ROOT, page)).replace("api/openapi.yaml)", "api/endpoints.md)")
        for match in LINK.finditer(text):
            source = os.path.normpath(os.path.join(ROOT, os.path.dirname(page), match.group(1) or match.group(2)))
            target = os.path.join(folder, os.path.relpath(source, ROOT))
            if os.path.isfile(source) and not source.endswith(".md") and source.startswith(ROOT + os.sep):
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copyfile(source, target)
        if page == "README.md":
            page, text = "index.md", text + "\n" + read(os.path.join(HERE, "navigation.md"))
        write(os.path.join(folder, page), text)
    description = read(os.path.join(ROOT, "docs/api/openapi.yaml"))
    write(os.path.join(folder, "docs/api/openapi.yaml"), description)
    write(os.path.join(folder, "docs/api/endpoints.md"), Pages(description).endpoints())
    write(os.path.join(folder, "docs/api/schemas.md"), Pages(description).schemas())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])

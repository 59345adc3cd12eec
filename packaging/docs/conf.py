"""The settings of the site that `make docs` builds (Sphinx, MyST). Warnings are errors: a dead link, a dead anchor, a page that is in no list."""

import os
import re
from pathlib import Path

from sphinx.errors import SphinxError

ROOT = Path(__file__).resolve().parents[2]

project = "Dualgauge"
author = "The Dualgauge authors"
copyright = "the Dualgauge authors, Apache-2.0"
release = re.search(r'current = "(.*)"', (ROOT / "Sources/BridgeConfiguration/ServerVersion.swift").read_text(encoding="utf-8")).group(1)
version = release

extensions = ["myst_parser"]
root_doc = "index"
# The anchors of headings are those that GitHub gives them.
myst_heading_anchors = 6
# `--` stays as it is: options are written with it.
smartquotes = False
# Samples of JSON have `…` in them.
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_title = f"Dualgauge {release}"
html_static_path = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "style.css")]
html_css_files = ["style.css"]
html_copy_source = False
html_show_sourcelink = False
html_last_updated_fmt = None


def needs_no_other_host(app, failure):
    """No page loads anything from elsewhere."""
    if failure or app.builder.name != "html":
        return
    loads = re.compile(r'<(?:script|img|iframe|source|link)\b[^>]*\b(?:src|href)="(?:https?:)?//[^"]*"')
    for page in Path(app.outdir).rglob("*.html"):
        for match in loads.finditer(page.read_text(encoding="utf-8")):
            if 'rel="canonical"' not in match.group():
                raise SphinxError(f"{page} loads something from another host: {match.group()}")


def setup(app):
    app.connect("build-finished", needs_no_other_host)

"""A report as a browser reads it: by a parser, or by headless Chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest


class Page(HTMLParser):
    """What a browser would see: elements with their attributes, and the text of scripts."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self.text: list[str] = []
        self._inside: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag if tag in self.raw else None

    def handle_endtag(self, tag: str) -> None:
        self._inside = None

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.raw[self._inside].append(data)
        else:
            self.text.append(data)


def browse(page: Path, profile: Path) -> subprocess.CompletedProcess[str]:
    """Open a page in headless Chromium and return its document and its messages."""
    return subprocess.run(
        [
            "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
            "--no-first-run", "--disable-background-networking", "--disable-component-update",
            "--disable-sync", f"--user-data-dir={profile}", "--virtual-time-budget=2000",
            "--enable-logging=stderr", "--dump-dom", page.as_uri(),
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )  # fmt: skip


# Set-up brings the browser, so in CI its absence is a failure and no reason to pass.
needs_browser = pytest.mark.skipif(
    shutil.which("chromium") is None and os.environ.get("CI") != "true",
    reason="needs the distribution's Chromium",
)

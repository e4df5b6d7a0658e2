"""The report, opened in a real browser from file://: no console error, figures visible, links resolve."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from tests.helpers.clone import Clone

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
PROBE = """
<script>
window.addEventListener("load", () => {
  const seen = [...document.images].map(i => [i.getAttribute("src"), i.naturalWidth, i.getBoundingClientRect().width]);
  document.body.setAttribute("data-probe", encodeURIComponent(JSON.stringify(seen)));
});
</script>
"""


class Page(HTMLParser):
    """Links and ids of a page."""

    def __init__(self, path: Path):
        super().__init__()
        self.links: list[tuple[str, str, str]] = []
        self.ids: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append((tag, name, value))
            if name == "id" and value:
                self.ids.add(value)


def pages(clone: Clone) -> list[Path]:
    return [clone.result("report/index.html"), clone.result("report/demo/index.html")]


def test_every_relative_link_resolves_and_nothing_is_loaded_from_elsewhere(finished: Clone):
    missing, outside, count = [], [], 0
    for path in pages(finished):
        page = Page(path)
        for tag, name, value in page.links:
            parts = urlsplit(value)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc or value.startswith("/"):
                outside += (
                    [f"{path.name}: {value}"]
                    if name == "src" or tag == "link" or parts.scheme == "file"
                    else []
                )
                continue
            count += 1
            target = path.parent / unquote(parts.path) if parts.path else path
            anchored = parts.fragment and target.suffix == ".html"
            if not target.is_file() or (anchored and parts.fragment not in Page(target).ids):
                missing.append(f"{path.name}: {value}")
    assert missing == [] and outside == [] and count > 20


def test_the_pages_name_no_path_of_this_machine(finished: Clone):
    for path in pages(finished):
        assert str(finished.path) not in path.read_text() and "/tmp/" not in path.read_text()


def test_the_page_lists_claims_tables_lots_figures_and_times(finished: Clone):
    text = pages(finished)[1].read_text()
    for lot in finished.lots().values():
        assert lot[:16] in text
    for word in (
        "beats_persistence",
        "core_uniprot__proteins",
        "networks_curate",
        "span length",
        "seedlot trace",
    ):
        assert word in text, word


def opened(path: Path, profile: Path) -> tuple[list[list], str]:
    """(src, natural width, drawn width) of every image of a page, and what the browser's console said."""
    assert BROWSER
    done = subprocess.run(
        [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         f"--user-data-dir={profile}", "--enable-logging=stderr", "--virtual-time-budget=10000", "--dump-dom",
         path.as_uri()],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    found = re.search(r'data-probe="([^"]*)"', done.stdout)
    assert done.returncode == 0 and found, done.stderr[-2000:]
    said = "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)
    return json.loads(unquote(found[1])), said


def probed(path: Path) -> Path:
    """The page with a script that tells what it sees, beside the original."""
    copy = path.with_name(f"probe-{path.name}")
    copy.write_text(path.read_text(encoding="utf-8").replace("</body>", PROBE + "</body>"), encoding="utf-8")
    return copy


@pytest.mark.browser
@pytest.mark.skipif(BROWSER is None, reason="chromium is not installed")
def test_in_a_browser_every_figure_is_visible_and_the_console_is_silent(copied: Clone, tmp_path):
    front, page = pages(copied)
    _, said = opened(probed(front), tmp_path / "profile0")
    assert said == ""
    images, said = opened(probed(page), tmp_path / "profile1")
    assert said == ""
    assert len(images) == len(list(copied.result("figures/demo").rglob("*.svg")))
    assert [src for src, natural, drawn in images if natural < 100 or drawn < 100] == []


@pytest.mark.browser
@pytest.mark.skipif(BROWSER is None, reason="chromium is not installed")
def test_the_browser_check_notices_a_missing_figure_and_a_script_error(tmp_path):
    page = tmp_path / "index.html"
    page.write_text("<html><body><img src='absent.svg'><script>nowhere()</script></body></html>")
    images, said = opened(probed(page), tmp_path / "profile")
    assert images[0][1] == 0 and "nowhere is not defined" in said

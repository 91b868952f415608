"""The static site that `make site` builds, compared with the pages of a running playground."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from playground.documentation import library

ROOT = Path(__file__).resolve().parents[2]
TAGS = ("h1", "h2", "h3", "h4", "li", "tr", "pre", "img", "blockquote")


def build(config: Path, site: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--config-file", str(config), "--site-dir", str(site)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    built = build(ROOT / "mkdocs.yml", folder)
    assert built.returncode == 0, built.stderr
    return folder


def count_tags(html: str) -> Counter[str]:
    return Counter(tag for tag in re.findall(r"<(\w+)", html) if tag in TAGS)


def test_the_site_has_the_pages_of_the_playground(site: Path) -> None:
    for below, page in library.addresses().items():
        text = (site / below / "index.html").read_text()
        content = text.partition('role="main">')[2].partition("<footer")[0]
        shown = library.rendered(page)
        assert count_tags(content) == count_tags(shown.html), page.path
        anchors = re.findall(r'<h\d id="([^"]+)"', content)
        assert anchors == [passage.anchor for passage in shown.passages], page.path


def test_the_site_has_a_search_and_loads_nothing_from_other_hosts(site: Path) -> None:
    assert (site / "search" / "search_index.json").stat().st_size > 10_000
    for path in site.rglob("*.html"):
        assert not re.search(r'<(?:script|link|img)[^>]*(?:src|href)="(?:https?:)?//', path.read_text()), path


def test_a_dead_link_stops_the_build(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    (docs / "how-to").mkdir(parents=True)
    (docs / "index.md").write_text("# Start\n\n[page](how-to/deploy.md#nothing) [page](how-to/nothing.md)\n")
    (docs / "how-to" / "deploy.md").write_text("# Deploy\n")
    (docs / "how-to" / "index.md").write_text("# How-to guides\n")
    (docs / "site.css").write_text("")
    config = (ROOT / "mkdocs.yml").read_text().replace("tools/", f"{ROOT}/tools/")
    (tmp_path / "mkdocs.yml").write_text(config)
    built = build(tmp_path / "mkdocs.yml", tmp_path / "site")
    assert built.returncode != 0
    assert "does not contain an anchor '#nothing'" in built.stderr
    assert "how-to/nothing.md" in built.stderr

"""The static site: what the command writes, and that it works over HTTP, from a disk and without a network."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from inarow.web.site import MARKER, site_files, write_site
from support.commands import inarow
from support.static_files import served

SUBPATH = "some/path"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a site in a folder below it."""
    folder = tmp_path_factory.mktemp("published")
    write_site(folder / SUBPATH, site_files())
    return folder


@pytest.fixture(scope="module")
def published(root: Path) -> Iterator[str]:
    """The address of the site."""
    with served(root) as address:
        yield f"{address}{SUBPATH}/"


def test_the_command_writes_a_site_and_says_how_to_open_it(tmp_path: Path) -> None:
    out = tmp_path / "new" / "site"
    said = inarow("site", str(out)).stdout
    assert f"{out / 'index.html'}" in said
    listed = json.loads((out / MARKER).read_text())["files"]
    written = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert written == {*listed, MARKER}


def test_a_site_is_written_again_and_other_files_stay(tmp_path: Path) -> None:
    files = site_files()
    write_site(tmp_path, {**files, "data/old": b"", MARKER: json.dumps({"files": ["data/old", "../kept"]}).encode()})
    (tmp_path / "CNAME").write_text("lab.example.org")
    (tmp_path.parent / "kept").write_text("")
    inarow("site", str(tmp_path))
    assert not (tmp_path / "data" / "old").exists()
    assert (tmp_path / "CNAME").exists()
    assert (tmp_path.parent / "kept").exists()


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("")
    said = inarow("site", str(tmp_path), code=2).stderr
    assert "has other files in it; give another folder, or --force to write there" in said
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    inarow("site", str(tmp_path), "--force")
    assert (tmp_path / "thesis.txt").exists()
    assert "is a file; give a folder" in inarow("site", str(tmp_path / "thesis.txt"), code=2).stderr


def test_a_version_gives_the_same_bytes_each_time() -> None:
    assert site_files() == site_files()


def test_the_page_works_without_a_network_after_the_first_load(published: str, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(published)
    page.evaluate("navigator.serviceWorker.ready")
    context.set_offline(True)
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Connect 4")
    context.close()


def test_the_page_can_be_installed(published: str, browser: Browser) -> None:
    page = browser.new_page()
    page.goto(published)
    session = page.context.new_cdp_session(page)
    assert session.send("Page.getAppManifest")["errors"] == []
    errors = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert [one["errorId"] for one in errors] == ["in-incognito"]  # as every page of a test is
    page.close()

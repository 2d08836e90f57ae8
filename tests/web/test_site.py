"""The static site: what the command writes, and that it works over HTTP, from a disk and without a network."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from inarow.frontend import STATIC
from inarow.web.site import MARKER, site_files, write_site
from support.commands import inarow
from support.screen import Screen, asked_for, expect_values, play_to_the_end
from support.static_files import served
from support.web_server import RunningServer

SUBPATH = "some/path"


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    """The files of a site."""
    return site_files()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes]) -> Path:
    """A folder with a site in a folder below it."""
    folder = tmp_path_factory.mktemp("published")
    write_site(folder / SUBPATH, files)
    return folder


@pytest.fixture(scope="module")
def published(root: Path) -> Iterator[str]:
    """The address of the site."""
    with served(root) as address:
        yield f"{address}{SUBPATH}/"


def test_the_command_writes_a_site_and_says_how_to_open_it(tmp_path: Path) -> None:
    out = tmp_path / "new" / "site"
    said = inarow("site", "--out", str(out)).stdout
    assert f"{out / 'index.html'}" in said
    listed = json.loads((out / MARKER).read_text())["files"]
    written = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert written == {*listed, MARKER}


def test_a_site_is_written_again_and_other_files_stay(tmp_path: Path, files: dict[str, bytes]) -> None:
    write_site(tmp_path, {**files, "data/old": b"", MARKER: json.dumps({"files": ["data/old", "../kept"]}).encode()})
    (tmp_path / "CNAME").write_text("lab.example.org")
    (tmp_path.parent / "kept").write_text("")
    write_site(tmp_path, files)
    assert not (tmp_path / "data" / "old").exists()
    assert (tmp_path / "CNAME").exists()
    assert (tmp_path.parent / "kept").exists()


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("")
    said = inarow("site", "--out", str(tmp_path), code=2).stderr
    assert "has other files in it; give another folder, or --force to write there" in said
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    inarow("site", "--out", str(tmp_path), "--force")
    assert (tmp_path / "thesis.txt").exists()
    assert "is a file; give a folder" in inarow("site", "--out", str(tmp_path / "thesis.txt"), code=2).stderr


def test_a_version_gives_the_same_bytes_each_time(files: dict[str, bytes]) -> None:
    assert site_files() == files


@pytest.fixture(params=["http", "file"])
def address(request: pytest.FixtureRequest, published: str, root: Path) -> str:
    """The address of the site on a web server, and on the disk."""
    return published if request.param == "http" else (root / SUBPATH / "index.html").as_uri()


POSITION = (6, 6, 6, 3, 4, 0, 3, 0, 5, 2, 5, 6, 5, 5, 5, 3, 4, 4)
LINK = f"connect4/{''.join(str(move + 1) for move in POSITION)}"


def learns(page: Page) -> None:
    """Start a training."""
    page.locator("#start").click()
    expect(page.locator("#start")).to_contain_text("Start again")


PAGES: dict[str, Callable[[Page], None]] = {
    "": lambda page: expect(page.locator(".truth-line")).to_contain_text("with best play"),
    "play": lambda page: expect(page.get_by_label("Opponent")).to_be_visible(),
    "puzzles": lambda page: expect(page.locator(".board .stone").first).to_be_visible(),
    f"analyse/{LINK}": lambda page: expect_values(page, "connect4", POSITION),
    f"minds/{LINK}": lambda page: expect_values(page, "connect4", POSITION),
    "trees/tictactoe/159/alphabeta:depth=2": lambda page: expect(page.locator("#where")).to_contain_text("step 1 of"),
    "exam/uct/max/5/easy/3": lambda page: expect(page.locator("#where")).to_have_text("step 0 of 17"),
    "learn": learns,
    "strategy": lambda page: expect(page.locator("#certificate")).to_be_visible(),
    "watch": lambda page: expect(page.locator("#move")).to_contain_text("("),
}
"""What each page shows once it works."""


def test_these_are_all_pages() -> None:
    source = (STATIC / "js" / "main.js").read_text(encoding="utf-8")
    listed = re.findall(r"^  (\w+): async \(\) =>", source[source.index("const PAGES = {") :], re.MULTILINE)
    assert sorted(listed) == sorted(name.split("/")[0] or "home" for name in PAGES)


def test_every_page_works_and_asks_for_nothing_beyond_the_folder(address: str, screen: Screen) -> None:
    asked = asked_for(screen.page)
    for name, shows in PAGES.items():
        screen.page.goto(f"{address}#/{name}")
        shows(screen.page)
    folder = address.removesuffix("index.html")
    assert [one for one in asked if not one.startswith((folder, "data:"))] == []
    assert not any("/api/" in one for one in asked)


def test_a_person_plays_a_match_to_its_end(address: str, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{address}#/play/tictactoe")
    page.get_by_label("Game").select_option("tictactoe")
    page.get_by_role("button", name="Play", exact=True).click()
    page.keyboard.press("5")
    for _ in range(2):  # a reload resumes the match without a word
        page.locator(".scoresheet .ply").first.wait_for()
        expect(page.locator("#banner")).to_be_hidden()
        page.reload()
    assert play_to_the_end(page, lambda move: page.keyboard.press(str(move + 1)))


def test_the_first_view_is_small(published: str, root: Path, browser: Browser) -> None:
    context = browser.new_context(service_workers="block")
    page = context.new_page()
    asked = asked_for(page)
    page.goto(published)
    PAGES[""](page)
    files = {one.removeprefix(published).partition("?")[0] or "index.html" for one in asked if one.startswith("http")}
    sizes = {name: len(gzip.compress((root / SUBPATH / name).read_bytes())) for name in files}
    assert sum(sizes.values()) <= 200_000, sizes
    context.close()


def test_no_file_is_larger_than_a_network(root: Path) -> None:
    assert max(path.stat().st_size for path in (root / SUBPATH).rglob("*") if path.suffix != ".js") <= 3_200_000


@pytest.mark.parametrize("address", ["http"], indirect=True)
def test_a_network_is_loaded_only_once_it_is_chosen(address: str, screen: Screen) -> None:
    page = screen.page
    asked = asked_for(page)
    for name, shows in PAGES.items():
        if not name.startswith("minds"):  # where a network is among the agents
            page.goto(f"{address}#/{name}")
            shows(page)
    page.goto(f"{address}#/play/connect4")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".status")).to_contain_text("Your move")
    assert not any("/models/" in one for one in asked)
    with page.expect_request("**/data/models/ntuple-connect4?*"):
        page.goto(f"{address}#/minds/{LINK}")


def test_the_page_works_without_a_network_after_the_first_load(published: str, screen: Screen) -> None:
    page = screen.page
    page.goto(published)
    page.evaluate("navigator.serviceWorker.ready")
    screen.context.set_offline(True)
    page.reload()
    for name, shows in PAGES.items():
        page.goto(f"{published}#/{name}")
        shows(page)
        if name.startswith("minds"):  # a network is loaded when it is first needed
            expect(page.get_by_text("can't be loaded: there is no connection")).to_be_visible()
    assert all("ERR_" in problem for problem in screen.problems)
    screen.problems.clear()


BLOCKED = """for (const name of ["localStorage", "sessionStorage"])
  Object.defineProperty(window, name, { get() { throw new DOMException("blocked", "SecurityError"); } });
"""


def test_blocked_storage_is_no_reason_to_stop(address: str, screen: Screen) -> None:
    screen.page.add_init_script(BLOCKED)
    screen.page.goto(f"{address}#/analyse/{LINK}")
    expect_values(screen.page, "connect4", POSITION)


@pytest.mark.parametrize("name", ["Worker", "WebAssembly"])
def test_a_browser_without_workers_or_wasm_is_told_and_can_look_around(
    name: str, published: str, screen: Screen
) -> None:
    page = screen.page
    page.add_init_script(f"delete window.{name};")
    page.goto(f"{published}#/analyse/{LINK}")
    expect(page.get_by_role("alert").or_(page.locator(".problem")).first).to_contain_text("use a current browser")
    page.get_by_role("link", name="Play", exact=True).click()
    expect(page.locator("nav a[aria-current]")).to_have_text("Play")


WRONG = {
    "analyse/connect4/44444444": "full",
    "analyse/connect4/49": "This link can't be opened",
    "analyse/nonsense/1": "nonsense",
    "analyse/99x99x4/1": "99x99x4",
    "trees/connect4/44444444": "full",
    "%E0%A4%A": "",
}
"""Links, and a part of what the page says."""


def test_wrong_links_are_sentences_and_the_page_goes_on(address: str, screen: Screen) -> None:
    page = screen.page
    for link, said in WRONG.items():
        page.goto("about:blank")
        page.goto(f"{address}#/{link}")
        if said:
            expect(page.get_by_role("alert")).to_contain_text(said)
        page.goto(f"{address}#/analyse/{LINK}")
        expect_values(page, "connect4", POSITION)


@pytest.mark.parametrize("way", ["http", "file"])
def test_a_damaged_book_is_a_sentence_and_the_rest_works(
    way: str, tmp_path: Path, screen: Screen, files: dict[str, bytes]
) -> None:
    write_site(tmp_path, files)
    for path in (tmp_path / "data" / "books").iterdir():
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    with served(tmp_path) if way == "http" else contextlib.nullcontext((tmp_path / "index.html").as_uri()) as place:
        screen.page.goto(f"{place}#/analyse/connect4/4444")
        expect(screen.page.get_by_text("is damaged").first).to_be_visible()
        screen.page.goto(f"{place}#/analyse/{LINK}")
        expect_values(screen.page, "connect4", POSITION)


def test_a_match_is_saved_as_one_file_that_works(address: str, screen: Screen, tmp_path: Path) -> None:
    page = screen.page
    page.goto(f"{address}#/analyse/{LINK}")
    expect_values(page, "connect4", POSITION)
    page.keyboard.press("c")
    expect(page.get_by_text("Moves that kept the result")).to_be_visible()
    page.get_by_text("Position, link, files").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as a page").click()
    path = tmp_path / "match.html"
    saved.value.save_as(path)
    assert path.stat().st_size <= 450_000
    page.goto(path.as_uri())
    expect_values(page, "connect4", POSITION)
    expect(page.get_by_text("Moves that kept the result")).to_be_visible()


def test_the_page_can_be_installed(published: str, browser: Browser) -> None:
    page = browser.new_page()
    page.goto(published)
    session = page.context.new_cdp_session(page)
    assert session.send("Page.getAppManifest")["errors"] == []
    errors = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert [one["errorId"] for one in errors] == ["in-incognito"]  # as every page of a test is
    page.close()


def test_the_page_of_a_server_computes_in_the_browser(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    asked = asked_for(page)
    for path in (f"analyse/{LINK}", "trees/tictactoe/159/alphabeta:depth=2", f"minds/{LINK}", "learn"):
        page.goto(f"{server.address}/#/{path}")
        PAGES[path](page)
    assert not any("/api/" in one for one in asked if not one.endswith("/api/v1/agents"))

"""The bundler turns the page's modules into one classic script, and refuses what it does not know."""

from __future__ import annotations

import contextlib
import re
from email.message import Message
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from inarow import frontend
from inarow.bundler import SCRIPTS, Module, bundle, reachable
from inarow.errors import InarowError
from inarow.frontend import WORKERS, index_page, page_script, registering_script
from inarow.web.site import site_files
from support.static_files import served


def write(folder: Path, **modules: str) -> Path:
    for name, source in modules.items():
        path = folder / f"{name}.js"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
    return folder


def test_every_module_of_the_page_is_bundled_after_what_it_imports() -> None:
    found = reachable("main")
    others = {name for entry in (*WORKERS, "match_page") for name in reachable(entry)}
    names = {str(path.relative_to(SCRIPTS).with_suffix("").as_posix()) for path in SCRIPTS.rglob("*.js")}
    assert names == found.keys() | others
    order = list(found)
    assert all(order.index(need) < order.index(one.name) for one in found.values() for need in one.needs)


def test_the_footer_leads_to_the_documentation_that_the_metadata_name(monkeypatch: pytest.MonkeyPatch) -> None:
    named = Message()
    named["Project-URL"] = "Homepage, https://lab.example.org"
    named["Project-URL"] = "Documentation, https://lab.example.org/docs?a&b"
    monkeypatch.setattr(frontend, "metadata", lambda name: named)
    link = '<a href="https://lab.example.org/docs?a&amp;b">Documentation</a>'
    assert link in index_page()
    assert link in site_files({})["index.html"].decode()
    monkeypatch.setattr(frontend, "metadata", lambda name: Message())
    assert "Documentation" not in index_page()


@pytest.mark.parametrize(
    "source",
    [
        'import x from "./x.js";',
        'import * as x from "./x.js";',
        "import { x } from './x.js';",
        'import { x } from "x.js";',
        'import { x } from "./x.mjs";',
        'import { x } from "./x.js"',
        'import "./x.js";',
        'import x, { y } from "./x.js";',
        'const y = 1; import { x } from "./x.js";',
        "import('./x.js');",
        'import("x.js");',
        'export { x } from "./x.js";',
        'export * from "./x.js";',
        "export const { x } = y;",
        "f(); export const z = 1;",
        'import { x } from "https://example.org/x.js";',
        "export default 1;",
        "export { x };",
        "export let x = 1;",
        "const x = await import(name);",
        "const here = import.meta.url;",
    ],
)
def test_what_the_bundler_does_not_know_is_refused(source: str) -> None:
    with pytest.raises(InarowError, match=r"^odd\.js: .* is not supported"):
        Module.parse("odd", f"const before = 1;\n{source}\n")


def test_a_path_out_of_the_folder_is_refused() -> None:
    with pytest.raises(InarowError, match=r'^in/odd\.js: "\.\./\.\./x\.js" is outside'):
        Module.parse("in/odd", 'import { x } from "../../x.js";')


def test_what_a_module_does_not_export_cannot_be_imported(tmp_path: Path) -> None:
    write(tmp_path, one='import { a, b as c } from "./two.js";', two="export const a = 1, b = 2;")
    with pytest.raises(InarowError, match=r"one\.js imports b, which two\.js does not export"):
        bundle("one", tmp_path)


def test_modules_that_import_each_other_are_refused(tmp_path: Path) -> None:
    write(
        tmp_path,
        one='import { b } from "./two.js";\nexport const a = 1;',
        two='import { a } from "./one.js";\nexport const b = 1;',
    )
    with pytest.raises(InarowError, match=re.escape("one → two → one")):
        bundle("one", tmp_path)


def test_a_missing_module_is_named(tmp_path: Path) -> None:
    write(tmp_path, one='import { b } from "./two.js";')
    with pytest.raises(InarowError, match=r"two\.js can't be read: No such file"):
        bundle("one", tmp_path)


MODULES = {
    "log": 'export const lines = [];\nexport function log(text) {\n  lines.push(text);\n}\nlog("log");',
    "parts/base": """// import { nothing } from "./nowhere.js"
/** import { none } from "./nowhere.js"; */
import { log } from "../log.js";
log("base");
export class Base {
  get name() {
    return `base: import { x } from`;
  }
}
export function* two() {
  yield* [1, 2];
}
export async function seven() {
  return 7;
}
export async function* numbers() {
  yield await seven();
}
""",
    "parts/deep/late": 'import { log as say } from "../../log.js";\nsay("late");\nexport const late = 5;',
    "main": """import {
  log,
  lines,
} from "./log.js";
import { Base, numbers, two } from "./parts/base.js";
class One extends Base {}
log(new One().name);
globalThis.done = (async () => {
  log("before");
  const { late } = await import("./parts/deep/late.js");
  for await (const one of numbers()) log(`${late + one} ${[...two()]}`);
  return lines;
})();
""",
}
"""A module for each form of import and export, in folders."""


def test_a_bundle_runs_as_its_modules_would(tmp_path: Path, browser: Browser) -> None:
    folder = write(tmp_path, **MODULES)
    assert [*reachable("main", folder)] == ["log", "parts/base", "main", "parts/deep/late"]
    page = browser.new_page()
    page.add_script_tag(content=f"({bundle('main', folder)})();")
    assert page.evaluate("done") == ["log", "base", "base: import { x } from", "before", "late", "12 1,2"]
    page.close()


WORKER = """import { double } from "./double.js";
onmessage = ({ data }) => postMessage(double(new Uint8Array(data)));
"""
DOUBLED = """import { asset, startWorker } from "./assets.js";
globalThis.done = (async () => {
  const bytes = await asset("some/numbers.bin");
  const worker = startWorker("worker");
  return new Promise((resolve) => {
    worker.onmessage = ({ data }) => resolve([...data].join(" "));
    worker.postMessage(bytes);
  });
})().catch((error) => error.message);
"""
NUMBERS = bytes([1, 2, 100])
DAMAGED = (bytes([1, 3, 100]), bytes([1, 2]), b"")


class DataPage:
    """A page that lets a worker double the numbers of a data file, opened in one of three ways."""

    def __init__(self, folder: Path, browser: Browser, way: str) -> None:
        scripts = write(
            folder,
            assets=(SCRIPTS / "assets.js").read_text(encoding="utf-8"),
            double="export const double = (bytes) => bytes.map((one) => 2 * one);",
            worker=WORKER,
            main=DOUBLED,
        )
        self.folder, self.browser, self.way = folder, browser, way
        script = page_script(
            "main", {"some/numbers.bin": NUMBERS}, inline=way == "inline", workers=("worker",), folder=scripts
        )
        (folder / "page.html").write_text(f"<!doctype html><meta charset=utf-8><script>{script}</script>")
        self.put(NUMBERS)

    def put(self, numbers: bytes) -> None:
        """Write the data file beside the page."""
        path = self.folder / "data" / "some" / "numbers.bin"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(numbers)
        path.with_name("numbers.bin.js").write_text(registering_script("some/numbers.bin", numbers))

    def said(self, before: str = "") -> str:
        """Open the page after a script ran in it, and return what it found."""
        page = self.browser.new_page()
        if before:
            page.add_init_script(before)
        with served(self.folder) if self.way == "http" else contextlib.nullcontext("") as address:
            page.goto(f"{address}page.html" if address else (self.folder / "page.html").as_uri())
            found: str = page.evaluate("done")
        page.close()
        return found


@pytest.fixture(params=["http", "file", "inline"])
def data_page(request: pytest.FixtureRequest, tmp_path: Path, browser: Browser) -> DataPage:
    return DataPage(tmp_path, browser, request.param)


def test_data_and_workers_come_over_http_from_a_disk_and_from_the_page_itself(data_page: DataPage) -> None:
    assert data_page.said() == "2 4 200"


@pytest.mark.parametrize("way", ["http", "file"])
def test_a_damaged_or_missing_file_is_a_sentence(way: str, tmp_path: Path, browser: Browser) -> None:
    page = DataPage(tmp_path, browser, way)
    for damaged in DAMAGED:
        page.put(damaged)
        assert page.said().startswith("The file some/numbers.bin is damaged. Reload the page")
    for path in (tmp_path / "data" / "some").iterdir():
        path.unlink()
    assert page.said().startswith("The file some/numbers.bin can't be loaded. Reload the page")


@pytest.mark.parametrize("name", ["Worker", "WebAssembly"])
def test_a_browser_without_workers_or_wasm_is_a_sentence(name: str, tmp_path: Path, browser: Browser) -> None:
    page = DataPage(tmp_path, browser, "inline")
    said = {"Worker": "Web Workers", "WebAssembly": "WebAssembly"}[name]
    assert page.said(f"delete window.{name};").startswith(f"This browser has no {said}, which the engine needs")

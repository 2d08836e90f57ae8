"""The page's loader calls kernels as Python does: numbers, tuples, records, arrays, traces and limits."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

import inarow.web
from inarow.kernels import rules, wasm
from inarow.rules import game
from inarow.solver.engine import Engine
from inarow.stopping import Stop
from support.chromium import open_browser

LOADER = Path(inarow.web.__file__).parent / "static" / "js" / "wasm.js"
START = """async ([source, files]) => {
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const bytes = (name) => Uint8Array.from(atob(files[name]), (letter) => letter.charCodeAt(0));
  const { Kernels } = await import(url);
  const k = (window.k = new Kernels(JSON.parse(new TextDecoder().decode(bytes("kernels.json")))));
  for (const name of ["rules", "solver", "trace"]) await k.load(name, bytes(`${name}.wasm`));
  window.board = k.call("rules.layout_of", 7, 6, 4, true);
}"""
SOLVER = """
const search = k.record("Search");
search.tt = k.array("int64", Number(k.call("solver.solve.table_words", board, 1)));
search.stop = k.array("int64", 1);
k.call("solver.solve.set_up", search, board, 1);
search.limit = 1n << 40n;
"""


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    for browser in open_browser():
        page = browser.new_page()
        files = {name: base64.b64encode(content).decode() for name, content in wasm.modules().items()}
        page.evaluate(START, [LOADER.read_text(encoding="utf-8"), files])
        yield page


def found(page: Page, script: str) -> Any:
    """Return what a script returns, with integers of 64 bits as strings."""
    text = "JSON.stringify(value, (_, one) => typeof one === 'bigint' ? String(one) : one)"
    return json.loads(page.evaluate(f"() => {{ const value = (() => {{ {script} }})(); return {text}; }}"))


def test_tuples_are_lists_and_named_tuples_objects(page: Page) -> None:
    layout = game("connect4").layout
    assert {name: int(value) for name, value in found(page, "return board").items()} == layout._asdict()
    assert found(page, "return k.call('rules.look', board, 7, 1n << 7n)") == [
        str(part) for part in rules.look(layout, 7, 1 << 7)
    ]


def test_records_hold_numbers_and_refer_to_arrays(page: Page) -> None:
    position = inarow.position("connect4", "4444435222")
    script = f"""{SOLVER}
    k.call("solver.solve.solve", search, {position.own}n, {position.occupied}n, {position.ply}, -63, 63);
    return [search.low, search.high, search.nodes, search.stopped, search.tt.length, search.moves.at(3).move === 0n];
    """
    low, high, nodes, stopped, length, empty = found(page, script)
    native = Engine(position.game, tt_mb=1).narrow(position.own, position.opp, -63, 63, Stop())
    assert (int(low), int(high), int(nodes)) == native
    assert (stopped, length, empty) == (False, 2 << 16, True)


def test_a_deadline_ends_a_search(page: Page) -> None:
    script = f"{SOLVER} let asked = 0; k.raised = () => ++asked > 3; const own = 0;"
    script += "k.call('solver.solve.solve', search, own, 0, 0, -63, 63); k.raised = () => false;"
    assert found(page, f"{script} return [search.stopped, search.nodes]") == [True, "3000"]


def test_memory_grows_and_is_released(page: Page) -> None:
    script = """
    const mark = k.mark(), before = k.memory.buffer.byteLength;
    const large = k.array("float64", 3, before);
    large.data[2] = 0.5;
    k.release(mark);
    const again = k.array("float64", 3);
    const freed = again.address === large.address;
    k.release(mark);
    return [k.memory.buffer.byteLength > 3 * before, large.shape, freed, again.data[2], k.mark() === mark];
    """
    grown, shape, freed, content, released = found(page, script)
    assert (grown, shape[0], freed, content, released) == (True, 3, True, 0, True)


def test_a_recorder_is_told_of_events_and_may_stop_a_search(page: Page) -> None:
    script = """
    const told = [], root = k.record("Root");
    let stopped = "";
    const recorder = { begin: () => told.push("begin"), backup: (...values) => {
      told.push(values.length);
      if (told.length > 4) throw new Error("enough");
    } };
    const setup = k.record("SearchSetup"), state = k.record("SearchState");
    state.limit = 1000n;
    state.stop = k.array("int64", 1);
    Object.assign(setup, { k: 4, stride: 7, board: board.board, bottom: board.bottom, gravity: true, moves: 7 });
    const order = setup.order.data;
    for (let i = 0; i < 7; i++) order[i] = 63n << BigInt(7 * i);
    root.candidates = 0b111n;
    const given = [setup, state, root, board, 0, 0, 2, 2, false, null];
    try {
      k.traced(recorder, "alphabeta.deepen", ...given);
    } catch (error) {
      stopped = error.message;
    }
    state.stopped = false;
    k.traced({}, "alphabeta.deepen", ...given);
    return [told, stopped, root.depth, root.exact];
    """
    told, stopped, depth, exact = found(page, script)
    assert told == ["begin", 4, 4, 4, 4]
    assert (stopped, depth, exact) == ("enough", "2", "7")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("k.call('rules.look', board, 1)", "there is no kernel rules.look for 2 such arguments"),
        ("k.call('mcts.expected_line', k.array('Node', 1), 0, [0])", 'the kernels "search" are not loaded'),
        ("k.call('facts.why', board, 0, 0, k.array('int64', 2, 2))", "expected an array of int64 with 1 dimensions"),
    ],
)
def test_wrong_calls_are_refused_in_a_sentence(page: Page, call: str, message: str) -> None:
    assert message in found(page, f"try {{ {call}; return ''; }} catch (error) {{ return error.message; }}")

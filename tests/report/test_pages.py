"""Tables in four formats, figures and the page: right, complete, and the same bytes each time."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from inarow.formatting import duration, number, percent
from inarow.report.charts import Bar, Shares, cost_dots, elo_chart, heat_map, outcome_bars, overview, share_matrix
from inarow.report.curves import Axis, Curve, Priced, curves, frontier, strength_by_cost
from inarow.report.page import Page, Section, to_page, to_skeleton, unbacked_numbers, write_page
from inarow.report.tables import (
    Blank,
    Column,
    Figure,
    inline,
    latex,
    shown,
    table,
    text_to_html,
    to_csv,
    to_html,
    to_latex,
    to_markdown,
)
from inarow.stats import Interval, wilson

SAMPLE = table(
    "sample",
    "Scores & costs",
    ("agent", Column("score", "percent"), Column("time", "seconds"), Column("said", published=True)),
    [
        ("rules|x_1", Interval(0.62, 0.55, 0.69), 0.00012, "> 30 %"),
        ("random", Blank("the two did not meet"), 2.5, "16"),
    ],
    "A note.",
)

PRICED = [
    Priced("slow and weak", 1.0, Interval(-50, -90, -10)),
    Priced("quick", 1e-4, Interval(0, -20, 20)),
    Priced("strong", 0.1, Interval(200, 150, 250)),
    Priced("free", 0.0, Interval(-300, -350, -250)),
]
FIGURES = [
    heat_map("heat", "Who beats whom", ["a", "b", "c"], {(0, 1): Interval(0.9, 0.8, 1.0), (1, 0): Interval(0.1, 0, 1)}),
    share_matrix("shares", "Shares", ["a", "b"], {(0, 1): Shares(3, 4, 3), (1, 0): Shares(0, 0, 0)}),
    outcome_bars("bars", "Outcomes", [Bar("a", 5, 3, 2), Bar("nobody", 0, 0, 0)]),
    elo_chart("elo", "Elo", [("a", Interval(100, 50, 150)), ("b", Interval(-100, -150, -50))]),
    overview("over", "Overview", ["a", "b"], {"wins": [1.0, 0.5], "speed": [0.2, None]}, "Normalised."),
    cost_dots("cost", "Time", [("a", 1e-5), ("b", 0.1), ("c", 0)], "seconds a move", "seconds"),
    curves("curve", "By depth", Axis("x"), Axis("nodes", log=True), [Curve("a", [(1, 7), (2, 49)]), Curve("b", [])]),
    curves(
        "band", "Training", Axis("episodes"), Axis("win rate", "percent", low=0, high=100),
        [Curve("a", [(0, Interval(0.1, 0, 0.2)), (9, Interval(0.5, 0.4, 0.6))], quiet=True)],
    ),
    heat_map("open", "Not all is decided", ["a", "b"], {(0, 1): Interval(0.6, 0.4, 0.8)}, undecided={(0, 1), (1, 0)}),
    strength_by_cost("front", "Strength against time", PRICED, "time a move", "seconds"),
]  # fmt: skip


def page(*summary: str, figures: Sequence[Figure] = FIGURES) -> Page:
    return Page(
        "A title", "A lead.", summary, (Section("Results", ("Some text.", SAMPLE, *figures)),),
        (Section("Players", ("Their parameters.", SAMPLE)),), ("Damaged <store>",),
    )  # fmt: skip


def test_the_frontier_holds_whom_no_cheaper_agent_beats() -> None:
    assert [one.label for one in frontier(PRICED)] == ["free", "quick", "strong"]
    figure = next(figure for figure in FIGURES if figure.key == "front")
    assert [row[-1] for row in figure.data.rows] == ["yes", "yes", "no"]


def test_cells_that_are_not_decided_are_hatched_and_named_in_the_data() -> None:
    hatched, plain = (next(f for f in FIGURES if f.key == key) for key in ("open", "heat"))
    assert [row[-1] for row in hatched.data.rows] == ["no", "no"]
    assert "Hatched: not decided." in hatched.caption
    assert "pattern" in hatched.svg
    assert "pattern" not in plain.svg


@pytest.mark.parametrize(
    ("kind", "cell", "text"),
    [
        ("percent", 0.5, "50 %"),
        ("percent", 0.0023, "0.2 %"),
        ("percent", Interval(0.62, 0.55, 0.694), "62 % (55–69)"),
        ("elo", Interval(12.4, -3, 30), "+12 (−3 to +30)"),
        ("elo", 0.2, "0"),
        ("seconds", 0.0000123, "12.3 µs"),
        ("seconds", 3e-9, "3 ns"),
        ("seconds", 0, "0 s"),
        ("seconds", Interval(1.0, 0.5, 2.0), "1 s (500 ms to 2 s)"),
        ("count", 1234567, "1,234,567"),
        ("number", 1234.5, "1,234"),
        ("number", 0.012345, "0.0123"),
        ("number", -0.5, "−0.5"),
        ("number", 3.1e35, "3.1×10^35"),
        ("number", Interval(1.5, 1, 2), "1.5 (1 to 2)"),
        ("text", "as it is", "as it is"),
        ("text", Blank("why"), "–"),
    ],
)
def test_cells_read_as_people_write(kind: str, cell: str | float | Interval | Blank, text: str) -> None:
    assert shown(kind, cell) == text


def test_rounding_never_makes_a_rate_look_certain() -> None:
    assert percent(0.999) == "99.9"
    assert percent(0.001) == "0.1"
    assert percent(1.0) == "100"
    assert number(0.0) == "0"
    assert duration(0.00099951) == "1 ms"


def test_csv_holds_full_figures_and_intervals_in_three_columns() -> None:
    rows = list(csv.reader(io.StringIO(to_csv(SAMPLE))))
    assert rows[0] == ["agent", "score", "score low", "score high", "time", "said"]
    assert rows[1] == ["rules|x_1", "0.62", "0.55", "0.69", "0.00012", "> 30 %"]
    assert rows[2] == ["random", "", "", "", "2.5", "16"]


def test_every_format_escapes_what_it_must_and_gives_the_reason_for_a_blank() -> None:
    assert r"rules\|x_1" in to_markdown(SAMPLE)
    assert r"rules|x\_1 & 62 \% (55--69) & 120 $\mu$s" in to_latex(SAMPLE)
    assert "Scores &amp; costs" in to_html(SAMPLE)
    for text in (to_markdown(SAMPLE), to_latex(SAMPLE), to_html(SAMPLE)):
        assert "the two did not meet" in text
        assert "A note." in text


def test_a_row_must_fit_its_columns() -> None:
    with pytest.raises(AssertionError, match="1 cells under 2 columns"):
        table("bad", "Bad", ("a", "b"), [("x",)])


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.key)
def test_a_figure_is_the_same_bytes_each_time_and_has_its_numbers(figure: Figure) -> None:
    again = replace(figure)
    assert figure.svg == again.svg
    assert figure.pdf == again.pdf
    assert figure.data.rows
    assert "<dc:date>" not in figure.svg
    ids = re.findall(r'\bid="([^"]+)"', inline(figure))
    assert ids
    assert all(name.startswith(f"{figure.key}-") for name in ids)


class _Checker(HTMLParser):
    """Collects what a page would fetch, and the ids it has."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.fetched += [v for k, v in attrs if k in ("src", "href", "xlink:href") and v and not v.startswith("#")]


def test_a_page_is_whole_and_needs_no_network() -> None:
    text = to_page(page("All is well."))
    checker = _Checker()
    checker.feed(text)
    assert checker.fetched == []
    assert "@import" not in text
    assert "Damaged &lt;store&gt;" in text
    assert text.count("<svg") == len(FIGURES)
    assert text.count("The numbers") == len(FIGURES)


def test_every_link_of_a_page_leads_to_one_place_in_it() -> None:
    text = to_page(replace(page("All is well."), methods=(Section("Players", ("All.",)),)))
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    links = set(re.findall(r'\bhref="#([^"]+)"', text))
    assert {"summary", "results", "methods", "methods-players", "sample", "heat"} <= links
    assert links <= set(ids)


def test_a_page_is_headed_by_its_result_if_it_has_one() -> None:
    assert "<h1>A title</h1>" in to_page(page("All is well.", figures=()))
    made = to_page(replace(page(figures=()), headline="It works"))
    assert "<h1>It works</h1>" in made
    assert '<p class="kicker">A title</p>' in made


def test_a_page_may_load_nothing_from_elsewhere() -> None:
    text = to_page(page("All is well."))
    assert "default-src 'none'" in text
    addresses = re.findall(r"https?://[^\s\"'<>]+", text)
    assert {address.split("/")[2] for address in addresses} <= {"www.w3.org"}  # names of SVG, never fetched


def test_numbers_in_tables_carry_what_they_are_sorted_by() -> None:
    made = to_html(SAMPLE)
    assert 'class="n" data-v="0.62">62\u00a0% (55–69)</td>' in made
    assert 'class="n" data-v="0.00012">120\u00a0µs</td>' in made
    assert 'class="n">–</td>' in made


def test_a_text_of_a_page_keeps_numbers_with_their_units_and_sets_code() -> None:
    assert (
        text_to_html("1 / 2 & 5 % of 3 Elo in 2 ms, 7 sets")
        == "1\u00a0/\u00a02 &amp; 5\u00a0% of 3\u00a0Elo in 2\u00a0ms, 7 sets"
    )
    assert text_to_html("`a < b` makes one") == "<code>a &lt; b</code> makes one"
    assert latex("`a_b` and “c” and “d”") == r"\texttt{a\_b} and ``c'' and ``d''"


def test_a_title_does_not_repeat_the_heading_above_it() -> None:
    sections = (Section("Hex: strength", (replace(SAMPLE, title="Hex: standings"),)),)
    methods = (Section("Players", (replace(SAMPLE, key="players", title="Players"),)),)
    text = to_page(replace(page(figures=()), sections=sections, methods=methods))
    assert "<caption><span>Standings<a" in text
    assert '<caption class="unseen">Players</caption>' in text


def test_marks_of_a_figure_say_their_values() -> None:
    hatched, dots = (next(f for f in FIGURES if f.key == key) for key in ("open", "cost"))
    assert "<title>a against b: 60 % (40–80)\nnot decided</title>" in hatched.svg
    assert "<title>b: 100 ms</title>" in inline(dots)
    for figure in FIGURES:
        assert '<g id="tip_1" class="tip">' in figure.svg
        assert "tip:" not in figure.svg


def test_numbers_of_the_summary_that_no_table_has_are_found() -> None:
    assert unbacked_numbers(page("It scores 62 % (55–69).")) == []
    assert unbacked_numbers(page("It scores 63 %, of 1,000.")) == ["63", "1,000"]
    assert unbacked_numbers(replace(page("62 % and 78 %."), headline="77 %")) == ["77", "78"]


def test_a_folder_gets_every_table_and_figure_and_the_same_bytes_again(tmp_path: Path) -> None:
    few = [replace(figure) for figure in FIGURES[:2]]
    write_page(page(figures=few), tmp_path)
    before = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    keys = {"sample", *(figure.data.key for figure in few)}
    assert {p.name for p in (tmp_path / "tables").iterdir()} == {f"{k}.{e}" for k in keys for e in ("csv", "md", "tex")}
    assert {p.name for p in (tmp_path / "figures").iterdir()} == {f"{f.key}.{e}" for f in few for e in ("svg", "pdf")}
    (tmp_path / "tables" / "old.csv").write_text("of an earlier report")
    write_page(page(figures=few), tmp_path)
    assert {p.relative_to(tmp_path): p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == before


def test_wilson_of_the_data_behind_bars() -> None:
    assert FIGURES[2].data.rows[0][1] == wilson(5, 10)


def test_columns_may_be_written_in_one_string() -> None:
    made = table("key", "Title", "agent | ratio 1:2 | wins:count | limit:published | time:seconds:published", [])
    assert made.columns == (
        Column("agent"),
        Column("ratio 1:2"),
        Column("wins", "count"),
        Column("limit", published=True),
        Column("time", "seconds", published=True),
    )


def test_details_are_folded_with_the_methods_and_lists_are_sentences() -> None:
    first, rest = Section("First", (("One.", "Two."),)), Section("Rest", ())
    made = replace(page("All is well."), sections=(first,), details=(rest,))
    text = to_page(made)
    head, _, folded = text.partition('<details class="fold"')
    assert "<li>One.</li>" in head
    assert "Rest" not in head.partition("<main")[2]
    assert folded.index('id="rest"') < folded.index('id="methods"') < folded.index("<footer>")
    assert "One." in made.sentences()
    assert "\\item Two." in to_skeleton(made)
    assert 'class="fold"' not in to_page(page("All is well."))

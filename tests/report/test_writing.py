"""What is written beside a page: a LaTeX document whose parts all exist, bitmaps, and a PDF or the reason for none."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from inarow.report.charts import elo_chart
from inarow.report.page import (
    HOW,
    Formats,
    Page,
    Section,
    print_page,
    references,
    same_each_time,
    write_page,
)
from inarow.report.tables import Column, table, to_latex
from inarow.stats import Interval
from support.chromium import HOW_TO_GET_IT, chromium_path

LONG = table("long", "Long", ("agent", Column("n", "count")), [("a", n) for n in range(60)])
CROWDED = table(
    "crowded", "Crowded", ("first", "second", Column("n", "count")), [("name " * 7, "name " * 7, 10**20)] * 60
)
WORDY = table("wordy", "Wordy", ("name", "text"), [("a_1", "word " * 30)], "½ of 100 % ≤ “all”")


def page() -> Page:
    elos = elo_chart("elo", "Elo & error", [("a", Interval(100, 50, 150)), ("b", Interval(-100, -150, -50))])
    return Page(
        "A study", "A lead of 100 %.", ("It works.",), (Section("Results", ("Some text.", LONG, elos)),),
        (Section("Players", (WORDY,)),), ("Unfinished",), "a_b is better",
    )  # fmt: skip


def included(text: str) -> set[str]:
    return set(re.findall(r"\\(?:input|includegraphics(?:\[[^]]*\])?)\{([^}]+)\}", text))


def test_the_latex_document_includes_every_table_and_figure_and_each_of_them_exists(tmp_path: Path) -> None:
    write_page(page(), tmp_path, Formats(png=True))
    text = (tmp_path / "paper.tex").read_text(encoding="utf-8")
    assert included(text) == {
        "tables/long.tex", "tables/wordy.tex", "tables/elo-data.tex", "figures/elo.pdf"
    }  # fmt: skip
    for name in included(text):
        assert (tmp_path / name).is_file()
    assert r"a\_b is better" in text
    assert r"100 \%" in text
    bitmap = (tmp_path / "figures" / "elo.png").read_bytes()
    width = int.from_bytes(bitmap[16:20])
    assert width == round(300 * next(page().figures()).size[0])


def test_the_latex_document_has_places_for_your_text_and_cites_its_bibliography(tmp_path: Path) -> None:
    write_page(replace(page(), references=references(["mcts", "mcts", "random"])), tmp_path)
    text = (tmp_path / "paper.tex").read_text(encoding="utf-8")
    for place in (r"\author{Your name}", r"\begin{abstract}", r"\section{Related work}", r"\section{Discussion}"):
        assert place in text
    (cited,) = re.findall(r"\\cite\{([^}]+)\}", text)
    assert cited.split(",") == re.findall(r"\\bibitem\{([^}]+)\}", text)
    assert cited.startswith("inarow,kocsis2006,browne2012,")
    shown = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Please cite inarow" in shown
    assert "Bandit based Monte-Carlo planning" in shown


def test_the_latex_document_compiles(tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("there is no pdflatex; Debian has it in texlive-latex-extra")
    every = (Section("Results", ("½ & 100 %: “α–β” ≤ 3 × 10², −1 µs", LONG, CROWDED, *page().sections[0].items[2:])),)
    write_page(
        replace(
            page(),
            sections=every,
            references=references(("minimax", "alphabeta", "mcts", "qlearning", "ntuple", "best", "perfect")),
        ),
        tmp_path,
    )
    for _ in range(2):
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stdout[-2000:]
    assert "undefined" not in done.stdout
    assert (tmp_path / "paper.pdf").stat().st_size > 10_000


def test_long_tables_break_over_pages_and_long_texts_over_lines() -> None:
    assert "\\begin{longtable}{lr}" in to_latex(LONG)
    narrow = r">{\raggedright\arraybackslash}p{0.32\linewidth}"
    assert f"\\begin{{longtable}}{{{2 * narrow}r}}" in to_latex(CROWDED), "no wider than the page"
    tall = to_latex(table("tall", "Tall", ("spec", "parameters"), [("a:model=b", "word " * 100)] * 12))
    assert "\\begin{longtable}" in tall, "it would be set too small to read on one page"
    assert r"a:\allowbreak{}model=\allowbreak{}b" in tall
    assert "\\begin{tabular}{lp{0.80\\linewidth}}" in to_latex(WORDY)
    assert r"\textonehalf{} of 100 \% $\leq$ ``all''" in to_latex(WORDY)


def test_a_page_is_printed_to_the_same_bytes_each_time(tmp_path: Path) -> None:
    if chromium_path() is None:
        pytest.skip(HOW_TO_GET_IT)
    few = replace(page(), sections=(Section("Results", ("Some text.",)),))
    made = []
    for _ in range(2):
        write_page(few, tmp_path, Formats(pdf=True))
        made.append((tmp_path / "report.pdf").read_bytes())
    assert made[0].startswith(b"%PDF")
    assert made[0] == made[1]


def test_dates_and_a_browsers_own_numbers_do_not_reach_the_file() -> None:
    printed = [
        b"/ID (node00000060) /Headers [(node00000060)] /ID (node00000062) (D:20260102030405+00'00')",
        b"/ID (node00000059) /Headers [(node00000059)] /ID (node00000061) (D:20260102030406+00'00')",
    ]
    one, other = map(same_each_time, printed)
    assert one == other
    assert one.startswith(b"/ID (node00000000) /Headers [(node00000000)] /ID (node00000001) (D:00000")
    assert len(one) == len(printed[0])


def test_without_a_printer_it_says_how_to_get_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr("shutil.which", lambda name: None)
    few = replace(page(), sections=())
    (tmp_path / "report.pdf").write_text("of an earlier report")
    write_page(few, tmp_path, Formats(pdf=True), said.append)
    assert said == [f"report.pdf was not made because no browser was found: {HOW}"]
    assert not (tmp_path / "report.pdf").exists()


def test_a_printer_that_fails_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: "/bin/false" if name == "weasyprint" else None)
    (tmp_path / "report.html").write_text("<p>A page")
    assert "weasyprint" in str(print_page(tmp_path / "report.html"))

"""The report of any store: tournaments, sequential tests and leagues, without a study that declared them."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from inarow.arena import Results, Run, Store, load
from inarow.arena.results import grade_run, usual_ply
from inarow.arena.tournament import config_hash, stored_labels
from inarow.errors import InarowError, printable
from inarow.formatting import capitalised, counted, listed
from inarow.report.page import PAGE, PLAIN, Formats, Item, Note, Page, Section, write_page
from inarow.report.tables import Blank, Cell, Table, findings, headline, shown, table
from inarow.studies import sections as parts
from inarow.studies.base import MANIFEST, MAX_REPLAYS, StudyError, StudyResults, rename, study
from inarow.studies.methods import methods_of, page_of, references_of
from inarow.truth import Accuracy
from inarow.truth.positions import Map

MAX_DRAWN = 20
"""Maximum number of agents in a matrix; more would be illegible."""


class StorePart(NamedTuple):
    """Tournaments of a store that are shown together."""

    key: str
    title: str
    results: Results
    tournaments: Sequence[Results]


def write_store_report(
    paths: Sequence[Path], out: Path | None = None, formats: Formats = PLAIN, note: Note | None = None, *,
    force: bool = False, title: str = "", accuracy: bool = True, each: Map = map,
) -> Path:  # fmt: skip
    """Write the report of one or several stores to a folder, by default next to the first; return the page.

    A folder that holds anything but an earlier report is left alone without ``force``.
    """
    folder = out or paths[0].with_name(f"{paths[0].stem}-report")
    _check_folder(folder, force)
    with contextlib.ExitStack() as stack:
        opened = [stack.enter_context(Store.read(path)) for path in paths]
        page = page_of_stores(opened, title, accuracy=accuracy, each=each)
    folder.mkdir(parents=True, exist_ok=True)
    return write_page(page, folder, formats, note)


def _check_folder(folder: Path, force: bool) -> None:
    try:
        if folder.exists() and not folder.is_dir():
            raise StudyError(f"{folder} is a file; give a folder with --out")
        used = folder.exists() and any(folder.iterdir()) and not (folder / PAGE).exists()
    except OSError as error:
        raise StudyError(f"{folder} can't be used: {error.strerror}; give another --out") from None
    if used and not force:
        raise StudyError(f"{folder} is in use: it has other files in it; give another --out, or --force to write there")


def page_of_stores(stores: Sequence[Store], title: str = "", *, accuracy: bool = False, each: Map = map) -> Page:
    """Make the page of some stores, with warnings about missing or unreadable parts.

    With ``accuracy`` the moves played are graded by the exact solver, in calls made by ``each``.
    """
    studies = [store.path for store in stores if store.measured(MANIFEST) is not None]
    if studies and len(stores) == 1:
        found = StudyResults(stores[0], stores[0].notes)
        page = page_of(study(found.study, **found.options), found)
        return replace(page, title=title) if title else page
    if studies:
        raise StudyError(f"{studies[0]} holds a study, which has its own report; remove it")
    warnings = [note for store in stores for note in store.notes]
    loaded: list[Results] = []
    graded: dict[int, dict[str, Accuracy]] = {}
    methods: list[Section] = []
    cited: list[str] = []
    matches: list[dict[str, Any]] = []
    for number, store in enumerate(stores):
        here = [results for run in store.runs() if (results := _loaded(store, run, warnings)) is not None]
        if accuracy:
            graded |= {id(results): _graded(store, results, each) for results in here}
        found = StudyResults(store, store.notes, _manifest(store, [one.run for one in here]))
        methods += _numbered(methods_of(found), store.path.name if len(stores) > 1 else "", number)
        warnings += found.unloadable()
        cited += found.specs()
        matches += found.replays()
        loaded += here
    pools = _pools(loaded)
    if not pools:
        why = f": {warnings[-1]}" if warnings else "; give a store that `inarow tournament --out` has written"
        raise StudyError(f"{stores[0].path} holds no tournament that can be shown{why}")
    said: list[str] = []
    sections: list[Section] = []
    for part in pools:
        said += _test(part.results) if part.results.sprt else findings(part.results)
        sections += _sections(part, [graded[id(one)] for one in part.tournaments if id(one) in graded])
    left = [results for results in loaded if not results.finished]
    if left:
        done = sum(results.matches for results in left)
        warnings.append(
            f"{capitalised(counted(len(left), 'tournament is', 'tournaments are'))} unfinished, with "
            f"{counted(done, 'match', 'matches')} so far. Partial results are shown."
        )
    return Page(
        title=title or f"{listed([printable(store.path.stem) for store in stores])}: results",
        lead=_lead(pools),
        summary=tuple(said),
        sections=tuple(sections),
        methods=tuple(methods),
        warnings=tuple(warnings),
        headline=_headline(pools),
        references=references_of(cited),
        matches=tuple(matches[:MAX_REPLAYS]),
    )


def _numbered(methods: Sequence[Section], name: str, number: int) -> list[Section]:
    """Return the methods sections of one of several stores, with distinct titles and keys."""
    if not name:
        return list(methods)
    made = []
    for section in methods:
        items = [
            replace(one, key=f"{one.key}-{number + 1}") if isinstance(one, Table) else one for one in section.items
        ]
        made.append(Section(f"{name}: {section.title.lower()}", tuple(items)))
    return made


def _graded(store: Store, results: Results, each: Map) -> dict[str, Accuracy]:
    """Return the accuracy of the moves of each agent of a tournament, by label."""
    labels = stored_labels(results.run.config)
    return {labels[spec]: one for spec, one in grade_run(store, results.run, each=each).items()}


def _headline(pools: Sequence[StorePart]) -> str:
    heads = [headline(part.results) for part in pools if part.results.sprt is None]
    tests = [_test(part.results)[0].partition(":")[0] for part in pools if part.results.sprt is not None]
    return "; ".join([*heads, *tests][:2])


def _loaded(store: Store, run: Run, warnings: list[str]) -> Results | None:
    """Return the results of a run; add a warning and return None if this version can't read them."""
    try:
        results = load(store, run)
        rename(results, stored_labels(run.config))
        results.rule  # noqa: B018  # fails here rather than in a table
    except (InarowError, KeyError, TypeError, ValueError) as error:
        warnings.append(f"The tournament {run.name!r} can't be shown by this version of inarow: {error}.")
        return None
    return results


def _pools(loaded: Sequence[Results]) -> list[StorePart]:
    """Group tournaments of one game into pools; each sequential test is a pool.

    A pairing that is repeated under other settings starts another pool.
    """
    groups: list[list[Results]] = []
    for results in loaded:
        met = set(map(frozenset, results.run.pairings.values()))
        fits = (
            group
            for group in groups
            if results.run.config.get("sprt") is None
            and group[0].run.config.get("sprt") is None
            and group[0].game == results.game
            and group[0].run.config.get("rule") == results.run.config.get("rule")
            and not any(met & set(map(frozenset, one.run.pairings.values())) for one in group)
        )
        group = next(fits, None)
        if group is None:
            groups.append([results])
        else:
            group.append(results)
    made, seen = [], dict[str, int]()
    for group in groups:
        name = group[0].game.name
        seen[name] = seen.get(name, 0) + 1
        number = "" if seen[name] == 1 else f"-{seen[name]}"
        title = group[0].game.title + (f", {seen[name]}" if number else "")
        made.append(StorePart(f"{name}{number}", title, group[0] if len(group) == 1 else _together(group), group))
    return made


def _together(group: Sequence[Results]) -> Results:
    """Merge the series of several tournaments into one pool."""
    specs = dict.fromkeys(spec for results in group for spec in results.agents)
    series = dict(enumerate((one for results in group for one in results.series.values()), start=1))
    pairings = {number: (one.sides[0].spec, one.sides[1].spec) for number, one in series.items()}
    config = {**group[0].run.config, "agents": [{"spec": spec} for spec in specs]}
    made = Results(Run(0, group[0].run.name, config, pairings))
    made.series = series
    return made


def _manifest(store: Store, runs: Sequence[Run]) -> dict[str, Any]:
    """Describe a store's content in the form of a study's manifest."""
    experiments = [
        {
            "key": f"{number}. {run.name}",
            "run": run.id,
            "kind": "tournament",
            "hash": config_hash(run.config),
            "config": run.config,
            "labels": stored_labels(run.config),
        }
        for number, run in enumerate(runs, start=1)
    ]
    return {"experiments": experiments, "timing": {"made by inarow": store.version}}


def _lead(pools: Sequence[StorePart]) -> str:
    matches = sum(part.results.matches for part in pools)
    agents = len({spec for part in pools for spec in part.results.agents})
    titles = listed([part.title for part in pools])
    return (
        f"{counted(agents, 'agent', 'agents')} in {counted(matches, 'match', 'matches')} of {titles}, in pairs on the "
        "same opening with seats swapped. A > B: A is shown to be better than B."
    )


def _test(results: Results) -> list[str]:
    """State the result of a sequential test so far."""
    assert results.sprt is not None
    test, state = results.sprt
    series = next(iter(results.series.values()))
    a, b = (side.spec for side in series.sides)
    low, high = (shown("number", elo) for elo in (test.elo0, test.elo1))
    if state.accepted is None:
        return [f"Whether {a} is {low} or {high} Elo stronger than {b} is not decided yet."]
    return [f"{test.conclusion(state.accepted, a, b)}: accepted by the sequential test."]


def _test_table(results: Results, key: str) -> Table:
    assert results.sprt is not None
    test, state = results.sprt
    rows: list[tuple[Cell, ...]] = [
        ("elo0, elo1", f"{shown('number', test.elo0)}, {shown('number', test.elo1)}"),
        ("alpha, beta", f"{shown('number', test.alpha)}, {shown('number', test.beta)}"),
        ("log-likelihood ratio", shown("number", state.llr)),
        ("bounds", f"{shown('number', state.lower)} to {shown('number', state.upper)}"),
        ("accepted", state.accepted or "neither yet"),
        ("pairs", f"{next(iter(results.series.values())).sides[0].pairs.total():,}"),
    ]
    return table(key, f"{results.game.title}: the sequential test", "what | value", rows)


def _accuracy(part: StorePart, graded: Sequence[Mapping[str, Accuracy]]) -> Table:
    """Tabulate how often the moves played keep the exact value."""
    total: dict[str, Accuracy] = {}
    for one in graded:
        for name, moves in one.items():
            total[name] = total.get(name, Accuracy()) + moves
    rows: list[tuple[Cell, ...]] = []
    for name in (standing.spec for standing in part.results.standings()):
        moves = total.get(name, Accuracy())
        rates = (rate or Blank("no move was graded") for rate in (moves.kept_rate, moves.perfect_rate))
        rows.append((name, moves.moves, *rates))
    heads = "agent | moves:count | exact value kept:percent | best score:percent"
    least = usual_ply(part.results.game)
    where = f"positions with at least {least} stones" if least else "positions"
    return table(
        f"{part.key}-accuracy", f"{part.title}: accuracy of the moves played", heads, rows,
        f"Moves of stored matches in {where} whose moves differ in exact value. Best score: the quickest win, or the "
        "longest resistance. Agents met different positions; `inarow grade` compares them on the same ones.",
    )  # fmt: skip


def _sections(part: StorePart, graded: Sequence[Mapping[str, Accuracy]]) -> list[Section]:
    key, title, results = part.key, part.title, part.results
    few = len(results.agents) <= MAX_DRAWN
    strength: list[Item] = [_test_table(results, f"{key}-test")] if results.sprt is not None else []
    strength += [parts.standings(results, f"{key}-standings"), parts.elos(results, f"{key}-elo")]
    strength.append(parts.parameters(results, {}, f"{key}-parameters"))
    who: list[Item] = [parts.cross_table(results, f"{key}-cross")] if few else []
    who += [parts.decided(results, f"{key}-decided"), parts.meetings(results, f"{key}-pairings")]
    who += [parts.seat_matrix(results, f"{key}-seats")] if few else []
    frontier = [parts.strength_and_time(results, f"{key}-frontier")] if len(results.agents) > 2 else []
    made = [
        Section(f"{title}: results", tuple(strength)),
        Section(f"{title}: head-to-head scores", tuple(who)),
        Section(f"{title}: cost", (*frontier, parts.cost(results, f"{key}-cost"))),
    ]
    if graded:
        made.append(Section(f"{title}: accuracy", (_accuracy(part, graded),)))
    if (faults := _faults(results, f"{key}-faults")) is not None:
        made.append(Section(f"{title}: failures", (faults,)))
    return made


def _faults(results: Results, key: str) -> Table | None:
    """Return the stored fault messages of matches."""
    said = dict.fromkeys(results.faults)
    if not said:
        return None
    return table(key, f"{results.game.title}: matches that ended by a fault", "fault", [(one,) for one in said])

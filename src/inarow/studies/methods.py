"""Build the page of a study: its content, and the methods section that all studies share."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from inarow.agents import Agent, agent
from inarow.agents.parameters import Configured, Kind
from inarow.agents.qlearning import QLearningAgent
from inarow.errors import InarowError
from inarow.formatting import listed, share
from inarow.match.claims import FIRST_LOOKS, USUAL, SequentialRule, rule_of
from inarow.match.playing import NODES
from inarow.models.loading import model_path, trained
from inarow.report.page import Citation, Page, Section, references
from inarow.report.tables import TEMPLATES, Blank, Cell, Table, table
from inarow.rules import Game, game
from inarow.studies.base import Study, StudyResults
from inarow.training.trainer import trainer, trainer_names

NOTHING_SHOWN = "These results support no conclusion."


@cache
def _texts() -> dict[str, Any]:
    """Return the sentences on statistics, with gaps for numbers."""
    return tomllib.loads((TEMPLATES / "methods.toml").read_text(encoding="utf-8"))


def _sequential(rule: SequentialRule) -> str:
    """Describe the sequential rule."""
    width = "" if rule.precision is None else share(2 * rule.precision)
    text: str = _texts()["sequential"].format(
        looks=FIRST_LOOKS, margin=share(rule.margin), comparisons=rule.comparisons, error=share(1 - rule.confidence),
        precision=_texts()["precision"].format(width=width) if width else "",
    )  # fmt: skip
    return text


def _statistics(found: StudyResults) -> tuple[str, ...]:
    """Return the statistical methods of this study."""
    texts, configs = _texts(), [found.config(key) for key in found.keys("tournament")]
    rules = [rule_of(config["rule"]) for config in configs if "rule" in config]
    claims = [_sequential(rule) for rule in dict.fromkeys(rules) if isinstance(rule, SequentialRule)]
    if len(rules) < len(configs) or not configs:
        confidence, error = share(USUAL.confidence), share(1 - USUAL.confidence)
        claims.append(texts["fixed"].format(confidence=confidence, matches=2 * USUAL.least_pairs, error=error))
    if any(config.get("adjudicate") for config in configs):
        claims.insert(0, texts["adjudicated"].format(nodes=NODES))
    return (*texts["statistics"][:2], *claims, *texts["statistics"][2:])


def page_of(study: Study, found: StudyResults) -> Page:
    """Return the whole report of a study."""
    content = study.content(found)
    left = found.unfinished()
    warnings = list(found.notes)
    if left:
        what = ", ".join(left) if len(left) < FEW else f"{len(left)} experiments are left"
        warnings.append(f"This study is unfinished: {what}. Partial results are shown.")
    warnings += [*found.unloadable(), *content.warnings]
    return Page(
        title=study.title,
        lead=content.lead,
        summary=tuple(content.summary) or (NOTHING_SHOWN,),
        sections=tuple(content.sections),
        methods=methods_of(found),
        warnings=tuple(warnings),
        headline=content.headline,
        references=references_of(found.specs()),
        matches=tuple(found.replays()),
        figure=content.figure,
        details=tuple(content.details),
    )


def references_of(specs: Iterable[str]) -> tuple[Citation, ...]:
    """Return the references for these agents."""
    return references(dict.fromkeys(spec.partition(":")[0] for spec in specs))


def methods_of(found: StudyResults) -> tuple[Section, ...]:
    """Return the methods: players, experiments, statistics, versions."""
    played = (
        *([Section("Players", (players,))] if (players := _players(found)).rows else []),
        Section("Experiments", (_experiments(found),)),
        Section("Statistics", _statistics(found)),
    )
    return (*(played if found.keys() else ()), Section("Seed, versions and machine", (_machine(found),)))


def _players(found: StudyResults) -> Table:
    rows: dict[tuple[str, str], str] = {}
    named: set[str] = set()
    for entry in found.manifest["experiments"]:
        config, labels = entry["config"], entry["labels"]
        if entry["kind"] == "tournament":
            for spec in (one["spec"] for one in config["agents"]):
                named.add(spec)
                label, about = labels.get(spec, spec), _about(spec, config["game"], found.folder)
                if rows.setdefault((label, spec), about) != about:  # another model on another board
                    rows[f"{label}, {config['game']}", spec] = about
        elif (spec := config["settings"].get("agent") or config["settings"].get("trainer")) and spec not in named:
            learns = "trainer" in config["settings"]
            general = _general(spec)
            about = _general(_about(spec, config["settings"]["game"], found.folder, learns))
            is_other = rows.get((general, general), about) != about
            rows[f"{general}, {config['settings']['game']}" if is_other else general, general] = about
    cells = [(name, spec, about) for (name, spec), about in rows.items()]
    note = ("A depth or time given as … was varied; see Experiments.",) if any("…" in row[1] for row in cells) else ()
    if all(name == spec for name, spec, _ in cells):
        return table("methods-players", "Players", "spec | parameters", [row[1:] for row in cells], *note)
    return table("methods-players", "Players", "name | spec | parameters", cells, *note)


def _general(text: str) -> str:
    """Replace depths and times, which measurements vary, by an ellipsis."""
    return re.sub(r"\b(depth|seconds)([= ])[\d.]+", r"\1\2…", text)


def _about(spec: str, name: str, folder: Path, learns: bool = False) -> str:
    """Describe an agent and its parameters; hidden parameters only where they are used.

    For a learner, describe the training of its model, or its training in the study (``learns``). Files in the spec are
    relative to the study's folder.
    """
    try:
        if learns:
            learner = trainer(spec)
            return f"{learner.summary}; trained here: {_parameters(learner)}"
        made = agent(spec)
        if made.name in trainer_names():
            return _about_learner(made, game(name), folder)
    except InarowError:
        return "an agent that this version of inarow can’t load"
    values = made.effective(game(name)) if made.foreign else _parameters(made)
    return f"{made.description}; {values}" if values else made.description


def _parameters(made: Configured) -> str:
    values_of = [(p, _in_force(made, p)) for p in made.parameters()]
    texts = {
        p.name: f"{v:.6g}" if isinstance(v, float) else p.format(v)
        for p, v in values_of
        if v != p.default or not p.hidden
    }
    return ", ".join(f"{name} {text or 'none given'}" for name, text in texts.items())


def _in_force(made: Configured, kind: Kind) -> Any:
    """Return the value of a parameter; of a switch, whether it is on in effect."""
    value = kind.of(made)
    return made.in_use(kind.field) if isinstance(made, Agent) and isinstance(value, bool) else value


def _about_learner(made: Agent, board: Game, folder: Path) -> str:
    """Describe the training of a learner's model from its file."""
    given: str = getattr(made, "model", "")
    try:
        path = model_path(made.name, str(folder / given) if given else "", board)
        facts = trained(path)
        learner = trainer(facts["spec"])
    except InarowError:
        return f"{made.summary}; {_parameters(made)}; its model can’t be read"
    guide = ""
    if isinstance(made, QLearningAgent):
        guide = f", guide {made.guide}"
        if not made.use_table:
            return f"the learner’s guide with an empty table: guide {made.guide}, {_noise(made)}"
    opponents = listed(["itself" if one == "self" else one for one in facts["opponents"]]) or "itself"
    said = f"{made.description}; learnt from {facts['episodes']:,} episodes against {opponents}, seed {facts['seed']}: "
    return f"{said}{_parameters(learner)}; in play: {_noise(made)}{guide}"


def _noise(made: Agent) -> str:
    return f"noise {getattr(made, 'noise', 0):g}"


FEW = 8
"""A longer list in a setting is shown as its length."""
NO_MATCHES = Blank("a measurement, not a tournament")


def _experiments(found: StudyResults) -> Table:
    """Return all experiments; measurements whose keys differ only in a final number share a row."""
    rows: list[tuple[Cell, ...]] = []
    groups: dict[str, list[dict[str, Any]]] = {}
    for entry in found.manifest["experiments"]:
        numbered = entry["kind"] == "measurement"
        groups.setdefault(re.sub(r"-[\d.]+$", "-…", entry["key"]) if numbered else entry["key"], []).append(entry)
    for key, (entry, *more) in groups.items():
        config, digest = entry["config"], entry["hash"][:12] + (f" and {len(more)} more" if more else "")
        if entry["kind"] == "tournament":
            pairs = f"at most {config['pairs']}" if "rule" in config or config["sprt"] else config["pairs"]
            if len(config["agents"]) == 1:
                what = f"one agent against itself, {pairs} pairs"
            else:
                what = f"{config['format']} of {len(config['agents'])}, {pairs} pairs each"
                what += ", each also against itself" if config["self"] else ""
            what += f", {_openings(config['openings'])}"
            results = found.results(entry["key"])
            rows.append((key, config["game"], what, results.matches if results is not None else 0, digest))
        else:
            every = [config["settings"], *(other["config"]["settings"] for other in more)]
            what = f"{config['what'].replace('_', ' ')}: {_settings(every)}"
            name = key if more else entry["key"]
            rows.append((name, str(every[0].get("game", "any")), what, NO_MATCHES, digest))
    heads = "key | game | what | matches:count | hash of its configuration"
    return table("methods-experiments", "Experiments", heads, rows)


def _settings(every: Sequence[dict[str, Any]]) -> str:
    """Format the settings of measurements: one value where they agree, else the first and the last."""
    told = []
    for name in every[0]:
        values = list(dict.fromkeys(_plain(one.get(name)) for one in every))
        if name != "game" and any(values):
            told.append(f"{name} {values[0] or 'none'}" + (f" … {values[-1] or 'none'}" if len(values) > 1 else ""))
    return ", ".join(told)


def _openings(config: dict[str, Any]) -> str:
    """Format openings as on the command line."""
    kind = str(config["kind"])
    if kind == "none":
        return "from the empty board"
    if kind == "balanced":
        return f"openings balanced, {config['count']} in all"
    return f"openings {kind}" + (f":{config['plies']}" if kind in ("random", "all", "drawn") else "")


def _plain(value: Any) -> str:
    """Format a setting; an empty string if it is not set."""
    if value is True:
        return "on"
    if value is None or value is False:
        return ""
    if isinstance(value, list):
        return " ".join(str(part) or "–" for part in value) if len(value) <= FEW else f"{len(value)} in all"
    return str(value)


def _machine(found: StudyResults) -> Table:
    rows = []
    if found.study:
        rows = [("study", found.study), ("scale", found.plan.scale), ("seed", str(found.plan.seed))]
    else:
        seeds = dict.fromkeys(str(found.config(key).get("seed", "not stored")) for key in found.keys("tournament"))
        rows = [("seed", listed(list(seeds)))]
    rows += [(name, str(value)) for name, value in found.machine.items()]
    return table("methods-machine", "Seed, versions and machine", "what | value", rows)

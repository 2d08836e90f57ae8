"""Damaged stores of tournaments, studies and leagues, with and without a write-ahead log."""

from __future__ import annotations

import re
import shutil
import time
from pathlib import Path

from attacks.runner import Attack, Tally, results

from inarow.studies import run_study, write_report
from support.damage import damaged
from support.league_doubles import ANY_FREE, FIRST_FREE, hand_in
from support.study_doubles import Little

PLAY = ("tournament", "tictactoe", "random", "rules", "--workers", "1", "--pairs")
PAIRS = "150"
LEAGUE = """
boards = ["tictactoe"]
pairs = 5
max_pairs = 5
among_entrants = 2
seed = 3
[[ladder]]
agent = "random"
points = 100
[accuracy]
points = 0
"""


def stores(attack: Attack, scale: float) -> list[Tally]:
    """All kinds of stores."""
    return [one(attack, scale) for one in (tournaments, logs, studies, leagues)]


def tournaments(attack: Attack, scale: float) -> Tally:
    """Shown and resumed; what is resumed must have the tables of a whole run."""
    tally, whole = Tally("damaged stores, shown and resumed"), attack.folder / "sound.db"
    attack.run(tally, *PLAY, PAIRS, "--out", str(whole))
    sound, data = results(attack, tally, whole), whole.read_bytes()
    for number in attack.times(round(15 * scale)):
        (bad := attack.folder / "bad.db").write_bytes(next(damaged(data, 1, number)))
        show_and_resume(attack, tally, bad, sound)
    return tally


def logs(attack: Attack, scale: float) -> Tally:
    """The write-ahead log that a killed process leaves beside its store."""
    tally, whole = Tally("damaged write-ahead logs"), attack.folder / "logged.db"
    attack.run(tally, *PLAY, "1000", "--out", str(whole))
    sound, data = results(attack, tally, whole), killed_store(attack, tally, attack.folder / "killed.db")
    for number in attack.times(round(10 * scale)):
        (bad := attack.folder / "bad.db").write_bytes(data[""])
        bad.with_name("bad.db-wal").write_bytes(next(damaged(data["-wal"], 1, number)))
        show_and_resume(attack, tally, bad, sound, "1000")
    return tally


def killed_store(attack: Attack, tally: Tally, store: Path) -> dict[str, bytes]:
    """A store whose process is killed when much is in its log; its content and that of the log, by suffix."""
    log = store.with_name(f"{store.name}-wal")
    running = attack.start(*PLAY, "1000", "--out", str(store))
    while running.poll() is None and not (log.exists() and log.stat().st_size > 200_000):
        time.sleep(0.01)
    running.kill()
    attack.finish(tally, running, killed=True)
    return {"": store.read_bytes(), "-wal": log.read_bytes()}


def show_and_resume(attack: Attack, tally: Tally, bad: Path, sound: object, pairs: str = PAIRS) -> None:
    """Show a damaged store and resume it; then remove it and all that belongs to it."""
    attack.run(tally, "results", str(bad))
    attack.run(tally, *PLAY, pairs, "--out", str(bad), "--resume")
    if attack.code == 0 and results(attack, tally, bad) != sound:
        tally.wrong += 1
        tally.notes.append(f"another table from {bad.name}, attempt {tally.tried}")
    for left in bad.parent.glob(f"{bad.name}*"):
        left.unlink()


def studies(attack: Attack, scale: float) -> Tally:
    """Folders of studies, reported on and resumed; what is resumed must have the tables of a whole run."""
    tally, whole, bad = Tally("damaged folders of studies"), attack.folder / "study", attack.folder / "bad-study"
    run_study(Little(), whole, workers=1)
    sound = contents(whole, "tables")
    names = sorted(path.relative_to(whole) for path in whole.rglob("*") if path.is_file())

    def resume() -> None:
        run_study(Little(), bad, workers=1, resume=True)
        tally.wrong += contents(bad, "tables") != sound

    for number in attack.times(round(20 * scale)):
        shutil.copytree(whole, bad)
        for name in ("study.db", attack.chance.choice(names)) if number % 2 else ("study.db",):
            (bad / name).write_bytes(next(damaged((whole / name).read_bytes(), 1, number)))
        attack.parse(tally, lambda: write_report(bad, Little()))
        attack.parse(tally, resume)
        shutil.rmtree(bad)
    return tally


def leagues(attack: Attack, scale: float) -> Tally:
    """Stores of leagues; the command is given again, and must write what it wrote before."""
    tally, folder = Tally("damaged stores of leagues"), attack.folder / "class"
    hand_in(folder, ada=ANY_FREE, bob=FIRST_FREE)
    (attack.folder / "league.toml").write_text(LEAGUE, encoding="utf-8")
    whole, bad = attack.folder / "class-league", attack.folder / "bad-league"
    attack.run(tally, "league", str(folder), "--out", str(whole), "--workers", "1")
    sound, data = contents(whole), (whole / "league.db").read_bytes()
    for number in attack.times(round(12 * scale)):
        bad.mkdir()
        (bad / "league.db").write_bytes(next(damaged(data, 1, number)))
        attack.run(tally, "league", str(folder), "--out", str(bad), "--workers", "1")
        if attack.code == 0 and contents(bad) != sound:
            tally.wrong += 1
            tally.notes.append(f"another league from damage {number}")
        shutil.rmtree(bad)
    return tally


def contents(folder: Path, below: str = ".") -> dict[Path, bytes]:
    """Return all files of a folder but for its store, without what depends on the clock."""
    dated = ("methods-machine", "history")  # say when a study was begun, and when a file was handed in
    files = (path for path in (folder / below).rglob("*") if path.is_file())
    paths = sorted(path for path in files if ".db" not in path.name and path.stem not in dated)
    return {path.relative_to(folder): re.sub(rb'"execution_time".*', b"", path.read_bytes()) for path in paths}

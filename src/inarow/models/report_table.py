"""A table as the reports' learners keep it: a row for each position, and in it only the moves that were tried."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.models.files import ModelError, ModelFile
from inarow.models.qtable import MAX_ROWS, MAX_VALUE
from inarow.rules import Game, Position
from inarow.rules.lines import lines_of

REPORTS = ("r1", "r2", "r3", "r4")
Key = tuple[int, int]


class ReportTable:
    """Rows of tried moves with their values, in the order in which they were tried.

    ``report`` names the program that fills it, ``faults`` its errors; ``reduced``: a row stands for all positions with
    the same features.
    """

    def __init__(
        self, game: Game, report: str, *, reduced: bool = False, share: float = 0.0, faults: Iterable[str] = ()
    ) -> None:
        self.game, self.report, self.reduced, self.share = game, report, reduced, share
        self.faults = frozenset(faults)
        self.rows: dict[Key, dict[int, float]] = {}
        self.updates: dict[Key, int] = {}
        """How often a value of each row was learnt."""
        self._lines = lines_of(game)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def nbytes(self) -> int:
        """Bytes of the keys and of a value for each tried move."""
        return 16 * len(self) + 8 * sum(len(row) for row in self.rows.values())

    def key(self, position: Position) -> Key:
        """What the table knows a position by: the stones of both sides, or counts of them."""
        if not self.reduced:
            return position.first, position.second
        return self._features(position.first, position.second), self._features(position.second, position.first)

    def _features(self, own: int, other: int) -> int:
        """Of one side: its stones in each column and its open lines that lack one stone, in one number."""
        found = 0
        for line in self._lines:
            found += not line & other and (line & own).bit_count() == self.game.k - 1
        for mask in self.game.move_masks:
            found = found << 3 | (own & mask).bit_count()
        return found

    def row(self, position: Position) -> Mapping[int, float]:
        """The tried moves of a position, with their values."""
        return self.rows.get(self.key(position), {})

    def best(self, position: Position) -> float:
        """The highest value of a tried move; 0 if none was tried."""
        row = self.row(position)
        return max(row.values()) if row else 0.0

    def move_towards(self, key: Key, move: int, target: float, rate: float) -> float:
        """Move the value of a pair, 0 if it is new, a part of the way to its target; how far that was off."""
        row = self.rows.setdefault(key, {})
        value = row.get(move, 0.0)
        row[move] = value + rate * (target - value)
        self.updates[key] = self.updates.get(key, 0) + 1
        return target - value

    def arrays(self, slim: bool = False) -> dict[str, NDArray[Any]]:
        """The table for a file: keys, values and the order in which moves were tried (−1: not tried);
        ``slim``: without how often rows were learnt, and at half the precision."""
        values = np.zeros((len(self), self.game.moves), np.float32 if slim else np.float64)
        order = np.full((len(self), self.game.moves), -1, np.int8)
        for index, row in enumerate(self.rows.values()):
            for place, (move, value) in enumerate(row.items()):
                values[index, move], order[index, move] = value, place
        arrays = {"keys": np.array(list(self.rows), np.int64).reshape(-1, 2), "tried": values, "order": order}
        return arrays if slim else arrays | {"updates": np.array([self.updates.get(key, 0) for key in self.rows])}

    def keep(self, updates: int) -> None:
        """Drop the rows that were learnt less often."""
        self.rows = {key: row for key, row in self.rows.items() if self.updates.get(key, 0) >= updates}

    def header(self) -> dict[str, Any]:
        """What a file must say so that the table can be made again."""
        return {
            "report": self.report,
            "features": "reduced" if self.reduced else "full",
            "share": self.share,
            "faults": sorted(self.faults),
        }


def read_report_table(file: ModelFile, game: Game) -> ReportTable:
    """The table of a model file for this game."""
    made = file.header.get("model")
    try:
        if not isinstance(made, dict):
            raise TypeError("it is missing")
        if made["report"] not in REPORTS or made["features"] not in ("full", "reduced"):
            raise ValueError("out of range")
        if not 0 <= float(made["share"]) <= 1:
            raise ValueError(f"a share of {made['share']}")
        faults = [str(fault) for fault in made["faults"]]
        table = ReportTable(
            game, made["report"], reduced=made["features"] == "reduced", share=float(made["share"]), faults=faults
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ModelError(f"{file.path}: the header does not describe a report's table ({error})") from None
    keys = file.array("keys", np.int64, (None, 2), most=MAX_ROWS * 16)
    kind = np.float64 if file.has("updates") else np.float32
    values = file.array("tried", kind, (len(keys), game.moves))
    order = file.array("order", np.int8, (len(keys), game.moves))
    if (keys < 0).any() or (not table.reduced and ((keys & ~game.board).any() or (keys[:, 0] & keys[:, 1]).any())):
        raise ModelError(f"{file.path}: some keys of the table are not positions of {game}")
    if not (np.abs(values) <= MAX_VALUE).all():
        raise ModelError(f"{file.path}: some Q-values are not numbers, or too large")
    for key, row, places in zip(keys.tolist(), values.tolist(), order.tolist(), strict=True):
        tried = [move for move in range(game.moves) if places[move] >= 0]
        table.rows[key[0], key[1]] = {move: row[move] for move in sorted(tried, key=places.__getitem__)}
    if file.has("updates"):
        table.updates = dict(zip(table.rows, file.array("updates", np.int64, (len(keys),)).tolist(), strict=False))
    if len(table) != len(keys):
        raise ModelError(f"{file.path}: a key of the table occurs twice")
    return table

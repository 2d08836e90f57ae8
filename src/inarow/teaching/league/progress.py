"""How far an entrant's series against the reference players have come, and what is to be played next.

After the first pairs of all series, and whenever what was wanted has been played and graded, `Marking` decides whether
more pairs are needed. These looks are followed from the beginning each time, on what is stored. So the pairs that count
depend on their results only, whatever the number of workers and however often the league was interrupted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from inarow.arena import Store
from inarow.match import Pair
from inarow.teaching.league.judging import Mistake, TruthTask, graded
from inarow.teaching.league.marking import Mark, Marking, RungScores
from inarow.teaching.league.meetings import Meeting, failed, in_order, pair_points
from inarow.teaching.league.settings import Rung, Settings
from inarow.truth import Accuracy


@dataclass
class Progress:
    """The series of one hand-in, as far as they count."""

    settings: Settings
    meetings: Sequence[Meeting]
    """The series: each with a reference player on a board."""
    saved: float | None = None
    """The share of plain minimax's nodes that it saves, if they can be counted."""
    pairs: list[list[Pair]] = field(default_factory=list)
    """Of each series, those that count."""
    accuracy: Accuracy = field(default_factory=Accuracy)
    mistakes: list[tuple[Meeting, Pair, Mistake]] = field(default_factory=list)
    disqualified: str = ""
    to_play: list[tuple[Meeting, int]] = field(default_factory=list)
    """How many pairs each series should have before the next look, if some are missing."""
    to_grade: list[TruthTask] = field(default_factory=list)

    @property
    def marking(self) -> Marking:
        """How marks follow from results."""
        return self.settings.marking

    @property
    def most_faults(self) -> int | None:
        """How many failed matches end what is to be played; None after the first pairs of each series."""
        first = all(count <= self.marking.pairs for _, count in self.to_play)
        return self.marking.most_faults(len(self.meetings)) if first else None

    def tallies(self) -> list[RungScores]:
        """Return the pair scores of each series."""
        boards = len(self.settings.boards)
        found = []
        for meeting, pairs in zip(self.meetings, self.pairs, strict=True):
            assert isinstance(meeting.other, Rung)
            found.append(
                RungScores(meeting.other.scale(meeting.game, boards), [pair_points(pair)[0] for pair in pairs])
            )
        return found

    def mark(self) -> Mark:
        """Return the mark by the pairs that count."""
        return self.marking.mark(self.tallies(), self.accuracy.nontrivial_kept, self.accuracy.nontrivial, self.saved)


def follow(meetings: Sequence[Meeting], settings: Settings, store: Store, saved: float | None = None) -> Progress:
    """Follow the looks of an entrant on what is stored, up to the first that lacks something."""
    progress = Progress(settings, meetings, saved, [[] for _ in meetings])
    marking = settings.marking
    stored = [in_order(meeting.pairs(store), marking.max_pairs) for meeting in meetings]
    if _disqualify(progress, stored):
        return progress
    while True:
        before = [len(pairs) for pairs in progress.pairs]
        wanted = marking.wanted(progress.tallies(), progress.mark())
        if wanted == before:
            break
        progress.pairs = [pairs[:count] for pairs, count in zip(stored, wanted, strict=True)]
        if any(len(pairs) < count for pairs, count in zip(progress.pairs, wanted, strict=True)):
            progress.to_play = list(zip(meetings, wanted, strict=True))
            break
        for meeting, pairs, count in zip(meetings, progress.pairs, before, strict=True):
            if pairs[count:]:
                _add_graded(progress, meeting, pairs[count:], store)
        if progress.to_grade:
            break
    progress.mistakes.sort(key=lambda found: (-found[2].drop, -found[2].regret, found[2].at))
    return progress


def _add_graded(progress: Progress, meeting: Meeting, pairs: Sequence[Pair], store: Store) -> None:
    task = TruthTask.of(meeting, pairs)
    found = graded(task, store)
    if found is None:
        progress.to_grade.append(task)
        return
    by_index = {pair.index: pair for pair in pairs}
    progress.accuracy += found[0]
    progress.mistakes += [(meeting, by_index[one.pair], one) for one in found[1]]


def _disqualify(progress: Progress, stored: Sequence[Sequence[Pair]]) -> bool:
    """Count the failed matches of the first pairs, in order, up to a gap or the one that disqualifies."""
    most = progress.marking.most_faults(len(progress.meetings))
    first = progress.marking.pairs
    causes: Counter[str] = Counter()
    for at, pairs in enumerate(stored):
        for number, pair in enumerate(pairs[:first], start=1):
            causes.update(record.termination.value for record, seat in pair.matches() if failed(record, seat))
            if most is not None and causes.total() >= most:
                progress.pairs = [list(one[:first]) for one in stored[:at]] + [list(pairs[:number])]
                progress.pairs += [[] for _ in stored[at + 1 :]]
                how = ", ".join(f"{cause} ({count})" for cause, count in sorted(causes.items()))
                of = 2 * first * len(stored)
                progress.disqualified = f"disqualified after {causes.total()} failed matches of {of}: {how}"
                return True
        if len(pairs) < first:
            return False
    return False

"""The buttons of the game screen: those at the bottom of the panel, and the two large ones at the end of a match."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from inarow.play.desktop.review import Review
from inarow.play.desktop.widgets import Button, Group, Widget
from inarow.play.session import Session

LABELS = {
    "undo": "Undo",
    "hint": "Hint",
    "truth": "Evaluation",
    "clear": "Restart",
    "save": "Save",
    "help": "Help",
    "menu": "Menu",
    "quit": "Quit",
}
"""The buttons at the bottom, by name."""


class Controls(Group):
    """Buttons that know when they can be used; ``actions`` has one for each of them, by name."""

    def __init__(
        self, actions: Mapping[str, Callable[[], None]], review: Review, evaluated: Callable[[], bool], judged: bool
    ) -> None:
        super().__init__()
        for name, label in LABELS.items():
            self.add(Button(name, label, actions[name]))
        self._again = Button("again", "Play again", actions["again"], strong=True)
        self._review = Button("review", "Review mistakes", actions["review"], strong=True)
        self._truth = Button("truth", LABELS["truth"], actions["truth"], evaluated)
        for button in (self._truth, self._again, self._review):
            self.add(button)
        self._truth.enabled = self._review.enabled = judged
        self._state = review

    @property
    def bottom(self) -> list[Widget]:
        """The buttons at the bottom of the panel."""
        return [self[name] for name in LABELS]

    def update(self, session: Session) -> None:
        """Follow what goes on."""
        self["undo"].enabled = session.can_undo
        self["hint"].enabled = session.awaits_person and session.adviser is not None
        self._again.visible = self._review.visible = session.ending is not None
        self._again.label = "Play again" if session.series_over else "Next match"
        self._review.label = "End review" if self._state.on else "Review mistakes"

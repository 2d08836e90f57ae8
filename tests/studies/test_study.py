"""What a study declares has names that do not depend on where the code is."""

from __future__ import annotations

from typing import Any

import pytest

from inarow.arena import Tournament
from inarow.arena.tournament import RESULTS_VERSION
from inarow.studies import Measured, Measurement, StudyError, measurement
from inarow.studies.base import declared_hash
from support.study_doubles import count_to


def test_a_measurement_is_stored_under_its_registered_name() -> None:
    assert Measurement("any", count_to, {"end": 3}).declared() == {
        "results_version": RESULTS_VERSION,
        "what": "count_to",
        "settings": {"end": 3},
    }


def test_neither_the_release_nor_a_module_changes_a_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    made = (Measurement("any", count_to, {"end": 3}), Tournament.of("tictactoe", ["random", "rules"], "none", 2))
    before = [declared_hash(experiment) for experiment in made]
    monkeypatch.setattr("inarow.__version__", "99.0")
    monkeypatch.setattr(count_to, "__module__", "elsewhere")
    assert [declared_hash(experiment) for experiment in made] == before


def test_key_and_labels_of_a_tournament_are_no_part_of_what_it_plays() -> None:
    plain = Tournament.of("tictactoe", ["random", "rules"], "none", 2)
    named = Tournament.of("tictactoe", ["random", "rules"], "none", 2, key="mine", labels={"random": "chance"})
    assert named.config() == plain.config()


def test_a_function_that_is_not_registered_is_refused() -> None:
    def unknown(settings: dict[str, Any]) -> Measured:
        return Measured({}, {})

    with pytest.raises(StudyError, match="is not a registered measurement; decorate it with @measurement"):
        Measurement("any", unknown, {})


def test_two_measurements_do_not_share_a_name() -> None:
    with pytest.raises(StudyError, match="'count_to' is already used by count_to; choose another"):

        @measurement("count_to")
        def other(settings: dict[str, Any]) -> Measured:
            return Measured({}, {})

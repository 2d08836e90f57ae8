"""Every format is a function of results: nobody is met twice, byes are fair, the play-off finds a winner."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from inarow.arena.tournament import FormatError, Groups, Pairing, Scores, Swiss, parse_format
from inarow.randomness import derive


def stronger_first(meet: Pairing) -> tuple[float, float]:
    """Whoever comes first in the list wins."""
    return (1.0, 0.0) if meet.a < meet.b else (0.0, 1.0)


def by_chance(seed: int) -> Scores:
    return lambda meet: [(1.0, 0.0), (0.5, 0.5), (0.25, 0.75), (0.0, 1.0)][derive(seed, *meet) % 4]


@pytest.mark.parametrize("players", [2, 3, 4, 5, 9, 16, 33])
@pytest.mark.parametrize("seed", range(3))
def test_in_a_swiss_tournament_nobody_meets_another_or_has_a_bye_twice(players: int, seed: int) -> None:
    most = (players + 1) // 2
    rounds = Swiss(most).rounds(players, by_chance(seed))
    assert len(rounds) == most
    met = Counter(frozenset(meet[:2]) for one in rounds for meet in one.pairings)
    assert set(met.values()) == {1}
    byes = [player for one in rounds for player in one.byes]
    assert len(byes) == len(set(byes)) == (most if players % 2 else 0)
    for one in rounds:
        assert sorted([p for meet in one.pairings for p in meet[:2]] + list(one.byes)) == list(range(players))


def test_a_swiss_tournament_finds_the_strongest_and_stops_where_results_are_missing() -> None:
    swiss = Swiss()
    assert swiss.table(8, stronger_first)[0].player == 0
    assert len(swiss.rounds(8, stronger_first)) == 3
    assert len(swiss.rounds(8, lambda meet: None)) == 1
    assert not swiss.finished(8, lambda meet: None)
    late = Pairing(0, 2)
    assert len(swiss.rounds(8, lambda meet: None if meet == late else stronger_first(meet))) == 2


@pytest.mark.parametrize(("players", "groups"), [(4, 2), (7, 2), (8, 1), (12, 3), (20, 4), (11, 5)])
@pytest.mark.parametrize("seed", range(3))
def test_groups_lead_to_a_play_off_with_one_winner(players: int, groups: int, seed: int) -> None:
    made = Groups(groups)
    scores = by_chance(seed)
    first, *playoff = made.rounds(players, scores)
    assert len(first.pairings) == sum(len(list(combinations(group, 2))) for group in made.groups(players))
    assert playoff[-1].name == "final"
    table = made.table(players, scores)
    assert [place.reached for place in table][:2] == ["won", "final"]
    assert sorted(place.player for place in table) == list(range(players))
    assert all(
        meet.again == 1 for one in playoff for meet in one.pairings if meet[:2] in {m[:2] for m in first.pairings}
    )


def test_the_strongest_win_their_groups_and_the_final() -> None:
    table = Groups(2).table(8, stronger_first)
    assert [(place.player, place.reached) for place in table[:4]] == [
        (0, "won"),
        (1, "final"),
        (2, "semi-finals"),
        (3, "semi-finals"),
    ]


def test_a_tied_play_off_goes_to_who_did_better_in_the_groups() -> None:
    def scores(meet: Pairing) -> tuple[float, float]:
        return (0.5, 0.5) if meet.again or {meet.a, meet.b} == {0, 1} else stronger_first(meet)

    assert Groups(1).table(4, scores)[0].player == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("knockout", "knockout"),
        ("swiss:0", "write swiss:5"),
        ("gauntlet:2", "write gauntlet"),
        ("groups:x", "groups:5"),
    ],
)
def test_formats_that_do_not_exist_are_refused(text: str, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        parse_format(text)


def test_too_few_players_are_refused() -> None:
    with pytest.raises(FormatError, match="at most 2 rounds, got 4"):
        Swiss(4).rounds(4, stronger_first)
    with pytest.raises(FormatError, match="3 players do not fill 2 groups"):
        Groups(2).rounds(3, stronger_first)

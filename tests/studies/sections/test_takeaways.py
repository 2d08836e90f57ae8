"""What a page says first is what the values show: who leads, what it costs, what surprises and why, what is open."""

from __future__ import annotations

from collections.abc import Mapping

from inarow.arena import Results
from inarow.match import SequentialRule
from inarow.match.sides import Effort
from inarow.report.page import Page, Section, Takeaways, unbacked_numbers
from inarow.stats import Interval
from inarow.studies.compare import guides
from inarow.studies.sections import overtaking, tournament_sections
from inarow.studies.sections.accuracy import Graded, accuracy_sentences, accuracy_table
from inarow.studies.sections.surprises import surprises
from inarow.studies.sections.takeaways import Pool, headline, of_pool, ranks, steps
from inarow.truth import Accuracy
from support.made_up_results import results, series


def pool(made: Results, costs: Mapping[str, tuple[int, float]] | None = None, specs: Mapping[str, str] = {}) -> Pool:
    """With a sequential rule; ``costs`` are nodes and seconds a move."""
    made.run.config["rule"] = SequentialRule(comparisons=len(made.series)).to_json()
    for one in made.series.values():
        for side in one.sides:
            nodes, seconds = (costs or {}).get(side.spec, (0, 0.0))
            side.effort.add(Effort(100, 100 * nodes, 100 * seconds, seconds, seconds))
    return Pool(made, specs)


def page_of(made: Pool, told: list[str]) -> Page:
    """A page with the tables that the takeaways of a pool speak of."""
    results = made.results
    tables = (
        tournament_sections.standings(results, "standings"),
        tournament_sections.decided(results, "decided"),
        tournament_sections.meetings(results, "meetings"),
        tournament_sections.cost(results, "cost"),
        ranks(made, "ranks"),
        steps(made, "steps"),
    )
    takeaways = (Takeaways("A game", of_pool(made, told)),)
    return Page("", "", (), (Section("All", tables),), (), headline=headline(made), takeaways=takeaways)


def text(page: Page) -> str:
    assert unbacked_numbers(page) == []
    return " ".join(page.sentences())


COSTS = {"perfect": (9_000, 1e-3), "network": (5, 1e-4), "search": (30_000, 2e-3), "random": (0, 1e-5)}
SPECS = {"network": "ntuple", "search": "mcts:simulations=5000", "perfect": "perfect", "random": "random"}


def four(**more: int) -> Results:
    """Perfect ahead of a network, that ahead of a search, that ahead of random."""
    return results(
        series("perfect", "network", won=40),
        series("perfect", "search", won=45),
        series("perfect", "random", won=30),
        series("network", "search", won=60, lost=15),
        series("network", "random", won=30),
        series("search", "random", won=30),
    )


def test_a_single_leader_is_the_headline_with_its_lead_and_the_price_of_each_step() -> None:
    made = pool(four(), COSTS, SPECS)
    said = text(page_of(made, surprises(made, {}, {})))
    assert said.startswith("only perfect play beats network in Tic Tac Toe")
    assert "Perfect lost no match at all." in said
    assert "Elo to network for 10 times the time" in said
    assert "Search pays the most for less: 2 ms and 30,000 nodes a move, where perfect takes 1 ms" in said
    assert "Nothing: all 6 pairings are decided." in said


def test_a_learner_that_beats_a_search_is_a_surprise_with_its_reason() -> None:
    made = pool(four(), COSTS, SPECS)
    (said,) = surprises(made, {}, {})
    assert said.startswith("Network looks at 5 positions a move and beats search, which looks at 30,000")


def test_a_perfect_player_that_is_not_first_is_explained() -> None:
    made = pool(
        results(
            series("network", "perfect", drawn=100),
            series("network", "random", won=60),
            series("perfect", "random", won=20, drawn=40),
        ),
        COSTS,
        SPECS,
    )
    said = " ".join(surprises(made, {}, {}))
    assert "Perfect never gives a verdict away, and yet network is rated above its Elo" in said
    assert "sets no traps" in said
    text(page_of(made, surprises(made, {}, {})))


def test_those_at_the_top_that_only_draw_are_a_group_and_that_is_explained() -> None:
    made = pool(
        results(
            *(series(a, b, drawn=100) for a, b in (("a", "b"), ("a", "c"), ("b", "c"))),
            *(series(a, "random", won=40) for a in "abc"),
        ),
        {"a": (0, 1e-5), "b": (0, 2e-5), "c": (0, 3e-5), "random": (0, 1e-6)},
    )
    said = text(page_of(made, surprises(made, {}, {})))
    assert said.startswith("three of four players never lost at Tic Tac Toe")
    assert "every match was drawn" in said


def test_a_table_that_adds_nothing_to_its_guide_is_said() -> None:
    names = ("learner with simple guide", "simple guide with empty table")
    specs = {**dict(zip(names, ("qlearning", "qlearning:table=off"), strict=True)), "random": "random"}
    assert guides(specs) == {names[0]: names[1]}
    made = pool(results(series(*names, split=300), *(series(name, "random", won=40) for name in names)))
    said = " ".join(surprises(made, {}, guides(specs)))
    assert "against its own guide with an empty table, so the two are equal" in said
    text(page_of(made, surprises(made, {}, guides(specs))))


def test_equal_accuracy_and_unequal_strength_is_explained() -> None:
    made = pool(results(series("a", "b", won=40)))
    known = {name: Graded(Accuracy(moves=400, kept=360), {}) for name in "ab"}
    (said,) = surprises(made, known, {})
    assert "keeps the exact verdict as often as a, in 90 %" in said
    assert accuracy_table(made.results.game, known, "truth", ["b", "a"]).rows[0][0] == "b"


def test_what_is_open_is_named_and_nothing_is_claimed_of_too_few_matches() -> None:
    made = pool(results(series("a", "b", won=40), series("a", "c", won=40), series("b", "c", won=9, lost=8)))
    said = text(page_of(made, []))
    assert "Of 3 pairings 2 show which agent is better." in said
    assert "One stays open: b scores " in said
    few = pool(results(series("a", "b", won=1)))
    assert text(page_of(few, surprises(few, {}, {}))).startswith("Tic Tac Toe: too few matches for a ranking")
    assert "No ranking is claimed: 2 distinct matches of 2 are too few." in text(page_of(few, []))


def test_a_step_that_is_within_chance_is_called_so() -> None:
    costs = {"a": (0, 1e-5), "b": (9, 1e-4), "random": (0, 1e-6)}
    made = pool(results(series("b", "a", won=6, lost=5), *(series(name, "random", won=40) for name in "ab")), costs)
    said = text(page_of(made, []))
    assert "B takes 10 times the time of a, for a gain within chance." in said


def test_those_that_keep_every_verdict_are_named_and_one_that_seldom_plays_best_is_explained() -> None:
    game = four().game
    known = {
        "perfect": Graded(Accuracy(moves=100, kept=100, perfect=70), {}),
        "network": Graded(Accuracy(moves=100, kept=90, perfect=85), {}),
        "search": Graded(Accuracy(moves=100, kept=40, perfect=30), {}),
    }
    best, odd = accuracy_sentences(game, known)
    assert best.startswith("Apart from the solver itself, network keeps the exact value most often, in 90 %")
    assert odd.startswith("Perfect keeps every verdict, but plays a move with the best score in only 70 %")
    whole = {name: Graded(Accuracy(moves=100, kept=100, perfect=100), {}) for name in ("network", "search")}
    (said,) = accuracy_sentences(game, whole)
    assert "network and search keep the exact value in every position" in said


def test_a_learner_draws_level_by_the_estimates_and_overtakes_by_its_interval() -> None:
    points = [(100.0, Interval(0.8, 0.7, 0.9)), (1000.0, Interval(0.95, 0.92, 0.98))]
    said = overtaking._sentence("network", points, [("weak", 0.75), ("fair", 0.9), ("good", 0.97), ("near", 0.94)])
    assert said == (
        "By the estimates network, starting from nothing, draws level with weak after 100 and with fair and near after "
        "1,000 episodes of self-play. After 1,000 episodes its interval lies above weak and fair. After 1,000 "
        "episodes it has not reached good."
    )

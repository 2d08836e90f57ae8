"""A custom study: does the centre help? It plays matches and writes a page with tables, figures and methods."""

import inarow
from inarow.report import Section, meeting_sentence
from inarow.studies import Content, Plan, Study, StudyResults, sections


class Styles(Study):
    """The study's matches and page."""

    name = "styles"
    title = "Does the centre help?"
    summary = "rules with and without a preference for the centre"

    def experiments(self, plan: Plan) -> list[inarow.Tournament]:
        players = ("rules", "rules:style=centre")
        return [inarow.Tournament.of("connect4", players, pairs=plan.pick(20, 500), seed=plan.seed, key="styles")]

    def content(self, found: StudyResults) -> Content:
        results = found.results("styles")
        assert results is not None
        said = [meeting_sentence(series) for series in results.series.values()]
        standings = sections.standings(results, "standings")
        items = (standings, sections.seat_matrix(results, "by-seat"))
        return Content("Win, block, and then?", said, [Section("Result", items)])


if __name__ == "__main__":
    page = inarow.run_study(Styles(), "styles", seed=1, workers=1)
    print(f"{page} has {len(page.read_text(encoding='utf-8')):,} characters")

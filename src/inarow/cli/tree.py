"""inarow tree: a game tree as an exam question, and its solution step by step."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.common import ForceOption, JsonOption, SeedOption, new_file, print_json, print_table, say


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog='Example: inarow tree "((3 12 8) (2 4 6) (14 5 2))" --out exam.html')(tree)


def tree(
    text: Annotated[
        str | None,
        typer.Argument(metavar="[TREE]", help="A tree such as ((3 12 8) (2 4 6)); without one it is drawn at random."),
    ] = None,
    algorithm: Annotated[str, typer.Option(metavar="ALGORITHM", help="minimax, alphabeta or uct.")] = "alphabeta",
    difficulty: Annotated[
        str, typer.Option(metavar="LEVEL", help="Of a random tree: easy, medium or hard.")
    ] = "medium",
    root: Annotated[str, typer.Option(metavar="max|min", help="Who moves at the root.")] = "max",
    simulations: Annotated[int, typer.Option(min=1, max=200, help="Simulations of UCT.")] = 8,
    exploration: Annotated[float, typer.Option(min=0, help="The constant c of UCT.", show_default="√2")] = 2**0.5,
    title: Annotated[
        str, typer.Option(metavar="TITLE", help="The heading of the page.", show_default="the algorithm's")
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(help="Write the question here and NAME-solution beside it, as .html, .svg or .pdf."),
    ] = None,
    seed: SeedOption = 0,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make an exam question of a game tree, and solve it.

    Minimax, alpha–beta or UCT are carried out step by step, as a student would on paper. Ties go to the left.
    """
    from inarow.teaching.exam_tree import Exam, TreeNode, parse_tree, random_tree, solve

    if text is None:
        root_node = random_tree(seed, difficulty, algorithm=algorithm, root=root)
    else:
        root_node = parse_tree(text, root=root)
    solution = solve(root_node, algorithm, simulations=simulations, exploration=exploration, seed=seed)
    written: list[Path] = []
    if out is not None:
        new_file(out, force)
        new_file(out.with_stem(f"{out.stem}-solution"), force)
        written = Exam(solution, title).write(out)
    if as_json:
        print_json({**solution.to_json(), "written": [str(path) for path in written]})
        return
    if written:
        say(f"The question: {written[0]}\nThe solution: {written[1]}\nThe tree: {root_node.to_text()}")
        return

    def lines(node: TreeNode, level: int = 0) -> list[tuple[str, str, str]]:
        mark = "pruned" if node.name in solution.pruned else solution.marks.get(node.name, "")
        leaf = node.to_text() if node.value is not None else node.player
        below = [line for child in node.children for line in lines(child, level + 1)]
        return [(f"{'  ' * level}{node.name}", leaf, mark), *below]

    value = "visits · mean" if solution.playouts else "value"
    print_table(f"Tree {root_node.to_text()}", ["node", "player or leaf", value], lines(root_node), numbers=False)
    steps = [(step.simulation or number, step.text) for number, step in enumerate(solution.steps, start=1)]
    print_table(
        f"{solution.algorithm.label}, step by step",
        ["simulation" if solution.playouts else "step", "what happens"],
        steps,
        numbers=False,
    )
    say(f"{root_node.player} plays to {solution.best}.")

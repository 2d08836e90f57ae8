"""The requests and answers of the API, checked by pydantic and described on its OpenAPI page.

Positions travel as lists of moves or as rows of text, never as integers of 63 bits, which JavaScript can't hold.
Moves, cells and seats count from 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from inarow.kernels import rules
from inarow.rules import Position, format_moves
from inarow.rules.position import draw_row
from inarow.teaching.exam_tree import EXPLORATION

Move = Annotated[int, Field(ge=0, le=62)]
Moves = Annotated[list[Move], Field(max_length=63)]
Name = Annotated[str, Field(min_length=1, max_length=40)]
Spec = Annotated[str, Field(min_length=1, max_length=500)]
Seconds = Annotated[float, Field(gt=0, le=3600)]
Notation = Literal["auto", "moves", "pons", "zero", "uci", "kaggle", "drawing"]
Rows = Annotated[list[Annotated[str, Field(max_length=63)]], Field(max_length=62)]


class Message(BaseModel):
    """A part of the API; unknown fields are refused. It can be made from an object that has its fields."""

    model_config = ConfigDict(extra="forbid", from_attributes=True)


class Problem(Message):
    """An error: one sentence that a person can read."""

    detail: str


class StatusInfo(Message):
    """What the server is doing."""

    version: str
    ready: bool
    sessions: int


class GameInfo(Message):
    """The rules of a game."""

    name: str
    title: str
    columns: int
    rows: int
    k: int
    gravity: bool
    moves: int


class ParameterInfo(Message):
    """One parameter of an agent, as the registry describes it."""

    name: str
    kind: Literal["integer", "number", "choice", "switch", "text"]
    default: str
    help: str
    wanted: str
    options: list[str] = []
    low: float | None = None
    high: float | None = None
    none: str | None = None


class AgentInfo(Message):
    """An agent that can be chosen."""

    name: str
    summary: str
    parameters: list[ParameterInfo]


class LevelInfo(Message):
    """A named opponent."""

    label: str
    spec: str
    about: str
    """How it plays, in a line."""
    strength: str
    """How strong it is, in a few words."""
    elo: int | None = None
    """Its rating on the ladder, if it has one."""


class ModeInfo(Message):
    """A choice of both players, as specs."""

    label: str
    title: str
    """What to show during play."""
    about: str
    one: str
    two: str


class LineupInfo(Message):
    """Opponents and modes that belong together; the first is the usual one."""

    name: str
    title: str
    about: str
    levels: list[LevelInfo]
    modes: list[ModeInfo]


class PuzzleInfo(Message):
    """A position of Connect 4 in which exactly one move wins."""

    moves: list[int]
    answer: int
    length: int
    """Own moves until the win, against the longest resistance."""
    level: int
    """How hard it is, from 1 to 5."""


class PositionRequest(Message):
    """A position: a game, and either moves from the empty board, a text of moves, or rows of stones from the top."""

    game: Name
    moves: Moves | None = None
    text: Annotated[str, Field(max_length=4000)] | None = None
    rows: Rows | None = None
    notation: Notation = "auto"
    """How ``text`` is written, as `inarow convert` calls it; auto takes the first notation in which it can be read."""


class PositionInfo(Message):
    """A position as a page draws it."""

    game: GameInfo
    rows: list[str]
    """Rows from the top: X the first player's stones, O the second's, a dot for an empty cell."""
    moves: list[int] | None
    """The moves that led here, if they are known."""
    text: str | None
    """The same moves as people write them."""
    to_move: int
    legal: list[int]
    ply: int
    landing: dict[int, int]
    """The cell that each legal move fills."""
    outcome: str | None
    """``first``, ``second`` or ``draw`` once the game is over."""
    winning: list[int]
    """The cells of a completed line."""
    notation: str
    """The notation in which the position was given."""
    threats: list[list[int]]
    """For each player, the empty cells where a stone of theirs would complete a line."""

    @classmethod
    def of(cls, position: Position, moves: Sequence[int] | None, notation: str = "moves") -> PositionInfo:
        """Describe a position that these moves led to."""
        board, outcome, legal = position.game, position.outcome(), position.legal_moves()
        ended = None
        if outcome is not None:
            ended = "draw" if outcome.winner is None else outcome.winner.name.lower()
        return cls(
            game=GameInfo.model_validate(board),
            rows=[draw_row(row) for row in position.grid()],
            moves=None if moves is None else list(moves),
            text=None if moves is None else format_moves(board, moves),
            to_move=int(position.to_move),
            legal=list(legal),
            ply=position.ply,
            landing={move: board.cell_bits.index(position.stone(move)) for move in legal},
            outcome=ended,
            winning=list(position.winning_cells()),
            notation=notation,
            threats=[[], []] if outcome is not None else threats(position),
        )


def threats(position: Position) -> list[list[int]]:
    """Return, for each player, the empty cells that would complete a line of theirs, whether or not playable now."""
    board, both = position.game, (position.first, position.second)
    found = [rules.threats(board.layout, stones, position.occupied) for stones in both]
    return [[cell for cell, bit in enumerate(board.cell_bits) if one & bit] for one in found]


class LimitRequest(Message):
    """Bounds of one decision; the server has bounds of its own."""

    depth: Annotated[int, Field(ge=1, le=100)] | None = None
    nodes: Annotated[int, Field(ge=1, le=10**12)] | None = None
    simulations: Annotated[int, Field(ge=1, le=10**9)] | None = None
    seconds: Seconds | None = None


class DecideRequest(PositionRequest):
    """Ask an agent for a move."""

    agent: Spec
    limit: LimitRequest = LimitRequest()


class DecisionInfo(Message):
    """A decision. Values are for the side to move, in [-1, 1]."""

    move: int
    value: float | None
    values: dict[int, float]
    by_move: dict[str, dict[int, float]]
    nodes: int
    depth: int | None
    line: list[int]
    seconds: float
    why: str = ""
    note: str = ""


class SolveRequest(PositionRequest):
    """Ask for the exact score of a position and of each of its moves."""

    seconds: Seconds | None = None
    line: bool = False
    """Whether to return one line of perfect play as well."""


class MoveScore(Message):
    """What is proven of a score: ``low`` and ``high`` are equal once it is solved."""

    low: int
    high: int
    verdict: Literal["win", "draw", "loss"] | None
    words: str
    """The score in words; empty while unknown."""
    length: int | None
    """Moves of the winner until it wins; None for a draw and while unknown."""


class SolutionInfo(MoveScore):
    """The truth of a position, for the side to move, as far as it is known."""

    position: PositionInfo
    solved: bool
    moves: dict[int, MoveScore]
    best: list[int]
    line: list[int]
    line_cells: list[int]
    """The cells that the moves of the line fill."""
    nodes: int
    seconds: float
    seconds_left: float
    """What is left of the time for this answer."""
    looking_for: str
    """What comes next if this is what is known so far: ``score``, ``moves``, ``line``; empty at the end."""
    why: str
    """The reason in words, where one can be given: a threat, its row, who runs out of moves."""


class RecordsRequest(Message):
    """The text of a file of records."""

    text: Annotated[str, Field(max_length=500_000)]


class RecordInfo(Message):
    """One match of a file."""

    game: str
    moves: list[int]
    opening: int
    """How many of the moves are the opening's."""
    first: str
    second: str
    result: str


class RecordRequest(PositionRequest):
    """Ask for a match as a text that can be loaded again."""

    first: Annotated[str, Field(max_length=100)] = "human"
    second: Annotated[str, Field(max_length=100)] = "human"


class ReviewMove(Message):
    """One move of a match against the truth. Scores are for the side that moved."""

    index: int
    player: int
    move: int
    solved: bool
    score: int | None
    best_score: int | None
    best: list[int]
    mistake: bool
    """Whether it gave away a win or a draw."""
    words: str


class ReviewRequest(PositionRequest):
    """Measure every move of a match, from its end back, within a time."""

    seconds: Seconds | None = None
    first: Annotated[int, Field(ge=0, le=63)] = 0
    """Moves before this one (an opening) are not measured."""


class ReviewInfo(Message):
    """The truth of a match, move by move."""

    moves: list[ReviewMove]
    accuracy: list[float | None]
    """For each player, the share of moves that kept the verdict, of those measured."""
    complete: bool


class PageRequest(PositionRequest):
    """Ask for one self-contained HTML file of a match."""

    title: Annotated[str, Field(max_length=100)] = ""
    first: Annotated[str, Field(max_length=100)] = ""
    second: Annotated[str, Field(max_length=100)] = ""
    review: ReviewInfo | None = None
    """Every move against the truth; without it the page finds that out."""


PersonName = Annotated[str, Field(max_length=30, pattern=r"^[^\x00-\x1f]*$")]


class SessionRequest(Message):
    """Start a session: two participants, each ``human`` or an agent's spec."""

    game: Name
    one: Spec = "human"
    two: Spec = "rules"
    starts: Literal["one", "two", "random", "alternate"] = "one"
    matches: Annotated[int, Field(ge=1, le=1000)] = 1
    delay: Annotated[float, Field(ge=0, le=60)] = 0.4
    opening: Moves = Field(default=[])
    """Moves that every match begins with; they can't be undone."""
    moves: Moves = Field(default=[])
    """Moves of a match to resume; they can be undone. The first mover is participant one or two, as ``starts`` says."""
    names: Annotated[list[PersonName], Field(max_length=2)] = Field(default=[])
    """What participants one and two are called, if they are people."""
    mode: Annotated[str, Field(max_length=80)] = ""
    """What to call the pairing during play."""
    seed: Annotated[int, Field(ge=0, le=2**53)] | None = None
    record: Annotated[str, Field(max_length=200_000)] | None = None
    """A saved match to resume, as text; the other fields are then taken from it."""


class MoveRequest(Message):
    """A person's move. ``ply`` guards against a click that was meant for an earlier position."""

    move: Move
    ply: Annotated[int, Field(ge=0, le=63)] | None = None


class PaceRequest(Message):
    """Pause, resume, or change the speed at which agents' moves are shown."""

    paused: bool | None = None
    delay: Annotated[float, Field(ge=0, le=60)] | None = None


class SeatInfo(Message):
    """Who sits in a seat."""

    name: str
    """A person's name, empty if none was given; an agent's name as menus show it."""
    spec: str
    person: bool
    participant: int


class PlayedInfo(Message):
    """A move of the match, and what the agent that made it thought."""

    move: int
    cell: int
    player: int
    value: float | None = None
    nodes: int = 0
    depth: int | None = None
    seconds: float
    effort: str = ""
    """What it counted, such as 20,000 simulations."""
    note: str = ""
    """What the agent says about the move, such as that it is not proven."""


class HintInfo(Message):
    """Advice for the side to move."""

    move: int
    line: list[int]
    why: str


class EndingInfo(Message):
    """How a match ended."""

    winner: int | None
    termination: str
    text: str


class SessionInfo(Message):
    """The whole state of a session; ``version`` grows with every change."""

    id: str
    version: int
    position: PositionInfo
    opening: list[int]
    played: list[PlayedInfo]
    seats: list[SeatInfo]
    mode: str
    number: int
    matches: int
    score: list[int]
    """Matches won by participant one, by participant two, and drawn."""
    thinking: int | None
    awaits_person: bool
    hinting: bool
    hint: HintInfo | None
    can_undo: bool
    can_redo: bool
    paused: bool
    delay: float
    watched: bool
    series_over: bool
    ending: EndingInfo | None
    failure: str | None
    """What went wrong with an agent, in one sentence, since the last move."""


MOST_AGENTS = 8


class MindsRequest(Message):
    """The first frame of a connection: a position, and the agents that think about it."""

    game: Name
    moves: Moves
    agents: Annotated[list[Spec], Field(min_length=1, max_length=MOST_AGENTS)]


class PartInfo(Message):
    """A part of a network's value of a move, for the side that makes it."""

    part: str
    """``tuple``, ``threats`` or ``memory``."""
    cells: list[int]
    columns: list[int]
    share: float


class MindInfo(Message):
    """What an agent thinks so far; values are for the side to move, in [−1, 1]."""

    agent: int
    """The place in the request."""
    done: bool
    move: int
    value: float | None
    values: dict[int, float]
    visits: dict[int, int]
    """Simulations of each move, for a search that counts them."""
    nodes: int
    cutoffs: int | None
    depth: int | None
    simulations: int | None
    line: list[int]
    line_cells: list[int]
    seconds: float
    known: bool | None
    """Whether a table has a row for the position."""
    note: str
    """What it says about its move, such as that it is not proven."""
    settled: dict[int, str]
    """Moves that a network's tactics decide: win, draw or loss."""
    parts: dict[int, list[PartInfo]]
    """What a network's value of each move is made of: the largest shares."""


class JudgementInfo(Message):
    """An agent against the truth."""

    agent: int
    right: bool
    """Whether its move keeps what the position is worth."""
    cause: str
    """What misled it: horizon, playouts, unseen, estimate, other; empty if it is right."""
    why: str


class MindsFrame(Message):
    """One message of the server: what an agent thinks, what went wrong with one, the truth, or a judgement."""

    mind: MindInfo | None = None
    truth: SolutionInfo | None = None
    judgement: JudgementInfo | None = None
    agent: int | None = None
    problem: str = ""
    """Of ``agent``, or of the request."""
    finished: bool = False
    """Whether nothing more will come."""


Share = Annotated[float, Field(ge=0, le=1)]
Speed = Annotated[int, Field(ge=0, le=1_000_000)]
"""Episodes a second; 0: as fast as it can."""


class LearnRequest(Message):
    """The first frame of a connection: who learns what."""

    kind: Literal["qlearning", "ntuple"] = "qlearning"
    game: Name
    alpha: Share
    epsilon: Share
    speed: Speed = 0
    seed: Annotated[int, Field(ge=0, le=2**31)] = 0


class LearnCommand(Message):
    """Any later frame: what is to change. ``moves`` chooses the position whose values are shown."""

    paused: bool | None = None
    alpha: Share | None = None
    epsilon: Share | None = None
    speed: Speed | None = None
    moves: Moves | None = None
    reply: bool = False
    """Whether the learner shall choose a move in that position."""
    step: bool = False
    """Whether one more episode shall be played while it is paused."""


class UpdateInfo(Message):
    """One step of Q-learning."""

    position: PositionInfo
    move: int
    old: float
    target: float
    new: float


class ValuesInfo(Message):
    """What the learner gives the moves of a position."""

    moves: list[int]
    values: dict[int, float]
    known: bool
    """Whether it has met the position."""


class LearnFrame(Message):
    """How far it has come."""

    episodes: int
    seconds: float
    paused: bool
    alpha: float
    epsilon: float
    gamma: float | None
    """What a value is worth one turn later; None for a network."""
    speed: int
    entries: int
    """Positions in its table, or weights that are not 0."""
    error: float | None
    """The mean size of the errors of the updates since the last frame."""
    shown: ValuesInfo
    updates: list[UpdateInfo]
    """Of the episode that was played last, in the order they were made; none for a network."""
    score: float | None = None
    """The share of solved positions in which its move keeps the verdict, if it was measured just now."""
    reply: int | None = None


class LearnEnd(Message):
    """The last frame: why it has ended, in one sentence."""

    ended: str


PAGE = 10_000
"""Events in one answer."""


class TraceRequest(PositionRequest):
    """Ask for the steps of a search by minimax, alphabeta or mcts."""

    agent: Spec
    events: Annotated[int, Field(ge=1, le=100_000)] = PAGE
    """Most events to record."""
    seed: Annotated[int, Field(ge=0, le=2**53)] = 0


class TracePage(Message):
    """Some events and the nodes that they mention first, both as columns. Values are points for the side to move at the
    root, of MCTS results; null is infinite."""

    first: int
    first_node: int
    parents: list[int]
    moves: list[int]
    cells: list[int]
    """The cell that each node's move fills; −1 for the root."""
    kinds: list[int]
    nodes: list[int]
    values: list[int | float]
    lows: list[int | float | None]
    highs: list[int | float | None]
    bests: list[int]
    improved: list[int]
    said: list[int]
    """Which of the templates says the event in words."""
    lists: dict[int, list[int]]
    """The moves of events that have some, by the event's number."""


class WholeInfo(Message):
    """What the agent itself decides, where the trace is truncated."""

    move: int
    nodes: int


class TraceInfo(Message):
    """A recorded search, with its first events; the others are asked for by its id."""

    id: str
    position: PositionInfo
    agent: str
    simulated: bool
    """Whether it is one of MCTS."""
    exploration: float | None
    """The weight of the confidence bound in MCTS."""
    length: int
    node_count: int
    truncated: str
    """Such as ``10,000 events``, if the search went on after that; else empty."""
    move: int | None
    """What the search decided; null if it is truncated."""
    whole: WholeInfo | None
    kinds: list[str]
    """The names of the kinds of events."""
    templates: list[str]
    signs: list[str]
    """For each template what stands before a value that is only a bound, such as ``≤``."""
    effects: list[str]
    results: dict[int, str]
    unit: int
    """Points in one unit of the evaluator."""
    win: int
    """Points from which on the value of a search is a win for either side."""
    win_at_start: int
    """Points of a win with no stone on the board; each stone takes off one unit."""
    page: TracePage


class WatchedInfo(Message):
    """Something that can be watched: a store, a report, or both."""

    id: int
    name: str
    example: bool
    """Whether it is played by this server, because it watches nothing else."""


class RangeInfo(Message):
    """An estimate with its 95 % interval."""

    estimate: float
    low: float
    high: float


class WatchedAgent(Message):
    """An agent, and a short name that tells it from the others."""

    spec: str
    label: str


class StandingInfo(Message):
    """An agent's place in a table."""

    agent: int
    elo: RangeInfo
    score: RangeInfo | None
    matches: int
    wins: int
    draws: int
    losses: int


class CrossInfo(Message):
    """What one agent scored against another."""

    row: int
    column: int
    score: float
    low: float
    high: float
    matches: int
    wins: int
    draws: int
    losses: int
    pairs: list[int]
    """How many pairs scored 0, ¼, ½, ¾ and 1 a match."""
    elo: list[float | None]
    """How much stronger it is: the estimate and its 95 % interval; None where that is infinite."""


class TestInfo(Message):
    """Where a sequential test of two agents stands."""

    elo0: float
    elo1: float
    llr: float
    """Log likelihood ratio: elo0 is accepted at ``lower``, elo1 at ``upper``."""
    lower: float
    upper: float
    accepted: str | None


class MatchLine(Message):
    """One match of a list."""

    id: str
    first: int
    second: int
    result: str
    """``first``, ``second``, ``draw`` or ``none``."""
    plies: int
    fault: str
    """How an agent failed, if one did."""


class TableInfo(Message):
    """All tournaments of a store that have one name and one game."""

    title: str
    agents: list[WatchedAgent]
    standings: list[StandingInfo]
    cross: list[CrossInfo]
    latest: list[MatchLine]
    """The matches stored last, the newest first."""
    matches: int
    planned: int
    """How many matches there may be at most."""
    test: TestInfo | None
    finished: bool


class WatchInfo(Message):
    """Everything that a store holds now; ``version`` grows with every change."""

    id: int
    name: str
    version: int
    running: bool
    """Whether another process is writing it."""
    report: bool
    """Whether there is a study's report to read."""
    problem: str
    """Why nothing can be shown, in one sentence."""
    tables: list[TableInfo]


class MatchPage(Message):
    """A part of the list of matches, the newest first."""

    matches: list[MatchLine]
    total: int


class ThoughtInfo(Message):
    """What an agent thought at a move; nothing for the moves of an opening."""

    move: int
    value: float | None
    nodes: int
    seconds: float
    opening: bool


class ReplayInfo(Message):
    """A match, position by position; there is one position more than moves."""

    id: str
    first: str
    second: str
    ending: str
    moves: list[ThoughtInfo]
    positions: list[PositionInfo]


class ExamRequest(Message):
    """Ask for a tree and its solution. Without a tree one is drawn by seed and difficulty."""

    tree: Annotated[str, Field(max_length=3000)] = ""
    algorithm: Name = "alphabeta"
    difficulty: Name = "medium"
    root: Name = "max"
    seed: Annotated[int, Field(ge=0, le=2**53)] = 0
    simulations: Annotated[int, Field(ge=1, le=200)] = 8
    exploration: Annotated[float, Field(ge=0, le=100)] = EXPLORATION


class ExamStep(Message):
    """One step: a sentence, and what it changes in the picture."""

    text: str
    node: str
    marks: dict[str, str]
    """By node: its value or a bound of it, or UCT's visits and mean, separated by ``·``."""
    pruned: list[str]


class ExamTask(Message):
    """A question about the tree, and its answer."""

    question: str
    answer: str


class ExamInfo(Message):
    """A tree with its question and solution."""

    tree: str
    title: str
    given: list[str]
    playouts: dict[str, str]
    """Of UCT: the result of a playout from each inner node."""
    tasks: list[ExamTask]
    steps: list[ExamStep]
    picture: str
    """SVG without marks; those of a node are in the elements with its name as ``data-mark``."""
    question: str
    """A page of its own, as HTML."""
    solution: str


FRAMES = (MindsRequest, MindsFrame, LearnRequest, LearnCommand, LearnFrame, LearnEnd)
"""What travels through WebSockets; sessions and stores send a `SessionInfo` or a `WatchInfo`."""

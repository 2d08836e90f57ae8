// The messages of the API, written by scripts/page_types.py from its description.
declare namespace Api {
  interface AgentInfo {
    name: string;
    summary: string;
    parameters: ParameterInfo[];
  }
  interface CrossInfo {
    row: number;
    column: number;
    score: number;
    low: number;
    high: number;
    matches: number;
    wins: number;
    draws: number;
    losses: number;
    pairs: number[];
    elo: (number | null)[];
  }
  interface DecideRequest {
    game: string;
    moves?: number[] | null;
    text?: string | null;
    rows?: string[] | null;
    notation?: "auto" | "moves" | "pons" | "zero" | "uci" | "kaggle" | "drawing";
    agent: string;
    limit?: Limit;
  }
  interface DecisionInfo {
    move: number;
    value: number | null;
    values: Record<string, number>;
    by_move: Record<string, Record<string, number>>;
    nodes: number;
    depth: number | null;
    line: number[];
    seconds: number;
    why: string;
    note: string;
  }
  interface EndingInfo {
    winner: number | null;
    termination: string;
    text: string;
  }
  interface ExamInfo {
    tree: string;
    title: string;
    given: string[];
    playouts: Record<string, string>;
    tasks: ExamTask[];
    steps: ExamStep[];
    picture: string;
    question: string;
    solution: string;
  }
  interface ExamRequest {
    tree?: string;
    algorithm?: string;
    difficulty?: string;
    root?: string;
    seed?: number;
    simulations?: number;
    exploration?: number;
  }
  interface ExamStep {
    text: string;
    node: string;
    marks: Record<string, string>;
    pruned: string[];
  }
  interface ExamTask {
    question: string;
    answer: string;
  }
  interface GameInfo {
    name: string;
    title: string;
    columns: number;
    rows: number;
    k: number;
    gravity: boolean;
    moves: number;
  }
  interface HTTPValidationError {
    detail: ValidationError[];
  }
  interface HintInfo {
    move: number;
    line: number[];
    why: string;
  }
  interface JudgementInfo {
    agent: number;
    right: boolean;
    cause: string;
    why: string;
  }
  interface LearnCommand {
    paused?: boolean | null;
    alpha?: number | null;
    epsilon?: number | null;
    speed?: number | null;
    moves?: number[] | null;
    reply?: boolean;
    step?: boolean;
  }
  interface LearnEnd {
    ended: string;
  }
  interface LearnFrame {
    episodes: number;
    seconds: number;
    paused: boolean;
    alpha: number;
    epsilon: number;
    gamma: number | null;
    speed: number;
    entries: number;
    error: number | null;
    shown: ValuesInfo;
    updates: UpdateInfo[];
    score: number | null;
    reply: number | null;
  }
  interface LearnRequest {
    kind?: "qlearning" | "ntuple";
    game: string;
    alpha: number;
    epsilon: number;
    speed?: number;
    seed?: number;
  }
  interface LevelInfo {
    label: string;
    spec: string;
    about: string;
    strength: string;
    elo: number | null;
  }
  interface Limit {
    depth: number | null;
    nodes: number | null;
    simulations: number | null;
    seconds: number | null;
    match_seconds: number | null;
  }
  interface LineupInfo {
    name: string;
    title: string;
    about: string;
    levels: LevelInfo[];
    modes: ModeInfo[];
  }
  interface MatchLine {
    id: string;
    first: number;
    second: number;
    result: string;
    plies: number;
    fault: string;
  }
  interface MatchPage {
    matches: MatchLine[];
    total: number;
  }
  interface MindInfo {
    agent: number;
    done: boolean;
    move: number;
    value: number | null;
    values: Record<string, number>;
    visits: Record<string, number>;
    nodes: number;
    cutoffs: number | null;
    depth: number | null;
    simulations: number | null;
    line: number[];
    line_cells: number[];
    seconds: number;
    known: boolean | null;
    note: string;
    settled: Record<string, string>;
    parts: Record<string, PartInfo[]>;
  }
  interface MindsFrame {
    mind: MindInfo | null;
    truth: SolutionInfo | null;
    judgement: JudgementInfo | null;
    agent: number | null;
    problem: string;
    finished: boolean;
  }
  interface MindsRequest {
    game: string;
    moves: number[];
    agents: string[];
  }
  interface ModeInfo {
    label: string;
    title: string;
    about: string;
    one: string;
    two: string;
  }
  interface MoveRequest {
    move: number;
    ply?: number | null;
  }
  interface MoveScore {
    low: number;
    high: number;
    verdict: "win" | "draw" | "loss" | null;
    words: string;
    length: number | null;
  }
  interface PaceRequest {
    paused?: boolean | null;
    delay?: number | null;
  }
  interface PageRequest {
    game: string;
    moves?: number[] | null;
    text?: string | null;
    rows?: string[] | null;
    notation?: "auto" | "moves" | "pons" | "zero" | "uci" | "kaggle" | "drawing";
    title?: string;
    first?: string;
    second?: string;
    review?: ReviewInfo | null;
  }
  interface ParameterInfo {
    name: string;
    kind: "integer" | "number" | "choice" | "switch" | "text";
    default: string;
    help: string;
    wanted: string;
    options: string[];
    low: number | null;
    high: number | null;
    none: string | null;
  }
  interface PartInfo {
    part: string;
    cells: number[];
    columns: number[];
    share: number;
  }
  interface PlayedInfo {
    move: number;
    cell: number;
    player: number;
    value: number | null;
    nodes: number;
    depth: number | null;
    seconds: number;
    effort: string;
    note: string;
  }
  interface PositionInfo {
    game: GameInfo;
    rows: string[];
    moves: number[] | null;
    text: string | null;
    to_move: number;
    legal: number[];
    ply: number;
    landing: Record<string, number>;
    outcome: string | null;
    winning: number[];
    notation: string;
    threats: number[][];
  }
  interface PositionRequest {
    game: string;
    moves?: number[] | null;
    text?: string | null;
    rows?: string[] | null;
    notation?: "auto" | "moves" | "pons" | "zero" | "uci" | "kaggle" | "drawing";
  }
  interface Problem {
    detail: string;
  }
  interface PuzzleInfo {
    moves: number[];
    answer: number;
    length: number;
    level: number;
  }
  interface RangeInfo {
    estimate: number;
    low: number;
    high: number;
  }
  interface RecordInfo {
    game: string;
    moves: number[];
    opening: number;
    first: string;
    second: string;
    result: string;
  }
  interface RecordRequest {
    game: string;
    moves?: number[] | null;
    text?: string | null;
    rows?: string[] | null;
    notation?: "auto" | "moves" | "pons" | "zero" | "uci" | "kaggle" | "drawing";
    first?: string;
    second?: string;
  }
  interface RecordsRequest {
    text: string;
  }
  interface ReplayInfo {
    id: string;
    first: string;
    second: string;
    ending: string;
    moves: ThoughtInfo[];
    positions: PositionInfo[];
  }
  interface ReviewInfo {
    moves: ReviewMove[];
    accuracy: (number | null)[];
    complete: boolean;
  }
  interface ReviewMove {
    index: number;
    player: number;
    move: number;
    solved: boolean;
    score: number | null;
    best_score: number | null;
    best: number[];
    mistake: boolean;
    words: string;
  }
  interface ReviewRequest {
    game: string;
    moves?: number[] | null;
    text?: string | null;
    rows?: string[] | null;
    notation?: "auto" | "moves" | "pons" | "zero" | "uci" | "kaggle" | "drawing";
    seconds?: number | null;
    first?: number;
  }
  interface ScoresInfo {
    pos: string;
    score: number[];
  }
  interface SeatInfo {
    name: string;
    spec: string;
    person: boolean;
    participant: number;
  }
  interface SessionInfo {
    id: string;
    version: number;
    position: PositionInfo;
    opening: number[];
    played: PlayedInfo[];
    seats: SeatInfo[];
    mode: string;
    number: number;
    matches: number;
    score: number[];
    thinking: number | null;
    awaits_person: boolean;
    hinting: boolean;
    hint: HintInfo | null;
    can_undo: boolean;
    can_redo: boolean;
    paused: boolean;
    delay: number;
    watched: boolean;
    series_over: boolean;
    ending: EndingInfo | null;
    failure: string | null;
  }
  interface SessionRequest {
    game: string;
    one?: string;
    two?: string;
    starts?: "one" | "two" | "random" | "alternate";
    matches?: number;
    delay?: number;
    opening?: number[];
    moves?: number[];
    names?: string[];
    mode?: string;
    seed?: number | null;
    record?: string | null;
  }
  interface SolutionInfo {
    low: number;
    high: number;
    verdict: "win" | "draw" | "loss" | null;
    words: string;
    length: number | null;
    position: PositionInfo;
    solved: boolean;
    moves: Record<string, MoveScore>;
    best: number[];
    line: number[];
    line_cells: number[];
    nodes: number;
    seconds: number;
    seconds_left: number;
    looking_for: string;
    why: string;
  }
  interface SolveRequest {
    game: string;
    moves?: number[] | null;
    text?: string | null;
    rows?: string[] | null;
    notation?: "auto" | "moves" | "pons" | "zero" | "uci" | "kaggle" | "drawing";
    seconds?: number | null;
    line?: boolean;
  }
  interface StandingInfo {
    agent: number;
    elo: RangeInfo;
    score: RangeInfo | null;
    matches: number;
    wins: number;
    draws: number;
    losses: number;
  }
  interface StatusInfo {
    version: string;
    ready: boolean;
    sessions: number;
  }
  interface TableInfo {
    title: string;
    agents: WatchedAgent[];
    standings: StandingInfo[];
    cross: CrossInfo[];
    latest: MatchLine[];
    matches: number;
    planned: number;
    test: TestInfo | null;
    finished: boolean;
  }
  interface TestInfo {
    elo0: number;
    elo1: number;
    llr: number;
    lower: number;
    upper: number;
    accepted: string | null;
  }
  interface ThoughtInfo {
    move: number;
    value: number | null;
    nodes: number;
    seconds: number;
    opening: boolean;
  }
  interface TraceInfo {
    id: string;
    position: PositionInfo;
    agent: string;
    simulated: boolean;
    exploration: number | null;
    length: number;
    node_count: number;
    truncated: string;
    move: number | null;
    whole: WholeInfo | null;
    kinds: string[];
    templates: string[];
    signs: string[];
    effects: string[];
    results: Record<string, string>;
    unit: number;
    win: number;
    win_at_start: number;
    page: TracePage;
  }
  interface TracePage {
    first: number;
    first_node: number;
    parents: number[];
    moves: number[];
    cells: number[];
    kinds: number[];
    nodes: number[];
    values: number[];
    lows: (number | null)[];
    highs: (number | null)[];
    bests: number[];
    improved: number[];
    said: number[];
    lists: Record<string, number[]>;
  }
  interface TraceRequest {
    game: string;
    moves?: number[] | null;
    text?: string | null;
    rows?: string[] | null;
    notation?: "auto" | "moves" | "pons" | "zero" | "uci" | "kaggle" | "drawing";
    agent: string;
    events?: number;
    seed?: number;
  }
  interface UpdateInfo {
    position: PositionInfo;
    move: number;
    old: number;
    target: number;
    new: number;
  }
  interface ValidationError {
    loc: (string | number)[];
    msg: string;
    type: string;
    input: any;
    ctx: any;
  }
  interface ValuesInfo {
    moves: number[];
    values: Record<string, number>;
    known: boolean;
  }
  interface WatchInfo {
    id: number;
    name: string;
    version: number;
    running: boolean;
    report: boolean;
    problem: string;
    tables: TableInfo[];
  }
  interface WatchedAgent {
    spec: string;
    label: string;
  }
  interface WatchedInfo {
    id: number;
    name: string;
    example: boolean;
  }
  interface WholeInfo {
    move: number;
    nodes: number;
  }
}

// The messages between the pages, the engine in the browser and its workers. Those of the server are in api.d.ts.
declare namespace Api {
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
  interface MindInfo {
    agent: number;
    done: boolean;
    move: number;
    value: number | null;
    values: Record<string, number>;
    earlier: Record<string, number>;
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
  interface MoveScore {
    low: number;
    high: number;
    verdict: "win" | "draw" | "loss" | null;
    words: string;
    length: number | null;
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
  interface PuzzleInfo {
    moves: number[];
    answer: number;
    length: number;
    level: number;
  }
  interface RecordInfo {
    game: string;
    moves: number[];
    opening: number;
    first: string;
    second: string;
    result: string;
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
    shared: boolean;
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
  interface UpdateInfo {
    position: PositionInfo;
    move: number;
    old: number;
    target: number;
    new: number;
  }
  interface ValuesInfo {
    moves: number[];
    values: Record<string, number>;
    known: boolean;
  }
  interface WholeInfo {
    move: number;
    nodes: number;
  }
}

// The messages of the API, written by scripts/page_types.py from its description.
declare namespace Api {
  interface AgentInfo {
    name: string;
    summary: string;
    parameters: ParameterInfo[];
  }
  interface AgentRequest {
    game: string;
    agent: string;
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
    agent: string;
    moves?: number[];
    limit?: Limit;
    match?: string;
    seed?: number;
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
  interface Problem {
    detail: string;
  }
  interface RangeInfo {
    estimate: number;
    low: number;
    high: number;
  }
  interface RelayInfo {
    game: string;
    starts: "one" | "two" | "random" | "alternate";
    matches: number;
    opening: number[];
    names: string[];
    mode: string;
    seed: number;
    played: number[][];
    id: string;
    version: number;
    undone: number[];
  }
  interface RelayRequest {
    game: string;
    starts?: "one" | "two" | "random" | "alternate";
    matches?: number;
    opening?: number[];
    names?: string[];
    mode?: string;
    seed?: number;
    played?: number[][];
  }
  interface ReplayInfo {
    id: string;
    game: string;
    first: string;
    second: string;
    ending: string;
    moves: ThoughtInfo[];
  }
  interface ScoresInfo {
    pos: string;
    score: number[];
  }
  interface ServedInfo {
    spec: string;
    label: string;
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
    matches: number;
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
  interface WatchInfo {
    id: number;
    name: string;
    version: number;
    running: boolean;
    report: boolean;
    example: boolean;
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
  }
}

"""Play the small tournament that the page Watch shows without a store: python scripts/make_watch_example.py"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from inarow.arena import Store, Tournament  # noqa: E402
from inarow.arena.store import rows_of  # noqa: E402
from inarow.match.series import play_pair  # noqa: E402
from inarow.web.data import WATCH_EXAMPLE  # noqa: E402
from inarow.web.watching import Watched  # noqa: E402

AGENTS = ("random", "rules", "alphabeta:depth=2", "mcts:simulations=200", "ntuple")
PAIRS = 4


def main() -> None:
    """Play it, and write all that the page can ask."""
    wanted = Tournament.of("connect4", AGENTS, "random:2", PAIRS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "example.db"
        with Store.create(path) as store:
            run = store.begin(wanted)
            for pair, opening in enumerate(wanted.lines()):
                for number, pairing in zip(run.pairings, wanted.pairings, strict=True):
                    both = play_pair(wanted.game, *pairing, index=pair, opening=opening, seed=wanted.seed)
                    store.add([rows_of(number, both)])
        watched = Watched(0, path, "An example tournament")
        info = watched.look().model_copy(update={"example": True, "running": False})
        lines = watched.matches(0, 0, 10_000, None).matches
        example = {
            "info": info.model_dump(),
            "lines": [line.model_dump() for line in lines],
            "matches": {line.id: watched.replay(line.id).model_dump() for line in lines},
        }
    WATCH_EXAMPLE.parent.mkdir(exist_ok=True)
    WATCH_EXAMPLE.write_text(json.dumps(example, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

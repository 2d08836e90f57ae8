"""A client of the server names no files, also not inside an evaluator."""

from __future__ import annotations

import pytest

from inarow.rules import CONNECT4
from inarow.web.security import Refused, agent_for
from inarow.web.serving import WebSettings


@pytest.mark.parametrize(
    "spec",
    [
        "ntuple:model=a.npz",
        "alphabeta:eval=ntuple(model=a.npz)",
        'greedy:eval=ntuple(model="/etc/passwd")',
        "minimax:depth=2,eval=ntuple(model=../a.npz)",
    ],
)
def test_a_file_is_refused_also_inside_an_evaluator(spec: str) -> None:
    with pytest.raises(Refused, match="is a file"):
        agent_for(CONNECT4, spec, WebSettings())


def test_the_shipped_network_is_allowed_as_an_evaluator() -> None:
    assert agent_for(CONNECT4, "alphabeta:eval=ntuple", WebSettings()).spec == "alphabeta:eval=ntuple"

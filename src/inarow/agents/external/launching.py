"""Start the process of an external agent. Whatever fails here is the host's failure: no code of the agent has run."""

from __future__ import annotations

from inarow.agents.base import Disturbance
from inarow.agents.external.client import ForkedProcess
from inarow.agents.external.policy import Policy
from inarow.agents.external.process import Process
from inarow.agents.external.spawned import SpawnedProcess
from inarow.agents.external.staging import Snapshot

_CONFINE_SECONDS = 30.0


def launch(snapshot: Snapshot, policy: Policy, megabytes: int) -> Process:
    """Start a process, confined as the policy says, with the files of the snapshot in its folder.

    Raises `Disturbance` if the machine has no space, no memory or no processes for it.
    """
    try:
        process = SpawnedProcess(snapshot) if policy.trust else ForkedProcess(snapshot, policy)
    except OSError as error:
        raise Disturbance(f"the process of an external agent can't be started: {error.strerror or error}") from None
    try:
        process.confine(policy, megabytes, _CONFINE_SECONDS)
    except BaseException:
        process.close()
        raise
    return process

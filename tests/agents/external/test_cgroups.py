"""Where cgroup v2 can be used, the kernel limits an agent's threads; elsewhere nothing changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarow.agents.external.sandbox import PIDS, ControlGroups


def hierarchy(folder: Path, enabled: str) -> tuple[Path, Path]:
    """A folder that looks like a cgroup v2 hierarchy: what is mounted, and the group of this process."""
    (folder / "cgroup" / "user").mkdir(parents=True)
    (folder / "cgroup" / "user" / "cgroup.subtree_control").write_text(enabled)
    mounts, own = folder / "mounts", folder / "own"
    mounts.write_text(f"proc /proc proc rw 0 0\ncgroup2 {folder / 'cgroup'} cgroup2 rw 0 0\n")
    own.write_text("4:memory:/x\n0::/user\n")
    return mounts, own


@pytest.mark.parametrize("enabled", ["pids memory\n", ""])
def test_an_agent_gets_a_group_with_a_limit(enabled: str, tmp_path: Path) -> None:
    groups = ControlGroups(*hierarchy(tmp_path, enabled))
    user = tmp_path / "cgroup" / "user"
    assert groups.add(1234)
    group = user / "inarow-agent-1234"
    assert (group / "pids.max").read_text() == str(PIDS)
    assert (group / "cgroup.procs").read_text() == "1234"
    assert (user / "cgroup.subtree_control").read_text() == (enabled or "+pids")


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    mounts, own = hierarchy(tmp_path, "pids")
    left = tmp_path / "cgroup" / "user" / "inarow-agent-7"
    left.mkdir()
    ControlGroups(mounts, own)
    assert not left.exists()


@pytest.mark.parametrize(
    "lines", ["", "cgroup /sys/fs/cgroup/pids cgroup rw 0 0\n", "cgroup2 /nowhere cgroup2 rw 0 0\n", "x\n"]
)
def test_without_cgroup_v2_nothing_is_limited_and_nothing_fails(lines: str, tmp_path: Path) -> None:
    mounts, own = hierarchy(tmp_path, "pids")
    mounts.write_text(lines)
    groups = ControlGroups(mounts, own)
    assert not groups.add(1234)
    groups.remove(1234)


def test_a_group_that_cannot_be_made_is_no_failure(tmp_path: Path) -> None:
    mounts, own = hierarchy(tmp_path, "pids")
    groups = ControlGroups(mounts, own)
    (tmp_path / "cgroup" / "user" / "inarow-agent-5").write_text("in the way")
    assert not groups.add(5)

"""inarow doctor: what this installation is, what works, and what is slow."""

from __future__ import annotations

from typing import Any

import typer

from inarow.cli.common import JsonOption, print_json, print_table

_PACKAGES = ("numpy", "llvmlite", "scipy", "matplotlib", "typer", "rich")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow doctor --json")(doctor)


def doctor(as_json: JsonOption = False) -> None:
    """Show versions, kernels, the sandbox, extras, and what is slow.

    Please include its output when you report a problem.
    """
    found = {
        "versions": _versions(),
        "machine": _machine(),
        "kernels": _kernels(),
        "sandbox": _sandbox(),
        "extras": _extras(),
    }
    slow = _slow(found)
    if as_json:
        print_json({**found, "slow": slow})
        return
    for title, head in (("versions", "package"), ("machine", "fact"), ("kernels", "fact")):
        rows = [(key.replace("_", " "), _shown(value)) for key, value in found[title].items()]
        print_table(title.capitalize(), [head, "version" if head == "package" else "value"], rows, numbers=False)
    sandbox = found["sandbox"]
    rows = [(key.replace("_", " "), _shown(value)) for key, value in sandbox.items() if key != "open"]
    print_table("Sandbox of agents in files", ["fact", "value"], rows, numbers=False)
    for line in sandbox["open"]:
        typer.echo(f"An agent in a file is not fully confined: {line}.")
    rows = [(name, "works" if not state["missing"] else state["install"]) for name, state in found["extras"].items()]
    print_table("Extras", ["extra", "state"], rows, numbers=False)
    for line in slow or ["Nothing makes it slow."]:
        typer.echo(line)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "not installed" if value is None else str(value)


def _version_of(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _versions() -> dict[str, str | None]:
    import platform

    from inarow import __version__

    return {"inarow": __version__, "python": platform.python_version(), **{n: _version_of(n) for n in _PACKAGES}}


def _machine() -> dict[str, Any]:
    import os
    import platform

    from inarow.kernels.lang.native import this_processor

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    return {"system": platform.platform(), "processor": this_processor().name, "cores": cores, "load": load}


def _kernels() -> dict[str, Any]:
    import os

    from inarow.kernels import cache, warm
    from inarow.kernels.lang import jit

    folder = cache.folder()
    entries = list(folder.glob("*.o"))
    return {
        "compiler_on": jit.COMPILED,
        "all_compiled": warm.is_warm(),
        "in_the_package": len(list(cache.SHIPPED.glob("*.o"))),
        "in_the_cache": len(entries),
        "cache_kilobytes": sum(path.stat().st_size for path in entries) // 1024,
        "cache": str(folder),
        "cache_writable": os.access(folder, os.W_OK),
    }


def _sandbox() -> dict[str, Any]:
    """What confines agents in files and students' code here, and what it leaves open."""
    from inarow.agents.external.sandbox import bubblewrap, offered

    offer = offered()
    return {
        "complete": not offer.missing,
        "landlock_version": offer.landlock or None,
        "seccomp": offer.seccomp,
        "bubblewrap": bubblewrap() is not None,
        "open": offer.missing,
    }


def _extras() -> dict[str, dict[str, Any]]:
    """The extras that a user may install, as the package declares them, and what is missing of each."""
    import re
    from importlib.metadata import PackageNotFoundError, requires

    try:
        declared = requires("inarow") or []
    except PackageNotFoundError:
        declared = []
    extras: dict[str, dict[str, Any]] = {}
    for line in declared:
        extra = re.search(r"extra == ['\"](\w+)['\"]", line)
        package = re.split(r"[<>=!~\[; ]", line)[0]
        if extra is None or extra[1] in ("dev", "benchmarks", "docs"):
            continue
        state = extras.setdefault(extra[1], {"missing": [], "install": f'pip install "inarow[{extra[1]}]"'})
        if _version_of(package) is None:
            state["missing"].append(package)
    return extras


def _slow(found: dict[str, Any]) -> list[str]:
    machine, kernels = found["machine"], found["kernels"]
    reasons = []
    if not kernels["compiler_on"]:
        reasons.append("INAROW_JIT=0 is set: kernels run uncompiled, some hundred times slower. Unset it.")
    elif not kernels["all_compiled"]:
        reasons.append(
            "Not all kernels are compiled yet: the first use of each takes some seconds. "
            "To compile all now: python -m inarow.kernels.warm"
        )
    if not kernels["cache_writable"]:
        reasons.append("The cache can't be written, so kernels are compiled in every process. Set INAROW_CACHE.")
    if machine["load"] is not None and machine["load"] > machine["cores"]:
        reasons.append(f"The machine is busy: a load of {machine['load']} on {machine['cores']} cores.")
    return reasons

"""Build a wheel with compiled kernels inside: ``python scripts/build_wheel.py [FOLDER]`` (default: dist).

The machine code is for the level x86-64-v3. It is used only on such processors, on this system, and with unchanged
sources; elsewhere, and after an edit, kernels are compiled as usual. It needs no particular version of Python, so
the wheel stays one for all.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

from inarow.kernels import cache, warm
from inarow.kernels.lang import native

PROJECT = Path(__file__).parents[1]


def compile_into(folder: Path) -> int:
    """Compile every kernel for the baseline processor; returns how many."""
    baseline = native.baseline()
    if baseline is None or not native.this_processor().runs_baseline:
        return 0
    native.this_processor = lambda: baseline  # type: ignore[assignment]
    cache.folder = lambda: folder  # type: ignore[assignment]
    folder.mkdir(parents=True, exist_ok=True)
    warm.warm_here(warm.kernel_modules())
    return len(list(folder.glob("*.o")))


def main() -> None:
    """Compile, build, and leave the sources as they were."""
    if importlib.util.find_spec("pip") is None:
        sys.stderr.write(
            f"A wheel is built by pip, which {sys.executable} does not have; "
            "install it (python -m ensurepip), or use an environment made by python -m venv.\n"
        )
        sys.exit(2)
    out = Path(sys.argv[1] if len(sys.argv) > 1 else PROJECT / "dist")
    shutil.rmtree(cache.SHIPPED, ignore_errors=True)
    try:
        kernels = compile_into(cache.SHIPPED)
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(out), str(PROJECT)]
        subprocess.run(pip, check=True)
    finally:
        shutil.rmtree(cache.SHIPPED, ignore_errors=True)
        shutil.rmtree(PROJECT / "build" / "lib", ignore_errors=True)
    sys.stdout.write(f"a wheel with {kernels} compiled kernels is in {out}\n")


if __name__ == "__main__":
    main()

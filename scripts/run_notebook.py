"""Execute the notebooks in ``examples`` and store their outputs: ``python scripts/run_notebook.py``.

The outputs are deterministic except for times, so a changed output shows a changed result.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(path: Path) -> None:
    """Run all cells and write the notebook without execution times."""
    untyped: Any = nbformat
    notebook = untyped.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(notebook, timeout=300, resources={"metadata": {"path": folder}}).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    notebook.metadata.pop("widgets", None)
    untyped.write(notebook, path)


if __name__ == "__main__":
    for path in sorted(EXAMPLES.glob("*.ipynb")):
        run(path)

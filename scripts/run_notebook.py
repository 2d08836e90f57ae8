"""Execute the quick-start notebook and store its outputs: ``python scripts/run_notebook.py``.

The outputs are deterministic except for times, so a changed output shows a changed result.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[1] / "examples" / "quickstart.ipynb"


def main() -> None:
    """Run all cells and write the notebook without execution times."""
    untyped: Any = nbformat
    notebook = untyped.read(NOTEBOOK, as_version=4)
    NotebookClient(notebook, timeout=300).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    notebook.metadata.pop("widgets", None)
    untyped.write(notebook, NOTEBOOK)


if __name__ == "__main__":
    main()

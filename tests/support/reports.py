"""The report of a store, made comparable."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from pathlib import Path

from inarow.arena import Store
from inarow.report.page import to_page
from inarow.studies.store_report import page_of_stores


def report_with_times_of(store: Path, timed: Path) -> str:
    """Return the report's page of a store, with the times of another store of the same matches."""
    copy = store.with_name("copy.db")
    shutil.copyfile(store, copy)
    with contextlib.closing(sqlite3.connect(copy)) as database:
        database.execute("ATTACH ? AS timed", (str(timed),))
        database.execute("DELETE FROM timing")
        database.execute("INSERT INTO timing SELECT * FROM timed.timing")
        database.commit()
    with Store.read(copy) as found:
        return to_page(page_of_stores([found]))

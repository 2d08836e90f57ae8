"""Snapshots of agents' files, so that exactly the hashed files play, on any machine; and the declarations of a file: a
name, a summary and typed parameters.
"""

from __future__ import annotations

import ast
import hashlib
import os
import re
import shutil
import stat
import threading
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, Field, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from inarow.agents import parameters
from inarow.agents.parameters import AgentError, Kind, Number, Switch, kind_of
from inarow.errors import printable

MAX_FILES = 500
MAX_BYTES = 64 << 20
MAX_DEPTH = 30
"""Maximum nesting of folders."""
_ENTRIES = ("main.py", "agent.py", "my_agent.py", "submission.py", "solution.py", "tictactoe.py")
LEFT_OUT = ("__pycache__", ".git", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache")
_IMPORT = re.compile(
    r"^[ \t]*(?:import[ \t]+([\w., \t]+)|from[ \t]+([\w.]+)[ \t]+import\b)"
    r"|\b(?:__import__|import_module)\(\s*['\"]([\w.]+)",
    re.MULTILINE,
)
_NEVER_READ = 1 << 33
"""An access time far in the future: Linux then leaves it unchanged (relatime), so a match can't leave a mark in it for
the next one."""
_lock = threading.Lock()


@dataclass(frozen=True)
class Snapshot:
    """The files of an agent by relative path, and the one that is run."""

    entry: str
    files: tuple[tuple[str, bytes], ...]

    @cached_property
    def digest(self) -> str:
        """SHA-256: of the file, or of the names and contents of all files of a folder."""
        if len(self.files) == 1:
            return hashlib.sha256(self.files[0][1]).hexdigest()
        parts = (f"{name}\n{hashlib.sha256(data).hexdigest()}\n" for name, data in self.files)
        text = "".join((self.entry, "\n", *parts))
        return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()  # a name need not be UTF-8

    @cached_property
    def imports(self) -> tuple[str, ...]:
        """The external top-level modules in the import statements of its Python files."""
        own = {Path(name).parts[0].removesuffix(".py") for name, _ in self.files}
        sources = [data.decode(errors="replace") for name, data in self.files if name.endswith(".py")]
        found = {group for source in sources for one in _IMPORT.finditer(source) for group in one.groups() if group}
        names = {name.strip().partition(" ")[0].partition(".")[0] for group in found for name in group.split(",")}
        return tuple(sorted(name for name in names - own if name.isidentifier()))

    def stage(self, base: Path) -> Path:
        """Write the files to a new folder below this one, once; return that folder."""
        folder = base / hashlib.sha256(f"{self.entry}/{self.digest}".encode(errors="surrogatepass")).hexdigest()[:24]
        with _lock:
            self._write(folder)
        return folder

    def _write(self, folder: Path) -> None:
        if folder.exists():
            return
        partial = folder.with_suffix(".partial")
        try:
            for name, data in self.files:
                path = partial / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
                path.chmod(0o444)
            for path in (partial, *partial.rglob("*")):
                os.utime(path, (_NEVER_READ, path.stat().st_mtime))
            partial.rename(folder)
        except BaseException:  # such as a full disk
            shutil.rmtree(partial, ignore_errors=True)
            raise


def read(path: Path) -> Snapshot:
    """Return the files of an agent. Raises `AgentError` if there are none, too many or too large ones."""
    files = read_files(path)
    if path.is_dir():
        return Snapshot(choose_entry(files, path), tuple(sorted(files.items())))
    return Snapshot(path.name, tuple(files.items()))


def read_files(path: Path) -> dict[str, bytes]:
    """Read a file, or all files of a folder, by relative path.

    Raises `AgentError` for links and devices, and if files are unreadable, too many, too large or nested too deeply.
    """
    try:
        if path.is_symlink():
            raise AgentError(f"agent file: {path} is a symbolic link; give the file itself")
        if path.is_dir():
            return {name: _content(file) for name, file in _walk(path)}
        if not path.exists():
            raise AgentError(f"agent file: {path} does not exist")
    except OSError as error:  # an invalid name, or an unreadable folder
        raise AgentError(f"agent file: {printable(str(path))} can't be read: {error.strerror}") from None
    return {path.name: _content(path)}


def _content(path: Path) -> bytes:
    """Return the content of a file; links and devices are not followed."""
    try:
        flags = (getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))  # not all systems have all
        handle = os.open(path, os.O_RDONLY | sum(flags))
        with open(handle, "rb") as file:  # noqa: PTH123
            about = os.fstat(handle)
            if not stat.S_ISREG(about.st_mode):
                raise AgentError(f"agent file: {path} is neither a file nor a folder")
            if about.st_size > MAX_BYTES:
                raise AgentError(f"agent file: {path} has more than {MAX_BYTES >> 20} MB")
            return file.read(MAX_BYTES)
    except OSError as error:
        raise AgentError(f"agent file: {path} can't be read: {error.strerror}") from None


def _walk(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the relative path and the path of each file below a folder."""
    files = size = 0
    left = [("", folder)]
    while left:
        prefix, current = left.pop()
        for path in current.iterdir():
            name = f"{prefix}{path.name}"
            if path.is_symlink():
                raise AgentError(f"agent file: {path} is a symbolic link; an agent's folder must hold its files itself")
            if path.is_dir():
                if name.count("/") >= MAX_DEPTH:
                    raise AgentError(f"agent file: {folder} has folders nested more than {MAX_DEPTH} deep")
                if path.name not in LEFT_OUT:
                    left.append((f"{name}/", path))
                continue
            files += 1
            size += path.lstat().st_size
            if files > MAX_FILES or size > MAX_BYTES:
                raise AgentError(f"agent file: {folder} has more than {MAX_FILES} files or {MAX_BYTES >> 20} MB")
            yield name, path


def choose_entry(files: Iterable[str], folder: Path) -> str:
    """Choose the file of a folder to run, from the names of its files."""
    programs = sorted(name for name in files if name.endswith(".py") and "/" not in name)
    for name in (*_ENTRIES, f"{folder.resolve().name}.py"):
        if name in programs:
            return name
    if len(programs) == 1:
        return programs[0]
    found = f"has {', '.join(programs[:5])}" if programs else "has no Python file"
    raise AgentError(f"agent file: the folder {folder} {found}; name the one to run {_ENTRIES[0]} or {_ENTRIES[1]}")


MAX_SOURCE = 1 << 20
"""Maximum size of a file whose declarations are read."""
_FIELDS = ("integer", "number", "choice", "switch", "string", "file")
"""The functions of `parameters` that declare a field."""
_HELP = "declared by the file"


class Declared(NamedTuple):
    """The declarations of a file, empty if missing."""

    name: str = ""
    summary: str = ""
    parameters: tuple[Kind, ...] = ()


def declared(source: bytes) -> Declared:
    """Read the declarations of a file from its syntax tree, without running it; only literals are understood.

    A subclass of `Agent` declares its attributes ``name`` and ``summary`` and its dataclass fields; a file with a
    function ``agent`` declares a module variable ``name``, the first line of the function's docstring, and its
    keyword-only arguments. A file that can't be parsed, or is nested too deeply, declares nothing.
    """
    if len(source) > MAX_SOURCE:
        return Declared()
    try:
        body = ast.parse(source).body
        classes = [one for one in body if isinstance(one, ast.ClassDef) and any(map(_is_agent, one.bases))]
        if classes:
            return _of_class(classes[-1])
        functions = [one for one in body if isinstance(one, ast.FunctionDef) and one.name == "agent"]
        return _of_function(functions[-1], body) if functions else Declared(_string(body, "name"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Declared()


def _is_agent(base: ast.expr) -> bool:
    return (isinstance(base, ast.Name) and base.id == "Agent") or (
        isinstance(base, ast.Attribute) and base.attr == "Agent"
    )


def _of_class(made: ast.ClassDef) -> Declared:
    kinds = [
        _kind(line.target.id, line.value)
        for line in made.body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and line.value is not None
        if "ClassVar" not in ast.unparse(line.annotation)
    ]
    return Declared(_string(made.body, "name"), _string(made.body, "summary"), tuple(filter(None, kinds)))


def _of_function(made: ast.FunctionDef, module: list[ast.stmt]) -> Declared:
    keywords = zip(made.args.kwonlyargs, made.args.kw_defaults, strict=True)
    kinds = [_kind(one.arg, default) for one, default in keywords if default is not None]
    summary = printable((ast.get_docstring(made) or "").partition("\n")[0]).rstrip(".")
    return Declared(_string(module, "name"), summary, tuple(filter(None, kinds)))


def _string(body: list[ast.stmt], name: str) -> str:
    """Return the last string assigned to this name; empty if there is none."""
    found = ""
    for line in body:
        if isinstance(line, ast.Assign) and any(getattr(one, "id", "") == name for one in line.targets):
            value = _literal(line.value)
            found = value if isinstance(value, str) else found
    return printable(found, 60)


def _literal(value: ast.expr) -> Any:
    """Return the value of a literal; MISSING for another expression, and for text that no spec can hold."""
    constants = (getattr(node, "value", None) for node in ast.walk(value) if isinstance(node, ast.Constant))
    if not all(text.isprintable() for text in constants if isinstance(text, str)):
        return MISSING
    try:
        return ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return MISSING


def _kind(name: str, default: ast.expr) -> Kind | None:
    """Return the kind of a parameter with this default, or None if it is not a literal."""
    if isinstance(default, ast.Call):
        return _made(name, default)
    value = _literal(default)
    if isinstance(value, bool):
        return Switch(name, value, _HELP)
    if isinstance(value, int | float):
        return Number(name, value, _HELP, whole=isinstance(value, int))
    return Kind(name, value, _HELP) if isinstance(value, str) else None


def _made(name: str, call: ast.Call) -> Kind | None:
    """Return the kind of a parameter declared by a function such as `number`, or None."""
    function = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    given = [_literal(one) for one in call.args]
    named = {str(one.arg): _literal(one.value) for one in call.keywords}
    if function not in _FIELDS or MISSING in (*given, *named.values()):
        return None
    try:
        field: Field[Any] = getattr(parameters, function)(*given, **named)
        field.name = name
        kind = kind_of(field)
        if kind is not None:
            kind.check(name, kind.default)
    except (TypeError, ValueError):
        return None
    return kind

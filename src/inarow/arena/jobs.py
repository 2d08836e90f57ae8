"""Jobs, sent to other processes as bytes: their limits there, and the check that agents and code are the same.

Classes of ``__main__`` or a notebook are sent by value with cloudpickle, where that is installed. A checked job carries
what identifies its agents here; a process in which they differ refuses it, however late it joined.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import pickle
import queue
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from inarow import __version__
from inarow.agents import Agent
from inarow.arena.tournament import ArenaError
from inarow.errors import InarowError
from inarow.stopping import SYSTEM_CLOCK, Stop

T = TypeVar("T")

_HASHED = {".py", ".npz", ".json", ".csv", ".book", ".verdicts"}
"""Files of a package that can decide how an agent plays."""


class WrongProcess(ArenaError):
    """A process that can't play an agent as it is here; the message continues "worker … "."""


class Provenance(NamedTuple):
    """What decides how agents play in a process."""

    packages: Mapping[str, str]
    """The version and a digest of the sources of inarow and of each package with a class of an agent."""
    identities: Mapping[str, str]
    """By spec."""

    @classmethod
    def of(cls, agents: Iterable[Agent], known: MutableMapping[str, str] | None = None) -> Provenance:
        """Return that of agents in this process; identities that are in ``known`` are not asked for again."""
        found = {} if known is None else known
        packages = {"inarow"}
        specs = []
        for agent in agents:
            specs.append(agent.spec)
            if agent.spec not in found:
                found[agent.spec] = agent.identity
            packages |= {_package(kind.__module__) for kind in type(agent).__mro__}
        packages -= {*sys.stdlib_module_names, "__main__", "__mp_main__"}
        return cls({name: _version(name) for name in sorted(packages)}, {spec: found[spec] for spec in specs})

    def check(self, agents: Iterable[Agent]) -> None:
        """Raise `WrongProcess` if these agents are not the same in this process."""
        try:
            here = Provenance.of(agents)
        except InarowError as error:
            raise WrongProcess(f"can't play: {error}") from None
        for package, wanted in self.packages.items():
            if here.packages.get(package) != wanted:
                raise WrongProcess(
                    f"has {package} {here.packages.get(package)}, this is {wanted}, so "
                    f"{', '.join(self.identities) or 'a job'} may give other results there; install the same"
                )
        for spec, identity in self.identities.items():
            if here.identities.get(spec) != identity:
                raise WrongProcess(f"has another file for {spec}; copy it there")


def agents_in(values: Iterable[object]) -> Iterator[Agent]:
    """Yield the agents among these values, in tuples and lists, and in the fields of dataclasses."""
    for value in values:
        if isinstance(value, Agent):
            yield value
        elif isinstance(value, tuple | list):
            yield from agents_in(value)
        elif is_dataclass(value) and not isinstance(value, type):
            yield from agents_in(getattr(value, field.name) for field in fields(value))


def _dumps(value: object) -> bytes:
    try:
        data = pickle.dumps(value)
        if b"__main__" not in data:
            return data
    except Exception:  # a local class, a lambda: pickle has many ways to refuse
        data = b""
    try:
        import cloudpickle
    except ImportError:
        if data and getattr(sys.modules["__main__"], "__file__", None):  # a worker process imports that file
            return data
        where = "its class is defined in a notebook or a function"
        raise pickle.PicklingError(f"{where}; move it to a module, pip install cloudpickle") from None
    try:
        sent: bytes = cloudpickle.dumps(value)
    except Exception as error:
        raise pickle.PicklingError(f"{type(error).__name__}: {error}; leave that out") from None
    return sent


def _can_be_sent(agent: Agent) -> bool:
    try:
        return bool(_dumps(agent))
    except pickle.PicklingError:
        return False


class Channel(Stop):
    """The connection of an interactive job to its client: the flag that ends it early, and messages in both
    directions."""

    __slots__ = ("_told", "say")

    def __init__(self, say: Callable[[Any], None] | None = None) -> None:
        super().__init__()
        self.say = say or (lambda value: None)
        """Send a value to the listener of the task."""
        self._told: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def tell(self, value: Any) -> None:
        """Put a value where the job finds it."""
        self._told.put(value)

    def told(self, seconds: float = 0.0) -> Any | None:
        """Return the next value that the job was told, after waiting this long at most; None if there is none."""
        try:
            return self._told.get(timeout=seconds) if seconds else self._told.get_nowait()
        except queue.Empty:
            return None


@dataclass(frozen=True, eq=False)
class Job(Generic[T]):
    """A call to make somewhere else: a function of a module, and arguments that decide its result (a seed is one)."""

    function: Callable[..., T]
    arguments: tuple[Any, ...] = ()
    what: str = "does one job"
    """Completes the sentence "a worker process dies whenever it …"."""
    key: dict[str, Any] | None = None
    """The configuration under which the result is stored, if it is."""
    parts: Callable[[], Sequence[Job[T]]] | None = None
    """Smaller jobs to do instead if the worker died, to find the one that kills it."""
    interactive: bool = False
    """Pass a `Channel` as the first argument: the job hears when it should end, and exchanges messages."""
    seconds: float | None = None
    """Ask the job to end after this long, and kill its worker soon after."""
    memory_mb: int | None = None
    """Let allocations fail beyond this size of the worker process while the job runs."""
    priority: int = 0
    """Waiting jobs of higher priority are done first."""
    client: str = ""
    """Clients have equal shares of the workers among jobs of equal priority."""

    def pack(self, expected: Provenance | None = None) -> bytes:
        """Return the job as bytes for `run`. Raises `ArenaError` if an argument can't be sent."""
        try:
            return _dumps((self.function, self.arguments, self.interactive, self.seconds, self.memory_mb, expected))
        except pickle.PicklingError as error:
            who = next((agent.spec for agent in agents_in(self.arguments) if not _can_be_sent(agent)), "a job")
            raise ArenaError(f"{who} can't be sent to another process: {error}, or give workers=1") from None


def run(data: bytes, channel: Channel | None = None) -> Any:
    """Do a packed job. Raises `WrongProcess` if its agents are not the same in this process."""
    try:
        function, arguments, interactive, seconds, memory_mb, expected = pickle.loads(data)
    except Exception as error:  # whatever a module that is missing or different here leads to
        raise WrongProcess(
            f"can't load an agent or a job ({type(error).__name__}: {error}); install what it needs there"
        ) from None
    if expected is not None:
        expected.check(agents_in(arguments))
    with _memory_limit(memory_mb):
        if not interactive:
            return function(*arguments)
        channel = channel or Channel()
        with SYSTEM_CLOCK.alarm(seconds, channel):
            return function(channel, *arguments)


@contextlib.contextmanager
def _memory_limit(megabytes: int | None) -> Iterator[None]:
    """Let allocations fail that would take this process beyond a size, where the system can."""
    if megabytes is None:
        yield
        return
    try:
        import resource
    except ImportError:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def portable(error: Exception) -> Exception:
    """Return an exception that can be sent to another process, with the traceback as a note."""
    trace = "".join(traceback.format_exception(error))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # of a class that can't be made again there
        error = RuntimeError("".join(traceback.format_exception_only(error)).strip())
    error.add_note(f"in a worker process:\n{trace}")
    return error


def _package(module: str) -> str:
    """Return the package that a module belongs to; the module itself if that is a mere namespace."""
    top = module.partition(".")[0]
    return top if getattr(sys.modules.get(top), "__file__", None) else module


@functools.cache
def _version(package: str) -> str:
    """Return the version of an imported package and a digest of its sources and data."""
    module = sys.modules.get(package)
    file = getattr(module, "__file__", None)
    digest = hashlib.sha256()
    if file is not None:
        root = Path(file).parent if hasattr(module, "__path__") else Path(file)
        for path in sorted(root.rglob("*")) if root.is_dir() else [root]:
            if path.suffix in _HASHED:
                digest.update(f"{path.relative_to(root).as_posix()}\0{path.stat().st_size}\0".encode())
                digest.update(path.read_bytes())
    version = __version__ if package == "inarow" else getattr(module, "__version__", "")
    return " ".join(filter(None, (str(version), f"(sources {digest.hexdigest()[:12]})")))

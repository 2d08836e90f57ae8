"""Attacks by external agents, each with the ending that it must have: none may succeed.

An attack aims only at what its test made: files in the test's folder, and the process that the agent was forked from,
by its id and after a check that it is the agent's parent. Each is bounded, should the sandbox ever let it through.
"""

from __future__ import annotations

from dataclasses import dataclass

DENIED = "PermissionError: [Errno 13] Permission denied"
REFUSED = "PermissionError: [Errno 1] Operation not permitted"


@dataclass(frozen=True)
class Attack:
    """What the agent does at its first decision (or on import), and how the match must end."""

    body: str
    termination: str
    said: str
    on_import: str = ""

    def source(self, **places: object) -> str:
        """The agent's file; ``{…}`` in it stand for places of the test."""
        lines = "\n    ".join(self.body.strip("\n").splitlines())
        text = f"{HEAD}{self.on_import}\n\ndef agent(observation, configuration):\n    {lines}\n{LEGAL}"
        for name, value in places.items():
            text = text.replace(f"<{name}>", str(value))
        return text


HEAD = "import ctypes, os, signal, socket, sys, threading, time\n"
LEGAL = "    return [c for c in range(configuration.columns) if observation.board[c] == 0][0]\n"
_PARENT = "assert os.getppid() == <server> > 1\n"
_TIMER = """
libc, timer = ctypes.CDLL(None, use_errno=True), ctypes.c_void_p()
event = bytes(8) + (<signal>).to_bytes(4, "little") + bytes(52)
if libc.timer_create(1, event, ctypes.byref(timer)): raise OSError(ctypes.get_errno(), 'no timer')
libc.timer_settime(timer, 0, bytes(16) + bytes(8) + (1000).to_bytes(8, "little"), None); time.sleep(0.2)
"""

ATTACKS = {
    # files
    "lists the home folder": Attack("os.listdir('<home>')", "exception", DENIED),
    "reads another entrant's file": Attack("open('<folder>/other.py').read()", "exception", DENIED),
    "looks for other entrants in its surroundings": Attack("os.listdir('..')", "exception", DENIED),
    "reads the store": Attack("open('<folder>/store.db', 'rb').read()", "exception", DENIED),
    "reads its parent's environment": Attack(
        _PARENT + "open(f'/proc/{os.getppid()}/environ').read()", "exception", DENIED
    ),
    "writes to the test's folder": Attack("open('<folder>/new.txt', 'w')", "exception", DENIED),
    "writes over the store": Attack("open('<folder>/store.db', 'r+b')", "exception", DENIED),
    "changes its own file": Attack("open(__file__, 'a')", "exception", DENIED),
    "deletes the store": Attack("os.unlink('<folder>/store.db')", "exception", DENIED),
    "opens the store to all": Attack("os.chmod('<folder>/store.db', 0o777)", "exception", REFUSED),
    "makes a symbolic link": Attack("os.symlink('<folder>/store.db', os.environ['HOME'] + '/x')", "exception", REFUSED),
    "makes a hard link": Attack("os.link('<folder>/store.db', os.environ['HOME'] + '/x')", "exception", REFUSED),
    "fills its scratch folder": Attack(
        "for n in range(40):\n    open(f\"{os.environ['HOME']}/{n}\", 'wb').write(bytes(3 << 20))\ntime.sleep(5)",
        "forbidden",
        "to its scratch folder",
    ),
    "writes one large file": Attack(
        "open(os.environ['HOME'] + '/x', 'wb').write(bytes(30 << 20))", "exception", "File too large"
    ),
    "removes what it wrote, to write more": Attack(
        "open(os.environ['HOME'] + '/x', 'wb').close(); os.unlink(os.environ['HOME'] + '/x')", "exception", DENIED
    ),
    "renames what it wrote, to write more": Attack(
        "path = os.environ['HOME'] + '/x'; open(path, 'wb').close(); os.rename(path, path + 'y')",
        "exception",
        DENIED,
    ),
    "writes to a file without a name": Attack(
        "os.open(os.environ['HOME'], os.O_TMPFILE | os.O_RDWR)", "exception", "Operation not supported"
    ),
    "writes to shared memory": Attack("open('/dev/shm/inarow-attack', 'w')", "exception", DENIED),
    # network
    "TCP": Attack("socket.create_connection(('127.0.0.1', 9), timeout=1)", "exception", REFUSED),
    "UDP": Attack(
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))", "exception", REFUSED
    ),
    "Unix sockets": Attack("socket.socket(socket.AF_UNIX).connect('<folder>/socket')", "exception", REFUSED),
    # processes
    "signals its parent": Attack(_PARENT + "os.kill(os.getppid(), signal.SIGTERM)", "exception", REFUSED),
    "stops its parent": Attack(_PARENT + "os.kill(os.getppid(), signal.SIGSTOP)", "exception", REFUSED),
    "signals its parent by a file's owner": Attack(
        _PARENT + "import fcntl; fcntl.fcntl(3, fcntl.F_SETOWN, os.getppid())", "exception", REFUSED
    ),
    "traces its parent": Attack(
        _PARENT + "libc = ctypes.CDLL(None, use_errno=True)\n"
        "if libc.ptrace(16, os.getppid(), 0, 0): raise OSError(ctypes.get_errno(), 'not traced')",
        "exception",
        "[Errno 1] not traced",
    ),
    "reads its parent's memory": Attack(_PARENT + "open(f'/proc/{os.getppid()}/mem', 'rb')", "exception", DENIED),
    "reads where its parent is": Attack(_PARENT + "os.readlink(f'/proc/{os.getppid()}/cwd')", "exception", DENIED),
    "has system calls done by the kernel's own threads": Attack(  # io_uring_setup
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "if libc.syscall(425, 8, bytes(256)) < 0: raise OSError(ctypes.get_errno(), 'no io_uring')",
        "exception",
        "[Errno 38] no io_uring",
    ),
    "forks past Python": Attack(
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "child = libc.fork()\nif not child: os._exit(0)\nif child < 0: raise OSError(ctypes.get_errno(), 'no child')",
        "exception",
        "[Errno 1] no child",
    ),
    "raises its own limits": Attack(
        "import resource; resource.setrlimit(resource.RLIMIT_DATA, (1 << 40, 1 << 40))", "exception", "not allowed"
    ),
    "fork bomb": Attack("for _ in range(50):\n    if not os.fork(): os._exit(0)", "exception", REFUSED),
    "starts a program": Attack("import subprocess; subprocess.run(['true'])", "exception", REFUSED),
    "becomes another program": Attack("os.execv(sys.executable, ['python', '-c', 'pass'])", "exception", REFUSED),
    "starts many threads": Attack(
        "threading.stack_size(1 << 16)\n"
        "for _ in range(200): threading.Thread(target=time.sleep, args=(5,), daemon=True).start()\ntime.sleep(5)",
        "forbidden",
        "more than 64 threads",
    ),
    "stops itself": Attack("os.kill(os.getpid(), signal.SIGSTOP)", "exception", REFUSED),
    "dies as if killed by another": Attack("signal.raise_signal(signal.SIGKILL)", "exception", REFUSED),
    "has a timer kill it as if another did": Attack(_TIMER.replace("<signal>", "9"), "exception", "[Errno 1] no timer"),
    "has a timer stop it as if another did": Attack(
        _TIMER.replace("<signal>", "19"), "exception", "[Errno 1] no timer"
    ),
    "ignores SIGTERM and sleeps": Attack(
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(100)", "stalled", "no answer within"
    ),
    "sleeps when it is losing, to be asked again": Attack("time.sleep(3)", "stalled", "no answer within"),
    "wakes up all the time, as if it waited for a core": Attack(
        "while True:\n    time.sleep(0.003)\n    for _ in range(20_000): pass", "stalled", "no answer within"
    ),
    "hangs on import": Attack("pass", "cannot be loaded", "loading took more than", on_import="time.sleep(100)"),
    # memory and output
    "takes all memory": Attack(
        "blocks = []\nwhile True: blocks.append(bytearray(10_000_000))", "out of memory", "MemoryError"
    ),
    "takes all memory, shared": Attack("import mmap; mmap.mmap(-1, 1 << 20)", "exception", "Cannot allocate memory"),
    "takes memory of a device": Attack("os.open('/dev/zero', os.O_RDONLY)", "exception", DENIED),
    "takes memory in files without a name": Attack("os.memfd_create('x')", "exception", REFUSED),
    "prints without end": Attack("while True: print('x' * 100_000)", "forbidden", "printed more than 16 MB"),
    # the protocol
    "closes its descriptors": Attack("os.closerange(0, 100); time.sleep(5)", "exited", "closed the connection"),
    "writes rubbish to a duplicate": Attack(
        "os.write(os.dup(3), b'\\xff' * 100); time.sleep(5)", "forbidden", "sent a message of 4294967295 bytes"
    ),
    "sends nested JSON": Attack(
        "data = b'[' * 60_000; os.write(3, len(data).to_bytes(4, 'big') + data); time.sleep(5)",
        "forbidden",
        "not JSON",
    ),
    "answers what was not asked": Attack(
        "data = b'{\"move\": 3, \"number\": 9}'; os.write(3, len(data).to_bytes(4, 'big') + data); time.sleep(5)",
        "forbidden",
        "an answer without a question",
    ),
    "blinds the watchdog by out-of-band data": Attack(
        "socket.socket(fileno=os.dup(3)).send(b'!', socket.MSG_OOB)", "exception", REFUSED
    ),
    "turns back the clocks of its host": Attack(
        "while True: pass",
        "out of time",
        "processor time",
        on_import="time.process_time = time.monotonic = time.perf_counter = lambda: 0.0",
    ),
    "breaks its host's words for an exception": Attack(
        "import inarow.agents.external.host as host; host._describe_error = None; raise ValueError",
        "exited",
        "exit code 1",
    ),
    "changes what its host sends": Attack(
        "from inarow.agents.external import wire; wire.packed = lambda m: b'\\0\\0\\0\\2{}'",
        "forbidden",
        "an answer without a question",
    ),
    # cheating
    "asks our solver": Attack(
        "import inarow.solver",
        "exception",
        f"{DENIED}: 'inarow/solver/__init__.py': agents must not use solvers, models or searches (line",
    ),
    "runs our solver's source as its own": Attack(
        "import inarow; exec(open(inarow.__path__[0] + '/solver/oracle.py').read())", "exception", DENIED
    ),
    "imports our solver by its path": Attack(
        "import importlib.util as u, inarow\n"
        "spec = u.spec_from_file_location('x', inarow.__path__[0] + '/solver/oracle.py')\n"
        "spec.loader.exec_module(u.module_from_spec(spec))",
        "exception",
        DENIED,
    ),
    "has our perfect player think for it": Attack(
        "from inarow.agents import agent as our; our('perfect')", "exception", DENIED
    ),
    "reads our opening book": Attack(
        "import inarow; os.listdir(inarow.__path__[0])\n"
        "for root, _, names in os.walk(inarow.__path__[0] + '/data'):\n    for n in names: open(f'{root}/{n}').read(1)",
        "exception",
        DENIED,
    ),
    "asks an installed solver": Attack("import bitbully", "exception", DENIED),
    "guesses the seeds": Attack(
        "from inarow.randomness import derive\nimport random\n"
        "tries = (derive(derive(seed, 'pair', 0, 0), 'FIRST') for seed in range(3000))\n"
        "assert any(random.Random(one).getstate() == STATE for one in tries), 'no seed fits'",
        "exception",
        "no seed fits",
        on_import="import random; STATE = random.getstate()",
    ),
    "says that it visited 2**63 nodes": Attack(
        "pass",
        "no decision",
        "from 0 to 2**63 - 1",
        on_import="""
from inarow.agents import Agent, Decision, Mind

class Boasts(Agent):
    name = "boasts"
    def mind(self, game, player, seed): return BoastsMind()

class BoastsMind(Mind):
    def think(self, position, limit, stop): return Decision(3, nodes=2**63)
""",
    ),
    "raises a lone surrogate": Attack("raise ValueError('\\udc80 lost')", "exception", "ValueError: \ufffd lost"),
    "raises terminal escapes": Attack("raise ValueError('\\x1b[2J\\x07red')", "exception", "\ufffd[2J\ufffdred"),
}

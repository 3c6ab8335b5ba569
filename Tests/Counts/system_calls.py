"""The system calls of a running process, each with its thread and its time, by strace(1)."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import pathlib
import re
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator

#: Calls whose number depends on how threads happen to meet: a thread that finds a lock taken waits in futex, and a
#: thread that is woken early waits again. A call that fails with EAGAIN, or that restarts after a signal, belongs to
#: them.
WAITING = {
    *("futex", "epoll_wait", "epoll_pwait", "epoll_pwait2", "poll", "ppoll", "select", "pselect6"),
    *("sched_yield", "nanosleep", "clock_nanosleep", "restart_syscall", "rt_sigreturn", "gettid"),
}
#: The calls by which glibc lets the heap grow and shrink. The place of other blocks decides whether a freed block is
#: the last one and so returns to the system. Allocations are counted elsewhere.
HEAP = {"brk", "mprotect", "madvise"}
_AGAIN = re.compile(r"= -1 EAGAIN|= \? ERESTART")
#: The calls on an eventfd by which a thread wakes another that already sleeps.
_WAKING = re.compile(r"^(?:read|write)\(\d+<anon_inode:\[eventfd\]>")

#: The threads that work by the clock, independently of requests.
BACKGROUND = ("grpc-guard", "pressure", "sleep", "calibration")

_LINE = re.compile(r"^(\d+)(?:<(.*?)>)?\s+(\d+\.\d+) (.*)$")
_BEGIN = re.compile(r"^(\w+)\(")
_RESUMED = re.compile(r"^<\.\.\. (\w+) resumed>")


@dataclasses.dataclass(frozen=True)
class SystemCall:
    """One call. `time` is the begin in seconds of the wall clock."""

    time: float
    thread: str
    name: str


@contextlib.contextmanager
def traced(process_id: int) -> Iterator[Callable[[], list[SystemCall]]]:
    """Traces all threads of a process. The function that this gives ends the trace and returns the calls that count."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "calls"
        command = (
            "strace",
            "-f",
            "-ttt",
            "-y",
            "-Y",
            "-s",
            "0",
            "-e",
            "signal=none",
            "-o",
            str(path),
            "-p",
            str(process_id),
        )
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as strace:
            assert strace.stderr is not None
            told = strace.stderr.readline()
            if "attached" not in told:
                strace.kill()
                raise RuntimeError(f"strace did not attach: {told}{strace.stderr.read()}")

            def end() -> list[SystemCall]:
                strace.send_signal(signal.SIGINT)
                strace.wait()
                return parse(path.read_text(errors="replace"))

            try:
                yield end
            finally:
                strace.send_signal(signal.SIGINT)


def parse(text: str) -> list[SystemCall]:
    """The calls of a trace that count, in the order of their begin."""
    calls = []
    unfinished: dict[str, SystemCall] = {}
    for line in text.splitlines():
        if (parts := _LINE.match(line)) is None:
            continue
        task, thread, time, rest = parts.groups()
        if _WAKING.match(rest):
            continue
        if begin := _BEGIN.match(rest):
            call = SystemCall(float(time), thread or "", begin.group(1))
            if rest.endswith("<unfinished ...>"):
                unfinished[task] = call
                continue
        elif _RESUMED.match(rest) and task in unfinished:
            call = unfinished.pop(task)
        else:
            continue
        if counts(call) and not _AGAIN.search(rest):
            calls.append(call)
    return sorted(calls, key=lambda call: call.time)


def counts(call: SystemCall) -> bool:
    """Whether a call is work for a request, which happens equally often each time."""
    return call.name not in WAITING | HEAP and not call.thread.startswith(BACKGROUND)


def by_name(calls: list[SystemCall], begin: float, end: float) -> collections.Counter[str]:
    """The number of calls of each name that began between two instants of the wall clock."""
    return collections.Counter(call.name for call in calls if begin <= call.time < end)

"""What belongs to one process: the connections of gRPC, which no child that was forked can use.

A forked child shares the sockets of its parent and has none of the parent's threads. A call in the child waits for
ever, and what the child reads or sends is missing or wrong in the parent, whose streams then fail. Nor may the child
free the memory of a call, because gRPC then cancels the call on the parent's connection.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
import weakref
from typing import ClassVar, Final

import grpc

from firstlight.errors import FirstlightError

_ADVICE: Final = (
    "Connect in the process that uses the client. Start such a process with the method spawn or forkserver of "
    "multiprocessing, or before its parent connects."
)

_owned: weakref.WeakSet[OneProcess] = weakref.WeakSet()
#: Held while `_owned` grows, and around a fork, so that no other thread connects meanwhile. A signal handler may fork
#: in the thread that has it.
_owning = threading.RLock()


class OneProcess:
    """Something that only the process which made it can use."""

    #: What gRPC has for this while it is open, "channel" or "stream". Empty for what is not of gRPC.
    _grpc_has: ClassVar[str] = ""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._is_over = False
        with _owning:
            _owned.add(self)

    @property
    def _is_foreign(self) -> bool:
        """Whether this process is a child that was forked from the one that made this."""
        return os.getpid() != self._process

    def _check_process(self) -> None:
        """Raises FirstlightError in a child."""
        if self._is_foreign:
            here = os.getpid()
            raise _failure(f"process {here} was forked from process {self._process}, and cannot use its connection")

    def _leave(self) -> None:
        """Gives up in a child what the child has of this."""


def check_fork() -> None:
    """Raises FirstlightError in a child in which gRPC cannot connect anew either: a call would wait for ever."""
    if _forks.obstacle:
        raise _failure(f"process {os.getpid()} cannot connect, because it was forked while {_forks.obstacle}")


def _failure(what: str) -> FirstlightError:
    return FirstlightError(grpc.StatusCode.FAILED_PRECONDITION, f"{what}. {_ADVICE}")


class _Forks:
    """What happens around each fork."""

    def __init__(self) -> None:
        #: What keeps gRPC from connecting in this process, which was forked. Empty when nothing does.
        self.obstacle = ""
        self._kept: list[OneProcess] = []

    def before(self) -> None:
        """Lets nothing be freed until the child keeps it, and no thread connect until the fork is over."""
        _owning.acquire()
        self._kept = [each for each in _owned if not each._is_foreign]

    def in_parent(self) -> None:
        """Keeps nothing any longer."""
        _owning.release()
        self._kept = []

    def in_child(self) -> None:
        """Keeps what is gRPC's for as long as the child lives, also while its interpreter ends."""
        _owning.release()
        inherited, self._kept = self._kept, []
        for each in inherited:
            # Another thread may just have been making it when the process was forked.
            with contextlib.suppress(AttributeError, OSError):
                each._leave()
        kept = [each for each in inherited if each._grpc_has]
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))
        self.obstacle = self.obstacle or _obstacle({each._grpc_has for each in kept if not each._is_over})


def _obstacle(has: set[str]) -> str:
    """What keeps gRPC from connecting in a child whose parent has a channel or a stream. Empty when nothing does."""
    # https://github.com/grpc/grpc/blob/master/doc/environment_variables.md. Without the variable only gRPC's core
    # prepares for a fork, and before 1.80 not while one of its threads works.
    match os.environ.get("GRPC_ENABLE_FORK_SUPPORT", "").lower():
        case "1" | "t" | "true" | "y" | "yes":
            return ""
        case "0" | "f" | "false" | "n" | "no":
            return "its parent had a connection, with GRPC_ENABLE_FORK_SUPPORT off" if has else ""
    major, minor = (int(number) for number in grpc.__version__.split(".")[:2])
    is_old = (major, minor) < (1, 80)
    return f"its parent had an open stream, with gRPC {grpc.__version__}" if is_old and "stream" in has else ""


_forks = _Forks()
os.register_at_fork(before=_forks.before, after_in_parent=_forks.in_parent, after_in_child=_forks.in_child)

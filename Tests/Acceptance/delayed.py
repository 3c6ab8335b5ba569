"""Looks at the temporary files and the threads of delayed feeds from outside of the daemon."""

from __future__ import annotations

import contextlib
import pathlib
from collections.abc import Iterable
from typing import NamedTuple

from firstlight import Frame
from processes import descriptors, thread_names


class Unnamed(NamedTuple):
    """A file without a name that a process has open."""

    size: int
    #: The bytes that it takes on the disk.
    allocated: int


def unnamed_files(process_id: int, folder: pathlib.Path) -> list[Unnamed]:
    """The files below a folder that a process has open and that have no name."""
    found = {}
    for descriptor, place in descriptors(process_id).items():
        if place.startswith(str(folder)) and place.endswith(" (deleted)"):
            with contextlib.suppress(FileNotFoundError):
                status = descriptor.stat()
                found[status.st_ino] = Unnamed(status.st_size, status.st_blocks * 512)
    return list(found.values())


def histories(process_id: int) -> int:
    """The number of histories that a daemon has."""
    return thread_names(process_id).count("delayed-feed")


def named_files(folder: pathlib.Path) -> set[pathlib.Path]:
    """The files with names below a folder, without those of the recordings."""
    return {path for path in folder.rglob("*") if path.is_file() and ".firstlight" not in path.parts}


def check_sequence(frames: Iterable[Frame]) -> None:
    """Checks that frames come in order, and that what is missing between two of one stream is counted."""
    before = None
    for frame in frames:
        if before is not None and before.stream_id == frame.stream_id:
            assert frame.sequence - before.sequence == 1 + sum(frame.dropped) + frame.omitted
        before = frame


class Lag(NamedTuple):
    """How a delayed frame compares with the live stream at the moment when it came."""

    #: The live stream's newest sequence, minus the delay in frames, minus the sequence that came.
    frames: float
    #: The time from the instant at which the frame was due to its receipt.
    late_ns: int


def lags(
    delayed: Iterable[tuple[int, Frame]], live: list[tuple[int, Frame]], delay: float, rate: int = 30
) -> list[Lag]:
    """Compares each delayed frame, with the instant of its receipt, to the newest live frame of that instant."""
    found = []
    arrivals = iter(live)
    newest, following = None, next(arrivals, None)
    for received, frame in delayed:
        while following is not None and following[0] <= received:
            newest, following = following[1], next(arrivals, None)
        if newest is None:
            continue
        found.append(
            Lag(
                newest.sequence - delay * rate - frame.sequence, received - frame.monotonic_time_ns - round(delay * 1e9)
            )
        )
    return found

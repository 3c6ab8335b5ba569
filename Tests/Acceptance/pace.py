"""Checks that a reader got all frames at an even pace, up to the end of a window of time."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Sequence
from typing import NamedTuple

from test_stuck_reader import PERIOD, SECOND, Reader, Row


class Pace(NamedTuple):
    """The frames that one reader got in a window. Gaps at the ends of the window count at their full length.

    `longest_ns` has no bound of its own, because on a shared machine it says how long the machine did not run the
    reader. The other numbers bound what a daemon could do wrong: a gap of the daemon loses frames, makes frames too
    few, or stays within one interval of a hundred.
    """

    frames: int
    due: int
    lost: int
    p99_ns: int
    longest_ns: int

    @classmethod
    def of(cls, rows: Sequence[Row], start_ns: int, end_ns: int) -> Pace:
        """Counts from the last frame before the window to the first frame after it. Both frames must exist."""
        first = max(index for index, row in enumerate(rows) if row.arrival_ns < start_ns)
        last = min(index for index, row in enumerate(rows) if row.arrival_ns >= end_ns)
        rows = rows[first : last + 1]
        intervals = sorted(b.arrival_ns - a.arrival_ns for a, b in itertools.pairwise(rows))
        return cls(
            # The first and the last row are outside of the window.
            frames=len(rows) - 2,
            due=(end_ns - start_ns) // PERIOD,
            lost=rows[-1].sequence - rows[0].sequence - len(intervals),
            # The nearest rank is an interval that really occurred.
            p99_ns=intervals[math.ceil(0.99 * len(intervals)) - 1],
            longest_ns=intervals[-1],
        )

    def __str__(self) -> str:
        """The numbers in one line, for people."""
        return (
            f"{self.frames} frames of {self.due} due, {self.lost} lost, interval p99 {self.p99_ns / 1e6:.1f},"
            f" longest {self.longest_ns / 1e6:.1f} ms"
        )

    def check(self) -> None:
        """Fails unless the reader got what the daemon promises to a reader that keeps up."""
        # A camera that stalls gives fewer frames, and no sequence number is missing.
        assert self.frames >= 0.99 * self.due, self
        assert self.lost == 0, self
        assert self.p99_ns < 1.5 * PERIOD, self


def watch(readers: Sequence[Reader], seconds: float) -> list[Pace]:
    """The pace of each reader during the next `seconds`. Each reader must still run at the end and get a frame after
    it.
    """
    start = time.monotonic_ns()
    end = start + int(seconds * SECOND)
    time.sleep(seconds)
    return paces(readers, start, end)


def paces(readers: Sequence[Reader], start_ns: int, end_ns: int) -> list[Pace]:
    """The pace of each reader in a window that is over. Waits until each reader has a frame from after the window."""
    deadline = time.monotonic() + 5
    for reader in readers:
        while not reader.rows(end_ns):
            assert reader.process.poll() is None, "a reader has ended"
            assert time.monotonic() < deadline, "a reader gets nothing more"
            time.sleep(0.05)
    return [Pace.of(reader.rows(), start_ns, end_ns) for reader in readers]

"""Preview readers in processes of their own (`reader.py`). What the test's own process does cannot delay them."""

from __future__ import annotations

import contextlib
import itertools
import pathlib
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

READER = pathlib.Path(__file__).with_name("reader.py")
SECOND = 1_000_000_000


class Row(NamedTuple):
    """One frame as a reader saw it. Times are in nanoseconds of CLOCK_MONOTONIC, the size is in bytes."""

    arrival_ns: int
    capture_ns: int
    sequence: int
    size: int

    @property
    def age_ns(self) -> int:
        """The time from the capture of the frame to its arrival."""
        return self.arrival_ns - self.capture_ns


class Reader:
    """A running reader.py."""

    def __init__(self, address: str, session: str, file: pathlib.Path, *options: str) -> None:
        self._file = file
        file.touch()
        self.process = subprocess.Popen([sys.executable, str(READER), address, session, str(file), *options])

    def rows(self, start_ns: int = 0, end_ns: int = 1 << 63) -> list[Row]:
        """The frames that the reader saw between two instants. The last line of the file may be incomplete and does not
        count.
        """
        lines = self._file.read_text().rpartition("\n")[0].splitlines()
        rows = (Row(*map(int, line.split())) for line in lines)
        return [row for row in rows if start_ns <= row.arrival_ns < end_ns]

    def rate(self, start_ns: int, end_ns: int) -> float:
        """The frames per second between two instants."""
        return len(self.rows(start_ns, end_ns)) * SECOND / (end_ns - start_ns)


_numbers = itertools.count()


@contextlib.contextmanager
def reading(count: int, address: str, session: str, folder: pathlib.Path, *options: str) -> Iterator[list[Reader]]:
    """Starts `count` readers and returns them once each has had a frame."""
    readers = [Reader(address, session, folder / f"reader-{next(_numbers)}", *options) for _ in range(count)]
    try:
        while not all(reader.rows() for reader in readers):
            assert all(reader.process.poll() is None for reader in readers)
            time.sleep(0.1)
        yield readers
    finally:
        for reader in readers:
            reader.process.kill()
            reader.process.wait()


def lost(rows: list[Row]) -> int:
    """The number of frames between the first and the last row that the reader did not get."""
    return rows[-1].sequence - rows[0].sequence + 1 - len(rows)

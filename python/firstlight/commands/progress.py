"""Tells on the standard error how far a command is, in one line that a terminal shows again and again."""

from __future__ import annotations

import contextlib
import sys
import time
from types import TracebackType
from typing import Self


class Progress:
    """Shows lines while the `with` block runs. A terminal shows the newest line only, and a file gets all of them."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._next = 0.0

    def show(self, line: str) -> None:
        """Shows a line."""
        if self._is_terminal:
            print(f"\r{line}\033[K", end="", file=sys.stderr, flush=True)
        else:
            print(line, file=sys.stderr, flush=True)

    def show_each_second(self, line: str) -> None:
        """Shows a line unless another one was shown within the last second."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + 1
            self.show(line)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_terminal:
            # A terminal that was closed takes no output.
            with contextlib.suppress(OSError):
                print("\r\033[K", end="", file=sys.stderr, flush=True)


def size_text(count: int) -> str:
    """A number of bytes for people, such as `3.4 MB`."""
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 999.5:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"

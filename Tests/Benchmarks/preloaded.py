"""Preloads counters into a process. Tests/Benchmarks/build_counters builds them from the C files in this folder."""

from __future__ import annotations

import contextlib
import mmap
import os
import pathlib
import sys
import tempfile
from collections.abc import Iterator
from types import TracebackType
from typing import Self

BUILT = pathlib.Path(__file__).resolve().parents[2] / ".build/benchmarks"

#: The environment variable in which each library reads the name of its file.
_VARIABLES = {"count_allocations": "ALLOCATION_COUNT", "count_codec_calls": "CODEC_CALLS", "count_copies": "COPY_COUNT"}


@contextlib.contextmanager
def variables(values: dict[str, str]) -> Iterator[None]:
    """Sets environment variables for processes that start in this block."""
    os.environ.update(values)
    try:
        yield
    finally:
        for name in values:
            del os.environ[name]


class Preloaded:
    """Libraries that count in processes that start within `loading`. The counts exist until the `with` block ends."""

    def __init__(self, *libraries: str) -> None:
        """Takes the names of the C files, without their endings."""
        self._stack = contextlib.ExitStack()
        self._counts: dict[str, mmap.mmap] = {}
        self._environment = {"LD_PRELOAD": ":".join(str(BUILT / f"{library}.so") for library in libraries)}
        folder = pathlib.Path(self._stack.enter_context(tempfile.TemporaryDirectory(dir="/dev/shm")))
        for library in libraries:
            path = folder / library
            path.write_bytes(bytes(mmap.PAGESIZE))
            with path.open("r+b") as file:
                self._counts[library] = self._stack.enter_context(mmap.mmap(file.fileno(), mmap.PAGESIZE))
            self._environment[_VARIABLES[library]] = str(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @contextlib.contextmanager
    def loading(self) -> Iterator[None]:
        """Preloads the libraries into processes that start in this block. A process that starts after the block is not
        counted.
        """
        with variables(self._environment):
            yield

    def count(self, library: str, place: int = 0) -> int:
        """The count of a library so far. The C file of the library says which count is at which place."""
        return int.from_bytes(self._counts[library][8 * place : 8 * place + 8], sys.byteorder)

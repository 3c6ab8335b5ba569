"""Reads what Linux tells about the threads and the descriptors of a process (proc(5)). The functions leave out a thread
that ends while they read, and a descriptor that is closed meanwhile.
"""

import os
import pathlib
from collections.abc import Iterator


def thread_files(process_id: int, *files: str) -> Iterator[list[str]]:
    """The name of each thread, and the texts of these files of its folder. The kernel cuts names to 15 bytes."""
    for task in pathlib.Path(f"/proc/{process_id}/task").iterdir():
        try:
            name, *texts = [(task / file).read_text() for file in ("comm", *files)]
        except (FileNotFoundError, ProcessLookupError):
            continue
        yield [name.removesuffix("\n"), *texts]


def thread_names(process_id: int) -> list[str]:
    """The names of all threads."""
    return [name for (name,) in thread_files(process_id)]


def thread_seconds(process_id: int, prefix: str = "") -> float:
    """The seconds of processor time that the threads with this prefix of their name have taken."""
    # The first number is nanoseconds (sched-stats.rst of the kernel).
    texts = (text for name, text in thread_files(process_id, "schedstat") if name.startswith(prefix))
    return sum(int(text.split()[0]) for text in texts) / 1e9


def stat_fields(text: str) -> list[str]:
    """The fields of a stat file behind the name of the process or thread, which may have spaces and parentheses."""
    return text.rpartition(") ")[2].split()


def descriptors(process_id: int) -> dict[pathlib.Path, str]:
    """What each open descriptor links to, by its own path."""
    found = {}
    for descriptor in pathlib.Path(f"/proc/{process_id}/fd").iterdir():
        try:
            found[descriptor] = os.readlink(descriptor)
        except FileNotFoundError:
            continue
    return found

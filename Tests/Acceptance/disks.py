"""A disk that is full, read-only, gone, or stands still, for daemons that load `faulty_disk.c`."""

from __future__ import annotations

import contextlib
import dataclasses
import mmap
import pathlib
import struct
import subprocess
from collections.abc import Callable, Iterator

import pytest

from firstlight.daemon import Daemon

SOURCE = pathlib.Path(__file__).with_name("faulty_disk.c")


@dataclasses.dataclass
class Disk:
    """The disk below one folder."""

    state: mmap.mmap
    folder: pathlib.Path
    #: Lets the daemons that start in its block have the disk.
    loading: Callable[[], contextlib.AbstractContextManager[None]]
    #: Starts a daemon whose recordings are on the disk.
    start: Callable[..., Daemon]

    def set(
        self,
        *,
        writing: int = 0,
        making: int = 0,
        stands: bool = False,
        syncing: int = 0,
        copying: int = 0,
        copies_stand: bool = False,
        free_mebibytes: int = 0,
        free_percent: int = 0,
    ) -> None:
        """Says how the disk fails from now on: the errors of writing and of making files, whether it stands still, the
        errors of synchronising alone, the errors of writing copies of movies and whether only those stand still, and
        how many MiB or hundredths of it are free; 0 for what there is. Without arguments it is sound.
        """
        values = (writing, making, stands, syncing, copying, copies_stand, free_mebibytes, free_percent)
        self.state[:32] = struct.pack("iiiiiiii", *values)


@contextlib.contextmanager
def faulty_disk(
    start_daemon: Callable[..., Daemon], folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch, name: str = "movies"
) -> Iterator[Disk]:
    """A disk whose files are in the folder `name` of a folder of the test."""
    library, path, below = folder / "disk.so", folder / "state", folder / name
    command = ["cc", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", SOURCE, "-o", library]
    subprocess.run(command, check=True)
    path.write_bytes(bytes(mmap.PAGESIZE))

    @contextlib.contextmanager
    def loading() -> Iterator[None]:
        with monkeypatch.context() as patch:
            patch.setenv("LD_PRELOAD", str(library))
            patch.setenv("FAULTY_DISK", f"{below}/")
            patch.setenv("FAULTY_DISK_STATE", str(path))
            yield

    def start(*flags: str) -> Daemon:
        with loading():
            return start_daemon("--recordings-dir", str(below), *flags)

    with path.open("r+b") as file, mmap.mmap(file.fileno(), mmap.PAGESIZE) as state:
        disk = Disk(state, below, loading, start)
        yield disk
        # A daemon that ends waits for its recordings.
        disk.set()

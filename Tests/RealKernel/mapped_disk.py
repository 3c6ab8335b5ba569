"""Disks in the guest that are slow, stand still, are full or fail: ext4 on the device mapper, which passes everything
on to a disk in memory.
"""

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from client import PATIENCE

_NAME = "mapped"
#: A mebibyte has so many sectors.
_SECTORS = 2048


class MappedDisk:
    """A disk that is mounted at `folder`."""

    def __init__(self, folder: Path, table: str, sectors: int):
        self.folder, self._table, self._sectors = folder, table, sectors

    @property
    def free(self) -> int:
        """The bytes that programs without privileges can still write."""
        facts = os.statvfs(self.folder)
        return facts.f_bavail * facts.f_frsize

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        """Lets nothing reach the disk until the block ends. The file system does not learn of it."""
        _run("dmsetup", "suspend", "--nolockfs", _NAME)
        try:
            yield
        finally:
            _run("dmsetup", "resume", _NAME)

    @contextmanager
    def nearly_full(self, room: int) -> Iterator[None]:
        """Leaves so many bytes free when the block begins, and gives the others back when it ends."""
        filler = self.folder / "filler"
        with filler.open("w") as file:
            os.posix_fallocate(file.fileno(), 0, self.free - room)
        try:
            yield
        finally:
            filler.unlink()

    def fail(self) -> None:
        """Answers each request from now on with an error."""
        self._change(f"0 {self._sectors} error")

    def repair(self) -> None:
        """Brings the disk back as it was when it failed. No program may have a file on it open, because a file system
        that has lost its journal has to be mounted anew.
        """
        _run("umount", self.folder)
        self._change(self._table)
        _mount(self.folder)

    def _change(self, table: str) -> None:
        with self.standing_still():
            _run("dmsetup", "load", _NAME, "--table", table)


@contextmanager
def mapped_disk(write_delay: float = 0, mebibytes: int = 64) -> Iterator[MappedDisk]:
    """Mounts a disk of this size, and removes it when the block ends. The disk takes `write_delay` seconds for each
    write and each flush. Reads take no longer than usual.
    """
    sectors = mebibytes * _SECTORS
    with ExitStack() as stack:
        _run("modprobe", "-a", "dm-delay", "ext4")
        _run("modprobe", "brd", "rd_nr=1", f"rd_size={mebibytes * 1024}")
        stack.callback(_run, "modprobe", "-r", "brd")
        # Root can use no more than others, because the tests' daemons are root's.
        _run("mkfs.ext4", "-q", "-m", "0", "/dev/ram0")
        # The target delays reads by the first number and writes by the second one.
        table = f"0 {sectors} delay /dev/ram0 0 0 /dev/ram0 0 {round(write_delay * 1000)}"
        # The guest has no udev, so dmsetup has to make the node.
        _run("dmsetup", "create", "--verifyudev", _NAME, "--table", table)
        stack.callback(_run, "dmsetup", "remove", _NAME)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        begin = time.monotonic()
        _mount(folder)
        stack.callback(_run, "umount", folder)
        # Mounting writes the superblock.
        assert time.monotonic() - begin >= write_delay, "the disk is not slow"
        yield MappedDisk(folder, table, sectors)


def _mount(folder: Path) -> None:
    _run("mount", f"/dev/mapper/{_NAME}", folder)


def _run(*command: str | Path) -> None:
    subprocess.run(command, check=True, timeout=PATIENCE)

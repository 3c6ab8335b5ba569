"""A disk in the guest that takes long for each write and can stand still: ext4 on the device mapper's target `delay`,
which passes everything on to a disk in memory.
"""

import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from client import PATIENCE

_NAME = "slow"
_MEBIBYTES = 64


class SlowDisk:
    """A disk that takes `delay` seconds for each write and each flush. Reads take no longer than usual."""

    delay = 0.5

    def __init__(self, folder: Path):
        self.folder = folder

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        """Lets nothing reach the disk until the block ends. The file system does not learn of it."""
        _run("dmsetup", "suspend", "--nolockfs", _NAME)
        try:
            yield
        finally:
            _run("dmsetup", "resume", _NAME)


@contextmanager
def slow_disk() -> Iterator[SlowDisk]:
    """Mounts a slow disk, and removes it when the block ends."""
    with ExitStack() as stack:
        _run("modprobe", "-a", "dm-delay", "ext4")
        _run("modprobe", "brd", "rd_nr=1", f"rd_size={_MEBIBYTES * 1024}")
        stack.callback(_run, "modprobe", "-r", "brd")
        _run("mkfs.ext4", "-q", "/dev/ram0")
        # Of the two delays the first one is for reads. The disk has 2048 sectors in each mebibyte.
        table = f"0 {_MEBIBYTES * 2048} delay /dev/ram0 0 0 /dev/ram0 0 {round(SlowDisk.delay * 1000)}"
        # The guest has no udev, so dmsetup has to make the node.
        _run("dmsetup", "create", "--verifyudev", _NAME, "--table", table)
        stack.callback(_run, "dmsetup", "remove", _NAME)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        begin = time.monotonic()
        _run("mount", f"/dev/mapper/{_NAME}", folder)
        stack.callback(_run, "umount", folder)
        # Mounting writes the superblock.
        assert time.monotonic() - begin >= SlowDisk.delay, "the disk is not slow"
        yield SlowDisk(folder)


def _run(*command: str | Path) -> None:
    subprocess.run(command, check=True, timeout=PATIENCE)

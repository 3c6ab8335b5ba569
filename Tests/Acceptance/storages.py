"""Daemons with a video storage, and disks for it."""

from __future__ import annotations

import contextlib
import os
import pathlib
import subprocess
from collections.abc import Callable, Iterator

import pytest

import firstlight
from firstlight.daemon import Daemon
from firstlight.v1 import video_storage_service_pb2 as storage_pb2
from support import Stubs, call

UNIT = 64 << 20
Reason = storage_pb2.VideoStorage
#: The folder of the units in the folder that the operator names.
HIDDEN = ".firstlight-video-storage"


class Storage:
    """The video storage of a daemon, as a client by TCP and as an operator by a Unix socket."""

    def __init__(self, daemon: Daemon, folder: pathlib.Path, stack: contextlib.ExitStack, socket: pathlib.Path) -> None:
        self.daemon, self.folder = daemon, folder
        self.sdk = stack.enter_context(firstlight.connect(daemon.address, timeout=20))
        self.client = Stubs(self.sdk.channel).storage
        self._operator = stack.enter_context(firstlight.connect(f"unix:{socket}", timeout=20))

    @property
    def state(self) -> storage_pb2.VideoStorage:
        """The state now."""
        return self.sdk.video_storage()

    def watch(self) -> Iterator[storage_pb2.VideoStorage]:
        """The states, beginning with the present one."""
        with self.sdk.watch_video_storage() as states:
            yield from states

    def until(self, condition: Callable[[storage_pb2.VideoStorage], bool]) -> storage_pb2.VideoStorage:
        """The first state of which the condition holds."""
        return next(state for state in self.watch() if condition(state))

    def idle(self) -> storage_pb2.VideoStorage:
        """The first state that is not busy."""
        return self.until(lambda state: not state.busy)

    def set_capacity(self, capacity: int, by: firstlight.Client | None = None) -> storage_pb2.VideoStorage:
        """Begins to change the capacity, as an operator unless `by` is somebody else."""
        return (by or self._operator).set_video_storage_capacity(capacity)

    def replenish(self) -> storage_pb2.VideoStorage:
        """Begins to replace what movies took."""
        return self.sdk.replenish_video_storage()

    def settings(self) -> storage_pb2.OpenSettingsResponse:
        """Where the settings are."""
        return call(self.client.OpenSettings, storage_pb2.OpenSettingsRequest())

    def units(self) -> list[pathlib.Path]:
        """The files of the units."""
        return sorted((self.folder / HIDDEN).glob("unit-*"))

    def check_disk(self, state: storage_pb2.VideoStorage) -> None:
        """Checks that the folder has the units of a state and nothing else."""
        names = {path.name for path in (self.folder / HIDDEN).iterdir()} - {path.name for path in self.units()}
        assert names <= {"lock", "ledger", "capacity"}
        assert len(self.units()) * UNIT == state.remaining_capacity
        for unit in self.units():
            assert unit.stat().st_size == UNIT
            assert unit.stat().st_blocks * 512 >= UNIT


@contextlib.contextmanager
def xfs(folder: pathlib.Path, size: int) -> Iterator[pathlib.Path]:
    """A file system of its own, for the time of a test. Skips the test where none can be mounted."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a file system")
    image, place = folder / "disk.img", folder / "disk"
    place.mkdir()
    with image.open("wb") as file:
        file.truncate(size)
    try:
        subprocess.run(["mkfs.xfs", "-q", image], check=True, capture_output=True)
        subprocess.run(["mount", "-o", "loop", image, place], check=True, capture_output=True)
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        pytest.skip(f"an XFS image cannot be mounted here: {getattr(error, 'stderr', error)}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)
        image.unlink()

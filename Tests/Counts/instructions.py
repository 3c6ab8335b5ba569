"""The instructions for a frame and a photo, counted by callgrind.

valgrind runs one thread at a time, about fifty times slower than the processor, so the picture is small and the rate
low. The loops of libyuv and glibc that run depend on what valgrind offers of the processor: AVX2, where the processor
has it.
"""

from __future__ import annotations

import contextlib
import pathlib
import re
import shlex
import subprocess
import tempfile
import time
from collections.abc import Iterator

from system_calls import BACKGROUND
from watched import CAMERA, STILL_PICTURE, TIMEOUT, Counts, Reader, await_known, configuration

import firstlight
from firstlight.daemon import Daemon

FRAME_RATE = 5
SIZE = (320, 180)
#: The frames of one sample. They take much longer than reading the counts, and are few enough for many samples in a
#: run.
FRAMES = 5
#: The seconds after which all work for a frame is over, counted from when the last reader has the frame.
STILL = 0.05
WARM_UP = 10

_THREAD = re.compile(r"^Thread (\d+): .*\(lwpid (\d+)\)", re.MULTILINE)
_EVENTS = re.compile(r"^events-(\d+): (\d+)", re.MULTILINE)


def are_comparable() -> bool:
    """Whether this processor runs the loops of the committed figures, those for AVX2."""
    return re.search(r"^flags\s*:.*\bavx2\b", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE) is not None


class Counted:
    """A daemon whose instructions are counted from now on."""

    def __init__(self, daemon: Daemon, client: firstlight.Client) -> None:
        """Begins to count."""
        self.process_id = daemon.process.pid
        self.address = daemon.address
        self.client = client
        self._tell("instrumentation", "on")

    def by_thread(self) -> dict[int, int]:
        """The instructions of each thread so far, by valgrind's number of the thread."""
        return {int(thread): int(events) for thread, events in _EVENTS.findall(self._tell("status", "internal"))}

    def background(self) -> set[int]:
        """The numbers of the threads that work by the clock, independently of requests."""
        numbers = set()
        for number, task in _THREAD.findall(self._tell("v.info", "scheduler")):
            with contextlib.suppress(FileNotFoundError):
                name = pathlib.Path(f"/proc/{self.process_id}/task/{task}/comm").read_text()
                if name.startswith(BACKGROUND):
                    numbers.add(int(number))
        return numbers

    def _tell(self, *command: str) -> str:
        whole = ("vgdb", f"--pid={self.process_id}", *command)
        return subprocess.run(whole, check=True, capture_output=True, text=True, timeout=TIMEOUT).stdout


@contextlib.contextmanager
def counted(binary: pathlib.Path) -> Iterator[Counted]:
    """Starts a daemon in valgrind. A run before, outside of valgrind, measures the machine, and the daemon reads the
    result.
    """
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = pathlib.Path(name)
        flags = ("--synthetic", "1", "--data-dir", str(folder / "data"))
        with (
            Daemon(binary, *flags, log=folder / "log") as daemon,
            firstlight.connect(daemon.address, timeout=TIMEOUT) as client,
        ):
            await_known(client)
        # valgrind cannot read the debugging information of Swift's compiler. The symbols are enough for names.
        program, starter = folder / "firstlightd", folder / "in-valgrind"
        subprocess.run(("strip", "--strip-debug", str(binary), "-o", str(program)), check=True)
        valgrind = ("valgrind", "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=/dev/null")
        starter.write_text(f'#!/bin/sh\nexec {shlex.join((*valgrind, str(program)))} "$@"\n')
        starter.chmod(0o755)
        daemon = stack.enter_context(Daemon(starter, *flags, log=folder / "log", timeout=60))
        client = stack.enter_context(firstlight.connect(daemon.address, timeout=TIMEOUT))
        client.set_controls(CAMERA, STILL_PICTURE)
        yield Counted(daemon, client)


class Frames:
    """The frames that come to all of several readers."""

    def __init__(self, counted: Counted, readers: list[Reader]) -> None:
        """Waits until the first frames, which take more work, are over."""
        self._counted = counted
        self._readers = readers
        self._newest = -1
        self.pass_by(WARM_UP)
        self._background = counted.background()

    def pass_by(self, count: int) -> int:
        """Waits for at least `count` frames, and until the work for them is over. Returns the number of frames."""
        former = self._newest
        wanted = max(former, 0) + count
        self._newest = max(reader.after(wanted - 1) for reader in self._readers)
        time.sleep(STILL)
        return self._newest - former

    def sample(self) -> dict[int, int]:
        """The instructions of each thread that works for frames."""
        return {
            thread: events for thread, events in self._counted.by_thread().items() if thread not in self._background
        }

    def instructions(self) -> tuple[int, int]:
        """The number of frames that came, and the instructions meanwhile."""
        before = self.sample()
        count = self.pass_by(FRAMES)
        return count, more(self.sample(), before)


def more(after: dict[int, int], before: dict[int, int]) -> int:
    """The instructions between two samples."""
    instructions = sum(events - before.get(thread, 0) for thread, events in after.items())
    if instructions <= 0:
        raise RuntimeError("callgrind counted nothing")
    return instructions


def delivered(counted: Counted, readers: int, times: int) -> list[Counts]:
    """The instructions per frame and reader, each the mean of a few frames."""
    with frames(counted, readers) as (_, coming):
        samples = []
        for _ in range(times):
            count, instructions = coming.instructions()
            samples.append({"instructions": instructions / count / readers})
        return samples


def photos(counted: Counted, times: int) -> list[Counts]:
    """The instructions for a photo beside a preview with a reader, without those that the frames meanwhile take."""
    with frames(counted, 1) as (session, coming):
        samples = []
        for number in range(times + 2):
            count, without = coming.instructions()
            before = coming.sample()
            counted.client.photo(session)
            meanwhile = coming.pass_by(FRAMES)
            instructions = more(coming.sample(), before)
            # The first photos take memory that the daemon then keeps.
            if number >= 2:
                samples.append({"instructions": instructions - without / count * meanwhile})
        return samples


@contextlib.contextmanager
def frames(counted: Counted, readers: int) -> Iterator[tuple[str, Frames]]:
    """A running session, and its frames."""
    client = counted.client
    with contextlib.ExitStack() as stack:
        session = client.create_session(configuration=configuration(FRAME_RATE, SIZE), start=True).name
        stack.callback(client.delete_session, session)
        connections = (stack.enter_context(firstlight.connect(counted.address)) for _ in range(readers))
        opened = [stack.enter_context(Reader(connection, session)) for connection in connections]
        yield session, Frames(counted, opened)

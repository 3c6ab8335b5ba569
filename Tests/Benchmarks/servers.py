"""The servers that bench.py measures, each a process of its own that ends with its `with` block."""

from __future__ import annotations

import contextlib
import dataclasses
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TypeVar

from measured import await_measured
from preloaded import BUILT, Preloaded

import firstlight as client_library
from firstlight.configuration import configuration
from firstlight.daemon import Daemon

ROOT = pathlib.Path(__file__).resolve().parents[2]
FRAME_RATE = 30

T = TypeVar("T")

#: The synthetic camera's colour bars. The camera draws them only once, so the comparison leaves drawing out.
STILL_PICTURE = {"test_pattern": 2}


@dataclasses.dataclass(frozen=True)
class Load:
    """The frames that the servers stream, and the number of subscribers."""

    subscribers: int
    pixel_format: str
    size: tuple[int, int]
    payload: int
    #: The factor for the number of rounds. Delivering a frame to one reader is mostly waking threads, whose cost
    #: differs by process: native compared to itself takes up to 1.4 times as much.
    repeats: int = 1

    def __str__(self) -> str:
        """The load as in `50 x 115 kB`."""
        return f"{self.subscribers} x {self.payload / 1000:.0f} kB"


@dataclasses.dataclass
class ServerProcess:
    """The process of a running server."""

    process_id: int

    def cpu_seconds(self) -> float:
        """The user and system seconds so far, of all threads that ever ran, by the clock of clock_getcpuclockid(3)."""
        return time.clock_gettime(~self.process_id << 3 | 2)

    def forget_peak(self) -> None:
        """Resets VmHWM (proc(5)), so that the memory for starting does not count as memory for streaming."""
        pathlib.Path(f"/proc/{self.process_id}/clear_refs").write_text("5")

    def memory_mb(self, name: str) -> float:
        """A line of the process's status, in megabytes."""
        for line in pathlib.Path(f"/proc/{self.process_id}/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                # The line says kB and means 1,024 bytes.
                return int(line.split()[1]) * 1024 / 1e6
        raise RuntimeError(f"no {name}")


@dataclasses.dataclass
class Server(ServerProcess):
    """A running server of gRPC, and the name of the session to ask for."""

    address: str
    session: str


Runner = Callable[[Load], AbstractContextManager[Server]]


@contextlib.contextmanager
def _peer(*command: str | pathlib.Path) -> Iterator[Server]:
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip().removeprefix("listening on ")
            yield Server(process.pid, address, "sessions/bench")
        finally:
            process.kill()


def native(load: Load) -> AbstractContextManager[Server]:
    """The floor of the comparison: gRPC C++."""
    return _peer(BUILT / "native_server", str(load.payload), str(FRAME_RATE))


def swift(load: Load) -> AbstractContextManager[Server]:
    """grpc-swift-2 over NIO."""
    return _peer(BUILT / "swift_server/release/swift_server", str(load.payload), str(FRAME_RATE))


def python(load: Load) -> AbstractContextManager[Server]:
    """Python's grpcio."""
    script = pathlib.Path(__file__).parent / "python_server.py"
    return _peer(sys.executable, script, str(load.payload), str(FRAME_RATE))


@contextlib.contextmanager
def firstlight(binary: pathlib.Path, load: Load) -> Iterator[Server]:
    """The daemon with one synthetic camera that streams. The daemon has measured the machine."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        arguments = ("--synthetic", "1", "--data-dir", folder)
        with Daemon(binary, *arguments, log=path / "log") as daemon, client_library.connect(daemon.address) as client:
            camera = "devices/synthetic-0"
            client.set_controls(camera, STILL_PICTURE)
            session = client.create_session("bench").name
            wanted = configuration(
                camera, pixel_format=load.pixel_format, size=load.size, frame_rate=FRAME_RATE, photo=False
            )
            client.configure(session, wanted)
            client.start(session)
            await_measured(client, session)
            yield Server(daemon.process.pid, daemon.address, session)


def counting_allocations(server: AbstractContextManager[T]) -> AbstractContextManager[tuple[T, Callable[[], int]]]:
    """The server with counted calls of malloc, and the function that returns their number."""
    return _counting(server, "count_allocations")


def counting_codec_calls(server: AbstractContextManager[T]) -> AbstractContextManager[tuple[T, Callable[[], int]]]:
    """The server with counted codec calls (see count_codec_calls.c), and the function that returns their number."""
    return _counting(server, "count_codec_calls")


@contextlib.contextmanager
def _counting(server: AbstractContextManager[T], library: str) -> Iterator[tuple[T, Callable[[], int]]]:
    with Preloaded(library) as preloaded, contextlib.ExitStack() as stack:
        # Only the server starts in this block. A client that starts later must not be counted.
        with preloaded.loading():
            running = stack.enter_context(server)
        yield running, lambda: preloaded.count(library)

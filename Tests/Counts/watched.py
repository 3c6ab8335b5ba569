"""A daemon whose work is counted, a client of this daemon, and readers of its preview."""

from __future__ import annotations

import contextlib
import pathlib
import tempfile
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from measured import await_measured
from preloaded import Preloaded

import firstlight
from firstlight.daemon import Daemon
from firstlight.v1.session_configuration_pb2 import SessionConfiguration

CAMERA = "devices/synthetic-0"
#: The synthetic camera's colour bars. The camera draws them only once, so drawing does not count.
STILL_PICTURE = {"test_pattern": 2}
TIMEOUT = 20.0
#: The seconds to wait until the daemon has measured its machine, which takes two seconds on an idle machine.
PATIENCE = 10.0

Counts = dict[str, float]


class Watched:
    """A running daemon that has measured its machine."""

    def __init__(self, daemon: Daemon, client: firstlight.Client, preloaded: Preloaded) -> None:
        """Wraps the daemon, the client and the counters that `watched` started."""
        self.process_id = daemon.process.pid
        self.address = daemon.address
        self.client = client
        self._preloaded = preloaded

    def counts(self) -> Counts:
        """All counts since the daemon started."""
        stat = pathlib.Path(f"/proc/{self.process_id}/stat").read_text()
        return {
            "allocations": self._preloaded.count("count_allocations"),
            "thread starts": self._preloaded.count("count_allocations", 1),
            # minflt of proc(5) counts the faults that read no file. It is the eighth field after the name.
            "page faults": int(stat.rpartition(")")[2].split()[7]),
            "bytes copied": self._preloaded.count("count_copies"),
            "codec calls": self._preloaded.count("count_codec_calls"),
            "encodings": self._preloaded.count("count_codec_calls", 1),
        }


def difference(after: Counts, before: Counts) -> Counts:
    """The counts between two moments."""
    return {name: count - before[name] for name, count in after.items()}


@contextlib.contextmanager
def watched(binary: pathlib.Path) -> Iterator[Watched]:
    """Starts a daemon with one synthetic camera, and waits until it has measured its machine."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Preloaded("count_allocations", "count_copies", "count_codec_calls") as preloaded,
        contextlib.ExitStack() as stack,
    ):
        flags = ("--synthetic", "1", "--data-dir", folder)
        with preloaded.loading():
            daemon = stack.enter_context(Daemon(binary, *flags, log=pathlib.Path(folder) / "log"))
        client = stack.enter_context(firstlight.connect(daemon.address, timeout=TIMEOUT))
        client.set_controls(CAMERA, STILL_PICTURE)
        await_known(client)
        started = Watched(daemon, client, preloaded)
        # Every daemon allocates and copies when it starts. With a count of 0 the counter does not work, and would see
        # no growth.
        if missing := [name for name in ("allocations", "bytes copied") if not started.counts()[name]]:
            raise RuntimeError(f"{', '.join(missing)}: counted nothing, so the counter is not in the daemon")
        yield started


def await_known(client: firstlight.Client) -> None:
    """Waits until the daemon knows what its machine can do, because until then it may measure in the background.

    Where other programs keep the machine busy, the daemon does not measure. If it begins during the counting, one
    sample is spoilt.
    """
    name = client.create_session(configuration=configuration(5)).name
    await_measured(client, name, patience=PATIENCE)
    client.delete_session(name)


def configuration(frame_rate: float, size: tuple[int, int] = (640, 360)) -> SessionConfiguration:
    """A configuration with a preview and a photo output. The frames are raw, so every picture is encoded."""
    return firstlight.configuration(CAMERA, pixel_format="NV12", size=size, frame_rate=frame_rate)


class Reader:
    """Reads a preview on a thread of its own until the `with` block ends."""

    def __init__(self, client: firstlight.Client, session: str, asking: Mapping[str, Any] | None = None) -> None:
        """Opens the stream, by default of JPEG. The keywords `asking` are those of `Client.preview`.

        The daemon does not wait for acknowledgements, because each would be a call to count.
        """
        self._stream = client.preview(session, max_unacknowledged_frames=0, **(asking or {}))
        self._changed = threading.Condition()
        self._newest = -1
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Reader:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()
        self._thread.join(TIMEOUT)

    @property
    def newest(self) -> int:
        """The number of the newest frame, or -1."""
        return self._newest

    def after(self, sequence: int) -> int:
        """Waits for a frame with a greater number and returns the number of the newest."""
        with self._changed:
            there = self._changed.wait_for(lambda: self._newest > sequence or self._error is not None, TIMEOUT)
            if not there or self._error is not None:
                raise RuntimeError(f"no frame after {sequence}") from self._error
            return self._newest

    def _run(self) -> None:
        try:
            for frame in self._stream:
                with self._changed:
                    self._newest = frame.sequence
                    self._changed.notify_all()
        except firstlight.FirstlightError as error:
            with self._changed:
                self._error = error
                self._changed.notify_all()

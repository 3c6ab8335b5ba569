"""Helpers that several acceptance tests share. They read facts from pixels and from the wire instead of repeating what
a test expects.
"""

from __future__ import annotations

import contextlib
import itertools
import mmap
import os
import pathlib
import re
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

import grpc
import pytest

import firstlight
from firstlight.v1 import (
    asset_writer_service_pb2_grpc as writer_grpc,
    delayed_feed_service_pb2_grpc as delayed_grpc,
    device_service_pb2_grpc as device_grpc,
    photo_library_service_pb2_grpc as library_grpc,
    photo_service_pb2_grpc as photo_grpc,
    pressure_service_pb2_grpc as pressure_grpc,
    preview_service_pb2_grpc as preview_grpc,
    recording_service_pb2_grpc as recording_grpc,
    server_service_pb2_grpc as server_grpc,
    session_events_pb2 as events_pb2,
    session_pb2,
    session_service_pb2_grpc as session_grpc,
    video_data_service_pb2_grpc as video_data_grpc,
    video_storage_service_pb2_grpc as storage_grpc,
    viewfinder_service_pb2_grpc as viewfinder_grpc,
)

T = TypeVar("T")

SYNTHETIC = ("devices/synthetic-0", "devices/synthetic-1")
TIMEOUT = 8.0

#: The encodings of a preview, by the pixel format of its frames: the keywords of `Client.preview` that ask for each.
PREVIEWS: Final[dict[str, dict[str, Any]]] = {
    "JPEG": {"encoding": firstlight.Encoding.JPEG},
    "NV12": {"pixel_format": "NV12"},
    "YUYV": {"pixel_format": "YUYV"},
    "H264": {"encoding": firstlight.Encoding.H264},
}


class Stubs:
    """The generated stubs, for requests that the client library would not send."""

    def __init__(self, channel: grpc.Channel) -> None:
        self.devices = device_grpc.DeviceServiceStub(channel)
        self.sessions = session_grpc.SessionServiceStub(channel)
        self.previews = preview_grpc.PreviewServiceStub(channel)
        self.video_data = video_data_grpc.VideoDataServiceStub(channel)
        self.photos = photo_grpc.PhotoServiceStub(channel)
        self.library = library_grpc.PhotoLibraryServiceStub(channel)
        self.delayed = delayed_grpc.DelayedFeedServiceStub(channel)
        self.recordings = recording_grpc.RecordingServiceStub(channel)
        self.writers = writer_grpc.AssetWriterServiceStub(channel)
        self.pressure = pressure_grpc.PressureServiceStub(channel)
        self.storage = storage_grpc.VideoStorageServiceStub(channel)
        self.server = server_grpc.ServerServiceStub(channel)
        self.viewfinder = viewfinder_grpc.ViewfinderServiceStub(channel)


def call(method: Any, request: Any, **options: Any) -> Any:
    """Calls a unary method, or reads the first answer of a stream.

    A failure is raised as FirstlightError, after a check that the request has each field that a violation names.
    """
    try:
        answer = method(request, timeout=TIMEOUT, **options)
        return next(answer) if isinstance(answer, Iterator) else answer
    except grpc.RpcError as error:
        failure = firstlight.FirstlightError.from_rpc_error(error)
        # A stream of requests has no descriptor, so its violations are not checked.
        message = getattr(request, "DESCRIPTOR", None)
        for violation in failure.violations if message else ():
            assert has_field(message, violation.field), f"{violation.field} is no field of {message.name}"
        raise failure from error


def has_field(message: Any, path: str) -> bool:
    """Whether a message has the field that a path such as `configuration.inputs[0].device` names. The path may end at a
    oneof.
    """
    for part in path.split("."):
        name = part.split("[")[0]
        if message is not None and name in message.oneofs_by_name:
            return True
        if message is None or name not in message.fields_by_name:
            return False
        message = message.fields_by_name[name].message_type
    return True


class Refusal:
    """The error of a `refused` block. The field is set when the block has ended."""

    error: firstlight.FirstlightError


@contextlib.contextmanager
def refused(code: str, reason: str | None = None) -> Iterator[Refusal]:
    """Expects the block to fail with a canonical code and, if given, a reason. The error must have an ErrorInfo in any
    case.
    """
    refusal = Refusal()
    with pytest.raises(firstlight.FirstlightError) as raised:
        yield refusal
    refusal.error = raised.value
    assert raised.value.code.name == code, raised.value
    assert raised.value.reason, f"no ErrorInfo: {raised.value}"
    if reason is not None:
        assert raised.value.reason == reason, raised.value


def refused_start(binary: pathlib.Path, path: pathlib.Path) -> str:
    """What a daemon writes to its standard error when it does not start with a configuration file. The daemon must end
    by itself, with an exit code that says so.
    """
    flags = ("--config", str(path), "--synthetic", "1", "--listen", "127.0.0.1:0")
    command = [str(binary), "serve", *flags, "--data-dir", str(path.parent / "refused")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert ended.returncode not in (0, -6, -11), ended
    return ended.stderr


def excused(dropped: Any) -> int:
    """How many frames are missing because the reader was too slow or because the camera left them out."""
    return dropped.late + dropped.discontinuity


def timecode(picture: firstlight.Frame | firstlight.Photo) -> firstlight.timecode.Timecode:
    """What the timecode board of a picture says. Fails when the picture has no board."""
    board = firstlight.timecode.decode(picture.luma())
    assert board is not None, f"no timecode board in {picture}"
    return board


def capabilities(session: session_pb2.Session, output: str = "photo") -> Any:
    """The capabilities of one of a session's outputs that only this kind of output has."""
    (told,) = (each for each in session.output_capabilities if each.output == output)
    kind = told.WhichOneof("kind")
    assert kind, f"nothing is told of {output}"
    return getattr(told, kind)


def take(stream: Iterator[T], count: int) -> list[T]:
    """The next `count` items of a stream, or fewer if the stream ends before."""
    return list(itertools.islice(stream, count))


def wait_until(condition: Callable[[], bool], seconds: float = TIMEOUT, step: float = 0.01) -> None:
    """Waits until a condition holds of which nothing tells. Fails after `seconds`. Looks each `step` seconds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "still waiting"
        time.sleep(step)


def resident_bytes(process_id: int) -> int:
    """The bytes that a process has in memory now, shared pages included."""
    return int(pathlib.Path(f"/proc/{process_id}/statm").read_text().split()[1]) * mmap.PAGESIZE


def changed(event: events_pb2.SessionEvent) -> str:
    """The name of a session event. For a change of state, the name of the new state."""
    kind = event.WhichOneof("event")
    if kind == "state_changed":
        return session_pb2.Session.State.Name(event.state_changed.session_state)
    return kind


class Stamped:
    """A stream whose items become pairs of the time when the item came, in nanoseconds of CLOCK_MONOTONIC, and the
    item.
    """

    def __init__(self, stream: firstlight.Stream[Any]) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        for item in self._stream:
            yield time.monotonic_ns(), item

    def close(self) -> None:
        """Ends the stream."""
        self._stream.close()


class Collector:
    """Reads a stream in a thread of its own and keeps every item."""

    def __init__(self, stream: firstlight.Stream[Any] | Stamped) -> None:
        self._stream = stream
        self._items: list[Any] = []
        self._error: firstlight.FirstlightError | None = None
        self._changed = threading.Condition()
        self._ended = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def wait_for(self, condition: Any, timeout: float = TIMEOUT) -> list[Any]:
        """Waits until `condition(items)` holds and returns the items so far. Fails after `timeout` seconds."""
        with self._changed:
            held = self._changed.wait_for(lambda: condition(self._items) or self._ended, timeout)
            assert held, f"still waiting, got {self._items}"
            assert condition(self._items), f"the stream ended with {self._error}, got {self._items}"
            return list(self._items)

    def wait_for_end(self) -> firstlight.FirstlightError | None:
        """Waits until the stream ends and returns its error, or None when it ended without one."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._ended, TIMEOUT), f"does not end, got {self._items}"
            return self._error

    def close(self) -> list[Any]:
        """Ends the stream and returns every item that it brought."""
        self._stream.close()
        self._thread.join(TIMEOUT)
        return self._items

    def _run(self) -> None:
        try:
            for item in self._stream:
                with self._changed:
                    self._items.append(item)
                    self._changed.notify_all()
        except firstlight.FirstlightError as error:
            self._error = error
        finally:
            with self._changed:
                self._ended = True
                self._changed.notify_all()


def watching(client: firstlight.Client, session: str) -> Collector:
    """Collects the events of a session from now on. The daemon has the watcher when this function returns, so the
    collector misses no event.
    """
    events = Collector(client.watch_session(session))
    events.wait_for(len)
    return events


def stolen_seconds() -> float:
    """How long, since the machine started, its processors stood still because a host gave their time to others."""
    fields = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()
    return int(fields[8]) / os.sysconf("SC_CLK_TCK")


def peak_bytes(process_id: int) -> int:
    """The largest resident memory of a process so far, in bytes."""
    (found,) = re.findall(r"^VmHWM:\s+(\d+) kB", pathlib.Path(f"/proc/{process_id}/status").read_text(), re.M)
    return int(found) * 1024

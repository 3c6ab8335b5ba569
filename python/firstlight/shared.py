"""Frames in shared memory, for programs on the daemon's machine that want them without a copy."""

from __future__ import annotations

import dataclasses
import mmap
import os
import socket
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

import grpc

from firstlight.errors import FirstlightError
from firstlight.frames import Frame
from firstlight.v1 import shared_video_data_pb2 as shared_pb2, video_data_service_pb2 as video_data_pb2

#: The longest packet of the daemon's; frames do not go through the socket.
_MAX_PACKET = 64 << 10


@dataclasses.dataclass(frozen=True, slots=True)
class SharedFrame(Frame):
    """A frame that lies in the daemon's memory, so only as long as this program may keep it.

    It is given back when the next frame is asked for, unless `hold` was called; then by `release`. Arrays of it are
    views: copy what you need for longer, because the memory is used again for another frame.
    """

    #: Names it to the daemon.
    lease: int = 0
    _stream: SharedVideoDataStream | None = dataclasses.field(default=None, repr=False, compare=False)

    def hold(self) -> Self:
        """Keeps the frame beyond the next one, until `release`."""
        if self._stream is not None:
            self._stream._keep(self)
        return self

    def release(self) -> None:
        """Gives the frame back; its arrays mean nothing from now on."""
        if self._stream is not None:
            self._stream._release(self.lease)


class SharedVideoDataStream(Iterator[SharedFrame]):
    """Every frame of a video data output, in order, in shared memory; `Frame.dropped` counts what was missed.

    `path` is the daemon's `local-socket`. At most `max_leases` frames can be held at once; those that come while so
    many are, are dropped as out of buffers. From one thread at a time.
    """

    def __init__(self, path: str | os.PathLike[str], session: str, output: str = "", *, max_leases: int = 4) -> None:
        """Connects; raises OSError when nobody listens, or for another user than the daemon's."""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._mappings: dict[int, mmap.mmap] = {}
        self._leases: set[int] = set()
        self._current: int | None = None
        self._closed = False
        #: How the stream is. None before the first frame was asked for.
        self.status: video_data_pb2.VideoDataStatus | None = None
        try:
            self._socket.connect(os.fspath(path))
            opening = shared_pb2.SharedVideoDataOpen(session=session, output=output, max_leases=max_leases)
            self._send(open=opening)
        except BaseException:
            self._socket.close()
            raise

    def __next__(self) -> SharedFrame:
        """Gives the previous frame back and waits for the next. Raises FirstlightError when the stream ended."""
        if self._current is not None:
            self._release(self._current)
        self._send(read=shared_pb2.SharedVideoDataRead(frames=1))
        while True:
            response, descriptor = self._receive()
            content = response.WhichOneof("content")
            if content == "status":
                self.status = response.status
            elif content == "error":
                raise FirstlightError.from_status(response.error)
            elif content == "frame":
                return self._frame(response.frame, descriptor)
            elif descriptor is not None:
                # Of a message that only a newer daemon knows.
                os.close(descriptor)

    def close(self) -> None:
        """Ends the stream; every frame is given back."""
        self._closed = True
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _frame(self, message: shared_pb2.SharedVideoDataFrame, descriptor: int | None) -> SharedFrame:
        if descriptor is not None:
            # The mapping in its place goes with the last array that shows it.
            self._mappings[message.mapping] = mmap.mmap(descriptor, message.mapping_bytes, prot=mmap.PROT_READ)
            os.close(descriptor)
        mapping = self._mappings.get(message.mapping)
        if mapping is None:
            raise FirstlightError(
                grpc.StatusCode.INTERNAL, f"memory {message.mapping} of a frame was never handed over"
            )
        self._leases.add(message.lease)
        self._current = message.lease
        plain = Frame.from_message(message.frame)
        fields = {field.name: getattr(plain, field.name) for field in dataclasses.fields(plain)}
        fields["data"] = memoryview(mapping)[: message.data_bytes]
        return SharedFrame(**fields, lease=message.lease, _stream=self)

    def _keep(self, frame: SharedFrame) -> None:
        if self._current == frame.lease:
            self._current = None

    def _release(self, lease: int) -> None:
        if lease not in self._leases or self._closed:
            return
        self._leases.remove(lease)
        if self._current == lease:
            self._current = None
        self._send(release=shared_pb2.SharedVideoDataRelease(lease=lease))

    def _send(self, **content: Any) -> None:
        try:
            self._socket.send(shared_pb2.SharedVideoDataRequest(**content).SerializeToString())
        except BrokenPipeError:
            # The daemon's last word is still there to be read.
            return

    def _receive(self) -> tuple[shared_pb2.SharedVideoDataResponse, int | None]:
        try:
            packet, descriptors, _, _ = socket.recv_fds(self._socket, _MAX_PACKET, 1)
        except ConnectionResetError:
            packet, descriptors = b"", []
        if not packet:
            raise StopIteration
        return shared_pb2.SharedVideoDataResponse.FromString(packet), descriptors[0] if descriptors else None

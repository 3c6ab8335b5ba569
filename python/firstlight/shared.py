"""Streams frames in shared memory, without a copy, to programs on the daemon's machine."""

from __future__ import annotations

import dataclasses
import mmap
import os
import socket
from collections.abc import Iterator
from typing import Any, Self

import grpc

from firstlight.closing import Closing
from firstlight.errors import FirstlightError
from firstlight.frames import Frame
from firstlight.processes import OneProcess
from firstlight.v1 import shared_video_data_pb2 as shared_pb2, video_data_service_pb2 as video_data_pb2

#: The size of the daemon's longest packet, in bytes. Frames do not go through the socket.
_MAX_PACKET = 64 << 10


@dataclasses.dataclass(frozen=True, slots=True)
class SharedFrame(Frame):
    """A frame in the daemon's memory, valid until this program gives it back.

    The stream gives the frame back when the program asks for the next one, unless `hold` was called; then `release`
    gives it back. The arrays of the frame are views. Copy an array that must outlive the frame, because the daemon uses
    the memory again for another frame.
    """

    #: Names the frame to the daemon until it is given back.
    lease: int = 0
    _stream: SharedVideoDataStream | None = dataclasses.field(default=None, repr=False, compare=False)

    def hold(self) -> Self:
        """Keeps the frame until `release`, also when the program asks for the next one. Returns the frame."""
        if self._stream is not None:
            self._stream._keep(self)
        return self

    def release(self) -> None:
        """Gives the frame back to the daemon. From now on its arrays may show other frames."""
        if self._stream is not None:
            self._stream._release(self.lease)


class SharedVideoDataStream(OneProcess, Closing, Iterator[SharedFrame]):
    """Streams every frame of a video data output, in order, in shared memory. Use a stream from one thread at a time.

    - `path`: the socket of the daemon (`local-socket`).
    - `session`: the resource name of the session, `sessions/{id}`.
    - `output`: the id of the video data output; empty for the session's only one.
    - `max_leases`: the most frames that the program can hold at once, 1 to 16; None for 4. While the program holds this
      many, the daemon drops further frames as out of buffers.

    `Frame.dropped` counts the frames that the program missed.

    A stream belongs to the process that made it. In a child that was forked, the iteration and `SharedFrame.release`
    raise FirstlightError. The child still sees the arrays of frames that its parent holds, until the parent gives those
    frames back.
    """

    def __init__(
        self, path: str | os.PathLike[str], session: str, output: str = "", *, max_leases: int | None = None
    ) -> None:
        """Connects. Raises OSError when no daemon listens at `path`, and when the daemon runs as another user."""
        super().__init__()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._mappings: dict[int, mmap.mmap] = {}
        self._leases: set[int] = set()
        self._current: int | None = None
        self._closed = False
        #: The newest status of the stream. None until the first frame was asked for.
        self.status: video_data_pb2.VideoDataStatus | None = None
        try:
            self._socket.connect(os.fspath(path))
            opening = shared_pb2.SharedVideoDataOpen(session=session, output=output, max_leases=max_leases)
            self._send(open=opening)
        except BaseException:
            self._socket.close()
            raise

    def __next__(self) -> SharedFrame:
        """Gives the previous frame back and waits for the next. Raises FirstlightError with the error of the daemon."""
        self._check_process()
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
                # The descriptor belongs to a message that only a newer daemon knows.
                os.close(descriptor)

    def close(self) -> None:
        """Ends the stream, which gives every frame back."""
        self._closed = True
        self._socket.close()

    def _leave(self) -> None:
        # Else the daemon would not notice the end of the parent while a child lives.
        self._socket.close()

    def _frame(self, message: shared_pb2.SharedVideoDataFrame, descriptor: int | None) -> SharedFrame:
        if descriptor is not None:
            # This replaces the former mapping of this number. Python unmaps that one with the last array that shows it.
            self._mappings[message.mapping] = mmap.mmap(descriptor, message.mapping_bytes, prot=mmap.PROT_READ)
            os.close(descriptor)
        mapping = self._mappings.get(message.mapping)
        if mapping is None:
            raise FirstlightError(
                grpc.StatusCode.INTERNAL, f"the daemon sent a frame in mapping {message.mapping} without its memory"
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
        self._check_process()
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
            # The daemon has closed the connection. Its last message, an error, can still be received.
            return

    def _receive(self) -> tuple[shared_pb2.SharedVideoDataResponse, int | None]:
        try:
            packet, descriptors, _, _ = socket.recv_fds(self._socket, _MAX_PACKET, 1)
        except ConnectionResetError:
            packet, descriptors = b"", []
        if not packet:
            raise StopIteration
        return shared_pb2.SharedVideoDataResponse.FromString(packet), descriptors[0] if descriptors else None

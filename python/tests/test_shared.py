import os
import socket
import threading

import grpc
import pytest

from firstlight import ColorRange, Encoding, FirstlightError, SharedVideoDataStream
from firstlight.v1 import shared_video_data_pb2 as shared_pb2, types_pb2

DATA = bytes(range(8))


class FakeDaemon:
    """Accepts one program at a socket, sends it messages, each with a descriptor or None, and keeps its requests."""

    def __init__(self, path, messages):
        self.path, self._messages, self.requests = path, messages, []
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.bind(str(path))
        self._listener.listen()
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self):
        program, _ = self._listener.accept()
        with self._listener, program:
            for message, memory in self._messages:
                packet = shared_pb2.SharedVideoDataResponse(**message).SerializeToString() or b"\xf8\x7f\x01"
                socket.send_fds(program, [packet], [memory] if memory else [])
            while packet := program.recv(1 << 16):
                self.requests.append(shared_pb2.SharedVideoDataRequest.FromString(packet))


@pytest.fixture
def memory():
    """The descriptor of a memory file that holds a picture."""
    descriptor = os.memfd_create("frames")
    os.write(descriptor, DATA.ljust(4096, b"\0"))
    yield descriptor
    os.close(descriptor)


def frame(sequence, mapping=0):
    message = {
        "sequence": sequence,
        "width": 4,
        "height": 2,
        "encoding": types_pb2.ENCODING_UNCOMPRESSED,
        "pixel_format": "GREY",
        "planes": [{"stride": 4, "rows": 2}],
        "color_range": types_pb2.COLOR_RANGE_FULL,
        "exposure_duration": {"nanos": 5_000_000},
    }
    shared = {"frame": message, "lease": sequence, "mapping": mapping, "mapping_bytes": 4096, "data_bytes": len(DATA)}
    return {"frame": shared}


def test_frames_lie_in_the_daemons_memory_and_are_given_back(tmp_path, memory):
    told = [({"status": {"pixel_format": "GREY"}}, None), (frame(1), memory), ({}, memory), (frame(2), None)]
    daemon = FakeDaemon(tmp_path / "socket", told)
    with SharedVideoDataStream(daemon.path, "sessions/a", "data") as stream:
        first = next(stream)
        assert (first.encoding, first.pixel_format) == (Encoding.UNCOMPRESSED, "GREY")
        assert (first.color_range, first.exposure_ns) == (ColorRange.FULL, 5_000_000)
        assert first.as_array().tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
        assert stream.status.pixel_format == "GREY"
        # The message in between is one that only a newer daemon knows.
        assert next(stream).sequence == 2
    daemon.thread.join(8)
    kinds = [request.WhichOneof("content") for request in daemon.requests]
    assert kinds == ["open", "read", "release", "read"]


def test_a_frame_in_memory_that_was_never_handed_over_is_an_error(tmp_path):
    daemon = FakeDaemon(tmp_path / "socket", [(frame(1, mapping=7), None)])
    with SharedVideoDataStream(daemon.path, "sessions/a") as stream:
        with pytest.raises(FirstlightError, match="mapping 7 without its memory") as raised:
            next(stream)
        assert raised.value.code is grpc.StatusCode.INTERNAL

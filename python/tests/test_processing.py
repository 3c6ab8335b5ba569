import threading

import grpc
import numpy as np
import pytest

from firstlight import FirstlightError, ProcessingStream, overlays, pixels
from firstlight.v1 import video_data_service_pb2 as video_data_pb2
from test_errors import FakeRpcError

TIMEOUT = 8.0


class FakeDaemon:
    """Replaces both the stub and its call.

    Gives frames 1, 2, ..., and takes requests on a thread of its own, as gRPC does. With `stuck` the call does not end
    after the last frame; without `reads` the test itself takes the requests.
    """

    def __init__(self, frames=1, pixel_format="GREY", error=None, stuck=False, reads=True):
        self.ProcessFrames = self
        self.frames, self.pixel_format, self.error, self.reads = iter(range(1, frames + 1)), pixel_format, error, reads
        self.over = threading.Event()
        if not stuck:
            self.over.set()

    def __call__(self, requests):
        self.requests, self.written = requests, []
        self.thread = threading.Thread(target=lambda: self.written.extend(requests), daemon=True)
        if self.reads:
            self.thread.start()
        return self

    def add_callback(self, ended):
        self.fail = ended
        return True

    def __next__(self):
        for sequence in self.frames:
            frame = {"stream_id": 7, "sequence": sequence, "width": 4, "height": 2, "pixel_format": self.pixel_format}
            return video_data_pb2.ProcessFramesResponse(frame=frame, counts={"shown": sequence - 1})
        assert self.over.wait(TIMEOUT)
        raise self.error or StopIteration

    def cancel(self):
        self.error = self.error or FakeRpcError(grpc.StatusCode.CANCELLED, "by us")
        self.over.set()

    def requests_written(self):
        """Waits for the end of the requests, and returns all of them."""
        self.thread.join(TIMEOUT)
        assert not self.thread.is_alive(), "nothing ends the requests"
        return self.written


def processing(daemon, *, timeout=TIMEOUT, **start):
    return ProcessingStream(daemon, video_data_pb2.ProcessingStart(**start), timeout=timeout)


def answer_one(stream, **answer):
    """Answers the first frame, and leaves the `with` block."""
    with stream:
        next(stream)
        stream.answer(**answer)


def fail_in(stream):
    """Raises KeyError inside the `with` block, as a faulty program does."""
    with stream:
        next(stream)
        raise KeyError


def answered(daemon, **answer):
    """Answers the first frame, and returns the answer that the daemon received."""
    answer_one(processing(daemon), **answer)
    return daemon.requests_written()[1].answer


def test_start_comes_first_then_one_answer_for_each_frame_as_it_is_unless_told_otherwise():
    daemon = FakeDaemon(frames=3)
    with processing(daemon, session="sessions/a", deadline_frames=5) as stream:
        with pytest.raises(ValueError, match="no frame"):
            stream.answer()
        for frame in stream:
            if frame.sequence == 2:
                stream.answer(overlay=[overlays.box(0, 0, 1, 1)])
                with pytest.raises(ValueError, match="every frame so far has been answered"):
                    stream.answer()
        assert stream.counts.shown == 2
    start, *answers = daemon.requests_written()
    assert (start.processing_start.session, start.processing_start.deadline_frames) == ("sessions/a", 5)
    told = [(r.answer.stream_id, r.answer.sequence, r.answer.WhichOneof("content")) for r in answers]
    assert told == [(7, 1, None), (7, 2, "overlay"), (7, 3, None)]


@pytest.mark.parametrize(
    ("pixel_format", "shape", "dtype"),
    [
        ("GREY", (2, 4), np.uint8),
        ("NV12", (3, 4), np.uint8),
        ("P010", (3, 4), np.uint16),
        ("Y16", (2, 4), np.uint16),
        ("Y16-BE", (2, 4), ">u2"),
        ("YUYV", (2, 4, 2), np.uint8),
        ("RGB3", (2, 4, 3), np.uint8),
        ("AR24", (2, 4, 4), np.uint8),
    ],
)
def test_an_array_becomes_the_picture_it_came_of(pixel_format, shape, dtype):
    array = np.arange(np.prod(shape), dtype=dtype).reshape(shape)
    # A mirrored view, whose memory is not contiguous. Programs pass such arrays.
    frame = answered(FakeDaemon(pixel_format=pixel_format), picture=array[:, ::-1]).replacement
    assert (frame.pixel_format, frame.width, frame.height) == (pixel_format, 4, 2)
    planes = pixels.packed_planes(pixel_format, (4, 2))
    assert (pixels.as_array(frame.data, pixel_format, (4, 2), planes) == array[:, ::-1]).all()


def test_a_picture_is_jpeg_or_named_and_arrays_of_jpeg_frames_are_red_green_and_blue():
    frame = answered(FakeDaemon(pixel_format="NV12"), picture=b"file").replacement
    assert (frame.pixel_format, frame.width, frame.height, frame.data) == ("JPEG", 4, 2, b"file")
    frame = answered(FakeDaemon(pixel_format="NV12"), picture=bytearray(b"12345678"), pixel_format="GREY").replacement
    assert (frame.pixel_format, frame.data) == ("GREY", b"12345678")
    frame = answered(FakeDaemon(pixel_format="MJPG"), picture=np.zeros((2, 4, 3), np.uint8)).replacement
    assert frame.pixel_format == "RGB3"


@pytest.mark.parametrize(
    ("pixel_format", "array"),
    [
        ("NV12", np.zeros((3, 4))),
        ("NV12", np.zeros((2, 4, 3), np.uint8)),
        ("GREY", np.zeros(8, np.uint8)),
        ("AR24", np.zeros((2, 4, 3), np.uint8)),
        ("P010", np.zeros((3, 4), np.uint8)),
        ("Y16", np.zeros((2, 4), np.uint8)),
        ("YU12", np.zeros((3, 4), np.uint8)),
        ("NV12", np.zeros((3, 3), np.uint8)),
        ("YUYV", np.zeros((2, 3, 2), np.uint8)),
    ],
)
def test_an_array_of_another_shape_or_type_is_an_error_and_the_frame_may_still_be_answered(pixel_format, array):
    daemon = FakeDaemon(pixel_format=pixel_format)
    with processing(daemon) as stream:
        next(stream)
        with pytest.raises(ValueError, match=pixel_format):
            stream.answer(picture=array)
        with pytest.raises(ValueError, match="exclude"):
            stream.answer(picture=array, overlay=[])
        stream.answer()
    assert len(daemon.requests_written()) == 2


def test_no_answer_runs_ahead_of_those_before():
    daemon, answered = FakeDaemon(frames=1000, reads=False), []
    stream = processing(daemon)

    def answer():
        for frame in stream:
            stream.answer()
            answered.append(frame.sequence)

    thread = threading.Thread(target=answer, daemon=True)
    assert next(daemon.requests).HasField("processing_start")
    thread.start()
    for sequence in range(1, 1001):
        assert next(daemon.requests).answer.sequence == sequence
        # One more answer than the daemon has taken may wait.
        assert len(answered) <= sequence + 1
    thread.join(TIMEOUT)
    assert not thread.is_alive()


@pytest.mark.parametrize("ending", ["close", "fail"])
def test_an_answer_that_waits_is_let_go_when_the_call_ends(ending):
    daemon = FakeDaemon(frames=2, reads=False)
    stream = processing(daemon)
    next(stream)
    # The daemon never takes the start, so the answer waits until the call ends.
    thread = threading.Thread(target=stream.answer, daemon=True)
    thread.start()
    stream.close() if ending == "close" else daemon.fail()
    thread.join(TIMEOUT)
    assert not thread.is_alive()


def test_leaving_the_block_raises_what_became_of_the_last_answer_and_once():
    daemon = FakeDaemon(error=FakeRpcError(grpc.StatusCode.INVALID_ARGUMENT, "no picture"))
    stream = processing(daemon)
    with pytest.raises(FirstlightError, match="INVALID_ARGUMENT: no picture"):
        answer_one(stream, picture=b"")
    assert list(stream) == []
    with stream:
        pass
    assert len(daemon.requests_written()) == 2


def test_a_failure_that_was_caught_is_not_raised_again():
    daemon = FakeDaemon(error=FakeRpcError(grpc.StatusCode.ABORTED, "another program"))
    with processing(daemon) as stream:
        next(stream)
        with pytest.raises(FirstlightError, match="ABORTED: another program"):
            next(stream)
        assert list(stream) == []


def test_an_error_in_the_block_ends_the_call_at_once_and_is_not_hidden():
    daemon = FakeDaemon(stuck=True)
    with pytest.raises(KeyError):
        fail_in(processing(daemon))
    assert daemon.over.is_set()
    daemon.requests_written()


def test_a_daemon_that_never_ends_the_stream_keeps_nobody_in_the_block():
    daemon = FakeDaemon(stuck=True)
    with processing(daemon, timeout=0.01) as stream:
        next(stream)
    assert daemon.over.is_set()
    assert list(stream) == []


def test_an_image_is_an_array_or_a_file():
    array = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    drawn = overlays.image(array[::-1], 0.25, 0.5).image
    assert (drawn.pixels.width, drawn.pixels.height, drawn.pixels.rgba) == (3, 2, array[::-1].tobytes())
    assert (drawn.x, drawn.y, drawn.HasField("relative_width")) == (0.25, 0.5, False)
    assert overlays.image(b"png", width=0.5).image.png == b"png"
    for wrong in (array[:, :, :3], array.astype(float), array[0]):
        with pytest.raises(ValueError, match="an image is"):
            overlays.image(wrong)

import grpc
import pytest

from firstlight import (
    FirstlightError,
    PressureStream,
    PreviewStream,
    Readiness,
    ReadinessStream,
    Stream,
    VideoDataStream,
)
from firstlight.v1 import (
    photo_service_pb2,
    pressure_service_pb2,
    preview_service_pb2,
    types_pb2,
    video_data_service_pb2,
)
from test_errors import FakeRpcError


class FakeCall:
    """A server stream that gives the responses it was made with, then ends, or raises `error`."""

    def __init__(self, *responses, error=None):
        self.responses, self.error, self.cancelled = list(responses), error, False

    def __next__(self):
        if self.responses:
            return self.responses.pop(0)
        raise self.error or StopIteration

    def cancel(self):
        self.cancelled = True
        self.error = FakeRpcError(grpc.StatusCode.CANCELLED, "by us")


class FakePreviews:
    """Replaces the generated stub, and records the acknowledgements."""

    def __init__(self, *responses):
        self.call, self.acknowledged = FakeCall(*responses), []
        self.AcknowledgeFrames = self

    def StreamPreview(self, _request):
        return self.call

    def future(self, request):
        self.acknowledged.append((request.stream_token, request.sequence))
        return object()


def response(**content):
    return preview_service_pb2.StreamPreviewResponse(**content)


def frame(sequence):
    return response(
        frame=preview_service_pb2.PreviewFrame(sequence=sequence, encoding=types_pb2.ENCODING_JPEG, data=b"x")
    )


def status(token):
    return response(status=preview_service_pb2.PreviewStatus(stream_token=token))


def test_asking_for_the_next_frame_acknowledges_the_one_before():
    previews = FakePreviews(status("token"), frame(3), frame(5), frame(6))
    stream = PreviewStream(previews, preview_service_pb2.StreamPreviewRequest(max_unacknowledged_frames=2))
    assert next(stream).sequence == 3
    assert previews.acknowledged == []
    assert [f.sequence for f in stream] == [5, 6]
    assert previews.acknowledged == [("token", 3), ("token", 5), ("token", 6)]


def test_without_a_limit_nothing_is_acknowledged():
    previews = FakePreviews(status("token"), frame(1), frame(2))
    assert len(list(PreviewStream(previews, preview_service_pb2.StreamPreviewRequest()))) == 2
    assert previews.acknowledged == []


def test_video_data_is_acknowledged_as_a_preview_is():
    def content(**fields):
        return video_data_service_pb2.StreamVideoDataResponse(**fields)

    frames = [video_data_service_pb2.VideoDataFrame(sequence=n, pixel_format="GREY") for n in (4, 5)]
    status = content(status=video_data_service_pb2.VideoDataStatus(stream_token="data"))
    previews = FakePreviews(status, *(content(frame=frame) for frame in frames))
    previews.StreamVideoData = previews.StreamPreview
    request = video_data_service_pb2.StreamVideoDataRequest(max_unacknowledged_frames=1)
    stream = VideoDataStream(previews, previews, request)
    assert [(frame.sequence, frame.pixel_format) for frame in stream] == [(4, "GREY"), (5, "GREY")]
    assert previews.acknowledged == [("data", 4), ("data", 5)]


def test_the_newest_status_is_kept():
    previews = FakePreviews(status("a"), frame(1), status("b"), frame(2))
    stream = PreviewStream(previews, preview_service_pb2.StreamPreviewRequest())
    assert stream.status is None
    next(stream)
    assert stream.status.stream_token == "a"
    next(stream)
    assert stream.status.stream_token == "b"


def test_iterating_a_closed_stream_stops():
    call = FakeCall(1, 2)
    with Stream(call, lambda r: r) as stream:
        assert next(stream) == 1
    assert call.cancelled
    assert list(stream) == [2]


def test_a_failure_is_raised():
    stream = Stream(FakeCall(1, error=FakeRpcError(grpc.StatusCode.NOT_FOUND, "deleted")), lambda r: r)
    assert next(stream) == 1
    with pytest.raises(FirstlightError, match="NOT_FOUND: deleted"):
        next(stream)


def test_a_message_of_a_newer_daemon_is_passed_over():
    previews = FakePreviews(status("a"), response(), frame(2))
    stream = PreviewStream(previews, preview_service_pb2.StreamPreviewRequest(max_unacknowledged_frames=1))
    assert [frame.sequence for frame in stream] == [2]
    assert previews.acknowledged == [("a", 2)]


def test_the_readiness_stream_has_its_token_once_it_was_read():
    stream = ReadinessStream(
        FakeCall(
            photo_service_pb2.WatchReadinessResponse(readiness=Readiness.READY, stream_token="token"),
            photo_service_pb2.WatchReadinessResponse(readiness=99, stream_token="token"),
        )
    )
    assert stream.token == ""
    assert next(stream) is Readiness.READY
    assert stream.token == "token"
    assert next(stream) == 99


@pytest.mark.parametrize("after", ["", "before"])
def test_the_pressure_stream_has_the_id_of_its_newest_state(after):
    answers = [pressure_service_pb2.WatchSystemPressureResponse(event_id=event_id) for event_id in ("a", "b")]
    answers[1].state.level = 99
    stream = PressureStream(FakeCall(*answers), after)
    assert stream.event_id == after
    assert next(stream) == answers[0].state
    assert stream.event_id == "a"
    assert next(stream).level == 99
    assert stream.event_id == "b"

"""Tests of the requests that the client sends and of the results that it makes from prepared responses."""

from concurrent import futures

import grpc
import numpy as np
import pytest

import firstlight
from firstlight import Encoding, Exposure
from firstlight.v1 import (
    control_pb2,
    device_service_pb2,
    photo_service_pb2,
    photo_shot_pb2,
    pressure_service_pb2,
    preview_service_pb2,
    session_service_pb2,
    types_pb2,
)

#: The request and response types of each method that these tests call.
MESSAGES = {
    name: (getattr(module, f"{name}Request"), getattr(module, f"{name}Response"))
    for module, names in {
        device_service_pb2: ["WatchDevices"],
        control_pb2: ["SetControls"],
        session_service_pb2: ["CreateSession", "WatchSession"],
        photo_service_pb2: [
            "CapturePhoto",
            "ListCaptures",
            "PreparePhotoSettings",
            "StartTrackingCapture",
            "WatchCaptures",
            "WatchReadiness",
        ],
        preview_service_pb2: ["StreamPreview"],
        pressure_service_pb2: ["WatchSystemPressure"],
    }.items()
    for name in names
}
STREAMS = ("Watch", "Stream", "CapturePhoto")


class Server(grpc.GenericRpcHandler):
    """Answers each method with the next response in `answers`, or with an empty one. Keeps all requests."""

    def __init__(self):
        self.requests, self.answers = [], {}

    def service(self, details):
        name = details.method.rpartition("/")[2]
        request, response = MESSAGES[name]

        def answers(asked):
            self.requests.append(asked)
            waiting = self.answers.get(name, [])
            return [waiting.pop(0)] if waiting and not name.startswith(STREAMS) else waiting or [response()]

        coding = {
            "request_deserializer": request.FromString,
            "response_serializer": lambda message: message.SerializeToString(),
        }
        if name.startswith(STREAMS):
            return grpc.unary_stream_rpc_method_handler(lambda asked, _: iter(answers(asked)), **coding)
        return grpc.unary_unary_rpc_method_handler(lambda asked, _: answers(asked)[0], **coding)


@pytest.fixture
def served():
    """A client, and the handler of the server that it is connected to."""
    handler = Server()
    server = grpc.server(futures.ThreadPoolExecutor(2), handlers=[handler])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with firstlight.connect(f"127.0.0.1:{port}", timeout=8) as client:
        yield client, handler
    server.stop(None)


def sent(served, call):
    """Returns the request that `call` sends, which must be the only one."""
    client, server = served
    answer = call(client)
    if isinstance(answer, firstlight.Stream):
        next(answer, None)
    (request,) = server.requests
    return request


WANTED = firstlight.configuration("devices/a")


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda client: client.create_session(), {}),
        (lambda client: client.create_session("mine"), {"session_id": "mine"}),
        (lambda client: client.create_session(idle_timeout=0.5), {"idle_timeout": {"nanos": 500_000_000}}),
        (lambda client: client.create_session(configuration=WANTED), {"configuration": WANTED}),
        (
            lambda client: client.create_session("mine", idle_timeout=10, configuration=WANTED, start=True),
            {"session_id": "mine", "idle_timeout": {"seconds": 10}, "configuration": WANTED, "start": True},
        ),
    ],
    ids=["nothing", "id", "idle", "configured", "running"],
)
def test_a_session_is_made_in_one_call(served, call, expected):
    assert sent(served, call) == session_service_pb2.CreateSessionRequest(**expected)


@pytest.mark.parametrize(
    ("keywords", "expected"),
    [
        ({}, {}),
        ({"encoding": Encoding.H264}, {"encoding": types_pb2.ENCODING_H264}),
        ({"encoding": Encoding.UNCOMPRESSED}, {"encoding": types_pb2.ENCODING_UNCOMPRESSED}),
        ({"pixel_format": "YUYV"}, {"pixel_format": "YUYV"}),
        ({"max_frame_rate": np.float32(7.5)}, {"max_frame_rate": {"numerator": 15, "denominator": 2}}),
    ],
    ids=["default", "encoding", "uncompressed", "pixel format", "rate"],
)
def test_a_preview_is_asked_for_by_encoding_or_pixel_format(served, keywords, expected):
    request = sent(served, lambda client: client.preview("sessions/a", **keywords))
    usual = {"session": "sessions/a", "max_unacknowledged_frames": 2}
    assert request == preview_service_pb2.StreamPreviewRequest(**usual, **expected)


WATCHES = {
    "session": lambda client, **after: client.watch_session("sessions/a", **after),
    "devices": lambda client, **after: client.watch_devices(**after),
    "captures": lambda client, **after: client.watch_captures("sessions/a", **after),
    "pressure": lambda client, **after: client.watch_system_pressure("devices/a", **after),
}


@pytest.mark.parametrize("watch", WATCHES.values(), ids=WATCHES)
@pytest.mark.parametrize("after", [{}, {"after_event_id": "seen"}], ids=["from the start", "after an event"])
def test_events_are_followed_from_the_start_or_after_one(served, watch, after):
    assert sent(served, lambda client: watch(client, **after)).after_event_id == after.get("after_event_id", "")


def test_pressure_is_followed_further_from_the_newest_state(served):
    client, server = served
    server.answers["WatchSystemPressure"] = [
        pressure_service_pb2.WatchSystemPressureResponse(event_id=event_id) for event_id in ("a", "b")
    ]
    states = client.watch_system_pressure(after_event_id="before")
    assert states.event_id == "before"
    assert len(list(states)) == 2
    assert states.event_id == "b"


def page(*names, token="", event_id=""):
    captures = [photo_service_pb2.Capture(name=f"captures/{name}") for name in names]
    return photo_service_pb2.ListCapturesResponse(captures=captures, next_page_token=token, event_id=event_id)


def test_captures_are_paged_through_and_watched_after_the_first_page(served):
    client, server = served
    server.answers["ListCaptures"] = [page("a", "b", token="2", event_id="first"), page("c", event_id="second")]
    listed = client.captures("sessions/a")
    assert isinstance(listed, firstlight.CaptureList)
    assert [capture.name for capture in listed.captures] == ["captures/a", "captures/b", "captures/c"]
    assert listed.event_id == "first", "what happened while the second was read would be missed"
    assert [request.page_token for request in server.requests] == ["", "2"]
    assert {request.session for request in server.requests} == {"sessions/a"}


@pytest.mark.parametrize(
    ("keywords", "expected"),
    [
        ({}, {}),
        ({"state": photo_service_pb2.Capture.STATE_FAILED}, {"state": photo_service_pb2.Capture.STATE_FAILED}),
        ({"start_ns": 0}, {"start_time": {}}),
        (
            {"start_ns": 1_500_000_000, "end_ns": 2_000_000_001},
            {"start_time": {"seconds": 1, "nanos": 500_000_000}, "end_time": {"seconds": 2, "nanos": 1}},
        ),
    ],
    ids=["all", "state", "the epoch", "times"],
)
def test_captures_are_filtered(served, keywords, expected):
    request = sent(served, lambda client: client.captures(**keywords))
    assert request == photo_service_pb2.ListCapturesRequest(**expected)


def test_without_captures_there_is_an_empty_list(served):
    client, _ = served
    assert client.captures() == ([], "")


def test_controls_are_sent_in_their_order_with_numpy_values_as_what_they_stand_for(served):
    controls = {"gain": np.uint16(7), "mirrored": np.bool_(True), "focus": 3.0, "table": np.array([1, 2], np.uint8)}
    request = sent(served, lambda client: client.set_controls("devices/a", controls, active_frame_rate=np.int8(5)))
    assert request == control_pb2.SetControlsRequest(
        device="devices/a",
        control_settings=[
            {"control": "gain", "value": {"integer": 7}},
            {"control": "mirrored", "value": {"boolean": True}},
            {"control": "focus", "value": {"integer": 3}},
            {"control": "table", "value": {"array": b"\1\2"}},
        ],
        active_frame_rate={"numerator": 5, "denominator": 1},
    )


@pytest.mark.parametrize(("value", "error"), [(1.5, ValueError), (1 << 63, ValueError), ([1], TypeError)])
def test_a_value_that_no_control_takes_is_an_error_and_nothing_is_sent(served, value, error):
    client, server = served
    with pytest.raises(error, match="focus = "):
        client.set_controls("devices/a", {"gain": 1, "focus": value})
    assert server.requests == []


@pytest.mark.parametrize("outcome", [*control_pb2.ControlResult.Outcome.values(), 99])
def test_results_of_controls_are_as_the_daemon_gave_them(served, outcome):
    client, server = served
    told = control_pb2.ControlResult(control="gain", outcome=outcome, value={"integer": 8})
    server.answers["SetControls"] = [control_pb2.SetControlsResponse(results=[told])]
    assert client.set_controls("devices/a", {"gain": 9}) == [told]


@pytest.mark.parametrize(
    ("merge", "merging"),
    [(False, photo_shot_pb2.BRACKET_MERGING_UNSPECIFIED), (True, photo_shot_pb2.BRACKET_MERGING_EXPOSURE_FUSION)],
)
def test_a_bracket_is_merged_when_asked_to_be(served, merge, merging):
    client, server = served
    with pytest.raises(firstlight.FirstlightError, match="without a photo"):
        client.bracket("sessions/a", [Exposure(seconds=0.002), Exposure(bias=1)], merge=merge)
    (request,) = server.requests
    assert request.settings.bracket_merging == merging
    assert request.settings.bracket[0].manual_exposure.exposure_duration.ToMilliseconds() == 2


def test_photos_of_several_cameras_come_in_the_order_of_the_request(served):
    client, server = served
    photos = [{"input": name, "data": b"x", "bracket_index": index} for index, name in enumerate(("b", "a"))]
    events = [{"unique_id": "c", "did_finish_processing_photo": {"photo": photo}} for photo in photos]
    server.answers["CapturePhoto"] = [photo_service_pb2.CapturePhotoResponse(event=event) for event in events]
    found = client.constituent_photos("sessions/a", ["b", "a"])
    assert [(photo.input, photo.bracket_index) for photo in found] == [("b", 0), ("a", 1)]
    (request,) = server.requests
    assert list(request.settings.constituent_inputs) == ["b", "a"]


def test_a_step_of_a_newer_daemon_is_passed_over(served):
    client, server = served
    event = {"unique_id": "a", "did_finish_processing_photo": {"photo": {"encoding": 99, "data": b"x"}}}
    server.answers["CapturePhoto"] = [
        photo_service_pb2.CapturePhotoResponse(event={"unique_id": "a"}),
        photo_service_pb2.CapturePhotoResponse(event=event),
    ]
    photo = client.photo("sessions/a")
    assert (photo.encoding, [event.name for event in photo.events]) == (99, ["did_finish_processing_photo"])


@pytest.mark.parametrize(
    ("preparation", "prepared"),
    [
        (photo_service_pb2.PreparePhotoSettingsResponse.PREPARATION_DONE, True),
        (photo_service_pb2.PreparePhotoSettingsResponse.PREPARATION_SUPERSEDED, False),
        (99, False),
    ],
)
def test_prepared_is_what_was_not_superseded(served, preparation, prepared):
    client, server = served
    answer = photo_service_pb2.PreparePhotoSettingsResponse(preparation=preparation)
    server.answers["PreparePhotoSettings"] = [answer]
    assert client.prepare_photos("sessions/a", []) is prepared


def test_a_button_is_tracked_with_the_token_of_its_watcher(served):
    client, server = served
    server.answers["WatchReadiness"] = [photo_service_pb2.WatchReadinessResponse(readiness=99, stream_token="token")]
    watcher = client.readiness("sessions/a")
    with pytest.raises(ValueError, match="read the first item"):
        client.start_tracking("sessions/a", "id", watcher=watcher)
    assert next(watcher) == 99
    assert client.start_tracking("sessions/a", "id", watcher=watcher).name == "UNSPECIFIED"
    assert client.start_tracking("sessions/a", "id") == 0
    assert [request.stream_token for request in server.requests[1:]] == ["token", ""]

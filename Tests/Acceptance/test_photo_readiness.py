"""Readiness, its hints, and captures that a client tracks before it requests them."""

import itertools

import grpc
import pytest

import firstlight
from captures import SMALL, at_once
from firstlight import Readiness
from firstlight.v1 import photo_pb2, photo_service_pb2 as photos_pb2
from support import Collector, call, refused

ALL_FEATURES = {"responsive_capture": True, "fast_capture_prioritization": True}


def test_F2_tracking_counts_before_the_capture(client, ready, unique_id):
    name = ready()
    readiness = Collector(client.readiness(name))
    readiness.wait_for(lambda items: items == [Readiness.READY])
    assert client.start_tracking(name, unique_id) is Readiness.NOT_READY_WAITING_FOR_PROCESSING
    assert client.stop_tracking(name, unique_id) is Readiness.READY
    assert client.start_tracking(name, unique_id) is Readiness.NOT_READY_WAITING_FOR_PROCESSING
    client.photo(name, unique_id=unique_id)
    told = readiness.wait_for(lambda items: items[-1] is Readiness.READY and len(items) > 1)
    assert set(told) == {Readiness.READY, Readiness.NOT_READY_WAITING_FOR_PROCESSING}
    with refused("ALREADY_EXISTS", "SETTINGS_ID_REUSED"):
        client.start_tracking(name, unique_id)
    with refused("INVALID_ARGUMENT"):
        client.start_tracking(name, "")


def test_F2_tracking_ends_with_the_watcher_that_asked_for_it(client, stubs, ready, unique_id):
    name = ready()
    other = Collector(client.readiness(name))
    other.wait_for(lambda items: items == [Readiness.READY])
    stream = stubs.photos.WatchReadiness(photos_pb2.WatchReadinessRequest(session=name))
    token = next(stream).stream_token
    settings = photo_pb2.PhotoSettings(unique_id=unique_id)
    request = photos_pb2.StartTrackingCaptureRequest(session=name, settings=settings, stream_token=token)
    call(stubs.photos.StartTrackingCapture, request)
    other.wait_for(lambda items: items[-1] is Readiness.NOT_READY_WAITING_FOR_PROCESSING)
    stream.cancel()
    other.wait_for(lambda items: items[-1] is Readiness.READY)
    with refused("NOT_FOUND", "STREAM_NOT_FOUND"):
        call(stubs.photos.StartTrackingCapture, request)


def test_F2_the_clients_watcher_takes_its_tracking_along(client, ready, unique_id):
    name = ready()
    other = Collector(client.readiness(name))
    other.wait_for(lambda items: items == [Readiness.READY])
    watcher = client.readiness(name)
    with pytest.raises(ValueError, match="first item"):
        client.start_tracking(name, unique_id, watcher=watcher)
    assert next(watcher) is Readiness.READY
    assert client.start_tracking(name, unique_id, watcher=watcher) is Readiness.NOT_READY_WAITING_FOR_PROCESSING
    watcher.close()
    other.wait_for(lambda items: items[-1] is Readiness.READY and len(items) > 1)
    other.close()


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        ({}, Readiness.NOT_READY_WAITING_FOR_PROCESSING),
        (ALL_FEATURES, Readiness.NOT_READY_MOMENTARILY),
        ({"zero_shutter_lag": False}, Readiness.NOT_READY_WAITING_FOR_CAPTURE),
    ],
    ids=["zero shutter lag", "all features", "none"],
)
def test_F3_readiness_moves_as_the_features_say(client, session, features, expected):
    name = session(start=True, **features)
    client.photo(name)
    readiness = Collector(client.readiness(name))
    # The photo output may still be busy with the first photo when its file has come.
    before = len(readiness.wait_for(lambda items: items and items[-1] is Readiness.READY)) - 1
    at_once(12, lambda _: client.photo(name))
    told = readiness.wait_for(lambda items: items[-1] is Readiness.READY and len(items) > before + 1)[before:]
    allowed = {Readiness.READY, expected}
    if expected is Readiness.NOT_READY_WAITING_FOR_CAPTURE:
        allowed.add(Readiness.NOT_READY_WAITING_FOR_PROCESSING)
    assert expected in told
    assert set(told) <= allowed
    assert all(before is not after for before, after in itertools.pairwise(told))


@pytest.mark.parametrize(
    ("features", "tracked", "hint"),
    [
        ({}, Readiness.NOT_READY_WAITING_FOR_PROCESSING, "SPINNER"),
        (ALL_FEATURES, Readiness.NOT_READY_MOMENTARILY, "UNCHANGED"),
        ({"zero_shutter_lag": False}, Readiness.NOT_READY_WAITING_FOR_CAPTURE, "DIMMED"),
    ],
    ids=["processing", "momentarily", "capture"],
)
def test_F4_hints_say_what_a_button_is_to_look_like(client, stubs, session, unique_id, features, tracked, hint):
    name = session(**SMALL, **features)
    hints = {}

    def read():
        for response in stubs.photos.WatchReadiness(photos_pb2.WatchReadinessRequest(session=name)):
            hints[Readiness(response.readiness)] = response.hint
            yield response

    told = Collector(Stream(read()))
    told.wait_for(len)
    client.start(name)
    client.photo(name)
    client.start_tracking(name, unique_id)
    told.wait_for(lambda items: items[-1].readiness == tracked)
    client.stop_tracking(name, unique_id)
    told.wait_for(lambda items: items[-1].readiness == Readiness.READY)
    assert hints[Readiness.SESSION_NOT_RUNNING] == photos_pb2.CAPTURE_READINESS_HINT_DISABLE_DIMMED
    assert hints[Readiness.READY] == photos_pb2.CAPTURE_READINESS_HINT_ENABLE
    assert photos_pb2.CaptureReadinessHint.Name(hints[tracked]) == f"CAPTURE_READINESS_HINT_DISABLE_{hint}"


class Stream:
    """Wraps a generator of responses so that a Collector can read it."""

    def __init__(self, responses):
        self._responses = responses

    def __iter__(self):
        try:
            yield from self._responses
        except grpc.RpcError as error:
            raise firstlight.FirstlightError.from_rpc_error(error) from error


def test_F1_tracked_captures_show_also_that_nothing_runs(client, session, unique_id):
    name = session(**SMALL)
    assert client.start_tracking(name, unique_id) is Readiness.SESSION_NOT_RUNNING


def test_F2_a_request_that_is_refused_ends_tracking_too(client, stubs, ready, unique_id):
    name = ready()
    assert client.start_tracking(name, unique_id) is not Readiness.READY
    settings = photo_pb2.PhotoSettings(unique_id=unique_id)
    request = photos_pb2.CapturePhotoRequest(session=name, settings=settings, max_message_bytes=1)
    with pytest.raises(grpc.RpcError) as refusal:
        list(stubs.photos.CapturePhoto(request))
    assert refusal.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert next(client.readiness(name)) is Readiness.READY

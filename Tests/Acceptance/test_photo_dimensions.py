"""Photos that are larger than the camera's stream. The session goes on during such a photo."""

import pytest
from google.protobuf import duration_pb2

import firstlight
from captures import check_events
from firstlight import Exposure, Quality
from firstlight.drill.v1 import fault_injection_service_pb2 as fault_pb2, fault_injection_service_pb2_grpc as fault_grpc
from firstlight.v1 import (
    photo_pb2,
    photo_service_pb2 as photos_pb2,
    preview_service_pb2 as preview_pb2,
    types_pb2,
)
from support import SYNTHETIC, Collector, call, capabilities, changed, refused, take, timecode, watching

SMALL = {"pixel_format": "NV12", "size": (320, 180), "frame_rate": 30}
LARGE = (1280, 720)


def configured(client, name, most=LARGE, **features):
    """Commits a configuration with a small format whose photos may be larger."""
    wanted = firstlight.configuration(SYNTHETIC[0], **SMALL, **features)
    if most:
        wanted.photo.max_photo_dimensions.CopyFrom(types_pb2.Size(width=most[0], height=most[1]))
    return client.configure(name, wanted)


@pytest.fixture
def running(client, session):
    """A running session with small frames and large photos."""
    name = session(configure=False)
    configured(client, name)
    client.start(name)
    client.photo(name)
    return name


def sizes(session):
    return [(size.width, size.height) for size in capabilities(session).supported_max_photo_dimensions]


def test_B6_a_camera_that_stalls_meanwhile_gets_its_stream_back(own_daemon):
    with firstlight.connect(own_daemon("--enable-fault-injection").address, timeout=9) as client:
        stub = fault_grpc.FaultInjectionServiceStub(client.channel)
        name = client.create_session().name
        configured(client, name)
        client.start(name)
        client.photo(name)
        stall = fault_pb2.StallFault(duration=duration_pb2.Duration(seconds=6))
        with client.preview(name, max_size=(320, 180)) as preview:
            seen = next(preview)
            call(stub.InjectFault, fault_pb2.InjectFaultRequest(device=SYNTHETIC[0], stall=stall))
            with refused("ABORTED", "OPERATION_INTERRUPTED"):
                client.photo(name, size=LARGE)
            after = next(frame for frame in preview if frame.stream_id != seen.stream_id)
            assert (after.width, after.height) == (320, 180)


def test_B6_what_photos_may_measure_is_told(client, session):
    name = session(configure=False)
    told = configured(client, name, most=None)
    assert sizes(told) == [(320, 180), (640, 360), (1280, 720), (1920, 1080), (3840, 2160)]
    photo = told.resolved_configuration.photo
    assert (photo.max_photo_dimensions.width, photo.max_photo_dimensions.height) == (320, 180)
    with refused("FAILED_PRECONDITION", "NOT_SUPPORTED_IN_CONFIGURATION"):
        configured(client, name, most=(1000, 1000))


@pytest.mark.parametrize("size", [(640, 360), LARGE])
def test_B6_each_size_is_delivered_and_the_preview_goes_on(client, running, size):
    before = client.session(running)
    with client.preview(running, max_size=(320, 180)) as preview:
        seen = take(preview, 3)[-1]
        photo = client.photo(running, size=size, quality=Quality.SPEED)
        assert (photo.width, photo.height) == size
        assert photo.luma().shape == size[::-1]
        assert photo.phases.capture_begin_ns > seen.monotonic_time_ns
        assert list(photo.phases) == sorted(photo.phases)
        assert timecode(photo).sequence == photo.sequence
        assert photo.stream_id != seen.stream_id
        assert not photo.zero_shutter_lag_used
        after = next(frame for frame in preview if frame.stream_id > photo.stream_id)
        assert (after.width, after.height) == (320, 180)
        assert timecode(after).sequence == after.sequence
        assert after.dropped.discontinuity > 0
    now = client.session(running)
    assert (now.etag, now.state) == (before.etag, before.state)
    # The ring works again.
    assert client.photo(running).zero_shutter_lag_used


def test_B6_the_largest_size_is_delivered(client, session):
    name = session(configure=False)
    largest = sizes(configured(client, name, most=None))[-1]
    assert largest == (3840, 2160)
    configured(client, name, most=largest)
    client.start(name)
    photo = client.photo(name, size=largest, quality=Quality.SPEED)
    assert (photo.width, photo.height) == largest
    assert photo.luma().shape == largest[::-1]
    assert timecode(photo).sequence == photo.sequence
    # The ring works again.
    assert client.photo(name).zero_shutter_lag_used


def test_B6_the_gap_is_announced(client, stubs, running):
    events = watching(client, running)
    request = preview_pb2.StreamPreviewRequest(session=running)
    responses = Collector(firstlight.Stream(stubs.previews.StreamPreview(request), lambda response: response))
    responses.wait_for(lambda items: any(item.HasField("frame") for item in items))
    photo = client.photo(running, size=LARGE, quality=Quality.SPEED)
    told = responses.wait_for(lambda items: items[-1].HasField("frame") and items[-1].frame.stream_id > photo.stream_id)
    responses.close()
    assert not any(item.frame.stream_id == photo.stream_id for item in told if item.HasField("frame"))
    gap = [(item.status.taking_still, item.status.previewing) for item in told if item.HasField("status")]
    assert gap[0] == (False, True)
    assert gap[-2:] == [(True, False), (False, True)]
    events.wait_for(lambda items: any(changed(event) == "still_capture_finished" for event in items))
    kinds = [changed(event) for event in events.close()]
    assert kinds.index("still_capture_started") < kinds.index("still_capture_finished")
    assert not {"STATE_STOPPED", "STATE_INTERRUPTED", "configuration_committed"} & set(kinds)


def test_B6_a_size_the_output_does_not_take_is_refused(client, running):
    for size in [(1920, 1080), (1000, 1000), (160, 90)]:
        with refused("INVALID_ARGUMENT", "UNSUPPORTED_VALUE") as refusal:
            client.photo(running, size=size)
        assert "1280" in refusal.error.metadata["allowed"]


def test_B6_the_size_of_the_stream_is_no_interruption(client, running):
    with client.preview(running, max_size=(320, 180)) as preview:
        seen = take(preview, 2)[-1]
        photo = client.photo(running, size=(320, 180), of=seen)
        assert photo.zero_shutter_lag_used
        assert photo.stream_id == seen.stream_id
        assert next(preview).stream_id == seen.stream_id


def test_B6_settings_tell_and_go_with_brackets_and_thumbnails(client, stubs, running, unique_id):
    settings = photo_pb2.PhotoSettings(unique_id=unique_id, bracket=[Exposure(bias=b).bracketed() for b in (-1, 1)])
    settings.max_photo_dimensions.width, settings.max_photo_dimensions.height = LARGE
    settings.embedded_thumbnail_dimensions.width = settings.embedded_thumbnail_dimensions.height = 128
    request = photos_pb2.CapturePhotoRequest(session=running, settings=settings)
    events = [response.event for response in stubs.photos.CapturePhoto(request)]
    check_events(events)
    resolved = events[0].resolved_settings
    assert (resolved.size.width, resolved.size.height) == LARGE
    assert resolved.embedded_thumbnail_dimensions.width == 128
    photos = [
        event.did_finish_processing_photo.photo for event in events if event.HasField("did_finish_processing_photo")
    ]
    assert [(photo.width, photo.height) for photo in photos] == [LARGE] * 2
    assert photos[0].stream_id == photos[1].stream_id

"""A camera that is unplugged in the middle of an operation. The daemon reports it as gone, nothing hangs, and the
session goes on when the camera is back.
"""

from contextlib import contextmanager

import grpc
import pytest

from client import (
    PATIENCE,
    assert_every_gap_is_counted,
    configuration,
    error_info,
    frames_until,
    next_frame,
    status_error_info,
)
from firstlight.v1 import (
    control_pb2,
    device_service_pb2 as device,
    photo_pb2,
    photo_service_pb2 as photos_pb2,
    photo_shot_pb2 as shot_pb2,
    session_pb2,
    types_pb2 as types,
)
from test_controls import set_controls
from test_faults import assert_was_interrupted

JPEG = types.ENCODING_JPEG
UNAVAILABLE = grpc.StatusCode.UNAVAILABLE
#: The reasons of errors. While the kernel has not missed the camera, the error is that of the unanswered request. Later
#: it is that the camera is gone.
GONE = {"DEVICE_DISCONNECTED", "DEVICE_NOT_RESPONDING"}


@contextmanager
def fails_as_unplugged(reasons=GONE):
    """Expects the call inside to fail with an error that says that the camera is not there."""
    with pytest.raises(grpc.RpcError) as failure:
        yield
    assert failure.value.code() is UNAVAILABLE, failure.value.details()
    assert error_info(failure.value).reason in reasons


def assert_starts(client, name, webcam):
    """Checks that the session starts and shows pictures once the daemon has the camera again."""
    webcam.device(client)
    with client.stream_preview(name, JPEG) as preview:
        client.start(name)
        frames = [next_frame(preview) for _ in range(3)]
    assert_every_gap_is_counted(frames)
    assert client.state(name) == session_pb2.Session.STATE_RUNNING


@contextmanager
def running(client, webcam):
    """A running session with a preview. After the body has unplugged the camera, checks that everything comes back by
    itself.
    """
    camera = webcam.device(client).name
    with (
        client.open_session(camera, pixel_format="MJPG", start=False) as name,
        client.watch_session(name) as events,
        client.stream_preview(name, JPEG) as preview,
    ):
        client.start(name)
        before = next_frame(preview)
        yield name, camera
        assert_comes_back(client, webcam, name, events, preview, before)
        assert webcam.device(client).name == camera


def assert_comes_back(client, webcam, name, events, preview, before):
    """Checks that the session was interrupted, and that it resumes once the camera is plugged in."""
    assert_was_interrupted(events)
    webcam.plug()
    ended = events.until(lambda message: message.event.HasField("interruption_ended"))[-1].event
    first = frames_until(preview, lambda frame: frame.stream_id == ended.interruption_ended.stream_id)[-1]
    assert first.stream_id > before.stream_id
    assert first.dropped.discontinuity >= 1
    assert_every_gap_is_counted([first, next_frame(preview), next_frame(preview)])
    assert client.state(name) == session_pb2.Session.STATE_RUNNING


def resized(camera):
    """The configuration of a camera with another size."""
    wanted = configuration(camera, "MJPG")
    wanted.inputs[0].format.height = 480
    return wanted


def test_A12_a_running_preview_is_interrupted_and_resumes_by_itself(client, webcam):
    with (
        running(client, webcam) as (name, _),
        client.watch_session(name) as events,
        client.watch_devices() as devices,
    ):
        # The present cameras come first. After them the daemon reports the cameras that go. The state of the session
        # comes first, too.
        devices.next()
        events.next()
        with webcam.unplugging("frame 5"):
            pass
        told = devices.until(lambda message: message.event.kind == device.DeviceEvent.KIND_DISCONNECTED)[-1].event
        assert told.device.location == webcam.location
        events.until(lambda message: message.event.HasField("was_interrupted"))
        assert client.state(name) == session_pb2.Session.STATE_INTERRUPTED
        with pytest.raises(grpc.RpcError) as failure:
            client.capture(name)
        assert error_info(failure.value).reason == "SESSION_NOT_RUNNING"


def test_A12_it_comes_back_again_and_again_however_soon_it_goes(client, webcam):
    camera = webcam.device(client).name
    with (
        client.open_session(camera, pixel_format="MJPG") as name,
        client.watch_session(name) as events,
        client.stream_preview(name, JPEG) as preview,
    ):
        for number in (9, 0, 1):
            before = next_frame(preview)
            with webcam.unplugging(f"frame {before.sequence + number}"):
                pass
            assert_comes_back(client, webcam, name, events, preview, before)


# Opening a sleeping camera that is gone fails with EBUSY.
@pytest.mark.parametrize(("point", "reasons"), [("open", GONE | {"DEVICE_IN_USE"}), ("probe", GONE), ("commit", GONE)])
def test_unplugged_inside_a_start(client, webcam, point, reasons):
    camera = webcam.device(client).name
    with client.open_session(camera, pixel_format="MJPG", start=False) as name:
        if point == "open":
            webcam.let_sleep()
        with webcam.unplugging(point), fails_as_unplugged(reasons):
            client.start(name)
        assert client.state(name) == session_pb2.Session.STATE_STOPPED
        webcam.plug()
        assert_starts(client, name, webcam)


def test_unplugged_inside_a_commit(client, webcam):
    camera = webcam.device(client).name
    with client.open_session(camera, pixel_format="MJPG", start=False) as name:
        with webcam.unplugging("probe"), fails_as_unplugged():
            client.configure(name, resized(camera))
        webcam.plug()
        webcam.device(client)
        client.configure(name, resized(camera))
        assert_starts(client, name, webcam)


@pytest.mark.parametrize("point", ["probe", "commit"])
def test_unplugged_inside_a_commit_of_a_running_session(client, webcam, point):
    with (
        running(client, webcam) as (name, camera),
        webcam.unplugging(point),
        fails_as_unplugged(),
    ):
        client.configure(name, resized(camera))


def test_unplugged_inside_set_controls(client, webcam):
    with running(client, webcam) as (name, camera):
        with webcam.unplugging("set gain"):
            settings = [("brightness", 100), ("gain", 7), ("brightness", 90)]
            results = set_controls(client, camera, settings, session=name)
        assert results[0].outcome == control_pb2.ControlResult.OUTCOME_SET
        for result in results[1:]:
            assert result.error.code == UNAVAILABLE.value[0], result.error.message
            assert status_error_info(result.error).reason in GONE


def photo_request(name, **settings):
    """The request for a photo of one frame."""
    speed = photo_pb2.PHOTO_QUALITY_PRIORITIZATION_SPEED
    return photos_pb2.CapturePhotoRequest(
        session=name, settings=photo_pb2.PhotoSettings(quality_prioritization=speed, **settings)
    )


def own_exposure():
    """An exposure for which the daemon must set the camera."""
    exposure = shot_pb2.ManualExposure()
    exposure.exposure_duration.FromMilliseconds(5)
    return exposure


def assert_failed_as_unplugged(event):
    """Checks that the last event of a capture has an error that is not the daemon's fault."""
    error = event.did_finish_capture.error
    assert error.code in (UNAVAILABLE.value[0], grpc.StatusCode.ABORTED.value[0]), error
    assert status_error_info(error).reason in GONE | {"OPERATION_INTERRUPTED"}


@pytest.mark.parametrize("point", ["set exposure-mode", "set exposure"])
def test_unplugged_while_it_is_set_for_a_photo(client, webcam, point):
    with running(client, webcam) as (name, _), webcam.unplugging(point):
        request = photo_request(name, manual_exposure=own_exposure())
        *_, last = client.photos.CapturePhoto(request, timeout=PATIENCE)
        assert_failed_as_unplugged(last.event)


def test_unplugged_while_a_photo_with_its_own_exposure_is_awaited(client, webcam):
    with running(client, webcam) as (name, _):
        webcam.stall()
        request = photo_request(name, manual_exposure=own_exposure())
        with client.stream(client.photos.CapturePhoto(request)) as events:
            assert events.next().event.HasField("will_begin_capture")
            webcam.unplug()
            told = events.until(lambda message: message.event.HasField("did_finish_capture"))
        assert_failed_as_unplugged(told[-1].event)
        webcam.resume()


def test_unplugged_inside_a_photo_larger_than_the_stream(client, webcam):
    with running(client, webcam) as (name, camera):
        wanted = configuration(camera, "MJPG")
        wanted.photo.max_photo_dimensions.CopyFrom(types.Size(width=1280, height=720))
        client.configure(name, wanted)
        with webcam.unplugging("probe"):
            request = photo_request(name, max_photo_dimensions=types.Size(width=1280, height=720))
            *_, last = client.photos.CapturePhoto(request, timeout=PATIENCE)
            assert_failed_as_unplugged(last.event)

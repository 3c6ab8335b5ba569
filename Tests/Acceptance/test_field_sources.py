"""What people report of cameras whose source changes, as that of grabbers and loopback devices does, must not happen
here. The ids in the names are those of `docs/field-log.md`.
"""

from collections.abc import Iterator

import pytest

import firstlight
from firstlight.v1 import session_pb2
from http_rpc import HTTPEndpoint
from odd_cameras import DEVICE, snapshot, started, yuyv
from preloaded_cameras import PreloadedCameras
from support import changed, refused, wait_until


def sizes_of(frames: Iterator[firstlight.Frame], wanted: tuple[int, int]) -> None:
    """Reads frames until they have a size."""
    next(frame for frame in frames if (frame.width, frame.height) == wanted)


SMALL, LARGE = (320, 240), (640, 480)


def pause(client: firstlight.Client, cameras: PreloadedCameras, session: str) -> None:
    """Lets the camera bring no frames, until its session is interrupted."""
    cameras.pause()
    wait_until(lambda: client.session(session).state == session_pb2.Session.STATE_INTERRUPTED, seconds=20)


@pytest.mark.timeout(90)
def test_field_B1_a_session_whose_format_is_open_goes_on_in_the_new_size(odd_camera):
    endpoint, client, _ = odd_camera.serve("YUYV", SMALL, 30, yuyv(SMALL))
    session = started(client)
    with client.preview(session) as preview:
        sizes_of(preview, SMALL)
        pause(client, odd_camera.cameras, session)
        odd_camera.change_source(LARGE)
        sizes_of(preview, LARGE)
        assert snapshot(endpoint).size == LARGE
        # And back again.
        pause(client, odd_camera.cameras, session)
        odd_camera.change_source(SMALL)
        sizes_of(preview, SMALL)
    (camera,) = client.devices()
    assert {(each.size.width, each.size.height) for each in camera.formats} == {SMALL}


@pytest.mark.timeout(90)
def test_field_B1_a_continuous_recording_goes_on_in_the_new_size(odd_camera, tmp_path):
    declared = f"sessions: {{door: {{inputs: [{{device: {DEVICE}}}], movie: {{}}, record: {{segment-duration: 3}}}}}}"
    endpoint, client, _ = odd_camera.serve("YUYV", SMALL, 30, yuyv(SMALL), sessions=declared)

    def recorded(size: tuple[int, int]) -> bool:
        return any((each.size.width, each.size.height) == size for each in client.recordings("sessions/door"))

    wait_until(lambda: recorded(SMALL), seconds=20)
    odd_camera.cameras.pause()
    wait_until(lambda: endpoint.ask("GET", "/readyz")[0].status == 503, seconds=20)
    odd_camera.change_source(LARGE)
    wait_until(lambda: recorded(LARGE), seconds=40)
    assert endpoint.ask("GET", "/readyz")[0].status == 200


@pytest.mark.timeout(90)
def test_field_B1_a_session_that_names_its_format_waits_for_it(odd_camera):
    _, client, _ = odd_camera.serve("YUYV", SMALL, 30, yuyv(SMALL))
    session = started(client, pixel_format="YUYV", size=SMALL)
    with client.preview(session) as preview, client.watch_session(session) as events:
        sizes_of(preview, SMALL)
        pause(client, odd_camera.cameras, session)
        odd_camera.change_source(LARGE)
        next(event for event in events if changed(event) == "was_interrupted" and "it offers" in str(event))
        assert client.session(session).state == session_pb2.Session.STATE_INTERRUPTED
        odd_camera.cameras.pause()
        odd_camera.change_source(SMALL)
        sizes_of(preview, SMALL)
        assert client.session(session).state == session_pb2.Session.STATE_RUNNING


def with_signal(odd_camera, **served: str) -> tuple[firstlight.Client, HTTPEndpoint]:
    """Starts a daemon that sees a grabber with an HDMI input, at which a source sends the small size."""
    odd_camera.cameras.add_mode("YUYV", LARGE, 30, [yuyv(LARGE)])
    odd_camera.cameras.set_signal(SMALL)
    endpoint, client, _ = odd_camera.serve("YUYV", SMALL, 30, yuyv(SMALL), **served)
    return client, endpoint


def sizes_listed(client: firstlight.Client) -> set[tuple[int, int]]:
    """The sizes that the daemon lists of the camera."""
    (camera,) = client.devices()
    return {(each.size.width, each.size.height) for each in camera.formats}


@pytest.mark.timeout(60)
def test_field_B1_a_source_that_tells_of_its_new_size_is_followed(odd_camera):
    client, endpoint = with_signal(odd_camera)
    # The driver was set to the large size.
    assert sizes_listed(client) == {SMALL}
    session = started(client)
    with client.preview(session) as preview, client.watch_session(session) as events:
        for size in (SMALL, LARGE, SMALL):
            odd_camera.cameras.set_signal(size)
            sizes_of(preview, size)
        # The camera brought frames of the former size all the time, so that only the event told of the other one.
        next(event for event in events if changed(event) == "was_interrupted" and "has changed" in str(event))
    wait_until(lambda: client.session(session).state == session_pb2.Session.STATE_RUNNING, seconds=20)
    assert snapshot(endpoint).size == SMALL


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("signal", "text"), [("ENOLINK", "no signal"), ("ENOLCK", "not stable"), ("ERANGE", "cannot capture")]
)
def test_field_B1_a_signal_that_goes_is_the_reason_until_it_returns(odd_camera, signal, text):
    client, _ = with_signal(odd_camera)
    session = started(client)
    with client.preview(session) as preview, client.watch_session(session) as events:
        sizes_of(preview, SMALL)
        odd_camera.cameras.set_signal(signal)
        told = next(str(event) for event in events if changed(event) == "was_interrupted")
        assert text in told
        assert "NO_SIGNAL" in told
        assert client.session(session).state == session_pb2.Session.STATE_INTERRUPTED
        odd_camera.cameras.set_signal(LARGE)
        sizes_of(preview, LARGE)
        assert client.session(session).state == session_pb2.Session.STATE_RUNNING


@pytest.mark.timeout(60)
def test_field_B1_a_session_that_names_its_format_waits_for_that_signal(odd_camera):
    client, _ = with_signal(odd_camera)
    session = started(client, pixel_format="YUYV", size=SMALL)
    with client.preview(session) as preview, client.watch_session(session) as events:
        sizes_of(preview, SMALL)
        odd_camera.cameras.set_signal(LARGE)
        next(event for event in events if changed(event) == "was_interrupted" and "YUYV at 320x240" in str(event))
        odd_camera.cameras.set_signal(SMALL)
        sizes_of(preview, SMALL)


@pytest.mark.timeout(60)
def test_field_B1_a_camera_without_a_signal_is_listed_and_a_start_says_why(odd_camera):
    odd_camera.cameras.set_signal("ENOLINK")
    declared = f"sessions: {{door: {{inputs: [{{device: {DEVICE}}}], preview: {{}}}}}}"
    endpoint, client, _ = odd_camera.serve("YUYV", SMALL, 30, yuyv(SMALL), sessions=declared)
    assert sizes_listed(client) == {SMALL}
    assert client.session("sessions/door").state == session_pb2.Session.STATE_INTERRUPTED
    with refused("UNAVAILABLE", "NO_SIGNAL"):
        client.start("sessions/door")
    odd_camera.cameras.set_signal(SMALL)
    wait_until(lambda: client.session("sessions/door").state == session_pb2.Session.STATE_RUNNING, seconds=20)
    assert snapshot(endpoint, "session=door").size == SMALL

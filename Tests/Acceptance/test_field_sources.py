"""What people report of cameras whose source changes, as that of grabbers and loopback devices does, must not happen
here. The ids in the names are those of `docs/field-log.md`.
"""

from collections.abc import Iterator

import pytest

import firstlight
from firstlight.v1 import session_pb2
from odd_cameras import DEVICE, snapshot, started, yuyv
from preloaded_cameras import PreloadedCameras
from support import changed, wait_until


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

"""Sessions on demand: the device of a camera is open while somebody watches, and at no other time."""

import pytest

from client import guest, next_frame
from daemons import own_daemon
from firstlight.v1 import session_pb2, types_pb2 as types
from machine import other_program, other_program_gets_a_frame

DOOR = "sessions/door"
FILE = """
sessions:
  door:
    start: on-demand
    idle-timeout: 1
    inputs:
      - device: {camera}
        format: {{pixel_format: YUYV, width: 640, height: 360}}
    preview: {{}}
"""


def until_state(events, state: int) -> None:
    """Waits until the session has changed to a state."""
    events.until(lambda message: message.event.state_changed.session_state == state)


@pytest.mark.bare
def test_the_device_is_open_for_viewers_alone(client, tmp_path):
    file = tmp_path / "firstlight.yaml"
    file.write_text(FILE.format(camera=client.cameras()[0].name))
    with own_daemon(tmp_path, "--synthetic", "0", "--config", file) as daemon, daemon.watch_session(DOOR) as events:
        assert daemon.state(DOOR) == session_pb2.Session.STATE_STOPPED
        for _ in range(2):
            assert other_program_gets_a_frame(0)
            with daemon.stream_preview(DOOR) as stream:
                next_frame(stream)
                assert not other_program_gets_a_frame(0)
            until_state(events, session_pb2.Session.STATE_STOPPED)
        assert other_program_gets_a_frame(0)


def test_a_viewer_of_a_camera_that_another_program_has_waits_for_it(client, tmp_path):
    file = tmp_path / "firstlight.yaml"
    file.write_text(FILE.format(camera=client.cameras()[0].name))
    with (
        own_daemon(tmp_path, "--synthetic", "0", "--config", file) as daemon,
        daemon.watch_session(DOOR) as events,
        other_program(0) as leave,
        daemon.stream_preview(DOOR) as stream,
    ):
        until_state(events, session_pb2.Session.STATE_INTERRUPTED)
        leave()
        next_frame(stream)


def test_a_viewer_of_the_default_session_gets_the_first_camera_that_comes(tmp_path):
    guest("camera", "unbind")
    with (
        own_daemon(tmp_path, "--synthetic", "0") as daemon,
        daemon.stream_preview("sessions/default", types.ENCODING_JPEG) as stream,
    ):
        assert stream.next().status.session_state == session_pb2.Session.STATE_STOPPED
        guest("camera", "bind")
        assert next_frame(stream).data

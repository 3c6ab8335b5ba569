"""Sessions of the configuration file, which exist before the first call."""

import pytest

import firstlight
from firstlight.v1 import preview_service_pb2 as preview_pb2, session_pb2, types_pb2
from support import Stubs, call, changed, refused_start, timecode, watching


@pytest.fixture
def with_file(own_daemon, tmp_path):
    """Starts a daemon with a configuration file and gives a client of this daemon."""
    clients = []

    def start(text, *arguments):
        path = tmp_path / "firstlight.yaml"
        path.write_text(text)
        daemon = own_daemon("--config", str(path), *arguments)
        clients.append(firstlight.connect(daemon.address, timeout=8))
        return clients[-1]

    yield start
    for client in clients:
        client.close()


def test_a_configuration_file_may_set_nothing(with_file):
    assert len(with_file("").devices()) >= 2


DOOR = """
sessions:
  door:
    inputs:
      - device: devices/synthetic-0
        format: {pixel_format: NV12, width: 320, height: 180}
        frame_rate_override: {numerator: 30, denominator: 1}
    preview: {}
    photo: {zeroShutterLagWindow: 1s}
"""


def test_a_declared_session_runs_without_a_caller(with_file):
    client = with_file(DOOR)
    frame = next(client.preview("sessions/door", pixel_format="NV12"))
    assert (frame.width, frame.height) == (320, 180)
    assert timecode(frame).sequence == frame.sequence
    session = client.session("sessions/door")
    assert session.state == session_pb2.Session.STATE_RUNNING
    assert session.configuration.photo.zero_shutter_lag_window.seconds == 1
    timeline = client.launch_timeline("sessions/door")
    assert timeline.HasField("process_start_ns")
    assert timeline.HasField("server_ready_ns")


def test_a_declared_session_waits_for_its_camera_with_its_outputs(with_file):
    absent = DOOR.replace("synthetic-0", "usb-1234-5678-door")
    client = with_file(absent)
    told = watching(client, "sessions/door")
    items = told.wait_for(
        lambda items: (
            any(event.snapshot.state == session_pb2.Session.STATE_INTERRUPTED for event in items)
            or any(changed(event) == "STATE_INTERRUPTED" for event in items)
        )
    )
    assert items
    session = client.session("sessions/door")
    assert session.interruption_reason == types_pb2.INTERRUPTION_REASON_DEVICE_DISCONNECTED
    assert session.configuration.inputs[0].device == "devices/usb-1234-5678-door"
    first = call(
        Stubs(client.channel).previews.StreamPreview, preview_pb2.StreamPreviewRequest(session="sessions/door")
    )
    assert first.status.session_state == session_pb2.Session.STATE_INTERRUPTED
    client.stop("sessions/door")
    told.close()


def test_a_declared_session_starts_when_its_camera_is_free(with_file):
    two = DOOR + DOOR.replace("sessions:", "").replace("door", "yard")
    client = with_file(two)
    names = ("sessions/door", "sessions/yard")

    def state(name):
        return client.session(name).state

    collectors = [watching(client, name) for name in names]
    for collector in collectors:
        collector.wait_for(
            lambda items: any(
                (event.snapshot.state if changed(event) == "snapshot" else event.state_changed.session_state)
                in (session_pb2.Session.STATE_RUNNING, session_pb2.Session.STATE_INTERRUPTED)
                for event in items
                if changed(event) == "snapshot" or changed(event).startswith("STATE_")
            )
        )
    running = next(name for name in names if state(name) == session_pb2.Session.STATE_RUNNING)
    waiting = next(name for name in names if name != running)
    assert client.session(waiting).interruption_reason == types_pb2.INTERRUPTION_REASON_DEVICE_IN_USE
    client.stop(running)
    collectors[names.index(waiting)].wait_for(
        lambda items: any(changed(event) == "interruption_ended" for event in items)
    )
    assert next(client.preview(waiting)).width == 320
    for collector in collectors:
        collector.close()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (DOOR.replace("320", "wide"), "sessions.door.inputs[0].format.width"),
        (DOOR.replace("320", "321"), "sessions.door.inputs[0].format"),
    ],
)
def test_a_session_that_can_never_run_is_named_and_the_daemon_does_not_start(binary, tmp_path, text, named):
    path = tmp_path / "firstlight.yaml"
    path.write_text(text)
    assert named in refused_start(binary, path)

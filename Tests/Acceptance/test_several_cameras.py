"""Several cameras in one session. The timecode board of a picture shows which camera took it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

import firstlight
from camera_sets import (
    CAMERAS,
    SMALL,
    State,
    cameras,
    check_steady,
    configured,
    input_changes,
    reading,
    started,
    states,
)
from conftest import StartDaemon
from faults import REPLUG, UNPLUG, inject, stall
from firstlight import camera_input, connection, video_data_output
from firstlight.v1 import (
    device_service_pb2 as device_pb2,
    session_configuration_pb2 as configuration_pb2,
    session_service_pb2 as session_service_pb2,
    types_pb2,
)
from support import Stubs, call, changed, refused, timecode, wait_until, watching

# Some of the tests watch for seconds.
pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def client(own_daemon: StartDaemon) -> Iterator[firstlight.Client]:
    """A client of a daemon with nine cameras."""
    daemon = own_daemon("--synthetic", "9", "--enable-fault-injection")
    with firstlight.connect(daemon.address) as client:
        yield client


@pytest.mark.parametrize("count", [2, 4])
def test_L1_each_camera_streams_to_its_own_output(client, count):
    name = started(client, configured(cameras(count)))
    assert states(client, name) == {f"cam-{number}": State.STATE_RUNNING for number in range(count)}
    with reading(client, name, *range(count)) as readers:
        for number, reader in readers.items():
            check_steady(reader.wait_for(lambda frames: len(frames) >= 20), number)
    session = client.session(name)
    assert session.resolved_configuration.preset == configuration_pb2.SESSION_PRESET_INPUT_PRIORITY
    assert client.stop(name).state == State.STATE_STOPPED
    assert set(states(client, name).values()) == {State.STATE_STOPPED}


@pytest.mark.alone  # Pictures of 1080p of four cameras take most of a small machine.
@pytest.mark.parametrize("count", [2, 4])
def test_L1_cameras_of_1080p30_stream_side_by_side(client, count):
    inputs = cameras(count, size=(1920, 1080))
    wanted = configured(inputs)
    for output in wanted.video_data:
        # Each of four cameras has memory for eight such frames, and keeps half of them for itself. When a second frame
        # of a slow reader waits, it may be refused for lack of memory; with one, the reader is just late.
        output.max_queue_depth = 1
    name = started(client, wanted)
    with reading(client, name, *range(count)) as readers:
        for number, reader in readers.items():
            frames = reader.wait_for(lambda frames: len(frames) >= 20)
            assert {(frame.width, frame.height) for frame in frames} == {(1920, 1080)}
            # Also checks that none is missing for lack of memory.
            check_steady(frames, number)
            first, last = frames[0], frames[-1]
            period = (last.monotonic_time_ns - first.monotonic_time_ns) / (last.sequence - first.sequence)
            assert period == pytest.approx(1e9 / 30, rel=1e-6)


def test_L1_inputs_have_defaults_and_every_output_takes_the_first_camera(client):
    wanted = firstlight.configuration(inputs=[camera_input(CAMERAS[1]), camera_input(CAMERAS[0])])
    session = client.create_session(configuration=wanted, start=True)
    assert [input.id for input in session.resolved_configuration.inputs] == ["camera", "camera-2"]
    formats = [input.format for input in session.resolved_configuration.inputs]
    assert [(format.width, format.height) for format in formats] == [(1920, 1080)] * 2
    assert {connection.input for connection in session.resolved_configuration.connections} == {"camera"}
    with client.preview(session.name) as preview:
        frame = next(preview)
    assert (frame.input, timecode(frame).camera) == ("camera", 1)
    assert states(client, session.name) == {"camera": State.STATE_RUNNING, "camera-2": State.STATE_STOPPED}
    photo = client.photo(session.name)
    assert timecode(photo).camera == 1


def test_L1_a_photo_shows_the_camera_that_the_photo_output_has(client):
    wanted = firstlight.configuration(
        inputs=cameras(2),
        connections=[connection("preview", input="cam-0"), connection("photo", input="cam-1")],
    )
    name = started(client, wanted)
    for _ in range(2):
        photo = client.photo(name)
        assert timecode(photo) == (photo.sequence, photo.capture_time_ns, 1)
    del wanted.connections[1]
    wanted.connections.append(connection("photo", input="cam-0"))
    client.configure(name, wanted)
    photo = client.photo(name)
    assert timecode(photo) == (photo.sequence, photo.capture_time_ns, 0)
    assert states(client, name)["cam-1"] == State.STATE_STOPPED


def test_L1_a_camera_without_an_enabled_connection_is_closed_and_the_others_lose_nothing(client):
    inputs = cameras(2)
    name = started(client, configured(inputs))
    events = watching(client, name)
    with reading(client, name, 0, 1) as readers:
        readers[1].wait_for(len)
        answer = client.configure(name, configured(inputs, disabled=["1"]))
        assert states(client, name) == {"cam-0": State.STATE_RUNNING, "cam-1": State.STATE_STOPPED}
        device = call(Stubs(client.channel).devices.GetDevice, device_pb2.GetDeviceRequest(name=CAMERAS[1])).device
        assert device.session == name, "the session keeps the camera"
        other = client.create_session(configuration=firstlight.configuration(CAMERAS[1])).name
        with refused("UNAVAILABLE", "DEVICE_IN_USE"):
            client.start(other)
        seen = len(readers[1].wait_for(len))
        readers[0].wait_for(lambda frames: frames and frames[-1].config_revision == answer.config_revision)
        client.configure(name, configured(inputs))
        # Frames from before may still be on their way.
        again = readers[1].wait_for(lambda frames: len({frame.stream_id for frame in frames[seen - 1 :]}) == 2)
        assert states(client, name) == {"cam-0": State.STATE_RUNNING, "cam-1": State.STATE_RUNNING}
        assert len({frame.stream_id for frame in again}) == 2, "the camera was closed"
        frames = readers[0].wait_for(lambda frames: len(frames) >= 100)
        check_steady(frames, 0)
        assert len({frame.config_revision for frame in frames}) >= 2
    told = events.wait_for(lambda told: ("cam-1", State.STATE_RUNNING) in input_changes(told))
    assert input_changes(told) == [("cam-1", State.STATE_STOPPED), ("cam-1", State.STATE_RUNNING)]
    assert not any(changed(event).startswith("STATE_") for event in told)


@pytest.mark.alone  # Each frame counts, and a busy machine loses some.
@pytest.mark.parametrize("by_cable", [False, True], ids=["commit", "cable"])
@pytest.mark.parametrize("total", [200, pytest.param(600, marks=pytest.mark.slow)])
def test_L1_frames_have_no_gap_while_the_other_camera_comes_and_goes(client, by_cable, total):
    inputs = cameras(2)
    name = started(client, configured(inputs))

    events = watching(client, name)

    def lose(is_lost):
        if by_cable:
            inject(client, UNPLUG if is_lost else REPLUG, CAMERAS[1])
            wanted = ("cam-1", State.STATE_INTERRUPTED if is_lost else State.STATE_RUNNING)
            events.wait_for(lambda told: input_changes(told)[-1:] == [wanted])
        else:
            client.configure(name, configured(inputs, disabled=["1"] if is_lost else []))

    # A camera that is plugged in again opens within half a second.
    step = 50 if by_cable else 10
    with reading(client, name, 0) as readers:
        for count, is_lost in zip(range(step, total + 1, step), itertools.cycle([True, False]), strict=False):
            readers[0].wait_for(lambda frames, count=count: len(frames) >= count)
            lose(is_lost)
        frames = readers[0].close()
    check_steady(frames, 0)
    # Nothing else is busy, so the camera leaves no frame out.
    assert not any(frame.dropped.discontinuity for frame in frames)


@pytest.mark.parametrize("fault", ["unplug", "stall"])
def test_L1_an_interruption_is_that_of_one_camera(client, fault):
    name = started(client, configured(cameras(3)))
    events = watching(client, name)
    with reading(client, name, 0, 1, 2) as readers:
        for reader in readers.values():
            reader.wait_for(len)
        inject(client, UNPLUG if fault == "unplug" else stall(6), CAMERAS[1])
        told = events.wait_for(lambda events: "was_interrupted" in map(changed, events), timeout=20)
        assert [event.was_interrupted.input for event in told if changed(event) == "was_interrupted"] == ["cam-1"]
        wait_until(lambda: states(client, name)["cam-1"] == State.STATE_INTERRUPTED)
        session = client.session(name)
        assert session.state == State.STATE_RUNNING
        assert [status.interruption_reason for status in session.input_status] == [
            types_pb2.INTERRUPTION_REASON_UNSPECIFIED,
            types_pb2.INTERRUPTION_REASON_DEVICE_DISCONNECTED
            if fault == "unplug"
            else types_pb2.INTERRUPTION_REASON_DEVICE_STALLED,
            types_pb2.INTERRUPTION_REASON_UNSPECIFIED,
        ]
        if fault == "unplug":
            inject(client, REPLUG, CAMERAS[1])
        told = events.wait_for(lambda events: "interruption_ended" in map(changed, events), timeout=30)
        assert [event.interruption_ended.input for event in told if changed(event) == "interruption_ended"] == ["cam-1"]
        readers[1].wait_for(lambda frames: len({frame.stream_id for frame in frames}) >= 2)
        wait_until(lambda: states(client, name)["cam-1"] == State.STATE_RUNNING)
        for number in (0, 2):
            check_steady(readers[number].close(), number)
    assert not any(changed(event).startswith("STATE_") for event in events.close())


def test_L1_the_session_is_interrupted_when_every_camera_is(client):
    name = started(client, configured(cameras(2)))
    events = watching(client, name)
    for number in (1, 0):
        assert client.session(name).state == State.STATE_RUNNING
        inject(client, UNPLUG, CAMERAS[number])
        wait_until(lambda number=number: states(client, name)[f"cam-{number}"] == State.STATE_INTERRUPTED)
    assert client.session(name).state == State.STATE_INTERRUPTED
    inject(client, REPLUG, CAMERAS[0])
    wait_until(lambda: client.session(name).state == State.STATE_RUNNING)
    assert states(client, name)["cam-1"] == State.STATE_INTERRUPTED
    told = events.wait_for(lambda told: "STATE_RUNNING" in map(changed, told))
    assert [each for each in map(changed, told) if each.startswith("STATE_")] == ["STATE_INTERRUPTED", "STATE_RUNNING"]


def test_L1_a_commit_whose_third_camera_refuses_costs_the_others_nothing(client):
    name = started(client, configured(cameras(2)))
    holder = client.create_session(configuration=firstlight.configuration(CAMERAS[2]), start=True).name
    with reading(client, name, 0, 1) as readers:
        for reader in readers.values():
            reader.wait_for(len)
        before = client.session(name)
        changes = {
            "DEVICE_IN_USE": configured(cameras(3)),
            "DEVICE_NOT_FOUND": configured([*cameras(2), camera_input("devices/nothing", id="cam-2")]),
            "FORMAT_NOT_SUPPORTED": configured([*cameras(2), *cameras(3, size=(322, 182))[2:]]),
        }
        for reason, wanted in changes.items():
            # The commit also changes the first two, so that it would show if it had touched them.
            wanted.inputs[0].frame_rate_override.numerator = 15
            with pytest.raises(firstlight.FirstlightError) as raised:
                client.configure(name, wanted)
            assert raised.value.reason == reason
            assert client.session(name).SerializeToString() == before.SerializeToString()
        client.delete_session(holder)
        inject(client, UNPLUG, CAMERAS[2])
        with pytest.raises(firstlight.FirstlightError):
            client.configure(name, configured(cameras(3)))
        assert client.session(name).SerializeToString() == before.SerializeToString()
        for number, reader in readers.items():
            reader.wait_for(lambda frames: len(frames) >= 60)
            check_steady(reader.close(), number)


def test_L1_removing_the_first_camera_leaves_the_others_alone(client):
    inputs = cameras(3)
    name = started(client, configured(inputs))
    events = watching(client, name)
    with reading(client, name, 1, 2) as readers:
        for reader in readers.values():
            reader.wait_for(len)
        client.configure(name, configured(inputs[1:]))
        assert list(states(client, name)) == ["cam-1", "cam-2"]
        free = client.create_session(configuration=firstlight.configuration(CAMERAS[0]), start=True).name
        client.delete_session(free)
        # Another order of the same cameras changes nothing, and a camera that is added leaves the others alone too.
        client.configure(name, configured([inputs[2], inputs[1]]))
        client.configure(name, configured([inputs[0], inputs[2], inputs[1]]))
        with reading(client, name, 0) as added:
            check_steady(added[0].wait_for(lambda frames: len(frames) >= 5), 0)
        for number, reader in readers.items():
            reader.wait_for(lambda frames: frames[-1].config_revision >= 4 and len(frames) >= 30)
            check_steady(reader.close(), number)
    assert not {"stream_changed", "reconfiguration_started"} & set(map(changed, events.close()))


def test_A16_a_swap_of_one_camera_leaves_the_other_alone(client):
    inputs = cameras(2)
    name = started(client, configured(inputs))
    swapped = configured([inputs[0], camera_input(CAMERAS[5], id="cam-1", **SMALL)])
    with reading(client, name, 0, 1) as readers:
        readers[1].wait_for(lambda frames: len(frames) >= 5)
        revision = client.configure(name, swapped).config_revision
        frames = readers[1].wait_for(lambda frames: len([f for f in frames if f.config_revision >= revision]) >= 5)
        assert {timecode(frame).camera for frame in frames if frame.config_revision >= revision} == {5}
        numbers = [timecode(frame).camera for frame in frames]
        assert numbers == sorted(numbers), "no frame of the old camera comes after one of the new camera"
        check_steady(readers[0].close(), 0)


def test_A16_an_output_moves_to_another_camera_that_runs(client):
    inputs = cameras(2)

    def wired(camera):
        wanted = firstlight.configuration(
            inputs=inputs,
            photo=False,
            video_data=[video_data_output("data-0", queue_depth=32), video_data_output("data-1", queue_depth=32)],
            connections=[
                connection("preview", input=f"cam-{camera}"),
                connection("data-0", input="cam-0"),
                connection("data-1", input="cam-1"),
            ],
        )
        wanted.preview.SetInParent()
        return wanted

    name = started(client, wired(0))
    with reading(client, name, 0, 1) as readers, client.preview(name) as preview:
        for camera in (0, 1, 0, 1):
            client.configure(name, wired(camera))
            # The revision of a frame says under which commit it was captured.
            revision = client.session(name).config_revision
            frame = next(frame for frame in preview if frame.config_revision >= revision)
            assert timecode(frame).camera == camera
        for number, reader in readers.items():
            check_steady(reader.close(), number)

"""Several cameras of a session open side by side or later, and what they cost together."""

from __future__ import annotations

import time
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
    reading,
    started,
    states,
)
from conftest import StartDaemon
from faults import inject, slow_start
from firstlight import camera_input, connection, video_data_output
from firstlight.v1 import (
    preview_service_pb2 as preview_pb2,
    session_pb2,
    session_service_pb2 as session_service_pb2,
)
from movies import begin, ended
from support import Stubs, changed, refused, timecode, wait_until, watching

# Some of the tests watch for seconds.
pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def client(own_daemon: StartDaemon) -> Iterator[firstlight.Client]:
    """A client of a daemon with nine cameras."""
    daemon = own_daemon("--synthetic", "9", "--enable-fault-injection")
    with firstlight.connect(daemon.address) as client:
        yield client


def test_L1_cameras_open_side_by_side(client):
    for number in range(4):
        inject(client, slow_start(1), CAMERAS[number])
    name = started(client, configured(cameras(4)))
    timeline = client.launch_timeline(name)
    assert [camera.input for camera in timeline.camera_timelines] == [f"cam-{number}" for number in range(4)]
    begins = [camera.init_begin_ns for camera in timeline.camera_timelines]
    ends = [camera.init_end_ns for camera in timeline.camera_timelines]
    assert max(begins) < min(ends), "each camera begins to open before the first one is open"
    assert timeline.start_returned_ns >= max(ends)
    with reading(client, name, *range(4)) as readers:
        for reader in readers.values():
            reader.wait_for(len)
    wait_until(lambda: all(c.first_frame_captured_ns for c in client.launch_timeline(name).camera_timelines))


def test_L1_a_camera_that_a_commit_asks_for_has_a_launch_of_its_own(client):
    inputs = cameras(2)
    swapped = [inputs[0], camera_input(CAMERAS[5], id="cam-1", **SMALL)]
    name = started(client, configured(inputs[:1]))

    def launches():
        return {camera.input: camera for camera in client.launch_timeline(name).camera_timelines}

    wait_until(lambda: launches()["cam-0"].first_frame_captured_ns)
    first = launches()["cam-0"]
    assert first.start_requested_ns == client.launch_timeline(name).start_requested_ns
    inject(client, slow_start(0.5), CAMERAS[1])
    streams = {first.stream_id}
    for wanted in (configured(inputs), configured(swapped), configured(swapped)):
        asked = time.monotonic_ns()
        client.configure(name, wanted)
        answered = time.monotonic_ns()
        wait_until(lambda asked=asked: launches()["cam-1"].first_frame_captured_ns > asked)
        launch = launches()["cam-1"]
        times = [asked, launch.start_requested_ns, launch.init_begin_ns, launch.init_end_ns, answered]
        assert times == sorted(times)
        assert launch.init_end_ns - launch.init_begin_ns >= (5e8 if wanted.inputs[1].device == CAMERAS[1] else 0)
        assert launch.stream_id not in streams
        streams.add(launch.stream_id)
        assert launches()["cam-0"] == first
        client.configure(name, configured(swapped, disabled=["1"]))
    client.configure(name, configured(inputs[:1]))
    assert launches() == {"cam-0": first}


def test_L1_the_first_preview_frame_waits_for_its_own_camera_only(client):
    inject(client, slow_start(3), CAMERAS[1])
    wanted = configured(cameras(2))
    wanted.preview.SetInParent()
    wanted.connections.append(connection("preview", input="cam-0"))
    name = client.create_session(configuration=wanted).name
    stub = Stubs(client.channel).sessions
    pending = stub.StartSession.future(session_service_pb2.StartSessionRequest(name=name))
    with client.preview(name) as preview:
        assert timecode(next(preview)).camera == 0
        assert not pending.done(), "the other camera opens still"
    assert pending.result().session.state == State.STATE_RUNNING


def test_L1_a_start_whose_camera_refuses_closes_the_others(client):
    holder = client.create_session(configuration=firstlight.configuration(CAMERAS[1]), start=True).name
    name = client.create_session(configuration=configured(cameras(3))).name
    events = watching(client, name)
    with refused("UNAVAILABLE", "DEVICE_IN_USE"):
        client.start(name)
    assert set(states(client, name).values()) == {State.STATE_STOPPED}
    assert client.session(name).state == State.STATE_STOPPED
    told = events.wait_for(lambda told: "STATE_STOPPED" in map(changed, told))
    assert [each for each in map(changed, told) if each.startswith("STATE_")] == ["STATE_STARTING", "STATE_STOPPED"]
    client.create_session(configuration=firstlight.configuration(CAMERAS[0]), start=True)
    client.delete_session(holder)
    assert not any(status.HasField("error") for status in client.session(name).input_status)


def test_C_a_deferred_camera_opens_with_deferred_start(client):
    inputs = cameras(2)
    inputs[1].deferred_start_enabled = True
    wanted = configured(inputs)
    wanted.automatically_runs_deferred_start = False
    name = started(client, wanted)
    assert states(client, name) == {"cam-0": State.STATE_RUNNING, "cam-1": State.STATE_STOPPED}
    with reading(client, name, 0, 1) as readers:
        readers[0].wait_for(lambda frames: len(frames) >= 10)
        client.run_deferred_start(name)
        check_steady(readers[1].wait_for(lambda frames: len(frames) >= 5), 1)
        assert states(client, name)["cam-1"] == State.STATE_RUNNING
        client.stop(name)
        client.start(name)
        assert states(client, name) == {"cam-0": State.STATE_RUNNING, "cam-1": State.STATE_STOPPED}
        wanted.automatically_runs_deferred_start = True
        client.stop(name)
        client.configure(name, wanted)
        client.start(name)
        seen = len(readers[1].wait_for(len))
        readers[1].wait_for(lambda frames: len(frames) >= seen + 5)
        timelines = {camera.input: camera for camera in client.launch_timeline(name).camera_timelines}
        assert timelines["cam-1"].init_begin_ns > timelines["cam-0"].first_frame_captured_ns


@pytest.mark.parametrize("capture", ["photo", "recording"])
def test_fault_F10_a_capture_opens_the_camera_that_waits_for_deferred_start(client, capture):
    inputs = cameras(2)
    inputs[1].deferred_start_enabled = True
    wanted = firstlight.configuration(
        inputs=inputs,
        movie=firstlight.movie_output(),
        automatic_deferred_start=False,
        connections=[connection(output, input="cam-1") for output in ("preview", "photo", "movie")],
    )
    # Nothing of the output itself waits for deferred start.
    wanted.photo.deferred_start_enabled = False
    wanted.video_data.append(video_data_output("data-0"))
    wanted.connections.append(connection("data-0", input="cam-0"))
    name = started(client, wanted)
    for _ in range(2):
        stream = Stubs(client.channel).previews.StreamPreview(preview_pb2.StreamPreviewRequest(session=name))
        status = next(stream).status
        assert (status.session_state, status.previewing) == (State.STATE_RUNNING, False)
        stream.cancel()
        assert states(client, name)["cam-1"] == State.STATE_STOPPED
        if capture == "photo":
            assert timecode(client.photo(name)).camera == 1
        else:
            events, recording = begin(client, name)
            client.stop_recording(recording)
            ended(events)
        assert states(client, name)["cam-1"] == State.STATE_RUNNING
        client.stop(name)
        client.start(name)


def test_L3_cameras_on_one_bus_share_its_cost(own_daemon: StartDaemon) -> None:
    daemon = own_daemon("--synthetic", "3", "--synthetic-usb-megabits", "480")
    with firstlight.connect(daemon.address) as client:

        def costs(count):
            inputs = cameras(count, size=(1280, 720), pixel_format="NV12")
            session = client.create_session(configuration=configured(inputs))
            usb = [
                part
                for part in session.cost_components
                if part.resource == session_pb2.CostComponent.RESOURCE_USB_BANDWIDTH
            ]
            return session, usb

        (one, alone), (two, both) = costs(1), costs(2)
        assert len(alone) == len(both) == 1
        assert alone[0].capacity == both[0].capacity
        assert both[0].demand == 2 * alone[0].demand
        assert two.hardware_cost == 2 * one.hardware_cost > 1 > one.hardware_cost
        assert two.system_pressure_cost >= one.system_pressure_cost
        for name in ("synthetic-0", "synthetic-1"):
            assert name in both[0].description
        client.start(one.name)
        client.stop(one.name)
        with refused("FAILED_PRECONDITION", "HARDWARE_COST_EXCEEDED") as refusal:
            client.start(two.name)
        assert refusal.error.metadata["bus"] == "0"
        assert refusal.error.metadata["sharing"] == "synthetic-0, synthetic-1"
        # A camera whose connection is disabled takes nothing of the bus.
        client.configure(two.name, configured(cameras(2, size=(1280, 720)), disabled=["1"]))
        assert client.start(two.name).hardware_cost == one.hardware_cost
        client.stop(two.name)
        wanted = configured(cameras(3, size=(1280, 720)))
        client.configure(two.name, wanted)
        reductions = client.suggest_lower_cost(two.name)
        assert reductions[-1].hardware_cost <= 1
        assert {reduction.field.split(".")[1] for reduction in reductions} <= {f"inputs[{n}]" for n in range(3)}
        client.configure(two.name, reductions[-1].configuration)
        assert client.start(two.name).state == State.STATE_RUNNING

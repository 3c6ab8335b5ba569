"""Compositions: pictures that the daemon puts together from those of a session's cameras.

The timecode board in each rectangle of a composed picture shows which frame of which camera is there.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator

import numpy as np
import pytest

import firstlight
from camera_sets import CAMERAS, State, started, states
from compositions import INSET, PERIOD_NS, SIZE, WHOLE, check, configured, picture_in_picture, shown
from conftest import StartDaemon
from faults import REPLUG, UNPLUG, inject
from firstlight import layer
from firstlight.v1 import (
    types_pb2,
)
from support import Collector, changed, take, timecode, wait_until, watching


@pytest.fixture
def client(own_daemon: StartDaemon) -> Iterator[firstlight.Client]:
    """A client of a daemon with two cameras."""
    daemon = own_daemon("--synthetic", "2", "--enable-fault-injection")
    with firstlight.connect(daemon.address) as client:
        yield client


def test_L1_each_layer_shows_the_frame_that_its_source_names(client):
    name = started(client, configured())
    assert states(client, name) == dict.fromkeys(["cam-0", "cam-1", "both"], State.STATE_RUNNING)
    with client.video_data(name, "data") as stream:
        frames = [frame for frame in take(stream, 40) if all(source.stream_id for source in frame.sources)]
    assert len(frames) >= 20
    for frame in frames:
        assert (frame.input, frame.width, frame.height, frame.pixel_format) == ("both", *SIZE, "NV12")
        check(frame, WHOLE, INSET)
        if not frame.sources[1].stale:
            apart = abs(frame.sources[1].monotonic_time_ns - frame.monotonic_time_ns)
            # Half a period as the daemon measures it.
            assert apart <= 0.6 * PERIOD_NS
    assert sum(not frame.sources[1].stale for frame in frames) > len(frames) // 2
    assert len({frame.stream_id for frame in frames}) == 1
    assert {frame.stream_id for frame in frames}.isdisjoint(source.stream_id for source in frames[0].sources)


def test_L1_a_layer_may_be_mirrored(client):
    layers = picture_in_picture()
    layers[1].mirrored = True
    name = started(client, configured(layers))
    with client.video_data(name, "data") as stream:
        frame = next(frame for frame in stream if frame.sources[1].stream_id)
    left, top, width, height = INSET
    inset = frame.luma()[top : top + height, left : left + width]
    source = frame.sources[1]
    assert firstlight.timecode.decode(np.fliplr(inset)) == (source.sequence, source.capture_time_ns, 1)


def test_L1_a_swap_of_the_layers_restarts_nothing(client):
    name = started(client, configured())
    events = watching(client, name)
    reader = Collector(client.video_data(name, "data"))
    reader.wait_for(lambda frames: len(frames) >= 5)
    revision = client.configure(name, configured(picture_in_picture(is_swapped=True))).config_revision
    returned = time.monotonic_ns()
    frames = reader.wait_for(lambda frames: len([f for f in frames if f.config_revision >= revision]) >= 10)
    former = [frame for frame in frames if frame.config_revision < revision]
    assert sum(frame.monotonic_time_ns > returned for frame in former) <= 2, "the swap comes within two frames"
    for frame in frames:
        # The second camera may bring its first frame later than the first one.
        if frame.sources[1].stream_id:
            check(frame, *((INSET, WHOLE) if frame.config_revision >= revision else (WHOLE, INSET)))
        assert timecode(frame).camera in (0, 1), "no picture has some of both"
    assert len({frame.stream_id for frame in frames}) == 1
    for before, after in itertools.pairwise(reader.close()):
        assert after.sequence == before.sequence + 1 + sum(after.dropped)
    told = {changed(event) for event in events.close()}
    assert not {"stream_changed", "reconfiguration_started", "was_interrupted"} & told


def test_L1_another_first_layer_is_another_clock(client):
    name = started(client, configured())
    reader = Collector(client.video_data(name, "data"))
    reader.wait_for(lambda frames: len(frames) >= 5)
    revision = client.configure(name, configured(picture_in_picture("cam-1", "cam-0"))).config_revision
    frames = reader.wait_for(lambda frames: len([f for f in frames if f.config_revision >= revision]) >= 10)
    last = frames[-1]
    assert [source.input for source in last.sources] == ["cam-1", "cam-0"]
    assert last.sequence == last.sources[0].sequence
    assert shown(last, WHOLE) == (last.sequence, last.capture_time_ns, 1)
    assert len({frame.stream_id for frame in reader.close()}) == 2
    assert states(client, name)["both"] == State.STATE_RUNNING


def test_L1_an_unplugged_partner_is_shown_as_it_was_and_said(client):
    name = started(client, configured())
    reader = Collector(client.video_data(name, "data"))
    reader.wait_for(lambda frames: len(frames) >= 5 and frames[-1].sources[1].stream_id)
    inject(client, UNPLUG, CAMERAS[1])
    frames = reader.wait_for(lambda frames: len(frames) >= 20 and all(f.sources[1].stale for f in frames[-10:]))
    assert len({frame.sources[1] for frame in frames[-10:]}) == 1, "the layer stands still"
    for frame in frames[-10:]:
        check(frame, WHOLE, INSET)
        assert not frame.sources[0].stale
    assert states(client, name) == {
        "cam-0": State.STATE_RUNNING,
        "cam-1": State.STATE_INTERRUPTED,
        "both": State.STATE_RUNNING,
    }
    revision = client.configure(name, configured(picture_in_picture(is_swapped=True))).config_revision
    frames = reader.wait_for(lambda frames: len([f for f in frames if f.config_revision >= revision]) >= 5)
    check(frames[-1], INSET, WHOLE)
    inject(client, REPLUG, CAMERAS[1])
    former = frames[-1].sources[1].stream_id
    reader.wait_for(lambda frames: frames[-1].sources[1].stream_id != former)
    assert len({frame.stream_id for frame in reader.close()}) == 1


def test_L1_without_its_first_layer_a_composition_is_interrupted_alone(client):
    name = started(client, configured())
    events = watching(client, name)
    reader = Collector(client.video_data(name, "data"))
    reader.wait_for(lambda frames: len(frames) >= 5)
    inject(client, UNPLUG, CAMERAS[0])
    wait_until(lambda: states(client, name)["both"] == State.STATE_INTERRUPTED)
    session = client.session(name)
    assert session.state == State.STATE_RUNNING, "the other camera runs"
    (status,) = (status for status in session.input_status if status.input == "both")
    assert status.interruption_reason == types_pb2.INTERRUPTION_REASON_DEVICE_STALLED
    assert not status.device
    seen = len(reader.wait_for(len))
    inject(client, REPLUG, CAMERAS[0])
    frames = reader.wait_for(lambda frames: len(frames) >= seen + 5)
    check(frames[-1], WHOLE, INSET)
    wait_until(lambda: states(client, name)["both"] == State.STATE_RUNNING)
    reader.close()
    told = [event for event in events.close() if changed(event) == "was_interrupted"]
    assert [event.was_interrupted.input for event in told] == ["cam-0", "both"]


def test_L1_a_camera_runs_as_long_as_a_connected_composition_shows_it(client):
    name = started(client, configured())
    client.configure(name, configured(enabled=False))
    assert set(states(client, name).values()) == {State.STATE_STOPPED}
    alone = configured([layer("cam-1", WHOLE)])
    client.configure(name, alone)
    assert states(client, name) == {
        "cam-0": State.STATE_STOPPED,
        "cam-1": State.STATE_RUNNING,
        "both": State.STATE_RUNNING,
    }
    with client.video_data(name, "data") as stream:
        assert next(timecode(frame).camera for frame in stream if frame.sources[0].input == "cam-1") == 1
    client.configure(name, configured())
    assert set(states(client, name).values()) == {State.STATE_RUNNING}


def test_L1_a_commit_may_change_the_size_of_a_composition(client):
    name = started(client, configured())
    events = watching(client, name)
    wanted = configured([layer("cam-0", (0, 0, 320, 180)), layer("cam-1", (320, 0, 320, 180))])
    wanted.inputs[2].composition.height = 180
    with client.video_data(name, "data") as stream:
        next(stream)
        client.configure(name, wanted)
        frame = next(frame for frame in stream if frame.height == 180 and frame.sources[1].stream_id)
    check(frame, (0, 0, 320, 180), (320, 0, 320, 180))
    events.wait_for(lambda told: "stream_changed" in map(changed, told))
    told = [event for event in events.close() if changed(event) == "stream_changed"]
    assert {event.stream_changed.input for event in told} == {"both"}, "the cameras go on"

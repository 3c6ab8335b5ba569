"""The metrics tell of each camera of a session by itself."""

from __future__ import annotations

import pytest

import firstlight
from camera_sets import CAMERAS, State, cameras, configured, reading, started, states
from faults import UNPLUG, inject
from firstlight import camera_input
from firstlight.drill.v1 import fault_injection_service_pb2 as fault_pb2
from support import TIMEOUT, wait_until

pytestmark = pytest.mark.timeout(30)

#: The frames of a camera that were lost, by their reason.
LOST = "firstlight_input_frames_lost_total"


def test_L1_the_metrics_tell_which_camera_lost_frames(endpoint):
    endpoint = endpoint("--synthetic", "3")
    with firstlight.connect(endpoint.daemon.address, timeout=TIMEOUT) as client:
        inputs = cameras(2)
        name = started(client, configured(inputs))
        with reading(client, name, 0, 1) as readers:
            for reader in readers.values():
                reader.wait_for(len)
            inject(client, {"corrupt": fault_pb2.CorruptFault(frames=3)}, CAMERAS[1])
            readers[1].wait_for(lambda frames: sum(frame.dropped.damaged for frame in frames) == 3)
            page = endpoint.scrape()
            for input, lost in (("cam-0", 0), ("cam-1", 3)):
                labels = {"session": name, "input": input}
                assert page("firstlight_input_frames_total", **labels) >= 1
                assert page("firstlight_session_pictures_damaged_total", **labels) == lost
                assert page(LOST, **labels, reason="damaged") == lost
                assert page(LOST, **labels, reason="late") == page(LOST, **labels, reason="out_of_buffers") == 0
                assert page("firstlight_session_adaptation_steps", **labels) == 0
                assert page("firstlight_input_state", **labels, state="running") == 1
            inject(client, UNPLUG, CAMERAS[1])
            wait_until(lambda: states(client, name)["cam-1"] == State.STATE_INTERRUPTED)
            page = endpoint.scrape()
            assert page("firstlight_session_state", session=name, state="running") == 1
            for input, gone in (("cam-0", 0), ("cam-1", 1)):
                labels = {"session": name, "input": input}
                assert page("firstlight_input_interrupted", **labels, reason="device_disconnected") == gone
                assert page("firstlight_input_state", **labels, state="running") == 1 - gone
            # Another input has counts of its own, although it takes the place of the former one.
            client.configure(name, configured([inputs[0], camera_input(CAMERAS[2], id="cam-2")]))
            page = endpoint.scrape()
            assert page(LOST, session=name, input="cam-2", reason="damaged") == 0
            with pytest.raises(KeyError):
                page(LOST, session=name, input="cam-1", reason="damaged")

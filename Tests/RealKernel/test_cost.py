"""The cost of a configuration with a real driver's camera."""

import pytest

from client import PATIENCE, frames_until, next_frame
from daemons import own_daemon
from firstlight.v1 import session_pb2, session_service_pb2 as sessions_pb2
from machine import CORE, measured

pytestmark = pytest.mark.bare

Resource = session_pb2.CostComponent.Resource


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """A client of a daemon that need not wait until the machine rests to know its costs."""
    folder = tmp_path_factory.mktemp("cost")
    with own_daemon(folder, "--synthetic", "0", *measured(folder)) as daemon:
        yield daemon


def configure(client, name: str, rate: int) -> session_pb2.Session:
    """Sets the frame rate of a session's camera and leaves the rest of the configuration."""
    request = sessions_pb2.GetSessionRequest(name=name)
    wanted = client.sessions.GetSession(request, timeout=PATIENCE).session.configuration
    wanted.inputs[0].frame_rate_override.numerator = rate
    wanted.inputs[0].frame_rate_override.denominator = 1
    request = sessions_pb2.ConfigureSessionRequest(name=name, configuration=wanted)
    return client.sessions.ConfigureSession(request, timeout=PATIENCE).session


def test_E1_a_camera_that_is_not_on_usb_costs_memory_and_encoding(client):
    with client.open_session(client.cameras()[0].name, start=False) as name:
        session = configure(client, name, 30)
    parts = {part.resource: part for part in session.cost_components}
    assert set(parts) == {Resource.RESOURCE_MEMORY_BANDWIDTH, Resource.RESOURCE_ENCODING}
    assert parts[Resource.RESOURCE_MEMORY_BANDWIDTH].demand == 640 * 360 * 2 * 30
    assert {part.certainty for part in parts.values()} == {session_pb2.CostComponent.CERTAINTY_ESTIMATED}
    assert parts[Resource.RESOURCE_MEMORY_BANDWIDTH].cost == pytest.approx(640 * 360 * 2 * 30 / CORE["copiedBytes"])
    assert session.hardware_cost == parts[Resource.RESOURCE_ENCODING].cost > 0
    assert session.system_pressure_cost > 0


def test_B3_an_override_lowers_the_cost_and_the_drivers_rate(client):
    costs = {}
    with client.open_session(client.cameras()[0].name, start=False) as name:
        for rate in (30, 15):
            costs[rate] = configure(client, name, rate).hardware_cost
            client.start(name)
            with client.stream_preview(name) as stream:
                first = next_frame(stream)
                last = frames_until(stream, lambda frame, until=first.sequence + rate: frame.sequence >= until)[-1]
            client.stop(name)
            seconds = (last.monotonic_time_ns - first.monotonic_time_ns) / 1e9
            # The tolerance is wide, because the guest's machine is emulated, and vivid stamps a frame when its thread
            # runs.
            assert (last.sequence - first.sequence) / seconds == pytest.approx(rate, rel=0.1)
    assert costs[15] == pytest.approx(costs[30] / 2)

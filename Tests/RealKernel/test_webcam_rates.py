"""The frame rate of a USB camera: the rates that its descriptors offer, those that uvcvideo confirms, and the frames
that come.
"""

import re
import subprocess

import grpc
import pytest

from client import PATIENCE, error_info, frames_until, next_frame
from firstlight.v1 import session_configuration_pb2 as configuration_pb2, session_pb2, types_pb2 as types

OFFERED = "30, 15, 5"
Resource = session_pb2.CostComponent.Resource


def rated(camera, numerator=None, denominator=1, **format):
    """A configuration with this rate. The format is the camera's JPEG of 640 by 360 unless given otherwise."""
    format = {"pixel_format": "MJPG", "width": 640, "height": 360} | format
    wanted = configuration_pb2.SessionConfiguration(
        inputs=[configuration_pb2.SessionInput(device=camera, format=configuration_pb2.StreamFormat(**format))],
        preview=configuration_pb2.PreviewOutput(),
    )
    if numerator is not None:
        wanted.inputs[0].frame_rate_override.CopyFrom(types.Rational(numerator=numerator, denominator=denominator))
    return wanted


def resolved(session):
    rate = session.resolved_configuration.inputs[0].frame_rate_override
    return rate.numerator / rate.denominator


def drivers_rate(node):
    """The frame rate that uvcvideo reports."""
    command = ["v4l2-ctl", "-d", node, "--get-parm"]
    told = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout
    return float(re.search(r"Frames per second: ([\d.]+)", told)[1])


def streamed(client, name, webcam):
    """How many pictures and how many seconds are between two frames of a running session, by the driver, and by how
    many pictures the camera fell behind, as it may on an emulated machine.
    """
    late = webcam.status["late"]
    with client.stream_preview(name, types.ENCODING_JPEG) as stream:
        first = next_frame(stream)
        last = frames_until(stream, lambda frame: frame.sequence >= first.sequence + 20)[-1]
    late = webcam.status["late"] - late
    return last.sequence - first.sequence, (last.monotonic_time_ns - first.monotonic_time_ns) / 1e9, late


@pytest.mark.parametrize("rate", [(60, 1), (29, 1), (31, 1), (20, 1), (4, 1), (1, 100), (303, 10)])
def test_B3_a_rate_that_is_not_offered_is_refused_with_those_that_are(client, webcam, rate):
    camera = webcam.device(client).name
    with client.open_session(camera, pixel_format="MJPG", start=False) as name:
        with pytest.raises(grpc.RpcError) as failure:
            client.configure(name, rated(camera, *rate))
        assert failure.value.code() == grpc.StatusCode.FAILED_PRECONDITION
        info = error_info(failure.value)
        assert info.reason == "FORMAT_NOT_SUPPORTED"
        assert info.metadata["frame_rates"] == OFFERED
        assert OFFERED in failure.value.details()


@pytest.mark.parametrize(("rate", "offered"), [((15, 1), 15), ((149, 10), 15), ((2997, 100), 30), ((5, 1), 5)])
def test_B3_what_is_resolved_is_what_the_driver_confirmed(client, webcam, rate, offered):
    camera = webcam.device(client).name
    with client.open_session(camera, pixel_format="MJPG", start=False) as name:
        committed = client.configure(name, rated(camera, *rate)).session
        assert resolved(committed) == pytest.approx(offered, rel=1e-4)
        started = client.start(name)
        assert resolved(started) == pytest.approx(drivers_rate(webcam.node), rel=1e-3)
        assert resolved(started) == pytest.approx(offered, rel=1e-4)
        count, seconds, late = streamed(client, name, webcam)
        assert count / 1.15 <= seconds * resolved(started) <= (count + late) / 0.85
        # A client may send the resolved configuration back, and the commit changes nothing.
        again = client.configure(name, started.resolved_configuration)
        assert not again.reconfigured
        assert resolved(again.session) == resolved(started)


def test_B3_the_cost_of_the_bus_is_that_of_the_confirmed_rate(client, webcams):
    camera = webcams(default_rate=5).device(client).name
    demands = {}
    with client.open_session(camera, pixel_format="MJPG", start=False) as name:
        for rate in (30, 15, None):
            committed = client.configure(name, rated(camera, rate)).session
            started = client.start(name)
            assert resolved(started) == pytest.approx(rate or 30, rel=1e-4), (
                "without an override the rate is the highest one up to 30"
            )
            for session in (committed, started):
                (bus,) = (part for part in session.cost_components if "usb bus" in part.description[:7])
                demands.setdefault(rate, set()).add(round(bus.demand))
            client.stop(name)
    assert {len(told) for told in demands.values()} == {1}
    assert demands[30] == demands[None]
    assert max(demands[30]) > max(demands[15])

"""The frame rate of a camera: which rates it offers, which the daemon refuses, and that frames come at the resolved
rate.
"""

import pytest

import firstlight
from support import SYNTHETIC, refused, take


def rated(rate, **fields):
    return firstlight.configuration(SYNTHETIC[0], frame_rate=rate, **fields)


def resolved(session):
    rate = session.resolved_configuration.inputs[0].frame_rate_override
    return rate.numerator / rate.denominator


@pytest.mark.parametrize("rate", [29, 61, 25, 4.9, 1, 1000])
def test_B3_a_rate_that_is_not_offered_is_refused_with_those_that_are(client, session, rate):
    name = session()
    before = client.session(name)
    with refused("FAILED_PRECONDITION", "FORMAT_NOT_SUPPORTED") as refusal:
        client.configure(name, rated(rate, pixel_format="NV12", size=(640, 360)))
    error = refusal.error
    assert [violation.field for violation in error.violations] == ["configuration.inputs[0].frame_rate_override"]
    assert error.metadata["frame_rates"] == "60, 50, 30, 24, 15, 10, 5"
    assert error.metadata["frame_rates"] in error.message
    assert client.session(name) == before, "a refused commit leaves nothing behind"


@pytest.mark.parametrize(("rate", "offered"), [(29.97, 30), (30.2, 30), (59.94, 60), (5.02, 5)])
def test_B3_a_rate_within_one_percent_is_the_offered_one(client, session, rate, offered):
    name = session()
    configured = client.configure(name, rated(rate, pixel_format="NV12", size=(320, 180)))
    assert resolved(configured) == offered
    client.start(name)
    assert resolved(client.session(name)) == offered
    with client.preview(name) as preview:
        first, *_, last = take(preview, offered)
    period = (last.monotonic_time_ns - first.monotonic_time_ns) / (last.sequence - first.sequence)
    assert period == pytest.approx(1e9 / offered, rel=1e-3), "the driver's stamps"

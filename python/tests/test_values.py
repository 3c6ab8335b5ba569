"""Tests of the values that the client accepts and refuses. No test here reaches a daemon."""

from fractions import Fraction

import numpy as np
import pytest

import firstlight
from firstlight import Exposure, overlays, values
from firstlight.controls import rational
from firstlight.v1 import types_pb2

NOWHERE = "127.0.0.1:1"
NUMPY = [np.int8, np.int64, np.uint8, np.uint64, np.float16, np.float32, np.float64, np.longdouble]


@pytest.fixture
def client():
    """A client without a daemon, because the client refuses values before it sends anything."""
    with firstlight.connect(NOWHERE, timeout=1) as client:
        yield client


@pytest.mark.parametrize("kind", [int, float, Fraction, *NUMPY])
def test_whole_numbers_may_be_of_any_kind(kind):
    for value in (kind(90), np.array(kind(90))) if kind in NUMPY else (kind(90),):
        whole = values.whole("rotation", value)
        assert (whole, type(whole)) == (90, int)


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (90.5, ValueError),
        (np.float32(0.25), ValueError),
        (Fraction(1, 2), ValueError),
        (float("nan"), ValueError),
        (np.float32("inf"), ValueError),
        (-1, ValueError),
        (1 << 32, ValueError),
        (1e300, ValueError),
        pytest.param(10**5000, ValueError, id="a very large number"),
        (True, TypeError),
        (np.bool_(True), TypeError),
        ("90", TypeError),
        (None, TypeError),
        ([90], TypeError),
        (np.array([90]), TypeError),
        (90 + 0j, TypeError),
        (np.timedelta64(90, "s"), TypeError),
    ],
)
def test_what_is_no_whole_number_is_an_error_that_names_the_argument_and_what_it_takes(value, error):
    with pytest.raises(error, match=r"^rotation = .*: it takes a whole number from 0 to 4294967295"):
        values.whole("rotation", value)


def test_what_is_not_given_stays_so():
    assert values.whole_or_none("rotation", None) is None
    assert values.number_or_none("width", None) is None


@pytest.mark.parametrize("value", [0.5, Fraction(1, 2), np.float16(0.5), np.float32(0.5), np.array(0.5)])
def test_numbers_may_be_of_any_kind(value):
    assert values.number("x", value) == 0.5


@pytest.mark.parametrize(
    ("value", "error"),
    [("0.5", TypeError), (None, TypeError), (True, TypeError), (float("nan"), ValueError), (10**400, ValueError)],
    ids=["text", "none", "boolean", "nan", "huge"],
)
def test_what_is_no_number_is_an_error(value, error):
    with pytest.raises(error, match=r"^x = .*: it takes a finite number"):
        values.number("x", value)


@pytest.mark.parametrize(
    ("value", "fraction"),
    [
        (29.97, (2997, 100)),
        (np.float32(29.97), (2997, 100)),
        (30.0, (30, 1)),
        (np.array(30), (30, 1)),
        (Fraction(30000, 1001), (30000, 1001)),
        ((1 << 32) - 1, ((1 << 32) - 1, 1)),
    ],
)
def test_rates_are_the_nearest_fraction(value, fraction):
    assert values.rate("frame_rate", value) == types_pb2.Rational(numerator=fraction[0], denominator=fraction[1])


def test_a_high_rate_has_a_smaller_denominator_rather_than_none():
    told = values.rate("frame_rate", 5000.000001)
    assert told.numerator / told.denominator == pytest.approx(5000.000001, abs=1e-6)


@pytest.mark.parametrize("number", [None, [1], "30", True, {}, 1j, np.timedelta64(1, "s")])
def test_what_is_no_number_is_no_rate(number):
    with pytest.raises(TypeError, match=r"^number = .*: a rate is frames per second"):
        rational(number)


@pytest.mark.parametrize(
    "value", [(640, 480), [640.0, 480.0], np.array([640, 480]), (np.uint16(640), np.float32(480)), iter((640, 480))]
)
def test_a_size_is_a_width_and_a_height(value):
    assert values.size("size", value) == types_pb2.Size(width=640, height=480)


@pytest.mark.parametrize(
    ("value", "error", "takes"),
    [
        ((1,), ValueError, r"size = \(1,\): it takes a width and a height.*not 1 of them"),
        ((1, 2, 3), ValueError, "size = .*: it takes a width and a height"),
        ("ab", TypeError, "size = 'ab': it takes a width and a height"),
        (640, TypeError, "size = 640: it takes a width and a height"),
        (np.array(640), TypeError, "size = .*: it takes a width and a height"),
        ({640, 480}, TypeError, "size = .*: it takes a width and a height"),
        ((640.5, 480), ValueError, r"width of size = 640\.5: it takes a whole number"),
        ((640, None), TypeError, "height of size = None: it takes a whole number"),
        ((640, -1), ValueError, "height of size = -1: it takes a whole number"),
    ],
)
def test_what_is_no_size_is_an_error(value, error, takes):
    with pytest.raises(error, match=f"^{takes}"):
        values.size("size", value)


@pytest.mark.parametrize("seconds", [0.1, np.float32(0.1), Fraction(1, 10)])
def test_durations_are_exact_to_the_nanosecond(seconds):
    assert values.duration("idle_timeout", seconds).ToNanoseconds() == 100_000_000


@pytest.mark.parametrize("instant", [1_700_000_000_000_000_001, np.int64(1_700_000_000_000_000_001), 0, -1])
def test_instants_are_exact_to_the_nanosecond(instant):
    assert values.instant("at_ns", instant).ToNanoseconds() == instant


@pytest.mark.parametrize("value", [3, b"a", None, ["a"]])
def test_what_is_no_text_is_an_error(value):
    with pytest.raises(TypeError, match=r"^device = .*: it takes a string, not "):
        values.text("device", value)


CONFIGURE = firstlight.configuration


@pytest.mark.parametrize("number", [int, float, np.int32, np.float32])
def test_a_configuration_takes_numbers_of_any_kind(number):
    size = (number(640), number(480))
    assert CONFIGURE("a", pixel_format="NV12", size=size, frame_rate=number(30)) == CONFIGURE(
        "a", pixel_format="NV12", size=(640, 480), frame_rate=30
    )
    assert firstlight.connection("preview", rotated=number(90)).video_rotation_angle == 90
    assert firstlight.video_data_output("frames", queue_depth=number(3)).max_queue_depth == 3


def test_a_configurations_rate_may_have_a_fraction():
    (camera,) = CONFIGURE("a", frame_rate=29.97).inputs
    assert camera.frame_rate_override == types_pb2.Rational(numerator=2997, denominator=100)


@pytest.mark.parametrize(
    ("make", "error", "named"),
    [
        (lambda: CONFIGURE(5), TypeError, "device = 5"),
        (lambda: CONFIGURE("a", frame_rate="fast"), TypeError, "frame_rate = 'fast'"),
        (lambda: CONFIGURE("a", frame_rate=float("nan")), ValueError, "frame_rate = nan"),
        (lambda: CONFIGURE("a", pixel_format="NV12", size=(1,)), ValueError, "size = "),
        (lambda: CONFIGURE("a", pixel_format=5, size=(1, 1)), TypeError, "pixel_format = 5"),
        (lambda: CONFIGURE("a", additional_previews="side"), TypeError, "additional_previews = 'side'"),
        (lambda: CONFIGURE("a", additional_previews=["b", 1]), TypeError, r"additional_previews\[1\] = 1"),
        (lambda: firstlight.video_data_output("a", queue_depth=1.5), ValueError, r"queue_depth = 1\.5"),
        (lambda: firstlight.connection("a", rotated="left"), TypeError, "rotated = 'left'"),
        (lambda: firstlight.connect(5), TypeError, "address = 5"),
        (lambda: firstlight.connect(NOWHERE, timeout="long"), TypeError, "timeout = 'long'"),
        (lambda: overlays.text(5), TypeError, "text = 5"),
        (lambda: overlays.text("a", color=1 << 32), ValueError, "color = 4294967296"),
        (lambda: overlays.text("a", x=float("nan")), ValueError, "x = nan"),
        (lambda: overlays.box(0, 0, None, 1), TypeError, "width = None"),
        (lambda: overlays.box(0, 0, 1, 1, label="\ud800"), ValueError, "label = "),
        (lambda: overlays.image(b"", width="wide"), TypeError, "width = 'wide'"),
        (lambda: overlays.image([1]), TypeError, r"picture = \[1\]"),
    ],
)
def test_what_cannot_be_made_is_an_error_that_names_the_argument(make, error, named):
    with pytest.raises(error, match=f"^{named}.*: "):
        make()


@pytest.mark.parametrize(
    ("call", "error", "named"),
    [
        (lambda c: c.photo("a", jpeg_quality=90.5), ValueError, r"jpeg_quality = 90\.5"),
        (lambda c: c.photo("a", heic_quality="high"), TypeError, "heic_quality = 'high'"),
        (lambda c: c.photo("a", size=(1,)), ValueError, "size = "),
        (lambda c: c.photo("a", thumbnail=160), TypeError, "thumbnail = 160"),
        (lambda c: c.photo("a", at_ns=1.5), ValueError, r"at_ns = 1\.5"),
        (lambda c: c.photo("a", unique_id=5), TypeError, "unique_id = 5"),
        (lambda c: c.photo("a", exposure=0.01), TypeError, r"exposure = 0\.01"),
        (lambda c: c.photo("a", exposure=Exposure(seconds=float("inf"))), ValueError, "seconds = inf"),
        (lambda c: c.bracket("a", [Exposure(seconds=float("nan"))]), ValueError, "seconds = nan"),
        (lambda c: c.bracket("a", [Exposure(bias=float("nan"))]), ValueError, "bias = nan"),
        (lambda c: c.bracket("a", [Exposure(gain=1.5)]), ValueError, r"gain = 1\.5"),
        (lambda c: c.bracket("a", [1]), TypeError, "exposures = 1"),
        (lambda c: c.constituent_photos("a", "cam-0"), TypeError, "inputs = 'cam-0'"),
        (lambda c: c.constituent_photos("a", ["cam-0", 1]), TypeError, r"inputs\[1\] = 1"),
        (lambda c: c.captures(start_ns=1.5), ValueError, r"start_ns = 1\.5"),
        (lambda c: c.captures(end_ns=1 << 80), ValueError, "end_ns = "),
        (lambda c: c.pressure_history(max_points=1.5), ValueError, r"max_points = 1\.5"),
        (lambda c: c.pressure_history(start_ns="now"), TypeError, "start_ns = 'now'"),
        (lambda c: c.preview("a", rotation=0.5), ValueError, r"rotation = 0\.5"),
        (lambda c: c.preview("a", max_size=(1, 2, 3)), ValueError, "max_size = "),
        (lambda c: c.preview("a", max_frame_rate="fast"), TypeError, "max_frame_rate = 'fast'"),
        (lambda c: c.preview("a", max_message_bytes=-1), ValueError, "max_message_bytes = -1"),
        (lambda c: c.preview("a", max_unacknowledged_frames=None), TypeError, "max_unacknowledged_frames = None"),
        (lambda c: c.video_data("a", max_message_bytes=0.5), ValueError, r"max_message_bytes = 0\.5"),
        (lambda c: c.process_frames("a", deadline_frames=0.5), ValueError, r"deadline_frames = 0\.5"),
        (lambda c: c.set_overlay("a", preview=5), TypeError, "preview = 5"),
        (lambda c: c.find_formats(size=(1,)), ValueError, "size = "),
        (lambda c: c.find_formats(frame_rate="fast"), TypeError, "frame_rate = 'fast'"),
        (lambda c: c.create_session(5), TypeError, "session_id = 5"),
        (lambda c: c.create_session(idle_timeout=float("inf")), ValueError, "idle_timeout = inf"),
        (lambda c: c.create_session(idle_timeout=1e12), ValueError, "idle_timeout = "),
        (lambda c: c.create_session(idle_timeout=""), TypeError, "idle_timeout = ''"),
        (lambda c: c.session(None), TypeError, "session = None"),
        (lambda c: c.set_controls("a", [("gain", 1)]), TypeError, "controls = "),
        (lambda c: c.set_controls("a", []), TypeError, "controls = "),
        (lambda c: c.set_controls("a", {"\ud800": 1}), ValueError, "control = "),
        (lambda c: c.set_controls("a", active_frame_rate=-1), ValueError, "active_frame_rate = -1"),
    ],
)
def test_what_cannot_be_sent_is_an_error_that_names_the_argument(client, call, error, named):
    with pytest.raises(error, match=f"^{named}.*: "):
        call(client)

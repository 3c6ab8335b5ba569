import enum
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from firstlight.controls import describe, parse, rational, setting, value_of
from firstlight.v1 import control_pb2


class Menu(enum.IntEnum):
    """Names that a program gives to the choices of a menu."""

    MANUAL = 3


@pytest.mark.parametrize("value", [0, -5, 1 << 40, True, False, "text", "", b"\x01\x02"])
def test_a_value_keeps_its_type(value):
    got = value_of(setting("brightness", value).value)
    assert got == value
    assert type(got) is type(value)


@pytest.mark.parametrize(
    "dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.intp, np.longlong]
)
def test_whole_numbers_of_numpy_are_integers(dtype):
    assert setting("gain", dtype(7)).value == control_pb2.ControlValue(integer=7)
    assert setting("gain", np.array(7, dtype)).value == control_pb2.ControlValue(integer=7)
    assert setting("gain", np.array([6, 7], dtype)[1]).value == control_pb2.ControlValue(integer=7)


@pytest.mark.parametrize("kind", [float, np.float16, np.float32, np.float64, np.longdouble])
def test_floats_without_a_fraction_are_integers(kind):
    assert setting("gain", kind(-7.0)).value == control_pb2.ControlValue(integer=-7)
    assert setting("gain", kind(-0.0)).value == control_pb2.ControlValue(integer=0)


@pytest.mark.parametrize(
    "value", [2**63 - 1, -(2**63), np.int64(2**63 - 1), np.int64(-(2**63)), np.uint64(2**63 - 1), -(2.0**63), 2.0**62]
)
def test_integers_have_sixty_four_bits(value):
    assert setting("gain", value).value.integer == int(value)


@pytest.mark.parametrize("value", [True, False])
def test_booleans_stay_booleans(value):
    for told in (value, np.bool_(value), np.array(value)):
        assert setting("mirrored", told).value == control_pb2.ControlValue(boolean=value)


def test_subclasses_are_what_they_stand_for():
    assert setting("exposure", Menu.MANUAL).value == control_pb2.ControlValue(integer=3)
    assert setting("name", np.str_("text")).value == control_pb2.ControlValue(string="text")
    assert setting("name", np.array("text")).value == control_pb2.ControlValue(string="text")
    assert setting("table", np.bytes_(b"\x01")).value == control_pb2.ControlValue(array=b"\x01")


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_bytes_are_an_array_as_they_are(kind):
    assert setting("table", kind(b"\x01\x00")).value == control_pb2.ControlValue(array=b"\x01\x00")


@pytest.mark.parametrize(
    ("array", "elements"),
    [
        (np.array([1, 255], np.uint8), b"\x01\xff"),
        (np.array([1, 258], np.uint16), b"\x01\x00\x02\x01"),
        (np.array([1, 258], ">u2"), b"\x01\x00\x02\x01"),
        (np.array([0x01020304], np.uint32), b"\x04\x03\x02\x01"),
        (np.array([[1, 2], [3, 4]], np.uint8), b"\x01\x02\x03\x04"),
        (np.array([[1, 2], [3, 4]], np.uint8).T, b"\x01\x03\x02\x04"),
        (np.arange(6, dtype=np.uint8)[::2], b"\x00\x02\x04"),
        (np.array([], np.uint8), b""),
    ],
)
def test_an_array_becomes_its_elements_the_last_dimension_fastest(array, elements):
    assert setting("table", array).value == control_pb2.ControlValue(array=elements)


@pytest.mark.parametrize(
    ("value", "error", "taken"),
    [
        (1.5, ValueError, "1.5: a control takes whole numbers"),
        (np.float32(0.25), ValueError, "0.25.*whole numbers"),
        (float("nan"), ValueError, "nan: a control takes whole numbers"),
        (np.float64("nan"), ValueError, "nan.*whole numbers"),
        (float("inf"), ValueError, "inf: a control takes whole numbers"),
        (np.float32("-inf"), ValueError, "-inf.*whole numbers"),
        (2**63, ValueError, "9223372036854775808: .* of 64 bits"),
        (-(2**63) - 1, ValueError, "-9223372036854775809: .* of 64 bits"),
        (np.uint64(2**63), ValueError, "9223372036854775808.*of 64 bits"),
        (1e300, ValueError, "1e.300: .* of 64 bits"),
        (2.0**63, ValueError, r"9\.22.*: .* of 64 bits"),
        pytest.param(10**5000, ValueError, "of 64 bits", id="a very large number"),
        ("\ud800", ValueError, "Unicode"),
        (Fraction(3), TypeError, r"Fraction\(3, 1\): .* not Fraction"),
        (Decimal(3), TypeError, "not Decimal"),
        (3 + 0j, TypeError, "not complex"),
        (np.complex64(3), TypeError, "not complex64"),
        (np.timedelta64(3, "s"), TypeError, "not timedelta64"),
        (np.datetime64("2026-01-01"), TypeError, "not datetime64"),
        ([1, 2], TypeError, r"\[1, 2\]: .* uint8, uint16 or uint32, not list"),
        ((1,), TypeError, "not tuple"),
        ({}, TypeError, "not dict"),
        (object(), TypeError, "not object"),
        (np.array([1, 2]), TypeError, "elements of uint8, uint16 or uint32, .* not of int64"),
        (np.array([1.0, 2.0]), TypeError, "not of float64"),
        (np.array([1], np.uint64), TypeError, "not of uint64"),
        (np.array([True]), TypeError, "not of bool"),
        (np.array(["text"]), TypeError, "elements of uint8"),
        (np.array([None]), TypeError, "not of object"),
        (np.array(None), TypeError, "not NoneType"),
        (np.array(1.5), ValueError, "1.5.*whole numbers"),
    ],
)
def test_what_no_control_takes_is_an_error_that_names_control_value_and_what_it_takes(value, error, taken):
    with pytest.raises(error, match=f"^sharpness = .*{taken}"):
        setting("sharpness", value)


@pytest.mark.parametrize("control", [7, None, b"gain"])
def test_a_control_is_named_by_a_string(control):
    with pytest.raises(TypeError, match="the name of a control is a string"):
        setting(control, 1)


def test_no_value_is_the_default():
    assert not setting("brightness", None).HasField("value")
    assert value_of(control_pb2.ControlValue()) is None


@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [
        (control_pb2.CONTROL_TYPE_INTEGER, "-7", -7),
        (control_pb2.CONTROL_TYPE_BITMASK, "0x80000000", 0x80000000),
        (control_pb2.CONTROL_TYPE_STRING, "0x8", "0x8"),
        (control_pb2.CONTROL_TYPE_STRING, "Manual Mode", "Manual Mode"),
        (control_pb2.CONTROL_TYPE_U8, "01ff", b"\x01\xff"),
        (control_pb2.CONTROL_TYPE_MENU, "Manual Mode", 3),
        (control_pb2.CONTROL_TYPE_MENU, "0", 0),
        (99, "7", 7),
    ],
)
def test_text_is_read_by_the_controls_type(type_, text, value):
    items = [control_pb2.ControlMenuItem(index=3, label="Manual Mode")]
    assert parse(control_pb2.Control(control_type=type_, menu_items=items), text) == value


@pytest.mark.parametrize(
    ("type_", "labels", "text", "takes"),
    [
        (control_pb2.CONTROL_TYPE_INTEGER, [], "much", "a whole number, not 'much'"),
        (control_pb2.CONTROL_TYPE_INTEGER, [], "1.5", "a whole number, not '1.5'"),
        (control_pb2.CONTROL_TYPE_MENU, ["Auto", "Manual"], "manual", "a whole number or one of Auto, Manual"),
        (control_pb2.CONTROL_TYPE_U16, [], "xy", "hexadecimal digits, not 'xy'"),
    ],
)
def test_text_that_means_nothing_is_an_error_that_names_the_control(type_, labels, text, takes):
    items = [control_pb2.ControlMenuItem(index=index, label=label) for index, label in enumerate(labels)]
    with pytest.raises(ValueError, match=f"^gain takes .*{takes}"):
        parse(control_pb2.Control(id="gain", control_type=type_, menu_items=items), text)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (30, (30, 1)),
        (29.97, (2997, 100)),
        (Fraction(30000, 1001), (30000, 1001)),
        (0, (0, 1)),
        (np.int16(30), (30, 1)),
        (np.uint64(30), (30, 1)),
        (np.float64(29.97), (2997, 100)),
        (np.float32(29.97), (2997, 100)),
        (np.float16(7.5), (15, 2)),
    ],
)
def test_rates_are_fractions(number, expected):
    told = rational(number)
    assert (told.numerator, told.denominator) == expected


@pytest.mark.parametrize(
    "number", [-1, -0.5, float("nan"), float("inf"), np.float32("nan"), np.float32("inf"), np.int8(-1), 1e12, 2**32]
)
def test_what_is_no_rate_is_an_error_that_names_it(number):
    with pytest.raises(ValueError, match="a rate is frames per second"):
        rational(number)


def test_a_control_in_one_line():
    control = control_pb2.Control(
        id="gain",
        control_type=control_pb2.CONTROL_TYPE_INTEGER,
        minimum=1,
        maximum=8,
        step=1,
        inactive=True,
        volatile=True,
    )
    control.value.integer = 4
    assert describe(control) == "gain = 4  [integer, 1 to 8 in steps of 1] (inactive, volatile)"


def test_a_control_of_a_newer_daemon_in_one_line():
    items = [control_pb2.ControlMenuItem(index=0, number=50), control_pb2.ControlMenuItem(index=1, label="Off")]
    assert describe(control_pb2.Control(id="new", control_type=99)) == "new = -  [unknown_99]"
    menu = control_pb2.Control(id="menu", control_type=control_pb2.CONTROL_TYPE_INTEGER_MENU, menu_items=items)
    assert describe(menu) == "menu = -  [integer_menu, 0: 50, 1: Off]"

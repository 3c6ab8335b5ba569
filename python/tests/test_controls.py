from fractions import Fraction

import pytest

from firstlight.controls import describe, parse, rational, setting, value_of
from firstlight.v1 import control_pb2


@pytest.mark.parametrize("value", [0, -5, 1 << 40, True, False, "text", "", b"\x01\x02"])
def test_a_value_keeps_its_type(value):
    got = value_of(setting("brightness", value).value)
    assert got == value
    assert type(got) is type(value)


def test_no_value_is_the_default():
    assert not setting("brightness", None).HasField("value")
    assert value_of(control_pb2.ControlValue()) is None


@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [
        (control_pb2.CONTROL_TYPE_INTEGER, "-7", -7),
        (control_pb2.CONTROL_TYPE_BITMASK, "0x80000000", 0x80000000),
        (control_pb2.CONTROL_TYPE_STRING, "0x8", "0x8"),
        (control_pb2.CONTROL_TYPE_U8, "01ff", b"\x01\xff"),
        (control_pb2.CONTROL_TYPE_MENU, "Manual Mode", 3),
        (control_pb2.CONTROL_TYPE_MENU, "0", 0),
    ],
)
def test_text_is_read_by_the_controls_type(type_, text, value):
    items = [control_pb2.ControlMenuItem(index=3, label="Manual Mode")]
    assert parse(control_pb2.Control(type=type_, menu_items=items), text) == value


@pytest.mark.parametrize(
    ("number", "expected"), [(30, (30, 1)), (29.97, (2997, 100)), (Fraction(30000, 1001), (30000, 1001)), (0, (0, 1))]
)
def test_rates_are_fractions(number, expected):
    told = rational(number)
    assert (told.numerator, told.denominator) == expected


def test_a_control_in_one_line():
    control = control_pb2.Control(
        id="gain", type=control_pb2.CONTROL_TYPE_INTEGER, minimum=1, maximum=8, step=1, inactive=True, volatile=True
    )
    control.value.integer = 4
    assert describe(control) == "gain = 4  [integer, 1 to 8 in steps of 1] (inactive, volatile)"

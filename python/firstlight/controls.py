"""Converts the values of cameras' controls between Python, the messages of the contract, and text."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import numpy as np

from firstlight import values
from firstlight.enums import enum_name
from firstlight.v1 import control_pb2, types_pb2

#: A value for a control, by the control's type: a number, or the index of a menu's choice; a boolean; a text; the
#: elements of an array. A scalar of numpy stands for the Python value that it is equal to, and a float for the whole
#: number that it is equal to.
Value = int | float | bool | str | bytes | bytearray | memoryview | np.generic | np.ndarray

#: The part of an error message that says which numbers a control takes.
_WHOLE: Final = "a control takes whole numbers of 64 bits, -2^63 to 2^63 - 1"
#: The part of an error message that says which values a control takes.
_TAKEN: Final = (
    "a control takes a whole number of at most 64 bits, a boolean, a string, or for arrays bytes or a numpy array of"
    " uint8, uint16 or uint32"
)


def setting(control: str, value: Value | None) -> control_pb2.ControlSetting:
    """Makes the message that sets a control. The value None sets the control to its default.

    Whole numbers become integers, also when they are floats or scalars of numpy; booleans stay booleans. A numpy array
    becomes the bytes of its elements in little-endian order, which is the byte order of every machine that the daemon
    runs on. Bytes stay as they are.

    Raises TypeError for a value that no control takes, and ValueError for a number that is not whole or needs more than
    64 bits, and for a text that is not Unicode.
    """
    if not isinstance(control, str):
        raise TypeError(f"the name of a control is a string, its `Control.id`, not {values.shown(control)}")
    control = values.text("control", control)
    if value is None:
        return control_pb2.ControlSetting(control=control)
    return control_pb2.ControlSetting(control=control, value=_message(control, value))


def value_of(value: control_pb2.ControlValue) -> int | bool | str | bytes | None:
    """The value of a message as a Python value. None for a message without a value."""
    field = value.WhichOneof("value")
    return getattr(value, field) if field else None


def rational(number: float | Fraction | np.number) -> types_pb2.Rational:
    """A number as the nearest fraction of the contract: 29.97 becomes 2997/100.

    Raises ValueError for a number that is negative, infinite or not below 2^32, and TypeError for a value that is not a
    number.
    """
    return values.rate("number", number)


def parse(control: control_pb2.Control, text: str) -> int | str | bytes:
    """Converts a text to a value of a control.

    A number may have any base that Python's literals have, a choice of a menu may be its label or its index, and an
    array is hexadecimal digits. An empty text is 0 for a number and no bytes for an array. Raises ValueError, which
    names the control, for a text that is none of these.
    """
    if control.control_type == control_pb2.CONTROL_TYPE_STRING:
        return text
    labels = {item.label: item.index for item in control.menu_items if item.label}
    if text in labels:
        return labels[text]
    array = control.control_type in (
        control_pb2.CONTROL_TYPE_U8,
        control_pb2.CONTROL_TYPE_U16,
        control_pb2.CONTROL_TYPE_U32,
    )
    try:
        return bytes.fromhex(text) if array else int(text or "0", 0)
    except ValueError as error:
        choice = f" or one of {', '.join(labels)}" if labels else ""
        takes = "an even number of hexadecimal digits" if array else f"a whole number{choice}"
        raise ValueError(f"{control.id} takes {takes}, not {text!r}") from error


def describe(control: control_pb2.Control) -> str:
    """A control as one line of text for people: its value, type, range or choices, and flags."""
    kind = enum_name(control_pb2.ControlType, control.control_type, "CONTROL_TYPE_").lower()
    value = value_of(control.value)
    now = value.hex() if isinstance(value, bytes) else value
    range_ = f", {control.minimum} to {control.maximum} in steps of {control.step}" if control.maximum else ""
    if control.menu_items:
        range_ = ", " + ", ".join(f"{item.index}: {item.label or item.number}" for item in control.menu_items)
    flags = [name for name in ("read_only", "inactive", "grabbed", "volatile") if getattr(control, name)]
    state = f" ({', '.join(flags)})" if flags else ""
    return f"{control.id} = {'-' if now is None else now}  [{kind}{range_}]{state}"


def _message(control: str, value: Any) -> control_pb2.ControlValue:
    """Makes the message of a value. Raises TypeError or ValueError as `setting` does."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool | np.bool_):
        return control_pb2.ControlValue(boolean=bool(value))
    if isinstance(value, str):
        try:
            return control_pb2.ControlValue(string=value)
        except ValueError as error:
            raise ValueError(f"{control} = {values.shown(value)}: a string of a control is Unicode text") from error
    if isinstance(value, bytes | bytearray | memoryview):
        return control_pb2.ControlValue(array=bytes(value))
    if isinstance(value, np.ndarray):
        return control_pb2.ControlValue(array=_elements(control, value))
    # For numpy a timedelta64 is an integer, but its unit, a difference of times, is one that no control has.
    if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, np.timedelta64):
        return control_pb2.ControlValue(integer=values.whole(control, value, values.SIGNED_64, _WHOLE))
    raise TypeError(f"{control} = {values.shown(value)}: {_TAKEN}, not {type(value).__name__}")


def _elements(control: str, array: np.ndarray) -> bytes:
    """The bytes of an array of uint8, uint16 or uint32, little-endian, the last dimension fastest.

    Raises TypeError for an array of another dtype.
    """
    if array.dtype.kind != "u" or array.dtype.itemsize > 4:
        raise TypeError(
            f"{control} = {values.shown(array)}: an array of a control has elements of uint8, uint16 or uint32, as its"
            f" type says, not of {array.dtype}"
        )
    return array.astype(array.dtype.newbyteorder("<")).tobytes()

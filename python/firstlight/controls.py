"""Controls of cameras: their values as Python has them, and as text."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import numpy as np

from firstlight import values
from firstlight.enums import enum_name
from firstlight.v1 import control_pb2, types_pb2

#: By the control's type: a number, or the index of a menu; a switch; text; an array's elements. Scalars of numpy are
#: taken as the Python values they stand for, a float as the whole number that it is.
Value = int | float | bool | str | bytes | bytearray | memoryview | np.generic | np.ndarray

#: What a control that is a number takes, for messages of errors.
_WHOLE: Final = "a control takes whole numbers of 64 bits, -2^63 to 2^63 - 1"
#: What any control takes, for messages of errors.
_TAKEN: Final = (
    "a control takes a whole number of at most 64 bits, a boolean, a string, or for arrays bytes or a numpy array of"
    " uint8, uint16 or uint32"
)


def setting(control: str, value: Value | None) -> control_pb2.ControlSetting:
    """A setting; None is the control's default.

    Whole numbers, also as floats and numpy scalars, become integers; booleans stay booleans. Arrays of numpy become
    their elements in little-endian order, which is that of every machine the daemon runs on; bytes are taken as they
    are. TypeError for what no control takes, ValueError for a number that is not whole or needs more than 64 bits and
    for text that is not Unicode.
    """
    if not isinstance(control, str):
        raise TypeError(f"a control is named by a string, `Control.id`, not {values.shown(control)}")
    control = values.text("control", control)
    if value is None:
        return control_pb2.ControlSetting(control=control)
    return control_pb2.ControlSetting(control=control, value=_message(control, value))


def value_of(value: control_pb2.ControlValue) -> int | bool | str | bytes | None:
    """The value as Python has it; None when there is none."""
    field = value.WhichOneof("value")
    return getattr(value, field) if field else None


def rational(number: float | Fraction | np.number) -> types_pb2.Rational:
    """A number as the contract has it: 29.97 is 2997/100.

    ValueError for a negative, infinite or huge one, TypeError for what is no number.
    """
    return values.rate("number", number)


def parse(control: control_pb2.Control, text: str) -> int | str | bytes:
    """The value that a text means for a control: numbers in any base, labels of menus, arrays as hexadecimal digits.

    ValueError, naming the control, for a text that means none.
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
    """One line for people: what it is, what it may be."""
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
    """A value as the contract has it."""
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
    # Differences of times are integers to numpy, but of a unit that no control has.
    if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, np.timedelta64):
        return control_pb2.ControlValue(integer=values.whole(control, value, values.SIGNED_64, _WHOLE))
    raise TypeError(f"{control} = {values.shown(value)}: {_TAKEN}, not {type(value).__name__}")


def _elements(control: str, array: np.ndarray) -> bytes:
    """The elements of an array, the last dimension fastest."""
    if array.dtype.kind != "u" or array.dtype.itemsize > 4:
        raise TypeError(
            f"{control} = {values.shown(array)}: an array of a control has elements of uint8, uint16 or uint32, as its"
            f" type says, not of {array.dtype}"
        )
    return array.astype(array.dtype.newbyteorder("<")).tobytes()

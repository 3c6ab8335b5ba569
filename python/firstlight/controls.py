"""Controls of cameras: their values as Python has them, and as text."""

from __future__ import annotations

from fractions import Fraction

from firstlight.v1 import control_pb2, types_pb2

#: By the control's type: a number, or the index of a menu; a switch; text; an array's elements in the daemon's order of
#: bytes.
Value = int | bool | str | bytes


def setting(control: str, value: Value | None) -> control_pb2.ControlSetting:
    """A setting; None is the control's default."""
    if value is None:
        return control_pb2.ControlSetting(control=control)
    field = {bool: "boolean", int: "integer", str: "text", bytes: "elements"}[type(value)]
    return control_pb2.ControlSetting(control=control, value=control_pb2.ControlValue(**{field: value}))


def value_of(value: control_pb2.ControlValue) -> Value | None:
    """The value as Python has it; None when there is none."""
    field = value.WhichOneof("value")
    return getattr(value, field) if field else None


def rational(number: float | Fraction) -> types_pb2.Rational:
    """A number as the contract has it: 29.97 is 2997/100."""
    fraction = Fraction(number).limit_denominator(1_000_000)
    return types_pb2.Rational(numerator=fraction.numerator, denominator=fraction.denominator)


def parse(control: control_pb2.Control, text: str) -> Value:
    """The value that a text means for a control: numbers in any base, labels of menus, arrays as hexadecimal digits."""
    if control.type in (control_pb2.CONTROL_TYPE_U8, control_pb2.CONTROL_TYPE_U16, control_pb2.CONTROL_TYPE_U32):
        return bytes.fromhex(text)
    if control.type == control_pb2.CONTROL_TYPE_STRING:
        return text
    labels = {item.label: item.index for item in control.menu_items if item.label}
    return labels[text] if text in labels else int(text or "0", 0)


def describe(control: control_pb2.Control) -> str:
    """One line for people: what it is, what it may be."""
    kind = control_pb2.ControlType.Name(control.type).removeprefix("CONTROL_TYPE_").lower()
    value = value_of(control.value)
    now = value.hex() if isinstance(value, bytes) else value
    range_ = f", {control.minimum} to {control.maximum} in steps of {control.step}" if control.maximum else ""
    if control.menu_items:
        range_ = ", " + ", ".join(f"{item.index}: {item.label or item.value}" for item in control.menu_items)
    flags = [name for name in ("read_only", "inactive", "grabbed", "volatile") if getattr(control, name)]
    state = f" ({', '.join(flags)})" if flags else ""
    return f"{control.id} = {'-' if now is None else now}  [{kind}{range_}]{state}"

"""Checks the arguments of the client's methods, and converts them to values for the messages of the contract.

Each function takes the name and the value of an argument, and raises a TypeError or a ValueError that names both and
says which values the argument takes. Scalars of numpy, and numpy arrays without a dimension, stand for the numbers that
they are equal to. Booleans are not numbers. The functions only check that a value fits into its message; the daemon
checks its meaning.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping, Set
from fractions import Fraction
from typing import Any, Final

import numpy as np
from google.protobuf import duration_pb2, timestamp_pb2

from firstlight.v1 import types_pb2

#: The unsigned whole numbers of 32 bits.
UNSIGNED_32: Final = range(1 << 32)
#: The unsigned whole numbers of 64 bits.
UNSIGNED_64: Final = range(1 << 64)
#: The signed whole numbers of 32 bits.
SIGNED_32: Final = range(-(1 << 31), 1 << 31)
#: The signed whole numbers of 64 bits.
SIGNED_64: Final = range(-(1 << 63), 1 << 63)

#: The durations that fit into a message, in nanoseconds: up to about 10,000 years, positive or negative.
_DURATIONS: Final = range(-315_576_000_000 * 10**9, 315_576_000_000 * 10**9 + 1)
#: The instants that fit into a message, in nanoseconds since the Unix epoch: the years 1 to 9999.
_INSTANTS: Final = range(-62_135_596_800 * 10**9, 253_402_300_800 * 10**9)
#: The largest denominator of a rate.
_DENOMINATOR: Final = 1_000_000


def whole(argument: str, value: Any, among: range = UNSIGNED_32, takes: str = "") -> int:
    """A whole number in the range `among`, which may be given as a float without a fraction.

    `takes` is the part of the error message that says which values the argument takes; empty for the range.
    """
    takes = takes or f"it takes a whole number from {among.start} to {among.stop - 1}"
    number = _number(argument, value, takes)
    try:
        integer = int(number)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{argument} = {shown(value)}: {takes}") from error
    if integer not in among or integer != number:
        raise ValueError(f"{argument} = {shown(value)}: {takes}")
    return integer


def whole_or_none(argument: str, value: Any, among: range = UNSIGNED_32) -> int | None:
    """A whole number as `whole` makes it. None, for an argument that is not given, stays None."""
    return None if value is None else whole(argument, value, among)


def number(argument: str, value: Any) -> float:
    """A finite number."""
    takes = "it takes a finite number"
    try:
        return float(_exact(argument, value, takes))
    except OverflowError as error:
        raise ValueError(f"{argument} = {shown(value)}: {takes}") from error


def number_or_none(argument: str, value: Any) -> float | None:
    """A number as `number` makes it. None, for an argument that is not given, stays None."""
    return None if value is None else number(argument, value)


def rate(argument: str, value: Any) -> types_pb2.Rational:
    """Frames per second, at least 0 and below 2^32, as the nearest fraction: 29.97 becomes 2997/100."""
    takes = "a rate is frames per second, at least 0 and below 2^32"
    exact = _exact(argument, value, takes)
    most = UNSIGNED_32.stop - 1
    if not 0 <= exact <= most:
        raise ValueError(f"{argument} = {shown(value)}: {takes}")
    # The numerator has 32 bits as well, so a high rate leaves less room for the denominator.
    nearest = exact.limit_denominator(min(_DENOMINATOR, int(most / max(exact, 1))))
    return types_pb2.Rational(numerator=nearest.numerator, denominator=nearest.denominator)


def size(argument: str, value: Any) -> types_pb2.Size:
    """A size in pixels, of any iterable that has a width and then a height."""
    takes = "it takes a width and a height, for example (640, 480)"
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | bytearray | Mapping | Set):
        raise TypeError(f"{argument} = {shown(value)}: {takes}, not {type(value).__name__}")
    if isinstance(value, np.ndarray) and value.ndim == 0:
        raise TypeError(f"{argument} = {shown(value)}: {takes}, not one number")
    sides = list(value)
    if len(sides) != 2:
        raise ValueError(f"{argument} = {shown(value)}: {takes}, not {len(sides)} of them")
    return types_pb2.Size(
        width=whole(f"width of {argument}", sides[0]), height=whole(f"height of {argument}", sides[1])
    )


def duration(argument: str, value: Any) -> duration_pb2.Duration:
    """A number of seconds as a duration, rounded to the nanosecond."""
    takes = "it takes a finite number of seconds, at most 315576000000"
    nanoseconds = round(_exact(argument, value, takes) * 10**9)
    if nanoseconds not in _DURATIONS:
        raise ValueError(f"{argument} = {shown(value)}: {takes}")
    message = duration_pb2.Duration()
    message.FromNanoseconds(nanoseconds)
    return message


def instant(argument: str, value: Any) -> timestamp_pb2.Timestamp:
    """A whole number of nanoseconds since the Unix epoch as an instant."""
    takes = "it takes a whole number of nanoseconds since the Unix epoch, of an instant in the years 1 to 9999"
    message = timestamp_pb2.Timestamp()
    message.FromNanoseconds(whole(argument, value, _INSTANTS, takes))
    return message


def text(argument: str, value: Any) -> str:
    """A text that a message can have: a string of Unicode characters without surrogates."""
    if not isinstance(value, str):
        raise TypeError(f"{argument} = {shown(value)}: it takes a string, not {type(value).__name__}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{argument} = {shown(value)}: it takes Unicode text, without surrogates") from error
    return value


def texts(argument: str, value: Any) -> list[str]:
    """A list of texts. A single string is refused, because iterating over it would give its letters."""
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | bytearray):
        raise TypeError(f"{argument} = {shown(value)}: it takes several strings, not {type(value).__name__}")
    return [text(f"{argument}[{index}]", item) for index, item in enumerate(value)]


def shown(value: object) -> str:
    """A value for the message of an error, shortened."""
    try:
        return reprlib.repr(value)
    except ValueError:
        # Python refuses to convert a whole number of thousands of digits to text.
        return f"a very large {type(value).__name__}"


def _number(argument: str, value: Any, takes: str) -> Any:
    """Returns a number of Python or numpy. Raises TypeError for any other value."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    # For numpy a timedelta64 is an integer, but it has a unit of its own, a difference of times.
    if isinstance(value, bool | np.timedelta64) or not isinstance(
        value, int | float | Fraction | np.integer | np.floating
    ):
        raise TypeError(f"{argument} = {shown(value)}: {takes}, not {type(value).__name__}")
    return value


def _exact(argument: str, value: Any, takes: str) -> Fraction:
    """A finite number as an exact fraction.

    A numpy float is converted by its shortest decimal text, so that 0.1 in 32 bits is exactly a tenth. A Python float
    has its binary value.
    """
    exact = _number(argument, value, takes)
    if isinstance(exact, np.floating):
        exact = str(exact)
    elif isinstance(exact, np.integer):
        exact = int(exact)
    try:
        return Fraction(exact)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{argument} = {shown(value)}: {takes}") from error

"""What people pass to the client, as the messages of the contract take it.

Each function takes the name of the argument and its value, and raises a TypeError or a ValueError that names both and
says what the argument takes. Numbers of numpy stand for the numbers that they are, arrays of no dimension too; booleans
are no numbers. What a number of the right kind means is for the daemon to judge.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping, Set
from fractions import Fraction
from typing import Any, Final

import numpy as np
from google.protobuf import duration_pb2, timestamp_pb2

from firstlight.v1 import types_pb2

#: Whole numbers of 32 bits, without a sign.
UNSIGNED_32: Final = range(1 << 32)
#: Whole numbers of 32 bits, with a sign.
SIGNED_32: Final = range(-(1 << 31), 1 << 31)
#: Whole numbers of 64 bits, with a sign.
SIGNED_64: Final = range(-(1 << 63), 1 << 63)

#: What a duration has room for, in nanoseconds: about 10,000 years, and as many back.
_DURATIONS: Final = range(-315_576_000_000 * 10**9, 315_576_000_000 * 10**9 + 1)
#: What an instant has room for, in nanoseconds since the Unix epoch: the years 1 to 9999.
_INSTANTS: Final = range(-62_135_596_800 * 10**9, 253_402_300_800 * 10**9)
#: The largest denominator of a rate.
_DENOMINATOR: Final = 1_000_000


def whole(argument: str, value: Any, among: range = UNSIGNED_32, takes: str = "") -> int:
    """A whole number of a range, also as a float without a fraction; `takes` is how the error says what is taken."""
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
    """A whole number as `whole` makes it; None stays None, for what is not given."""
    return None if value is None else whole(argument, value, among)


def number(argument: str, value: Any) -> float:
    """A finite number."""
    takes = "it takes a finite number"
    try:
        return float(_exact(argument, value, takes))
    except OverflowError as error:
        raise ValueError(f"{argument} = {shown(value)}: {takes}") from error


def number_or_none(argument: str, value: Any) -> float | None:
    """A number as `number` makes it; None stays None, for what is not given."""
    return None if value is None else number(argument, value)


def rate(argument: str, value: Any) -> types_pb2.Rational:
    """Frames per second as the nearest fraction: 29.97 is 2997/100."""
    takes = "a rate is frames per second, at least 0 and below 2^32"
    exact = _exact(argument, value, takes)
    most = UNSIGNED_32.stop - 1
    if not 0 <= exact <= most:
        raise ValueError(f"{argument} = {shown(value)}: {takes}")
    # The numerator has 32 bits as well, so a high rate leaves less room for the denominator.
    nearest = exact.limit_denominator(min(_DENOMINATOR, int(most / max(exact, 1))))
    return types_pb2.Rational(numerator=nearest.numerator, denominator=nearest.denominator)


def size(argument: str, value: Any) -> types_pb2.Size:
    """A width and a height, of anything that has these two in this order."""
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
    """Seconds as a duration, to the nanosecond."""
    takes = "it takes a finite number of seconds, at most 315576000000"
    nanoseconds = round(_exact(argument, value, takes) * 10**9)
    if nanoseconds not in _DURATIONS:
        raise ValueError(f"{argument} = {shown(value)}: {takes}")
    message = duration_pb2.Duration()
    message.FromNanoseconds(nanoseconds)
    return message


def instant(argument: str, value: Any) -> timestamp_pb2.Timestamp:
    """Nanoseconds since the Unix epoch as an instant."""
    takes = "it takes a whole number of nanoseconds since the Unix epoch, of an instant in the years 1 to 9999"
    message = timestamp_pb2.Timestamp()
    message.FromNanoseconds(whole(argument, value, _INSTANTS, takes))
    return message


def text(argument: str, value: Any) -> str:
    """Text that can be sent: a string of Unicode characters, of which a surrogate alone is none."""
    if not isinstance(value, str):
        raise TypeError(f"{argument} = {shown(value)}: it takes a string, not {type(value).__name__}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{argument} = {shown(value)}: it takes Unicode text, without surrogates") from error
    return value


def texts(argument: str, value: Any) -> list[str]:
    """Several texts; a single string is none, for it would be taken letter by letter."""
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | bytearray):
        raise TypeError(f"{argument} = {shown(value)}: it takes several strings, not {type(value).__name__}")
    return [text(f"{argument}[{index}]", item) for index, item in enumerate(value)]


def shown(value: object) -> str:
    """A value for the message of an error, shortened."""
    try:
        return reprlib.repr(value)
    except ValueError:
        # Python writes no whole number of thousands of digits.
        return f"a very large {type(value).__name__}"


def _number(argument: str, value: Any, takes: str) -> Any:
    """A number of Python or numpy; TypeError for anything else."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    # Differences of times are integers to numpy, but of a unit of their own.
    if isinstance(value, bool | np.timedelta64) or not isinstance(
        value, int | float | Fraction | np.integer | np.floating
    ):
        raise TypeError(f"{argument} = {shown(value)}: {takes}, not {type(value).__name__}")
    return value


def _exact(argument: str, value: Any, takes: str) -> Fraction:
    """A finite number, to the last digit that was written: 0.1 in 32 bits is a tenth, too."""
    exact = _number(argument, value, takes)
    if isinstance(exact, np.floating):
        exact = str(exact)
    elif isinstance(exact, np.integer):
        exact = int(exact)
    try:
        return Fraction(exact)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{argument} = {shown(value)}: {takes}") from error

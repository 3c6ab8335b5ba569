"""Enumerations of the contract that take a number of a newer daemon, too."""

from __future__ import annotations

import enum
from typing import Any, Final, Self

from firstlight.v1 import types_pb2

#: Numbers of an enumeration in a message: 32 bits, signed.
_NUMBERS: Final = range(-(1 << 31), 1 << 31)


class ContractEnum(enum.IntEnum):
    """An enumeration whose contract may grow.

    A number that this version does not know, because the daemon is newer, makes a member that keeps the number and is
    named `UNKNOWN_` and the number, for example `UNKNOWN_99`. 0 makes `UNSPECIFIED` where the enumeration has no member
    of it. Such members compare and order as their numbers do; compare them with `==`, not with `is`.
    """

    @classmethod
    def _missing_(cls, value: object) -> Any:
        if not isinstance(value, int) or value not in _NUMBERS:
            return None
        member: Self = int.__new__(cls, value)
        member._name_ = f"UNKNOWN_{int(value)}" if value else "UNSPECIFIED"
        member._value_ = int(value)
        return member


class Encoding(ContractEnum):
    """How the bytes of a picture are encoded, of previews, video data and photos; the values of `Encoding`."""

    #: In an answer: one that has no value here; `Frame.pixel_format` names it.
    UNSPECIFIED = types_pb2.ENCODING_UNSPECIFIED
    #: A JFIF file; photos have EXIF.
    JPEG = types_pb2.ENCODING_JPEG
    #: HEIC with EXIF, where the daemon's machine can make it. Photos only.
    HEIC = types_pb2.ENCODING_HEIC
    #: PNG with EXIF. Photos only.
    PNG = types_pb2.ENCODING_PNG
    #: Annex B, one picture in each frame; `Frame.key_frame` tells where a decoder can begin. Not for photos.
    H264 = types_pb2.ENCODING_H264
    #: Pixels as they are: `pixel_format` says how they lie.
    UNCOMPRESSED = types_pb2.ENCODING_UNCOMPRESSED


class ColorRange(ContractEnum):
    """Which numbers black and white are; the values of `ColorRange`."""

    #: It is not known, or the file says. In a request: as the camera gives it.
    UNSPECIFIED = types_pb2.COLOR_RANGE_UNSPECIFIED
    #: Luma 16 to 235, chroma 16 to 240: the usual of video.
    LIMITED = types_pb2.COLOR_RANGE_LIMITED
    #: 0 to 255: JPEG and RGB.
    FULL = types_pb2.COLOR_RANGE_FULL


def enum_name(enumeration: Any, number: int, prefix: str) -> str:
    """The name of an enumeration's number without its prefix, for people; `UNKNOWN_99` of a number not known here."""
    value = enumeration.DESCRIPTOR.values_by_number.get(number)
    return f"UNKNOWN_{number}" if value is None else value.name.removeprefix(prefix)

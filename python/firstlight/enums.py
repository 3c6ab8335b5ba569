"""Enumerations of the contract that also accept numbers that only a newer daemon knows."""

from __future__ import annotations

import enum
from typing import Any, Final, Self

from firstlight.v1 import recording_pb2, session_configuration_pb2 as configuration_pb2, types_pb2

#: The numbers that an enumeration can have in a message: signed, 32 bits.
_NUMBERS: Final = range(-(1 << 31), 1 << 31)


class ContractEnum(enum.IntEnum):
    """An enumeration that may grow in later versions of the contract.

    A number that this version does not know, because the daemon is newer, becomes a member that keeps the number and is
    named `UNKNOWN_` and the number, for example `UNKNOWN_99`. The number 0 becomes `UNSPECIFIED` where the enumeration
    has no member for it. Members made in this way compare and order as their numbers do. Compare them with `==`, not
    with `is`, because each use of the number makes another member.
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
    """How the bytes of a picture are encoded, in previews, video data and photos. The values are the contract's."""

    #: An encoding that has no value here; `Frame.pixel_format` names it. Only in responses.
    UNSPECIFIED = types_pb2.ENCODING_UNSPECIFIED
    #: JPEG in a JFIF file. Photos have EXIF.
    JPEG = types_pb2.ENCODING_JPEG
    #: HEIC with EXIF, where libheif is installed on the daemon's machine. Only for photos.
    HEIC = types_pb2.ENCODING_HEIC
    #: PNG with EXIF. Only for photos.
    PNG = types_pb2.ENCODING_PNG
    #: H.264 in Annex B format, one picture in each frame. A decoder can begin at a frame whose `Frame.key_frame` is
    #: True. Not for photos.
    H264 = types_pb2.ENCODING_H264
    #: Uncompressed pixels; `pixel_format` says how they lie in memory.
    UNCOMPRESSED = types_pb2.ENCODING_UNCOMPRESSED


class AudioCodec(ContractEnum):
    """How the sound of a movie is coded. The values of the contract's `AudioCodec`."""

    #: In a request: the default, AAC.
    UNSPECIFIED = configuration_pb2.AUDIO_CODEC_UNSPECIFIED
    #: AAC-LC, which all players play.
    AAC = configuration_pb2.AUDIO_CODEC_AAC
    #: Opus.
    OPUS = configuration_pb2.AUDIO_CODEC_OPUS
    #: Integers of 16 bits, without loss.
    PCM = configuration_pb2.AUDIO_CODEC_PCM


class MovieCodec(ContractEnum):
    """How the pictures of a movie are coded. The values of the contract's `MovieCodec`."""

    #: In a request: the default, H.264.
    UNSPECIFIED = configuration_pb2.MOVIE_CODEC_UNSPECIFIED
    H264 = configuration_pb2.MOVIE_CODEC_H264
    HEVC = configuration_pb2.MOVIE_CODEC_HEVC
    #: ProRes 422. Each picture is a key frame.
    PRO_RES = configuration_pb2.MOVIE_CODEC_PRO_RES
    #: FFV1, without loss. Each picture is a key frame.
    FFV1 = configuration_pb2.MOVIE_CODEC_FFV1
    #: The camera's own JPEG, unchanged.
    MOTION_JPEG = configuration_pb2.MOVIE_CODEC_MOTION_JPEG


class MovieContainer(ContractEnum):
    """The format of a file with a movie. The values of the contract's `MovieContainer`."""

    #: In a request: MP4 where it holds the codec, else QuickTime where that does, else Matroska.
    UNSPECIFIED = recording_pb2.MOVIE_CONTAINER_UNSPECIFIED
    #: For H.264 and HEVC. Browsers play it.
    MP4 = recording_pb2.MOVIE_CONTAINER_MP4
    #: QuickTime, for every codec but FFV1.
    MOV = recording_pb2.MOVIE_CONTAINER_MOV
    #: For every codec.
    MATROSKA = recording_pb2.MOVIE_CONTAINER_MATROSKA
    #: The transport stream of MPEG, for H.264 and HEVC.
    MPEG_TS = recording_pb2.MOVIE_CONTAINER_MPEG_TS


class ColorRange(ContractEnum):
    """Which numbers stand for black and white. The values of the contract's `ColorRange`."""

    #: In a response: the range is not known, or the file tells it. In a request: the range that the camera gives.
    UNSPECIFIED = types_pb2.COLOR_RANGE_UNSPECIFIED
    #: Luma 16 to 235 and chroma 16 to 240, as is usual for video.
    LIMITED = types_pb2.COLOR_RANGE_LIMITED
    #: 0 to 255, as in JPEG and RGB.
    FULL = types_pb2.COLOR_RANGE_FULL


def enum_name(enumeration: Any, number: int, prefix: str) -> str:
    """The name of a number of a generated enumeration without `prefix`, for people.

    A number that this version does not know is `UNKNOWN_` and the number, for example `UNKNOWN_99`.
    """
    value = enumeration.DESCRIPTOR.values_by_number.get(number)
    return f"UNKNOWN_{number}" if value is None else value.name.removeprefix(prefix)

import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FlashMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FLASH_MODE_UNSPECIFIED: _ClassVar[FlashMode]
    FLASH_MODE_OFF: _ClassVar[FlashMode]
    FLASH_MODE_ON: _ClassVar[FlashMode]
    FLASH_MODE_AUTO: _ClassVar[FlashMode]

class BracketMerging(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    BRACKET_MERGING_UNSPECIFIED: _ClassVar[BracketMerging]
    BRACKET_MERGING_NONE: _ClassVar[BracketMerging]
    BRACKET_MERGING_EXPOSURE_FUSION: _ClassVar[BracketMerging]
FLASH_MODE_UNSPECIFIED: FlashMode
FLASH_MODE_OFF: FlashMode
FLASH_MODE_ON: FlashMode
FLASH_MODE_AUTO: FlashMode
BRACKET_MERGING_UNSPECIFIED: BracketMerging
BRACKET_MERGING_NONE: BracketMerging
BRACKET_MERGING_EXPOSURE_FUSION: BracketMerging

class ManualExposure(_message.Message):
    __slots__ = ("exposure_duration", "gain")
    EXPOSURE_DURATION_FIELD_NUMBER: _ClassVar[int]
    GAIN_FIELD_NUMBER: _ClassVar[int]
    exposure_duration: _duration_pb2.Duration
    gain: int
    def __init__(self, exposure_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., gain: _Optional[int] = ...) -> None: ...

class BracketedPhotoSettings(_message.Message):
    __slots__ = ("exposure_bias", "manual_exposure")
    EXPOSURE_BIAS_FIELD_NUMBER: _ClassVar[int]
    MANUAL_EXPOSURE_FIELD_NUMBER: _ClassVar[int]
    exposure_bias: float
    manual_exposure: ManualExposure
    def __init__(self, exposure_bias: _Optional[float] = ..., manual_exposure: _Optional[_Union[ManualExposure, _Mapping]] = ...) -> None: ...

class ExposureLimits(_message.Message):
    __slots__ = ("min_exposure_duration", "max_exposure_duration", "min_gain", "max_gain", "min_exposure_bias", "max_exposure_bias")
    MIN_EXPOSURE_DURATION_FIELD_NUMBER: _ClassVar[int]
    MAX_EXPOSURE_DURATION_FIELD_NUMBER: _ClassVar[int]
    MIN_GAIN_FIELD_NUMBER: _ClassVar[int]
    MAX_GAIN_FIELD_NUMBER: _ClassVar[int]
    MIN_EXPOSURE_BIAS_FIELD_NUMBER: _ClassVar[int]
    MAX_EXPOSURE_BIAS_FIELD_NUMBER: _ClassVar[int]
    min_exposure_duration: _duration_pb2.Duration
    max_exposure_duration: _duration_pb2.Duration
    min_gain: int
    max_gain: int
    min_exposure_bias: float
    max_exposure_bias: float
    def __init__(self, min_exposure_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., max_exposure_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., min_gain: _Optional[int] = ..., max_gain: _Optional[int] = ..., min_exposure_bias: _Optional[float] = ..., max_exposure_bias: _Optional[float] = ...) -> None: ...

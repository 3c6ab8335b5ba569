from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class Encoding(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ENCODING_UNSPECIFIED: _ClassVar[Encoding]
    ENCODING_JPEG: _ClassVar[Encoding]
    ENCODING_HEIC: _ClassVar[Encoding]
    ENCODING_PNG: _ClassVar[Encoding]
    ENCODING_H264: _ClassVar[Encoding]
    ENCODING_UNCOMPRESSED: _ClassVar[Encoding]

class ColorRange(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    COLOR_RANGE_UNSPECIFIED: _ClassVar[ColorRange]
    COLOR_RANGE_LIMITED: _ClassVar[ColorRange]
    COLOR_RANGE_FULL: _ClassVar[ColorRange]

class ColorMatrix(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    COLOR_MATRIX_UNSPECIFIED: _ClassVar[ColorMatrix]
    COLOR_MATRIX_BT601: _ClassVar[ColorMatrix]
    COLOR_MATRIX_BT709: _ClassVar[ColorMatrix]
    COLOR_MATRIX_BT2020: _ClassVar[ColorMatrix]

class ColorTransfer(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    COLOR_TRANSFER_UNSPECIFIED: _ClassVar[ColorTransfer]
    COLOR_TRANSFER_PQ: _ClassVar[ColorTransfer]

class TimestampSource(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TIMESTAMP_SOURCE_UNSPECIFIED: _ClassVar[TimestampSource]
    TIMESTAMP_SOURCE_START_OF_EXPOSURE: _ClassVar[TimestampSource]
    TIMESTAMP_SOURCE_END_OF_FRAME: _ClassVar[TimestampSource]
    TIMESTAMP_SOURCE_ARRIVAL: _ClassVar[TimestampSource]

class InterruptionReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    INTERRUPTION_REASON_UNSPECIFIED: _ClassVar[InterruptionReason]
    INTERRUPTION_REASON_DEVICE_DISCONNECTED: _ClassVar[InterruptionReason]
    INTERRUPTION_REASON_DEVICE_IN_USE: _ClassVar[InterruptionReason]
    INTERRUPTION_REASON_SYSTEM_PRESSURE: _ClassVar[InterruptionReason]
    INTERRUPTION_REASON_DEVICE_STALLED: _ClassVar[InterruptionReason]
    INTERRUPTION_REASON_SYSTEM_SUSPEND: _ClassVar[InterruptionReason]
ENCODING_UNSPECIFIED: Encoding
ENCODING_JPEG: Encoding
ENCODING_HEIC: Encoding
ENCODING_PNG: Encoding
ENCODING_H264: Encoding
ENCODING_UNCOMPRESSED: Encoding
COLOR_RANGE_UNSPECIFIED: ColorRange
COLOR_RANGE_LIMITED: ColorRange
COLOR_RANGE_FULL: ColorRange
COLOR_MATRIX_UNSPECIFIED: ColorMatrix
COLOR_MATRIX_BT601: ColorMatrix
COLOR_MATRIX_BT709: ColorMatrix
COLOR_MATRIX_BT2020: ColorMatrix
COLOR_TRANSFER_UNSPECIFIED: ColorTransfer
COLOR_TRANSFER_PQ: ColorTransfer
TIMESTAMP_SOURCE_UNSPECIFIED: TimestampSource
TIMESTAMP_SOURCE_START_OF_EXPOSURE: TimestampSource
TIMESTAMP_SOURCE_END_OF_FRAME: TimestampSource
TIMESTAMP_SOURCE_ARRIVAL: TimestampSource
INTERRUPTION_REASON_UNSPECIFIED: InterruptionReason
INTERRUPTION_REASON_DEVICE_DISCONNECTED: InterruptionReason
INTERRUPTION_REASON_DEVICE_IN_USE: InterruptionReason
INTERRUPTION_REASON_SYSTEM_PRESSURE: InterruptionReason
INTERRUPTION_REASON_DEVICE_STALLED: InterruptionReason
INTERRUPTION_REASON_SYSTEM_SUSPEND: InterruptionReason

class Size(_message.Message):
    __slots__ = ("width", "height")
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    width: int
    height: int
    def __init__(self, width: _Optional[int] = ..., height: _Optional[int] = ...) -> None: ...

class Rational(_message.Message):
    __slots__ = ("numerator", "denominator")
    NUMERATOR_FIELD_NUMBER: _ClassVar[int]
    DENOMINATOR_FIELD_NUMBER: _ClassVar[int]
    numerator: int
    denominator: int
    def __init__(self, numerator: _Optional[int] = ..., denominator: _Optional[int] = ...) -> None: ...

class Plane(_message.Message):
    __slots__ = ("offset", "stride", "rows")
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    STRIDE_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    offset: int
    stride: int
    rows: int
    def __init__(self, offset: _Optional[int] = ..., stride: _Optional[int] = ..., rows: _Optional[int] = ...) -> None: ...

class DropCounts(_message.Message):
    __slots__ = ("late", "out_of_buffers", "discontinuity", "damaged")
    LATE_FIELD_NUMBER: _ClassVar[int]
    OUT_OF_BUFFERS_FIELD_NUMBER: _ClassVar[int]
    DISCONTINUITY_FIELD_NUMBER: _ClassVar[int]
    DAMAGED_FIELD_NUMBER: _ClassVar[int]
    late: int
    out_of_buffers: int
    discontinuity: int
    damaged: int
    def __init__(self, late: _Optional[int] = ..., out_of_buffers: _Optional[int] = ..., discontinuity: _Optional[int] = ..., damaged: _Optional[int] = ...) -> None: ...

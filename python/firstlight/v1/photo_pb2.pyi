import datetime

from firstlight.v1 import photo_encoding_pb2 as _photo_encoding_pb2
from firstlight.v1 import types_pb2 as _types_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PhotoSettings(_message.Message):
    __slots__ = ("unique_id", "encoding", "jpeg_quality", "embedded_thumbnail_dimensions", "heic_quality")
    UNIQUE_ID_FIELD_NUMBER: _ClassVar[int]
    ENCODING_FIELD_NUMBER: _ClassVar[int]
    JPEG_QUALITY_FIELD_NUMBER: _ClassVar[int]
    EMBEDDED_THUMBNAIL_DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    HEIC_QUALITY_FIELD_NUMBER: _ClassVar[int]
    unique_id: str
    encoding: _photo_encoding_pb2.PhotoEncoding
    jpeg_quality: int
    embedded_thumbnail_dimensions: _types_pb2.Size
    heic_quality: int
    def __init__(self, unique_id: _Optional[str] = ..., encoding: _Optional[_Union[_photo_encoding_pb2.PhotoEncoding, str]] = ..., jpeg_quality: _Optional[int] = ..., embedded_thumbnail_dimensions: _Optional[_Union[_types_pb2.Size, _Mapping]] = ..., heic_quality: _Optional[int] = ...) -> None: ...

class ResolvedPhotoSettings(_message.Message):
    __slots__ = ("encoding", "size", "zero_shutter_lag_used", "embedded_thumbnail_dimensions")
    ENCODING_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    ZERO_SHUTTER_LAG_USED_FIELD_NUMBER: _ClassVar[int]
    EMBEDDED_THUMBNAIL_DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    encoding: _photo_encoding_pb2.PhotoEncoding
    size: _types_pb2.Size
    zero_shutter_lag_used: bool
    embedded_thumbnail_dimensions: _types_pb2.Size
    def __init__(self, encoding: _Optional[_Union[_photo_encoding_pb2.PhotoEncoding, str]] = ..., size: _Optional[_Union[_types_pb2.Size, _Mapping]] = ..., zero_shutter_lag_used: bool = ..., embedded_thumbnail_dimensions: _Optional[_Union[_types_pb2.Size, _Mapping]] = ...) -> None: ...

class Photo(_message.Message):
    __slots__ = ("sequence", "stream_id", "capture_time", "monotonic_time_ns", "timestamp_source", "encoding", "width", "height", "zero_shutter_lag_used", "shutter_lag", "nearest_frame", "byte_count", "data_omitted", "config_revision", "pixel_format", "full_range", "bt709_matrix", "data")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    STREAM_ID_FIELD_NUMBER: _ClassVar[int]
    CAPTURE_TIME_FIELD_NUMBER: _ClassVar[int]
    MONOTONIC_TIME_NS_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_SOURCE_FIELD_NUMBER: _ClassVar[int]
    ENCODING_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    ZERO_SHUTTER_LAG_USED_FIELD_NUMBER: _ClassVar[int]
    SHUTTER_LAG_FIELD_NUMBER: _ClassVar[int]
    NEAREST_FRAME_FIELD_NUMBER: _ClassVar[int]
    BYTE_COUNT_FIELD_NUMBER: _ClassVar[int]
    DATA_OMITTED_FIELD_NUMBER: _ClassVar[int]
    CONFIG_REVISION_FIELD_NUMBER: _ClassVar[int]
    PIXEL_FORMAT_FIELD_NUMBER: _ClassVar[int]
    FULL_RANGE_FIELD_NUMBER: _ClassVar[int]
    BT709_MATRIX_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    stream_id: int
    capture_time: _timestamp_pb2.Timestamp
    monotonic_time_ns: int
    timestamp_source: _types_pb2.TimestampSource
    encoding: _photo_encoding_pb2.PhotoEncoding
    width: int
    height: int
    zero_shutter_lag_used: bool
    shutter_lag: _duration_pb2.Duration
    nearest_frame: bool
    byte_count: int
    data_omitted: bool
    config_revision: int
    pixel_format: str
    full_range: bool
    bt709_matrix: bool
    data: bytes
    def __init__(self, sequence: _Optional[int] = ..., stream_id: _Optional[int] = ..., capture_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., monotonic_time_ns: _Optional[int] = ..., timestamp_source: _Optional[_Union[_types_pb2.TimestampSource, str]] = ..., encoding: _Optional[_Union[_photo_encoding_pb2.PhotoEncoding, str]] = ..., width: _Optional[int] = ..., height: _Optional[int] = ..., zero_shutter_lag_used: bool = ..., shutter_lag: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., nearest_frame: bool = ..., byte_count: _Optional[int] = ..., data_omitted: bool = ..., config_revision: _Optional[int] = ..., pixel_format: _Optional[str] = ..., full_range: bool = ..., bt709_matrix: bool = ..., data: _Optional[bytes] = ...) -> None: ...

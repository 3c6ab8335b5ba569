import datetime

from firstlight.v1 import composition_pb2 as _composition_pb2
from firstlight.v1 import photo_shot_pb2 as _photo_shot_pb2
from firstlight.v1 import types_pb2 as _types_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FrameMatch(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FRAME_MATCH_UNSPECIFIED: _ClassVar[FrameMatch]
    FRAME_MATCH_EXACT: _ClassVar[FrameMatch]
    FRAME_MATCH_NEAREST: _ClassVar[FrameMatch]
    FRAME_MATCH_DAMAGED: _ClassVar[FrameMatch]

class PhotoQualityPrioritization(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PHOTO_QUALITY_PRIORITIZATION_UNSPECIFIED: _ClassVar[PhotoQualityPrioritization]
    PHOTO_QUALITY_PRIORITIZATION_SPEED: _ClassVar[PhotoQualityPrioritization]
    PHOTO_QUALITY_PRIORITIZATION_BALANCED: _ClassVar[PhotoQualityPrioritization]
    PHOTO_QUALITY_PRIORITIZATION_QUALITY: _ClassVar[PhotoQualityPrioritization]
FRAME_MATCH_UNSPECIFIED: FrameMatch
FRAME_MATCH_EXACT: FrameMatch
FRAME_MATCH_NEAREST: FrameMatch
FRAME_MATCH_DAMAGED: FrameMatch
PHOTO_QUALITY_PRIORITIZATION_UNSPECIFIED: PhotoQualityPrioritization
PHOTO_QUALITY_PRIORITIZATION_SPEED: PhotoQualityPrioritization
PHOTO_QUALITY_PRIORITIZATION_BALANCED: PhotoQualityPrioritization
PHOTO_QUALITY_PRIORITIZATION_QUALITY: PhotoQualityPrioritization

class PhotoSettings(_message.Message):
    __slots__ = ("unique_id", "encoding", "jpeg_quality", "quality_prioritization", "flash_mode", "embedded_thumbnail_dimensions", "bracket", "max_photo_dimensions", "heic_quality", "manual_exposure", "bracket_merging", "constituent_inputs")
    UNIQUE_ID_FIELD_NUMBER: _ClassVar[int]
    ENCODING_FIELD_NUMBER: _ClassVar[int]
    JPEG_QUALITY_FIELD_NUMBER: _ClassVar[int]
    QUALITY_PRIORITIZATION_FIELD_NUMBER: _ClassVar[int]
    FLASH_MODE_FIELD_NUMBER: _ClassVar[int]
    EMBEDDED_THUMBNAIL_DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    BRACKET_FIELD_NUMBER: _ClassVar[int]
    MAX_PHOTO_DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    HEIC_QUALITY_FIELD_NUMBER: _ClassVar[int]
    MANUAL_EXPOSURE_FIELD_NUMBER: _ClassVar[int]
    BRACKET_MERGING_FIELD_NUMBER: _ClassVar[int]
    CONSTITUENT_INPUTS_FIELD_NUMBER: _ClassVar[int]
    unique_id: str
    encoding: _types_pb2.Encoding
    jpeg_quality: int
    quality_prioritization: PhotoQualityPrioritization
    flash_mode: _photo_shot_pb2.FlashMode
    embedded_thumbnail_dimensions: _types_pb2.Size
    bracket: _containers.RepeatedCompositeFieldContainer[_photo_shot_pb2.BracketedPhotoSettings]
    max_photo_dimensions: _types_pb2.Size
    heic_quality: int
    manual_exposure: _photo_shot_pb2.ManualExposure
    bracket_merging: _photo_shot_pb2.BracketMerging
    constituent_inputs: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, unique_id: _Optional[str] = ..., encoding: _Optional[_Union[_types_pb2.Encoding, str]] = ..., jpeg_quality: _Optional[int] = ..., quality_prioritization: _Optional[_Union[PhotoQualityPrioritization, str]] = ..., flash_mode: _Optional[_Union[_photo_shot_pb2.FlashMode, str]] = ..., embedded_thumbnail_dimensions: _Optional[_Union[_types_pb2.Size, _Mapping]] = ..., bracket: _Optional[_Iterable[_Union[_photo_shot_pb2.BracketedPhotoSettings, _Mapping]]] = ..., max_photo_dimensions: _Optional[_Union[_types_pb2.Size, _Mapping]] = ..., heic_quality: _Optional[int] = ..., manual_exposure: _Optional[_Union[_photo_shot_pb2.ManualExposure, _Mapping]] = ..., bracket_merging: _Optional[_Union[_photo_shot_pb2.BracketMerging, str]] = ..., constituent_inputs: _Optional[_Iterable[str]] = ...) -> None: ...

class ResolvedPhotoSettings(_message.Message):
    __slots__ = ("encoding", "size", "zero_shutter_lag_used", "quality_prioritization", "fused_frame_count", "expected_photo_count", "processing_time_range", "flash_enabled", "embedded_thumbnail_dimensions", "manual_exposure")
    ENCODING_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    ZERO_SHUTTER_LAG_USED_FIELD_NUMBER: _ClassVar[int]
    QUALITY_PRIORITIZATION_FIELD_NUMBER: _ClassVar[int]
    FUSED_FRAME_COUNT_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_PHOTO_COUNT_FIELD_NUMBER: _ClassVar[int]
    PROCESSING_TIME_RANGE_FIELD_NUMBER: _ClassVar[int]
    FLASH_ENABLED_FIELD_NUMBER: _ClassVar[int]
    EMBEDDED_THUMBNAIL_DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    MANUAL_EXPOSURE_FIELD_NUMBER: _ClassVar[int]
    encoding: _types_pb2.Encoding
    size: _types_pb2.Size
    zero_shutter_lag_used: bool
    quality_prioritization: PhotoQualityPrioritization
    fused_frame_count: int
    expected_photo_count: int
    processing_time_range: ProcessingTimeRange
    flash_enabled: bool
    embedded_thumbnail_dimensions: _types_pb2.Size
    manual_exposure: _photo_shot_pb2.ManualExposure
    def __init__(self, encoding: _Optional[_Union[_types_pb2.Encoding, str]] = ..., size: _Optional[_Union[_types_pb2.Size, _Mapping]] = ..., zero_shutter_lag_used: bool = ..., quality_prioritization: _Optional[_Union[PhotoQualityPrioritization, str]] = ..., fused_frame_count: _Optional[int] = ..., expected_photo_count: _Optional[int] = ..., processing_time_range: _Optional[_Union[ProcessingTimeRange, _Mapping]] = ..., flash_enabled: bool = ..., embedded_thumbnail_dimensions: _Optional[_Union[_types_pb2.Size, _Mapping]] = ..., manual_exposure: _Optional[_Union[_photo_shot_pb2.ManualExposure, _Mapping]] = ...) -> None: ...

class ProcessingTimeRange(_message.Message):
    __slots__ = ("min_duration", "max_duration")
    MIN_DURATION_FIELD_NUMBER: _ClassVar[int]
    MAX_DURATION_FIELD_NUMBER: _ClassVar[int]
    min_duration: _duration_pb2.Duration
    max_duration: _duration_pb2.Duration
    def __init__(self, min_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., max_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class Photo(_message.Message):
    __slots__ = ("sequence", "stream_id", "capture_time", "monotonic_time_ns", "timestamp_source", "encoding", "width", "height", "zero_shutter_lag_used", "shutter_lag", "frame_match", "byte_count", "data_omitted", "config_revision", "request_receive_to_pin", "phases", "fused_frame_count", "quality_prioritization", "pixel_format", "color_range", "color_matrix", "flash_fired", "exposure_duration", "gain", "exposure_bias", "bracket_index", "color_transfer", "sources", "input", "data")
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
    FRAME_MATCH_FIELD_NUMBER: _ClassVar[int]
    BYTE_COUNT_FIELD_NUMBER: _ClassVar[int]
    DATA_OMITTED_FIELD_NUMBER: _ClassVar[int]
    CONFIG_REVISION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_RECEIVE_TO_PIN_FIELD_NUMBER: _ClassVar[int]
    PHASES_FIELD_NUMBER: _ClassVar[int]
    FUSED_FRAME_COUNT_FIELD_NUMBER: _ClassVar[int]
    QUALITY_PRIORITIZATION_FIELD_NUMBER: _ClassVar[int]
    PIXEL_FORMAT_FIELD_NUMBER: _ClassVar[int]
    COLOR_RANGE_FIELD_NUMBER: _ClassVar[int]
    COLOR_MATRIX_FIELD_NUMBER: _ClassVar[int]
    FLASH_FIRED_FIELD_NUMBER: _ClassVar[int]
    EXPOSURE_DURATION_FIELD_NUMBER: _ClassVar[int]
    GAIN_FIELD_NUMBER: _ClassVar[int]
    EXPOSURE_BIAS_FIELD_NUMBER: _ClassVar[int]
    BRACKET_INDEX_FIELD_NUMBER: _ClassVar[int]
    COLOR_TRANSFER_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    stream_id: int
    capture_time: _timestamp_pb2.Timestamp
    monotonic_time_ns: int
    timestamp_source: _types_pb2.TimestampSource
    encoding: _types_pb2.Encoding
    width: int
    height: int
    zero_shutter_lag_used: bool
    shutter_lag: _duration_pb2.Duration
    frame_match: FrameMatch
    byte_count: int
    data_omitted: bool
    config_revision: int
    request_receive_to_pin: _duration_pb2.Duration
    phases: PhotoPhases
    fused_frame_count: int
    quality_prioritization: PhotoQualityPrioritization
    pixel_format: str
    color_range: _types_pb2.ColorRange
    color_matrix: _types_pb2.ColorMatrix
    flash_fired: bool
    exposure_duration: _duration_pb2.Duration
    gain: int
    exposure_bias: float
    bracket_index: int
    color_transfer: _types_pb2.ColorTransfer
    sources: _containers.RepeatedCompositeFieldContainer[_composition_pb2.LayerSource]
    input: str
    data: bytes
    def __init__(self, sequence: _Optional[int] = ..., stream_id: _Optional[int] = ..., capture_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., monotonic_time_ns: _Optional[int] = ..., timestamp_source: _Optional[_Union[_types_pb2.TimestampSource, str]] = ..., encoding: _Optional[_Union[_types_pb2.Encoding, str]] = ..., width: _Optional[int] = ..., height: _Optional[int] = ..., zero_shutter_lag_used: bool = ..., shutter_lag: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., frame_match: _Optional[_Union[FrameMatch, str]] = ..., byte_count: _Optional[int] = ..., data_omitted: bool = ..., config_revision: _Optional[int] = ..., request_receive_to_pin: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., phases: _Optional[_Union[PhotoPhases, _Mapping]] = ..., fused_frame_count: _Optional[int] = ..., quality_prioritization: _Optional[_Union[PhotoQualityPrioritization, str]] = ..., pixel_format: _Optional[str] = ..., color_range: _Optional[_Union[_types_pb2.ColorRange, str]] = ..., color_matrix: _Optional[_Union[_types_pb2.ColorMatrix, str]] = ..., flash_fired: bool = ..., exposure_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., gain: _Optional[int] = ..., exposure_bias: _Optional[float] = ..., bracket_index: _Optional[int] = ..., color_transfer: _Optional[_Union[_types_pb2.ColorTransfer, str]] = ..., sources: _Optional[_Iterable[_Union[_composition_pb2.LayerSource, _Mapping]]] = ..., input: _Optional[str] = ..., data: _Optional[bytes] = ...) -> None: ...

class PhotoPhases(_message.Message):
    __slots__ = ("capture_begin_ns", "capture_end_ns", "process_begin_ns", "process_end_ns", "encode_begin_ns", "encode_end_ns")
    CAPTURE_BEGIN_NS_FIELD_NUMBER: _ClassVar[int]
    CAPTURE_END_NS_FIELD_NUMBER: _ClassVar[int]
    PROCESS_BEGIN_NS_FIELD_NUMBER: _ClassVar[int]
    PROCESS_END_NS_FIELD_NUMBER: _ClassVar[int]
    ENCODE_BEGIN_NS_FIELD_NUMBER: _ClassVar[int]
    ENCODE_END_NS_FIELD_NUMBER: _ClassVar[int]
    capture_begin_ns: int
    capture_end_ns: int
    process_begin_ns: int
    process_end_ns: int
    encode_begin_ns: int
    encode_end_ns: int
    def __init__(self, capture_begin_ns: _Optional[int] = ..., capture_end_ns: _Optional[int] = ..., process_begin_ns: _Optional[int] = ..., process_end_ns: _Optional[int] = ..., encode_begin_ns: _Optional[int] = ..., encode_end_ns: _Optional[int] = ...) -> None: ...

import datetime

from firstlight.v1 import composition_pb2 as _composition_pb2
from firstlight.v1 import overlay_pb2 as _overlay_pb2
from firstlight.v1 import session_pb2 as _session_pb2
from firstlight.v1 import types_pb2 as _types_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class StreamVideoDataRequest(_message.Message):
    __slots__ = ("session", "output", "max_message_bytes", "max_unacknowledged_frames")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_UNACKNOWLEDGED_FRAMES_FIELD_NUMBER: _ClassVar[int]
    session: str
    output: str
    max_message_bytes: int
    max_unacknowledged_frames: int
    def __init__(self, session: _Optional[str] = ..., output: _Optional[str] = ..., max_message_bytes: _Optional[int] = ..., max_unacknowledged_frames: _Optional[int] = ...) -> None: ...

class StreamVideoDataResponse(_message.Message):
    __slots__ = ("status", "frame")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    FRAME_FIELD_NUMBER: _ClassVar[int]
    status: VideoDataStatus
    frame: VideoDataFrame
    def __init__(self, status: _Optional[_Union[VideoDataStatus, _Mapping]] = ..., frame: _Optional[_Union[VideoDataFrame, _Mapping]] = ...) -> None: ...

class VideoDataStatus(_message.Message):
    __slots__ = ("stream_token", "session_state", "interruption_reason", "size", "pixel_format")
    STREAM_TOKEN_FIELD_NUMBER: _ClassVar[int]
    SESSION_STATE_FIELD_NUMBER: _ClassVar[int]
    INTERRUPTION_REASON_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    PIXEL_FORMAT_FIELD_NUMBER: _ClassVar[int]
    stream_token: str
    session_state: _session_pb2.Session.State
    interruption_reason: _types_pb2.InterruptionReason
    size: _types_pb2.Size
    pixel_format: str
    def __init__(self, stream_token: _Optional[str] = ..., session_state: _Optional[_Union[_session_pb2.Session.State, str]] = ..., interruption_reason: _Optional[_Union[_types_pb2.InterruptionReason, str]] = ..., size: _Optional[_Union[_types_pb2.Size, _Mapping]] = ..., pixel_format: _Optional[str] = ...) -> None: ...

class VideoDataFrame(_message.Message):
    __slots__ = ("input", "stream_id", "sequence", "capture_time", "monotonic_time_ns", "timestamp_source", "width", "height", "encoding", "key_frame", "dropped", "config_revision", "planes", "color_range", "color_matrix", "exposure_duration", "gain", "temperature_millidegrees", "color_transfer", "pixel_format", "sources", "data")
    INPUT_FIELD_NUMBER: _ClassVar[int]
    STREAM_ID_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    CAPTURE_TIME_FIELD_NUMBER: _ClassVar[int]
    MONOTONIC_TIME_NS_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_SOURCE_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    ENCODING_FIELD_NUMBER: _ClassVar[int]
    KEY_FRAME_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    CONFIG_REVISION_FIELD_NUMBER: _ClassVar[int]
    PLANES_FIELD_NUMBER: _ClassVar[int]
    COLOR_RANGE_FIELD_NUMBER: _ClassVar[int]
    COLOR_MATRIX_FIELD_NUMBER: _ClassVar[int]
    EXPOSURE_DURATION_FIELD_NUMBER: _ClassVar[int]
    GAIN_FIELD_NUMBER: _ClassVar[int]
    TEMPERATURE_MILLIDEGREES_FIELD_NUMBER: _ClassVar[int]
    COLOR_TRANSFER_FIELD_NUMBER: _ClassVar[int]
    PIXEL_FORMAT_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    input: str
    stream_id: int
    sequence: int
    capture_time: _timestamp_pb2.Timestamp
    monotonic_time_ns: int
    timestamp_source: _types_pb2.TimestampSource
    width: int
    height: int
    encoding: _types_pb2.Encoding
    key_frame: bool
    dropped: _types_pb2.DropCounts
    config_revision: int
    planes: _containers.RepeatedCompositeFieldContainer[_types_pb2.Plane]
    color_range: _types_pb2.ColorRange
    color_matrix: _types_pb2.ColorMatrix
    exposure_duration: _duration_pb2.Duration
    gain: int
    temperature_millidegrees: int
    color_transfer: _types_pb2.ColorTransfer
    pixel_format: str
    sources: _containers.RepeatedCompositeFieldContainer[_composition_pb2.LayerSource]
    data: bytes
    def __init__(self, input: _Optional[str] = ..., stream_id: _Optional[int] = ..., sequence: _Optional[int] = ..., capture_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., monotonic_time_ns: _Optional[int] = ..., timestamp_source: _Optional[_Union[_types_pb2.TimestampSource, str]] = ..., width: _Optional[int] = ..., height: _Optional[int] = ..., encoding: _Optional[_Union[_types_pb2.Encoding, str]] = ..., key_frame: bool = ..., dropped: _Optional[_Union[_types_pb2.DropCounts, _Mapping]] = ..., config_revision: _Optional[int] = ..., planes: _Optional[_Iterable[_Union[_types_pb2.Plane, _Mapping]]] = ..., color_range: _Optional[_Union[_types_pb2.ColorRange, str]] = ..., color_matrix: _Optional[_Union[_types_pb2.ColorMatrix, str]] = ..., exposure_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., gain: _Optional[int] = ..., temperature_millidegrees: _Optional[int] = ..., color_transfer: _Optional[_Union[_types_pb2.ColorTransfer, str]] = ..., pixel_format: _Optional[str] = ..., sources: _Optional[_Iterable[_Union[_composition_pb2.LayerSource, _Mapping]]] = ..., data: _Optional[bytes] = ...) -> None: ...

class ProcessFramesRequest(_message.Message):
    __slots__ = ("processing_start", "answer")
    PROCESSING_START_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    processing_start: ProcessingStart
    answer: ProcessingAnswer
    def __init__(self, processing_start: _Optional[_Union[ProcessingStart, _Mapping]] = ..., answer: _Optional[_Union[ProcessingAnswer, _Mapping]] = ...) -> None: ...

class ProcessingStart(_message.Message):
    __slots__ = ("session", "output", "preview_output", "max_message_bytes", "deadline_frames")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_OUTPUT_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_FRAMES_FIELD_NUMBER: _ClassVar[int]
    session: str
    output: str
    preview_output: str
    max_message_bytes: int
    deadline_frames: int
    def __init__(self, session: _Optional[str] = ..., output: _Optional[str] = ..., preview_output: _Optional[str] = ..., max_message_bytes: _Optional[int] = ..., deadline_frames: _Optional[int] = ...) -> None: ...

class ProcessingAnswer(_message.Message):
    __slots__ = ("stream_id", "sequence", "overlay", "replacement")
    STREAM_ID_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    OVERLAY_FIELD_NUMBER: _ClassVar[int]
    REPLACEMENT_FIELD_NUMBER: _ClassVar[int]
    stream_id: int
    sequence: int
    overlay: _overlay_pb2.Overlay
    replacement: ProcessedFrame
    def __init__(self, stream_id: _Optional[int] = ..., sequence: _Optional[int] = ..., overlay: _Optional[_Union[_overlay_pb2.Overlay, _Mapping]] = ..., replacement: _Optional[_Union[ProcessedFrame, _Mapping]] = ...) -> None: ...

class ProcessedFrame(_message.Message):
    __slots__ = ("pixel_format", "width", "height", "data")
    PIXEL_FORMAT_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    pixel_format: str
    width: int
    height: int
    data: bytes
    def __init__(self, pixel_format: _Optional[str] = ..., width: _Optional[int] = ..., height: _Optional[int] = ..., data: _Optional[bytes] = ...) -> None: ...

class ProcessFramesResponse(_message.Message):
    __slots__ = ("counts", "status", "frame")
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    FRAME_FIELD_NUMBER: _ClassVar[int]
    counts: ProcessingCounts
    status: VideoDataStatus
    frame: VideoDataFrame
    def __init__(self, counts: _Optional[_Union[ProcessingCounts, _Mapping]] = ..., status: _Optional[_Union[VideoDataStatus, _Mapping]] = ..., frame: _Optional[_Union[VideoDataFrame, _Mapping]] = ...) -> None: ...

class ProcessingCounts(_message.Message):
    __slots__ = ("shown", "late", "unanswered")
    SHOWN_FIELD_NUMBER: _ClassVar[int]
    LATE_FIELD_NUMBER: _ClassVar[int]
    UNANSWERED_FIELD_NUMBER: _ClassVar[int]
    shown: int
    late: int
    unanswered: int
    def __init__(self, shown: _Optional[int] = ..., late: _Optional[int] = ..., unanswered: _Optional[int] = ...) -> None: ...

class SetOverlayRequest(_message.Message):
    __slots__ = ("session", "preview_output", "overlay")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_OUTPUT_FIELD_NUMBER: _ClassVar[int]
    OVERLAY_FIELD_NUMBER: _ClassVar[int]
    session: str
    preview_output: str
    overlay: _overlay_pb2.Overlay
    def __init__(self, session: _Optional[str] = ..., preview_output: _Optional[str] = ..., overlay: _Optional[_Union[_overlay_pb2.Overlay, _Mapping]] = ...) -> None: ...

class SetOverlayResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

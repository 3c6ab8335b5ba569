import datetime

from firstlight.v1 import types_pb2 as _types_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.rpc import status_pb2 as _status_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CaptureReadiness(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CAPTURE_READINESS_UNSPECIFIED: _ClassVar[CaptureReadiness]
    CAPTURE_READINESS_SESSION_NOT_RUNNING: _ClassVar[CaptureReadiness]
    CAPTURE_READINESS_READY: _ClassVar[CaptureReadiness]
    CAPTURE_READINESS_NOT_READY_MOMENTARILY: _ClassVar[CaptureReadiness]
    CAPTURE_READINESS_NOT_READY_WAITING_FOR_CAPTURE: _ClassVar[CaptureReadiness]
    CAPTURE_READINESS_NOT_READY_WAITING_FOR_PROCESSING: _ClassVar[CaptureReadiness]

class PhotoEncoding(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PHOTO_ENCODING_UNSPECIFIED: _ClassVar[PhotoEncoding]
    PHOTO_ENCODING_JPEG: _ClassVar[PhotoEncoding]
CAPTURE_READINESS_UNSPECIFIED: CaptureReadiness
CAPTURE_READINESS_SESSION_NOT_RUNNING: CaptureReadiness
CAPTURE_READINESS_READY: CaptureReadiness
CAPTURE_READINESS_NOT_READY_MOMENTARILY: CaptureReadiness
CAPTURE_READINESS_NOT_READY_WAITING_FOR_CAPTURE: CaptureReadiness
CAPTURE_READINESS_NOT_READY_WAITING_FOR_PROCESSING: CaptureReadiness
PHOTO_ENCODING_UNSPECIFIED: PhotoEncoding
PHOTO_ENCODING_JPEG: PhotoEncoding

class CapturePhotoRequest(_message.Message):
    __slots__ = ("session", "settings", "viewfinder_sequence", "shutter_time", "viewfinder_stream_id", "max_message_bytes")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    VIEWFINDER_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    SHUTTER_TIME_FIELD_NUMBER: _ClassVar[int]
    VIEWFINDER_STREAM_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    session: str
    settings: PhotoSettings
    viewfinder_sequence: int
    shutter_time: _timestamp_pb2.Timestamp
    viewfinder_stream_id: int
    max_message_bytes: int
    def __init__(self, session: _Optional[str] = ..., settings: _Optional[_Union[PhotoSettings, _Mapping]] = ..., viewfinder_sequence: _Optional[int] = ..., shutter_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., viewfinder_stream_id: _Optional[int] = ..., max_message_bytes: _Optional[int] = ...) -> None: ...

class PhotoSettings(_message.Message):
    __slots__ = ("unique_id", "encoding", "jpeg_quality")
    UNIQUE_ID_FIELD_NUMBER: _ClassVar[int]
    ENCODING_FIELD_NUMBER: _ClassVar[int]
    JPEG_QUALITY_FIELD_NUMBER: _ClassVar[int]
    unique_id: str
    encoding: PhotoEncoding
    jpeg_quality: int
    def __init__(self, unique_id: _Optional[str] = ..., encoding: _Optional[_Union[PhotoEncoding, str]] = ..., jpeg_quality: _Optional[int] = ...) -> None: ...

class CapturePhotoResponse(_message.Message):
    __slots__ = ("event",)
    EVENT_FIELD_NUMBER: _ClassVar[int]
    event: PhotoCaptureEvent
    def __init__(self, event: _Optional[_Union[PhotoCaptureEvent, _Mapping]] = ...) -> None: ...

class PhotoCaptureEvent(_message.Message):
    __slots__ = ("unique_id", "monotonic_time_ns", "will_begin_capture", "will_capture_photo", "did_capture_photo", "did_finish_processing_photo", "did_finish_capture")
    UNIQUE_ID_FIELD_NUMBER: _ClassVar[int]
    MONOTONIC_TIME_NS_FIELD_NUMBER: _ClassVar[int]
    WILL_BEGIN_CAPTURE_FIELD_NUMBER: _ClassVar[int]
    WILL_CAPTURE_PHOTO_FIELD_NUMBER: _ClassVar[int]
    DID_CAPTURE_PHOTO_FIELD_NUMBER: _ClassVar[int]
    DID_FINISH_PROCESSING_PHOTO_FIELD_NUMBER: _ClassVar[int]
    DID_FINISH_CAPTURE_FIELD_NUMBER: _ClassVar[int]
    unique_id: str
    monotonic_time_ns: int
    will_begin_capture: WillBeginCapture
    will_capture_photo: WillCapturePhoto
    did_capture_photo: DidCapturePhoto
    did_finish_processing_photo: DidFinishProcessingPhoto
    did_finish_capture: DidFinishCapture
    def __init__(self, unique_id: _Optional[str] = ..., monotonic_time_ns: _Optional[int] = ..., will_begin_capture: _Optional[_Union[WillBeginCapture, _Mapping]] = ..., will_capture_photo: _Optional[_Union[WillCapturePhoto, _Mapping]] = ..., did_capture_photo: _Optional[_Union[DidCapturePhoto, _Mapping]] = ..., did_finish_processing_photo: _Optional[_Union[DidFinishProcessingPhoto, _Mapping]] = ..., did_finish_capture: _Optional[_Union[DidFinishCapture, _Mapping]] = ...) -> None: ...

class ResolvedPhotoSettings(_message.Message):
    __slots__ = ("encoding", "size", "zero_shutter_lag_used")
    ENCODING_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    ZERO_SHUTTER_LAG_USED_FIELD_NUMBER: _ClassVar[int]
    encoding: PhotoEncoding
    size: _types_pb2.Size
    zero_shutter_lag_used: bool
    def __init__(self, encoding: _Optional[_Union[PhotoEncoding, str]] = ..., size: _Optional[_Union[_types_pb2.Size, _Mapping]] = ..., zero_shutter_lag_used: bool = ...) -> None: ...

class WillBeginCapture(_message.Message):
    __slots__ = ("resolved_settings",)
    RESOLVED_SETTINGS_FIELD_NUMBER: _ClassVar[int]
    resolved_settings: ResolvedPhotoSettings
    def __init__(self, resolved_settings: _Optional[_Union[ResolvedPhotoSettings, _Mapping]] = ...) -> None: ...

class WillCapturePhoto(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class DidCapturePhoto(_message.Message):
    __slots__ = ("sequence", "stream_id")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    STREAM_ID_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    stream_id: int
    def __init__(self, sequence: _Optional[int] = ..., stream_id: _Optional[int] = ...) -> None: ...

class DidFinishProcessingPhoto(_message.Message):
    __slots__ = ("photo", "error")
    PHOTO_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    photo: Photo
    error: _status_pb2.Status
    def __init__(self, photo: _Optional[_Union[Photo, _Mapping]] = ..., error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class DidFinishCapture(_message.Message):
    __slots__ = ("error",)
    ERROR_FIELD_NUMBER: _ClassVar[int]
    error: _status_pb2.Status
    def __init__(self, error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class Photo(_message.Message):
    __slots__ = ("sequence", "stream_id", "capture_time", "monotonic_time_ns", "timestamp_source", "encoding", "width", "height", "zero_shutter_lag_used", "shutter_lag", "nearest_frame", "byte_count", "data_omitted", "config_revision", "data")
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
    DATA_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    stream_id: int
    capture_time: _timestamp_pb2.Timestamp
    monotonic_time_ns: int
    timestamp_source: _types_pb2.TimestampSource
    encoding: PhotoEncoding
    width: int
    height: int
    zero_shutter_lag_used: bool
    shutter_lag: _duration_pb2.Duration
    nearest_frame: bool
    byte_count: int
    data_omitted: bool
    config_revision: int
    data: bytes
    def __init__(self, sequence: _Optional[int] = ..., stream_id: _Optional[int] = ..., capture_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., monotonic_time_ns: _Optional[int] = ..., timestamp_source: _Optional[_Union[_types_pb2.TimestampSource, str]] = ..., encoding: _Optional[_Union[PhotoEncoding, str]] = ..., width: _Optional[int] = ..., height: _Optional[int] = ..., zero_shutter_lag_used: bool = ..., shutter_lag: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., nearest_frame: bool = ..., byte_count: _Optional[int] = ..., data_omitted: bool = ..., config_revision: _Optional[int] = ..., data: _Optional[bytes] = ...) -> None: ...

class GetCaptureRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class GetCaptureResponse(_message.Message):
    __slots__ = ("capture",)
    CAPTURE_FIELD_NUMBER: _ClassVar[int]
    capture: Capture
    def __init__(self, capture: _Optional[_Union[Capture, _Mapping]] = ...) -> None: ...

class Capture(_message.Message):
    __slots__ = ("name", "state", "photo", "error")
    class State(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        STATE_UNSPECIFIED: _ClassVar[Capture.State]
        STATE_IN_PROGRESS: _ClassVar[Capture.State]
        STATE_FINISHED: _ClassVar[Capture.State]
        STATE_FAILED: _ClassVar[Capture.State]
    STATE_UNSPECIFIED: Capture.State
    STATE_IN_PROGRESS: Capture.State
    STATE_FINISHED: Capture.State
    STATE_FAILED: Capture.State
    NAME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    PHOTO_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    name: str
    state: Capture.State
    photo: Photo
    error: _status_pb2.Status
    def __init__(self, name: _Optional[str] = ..., state: _Optional[_Union[Capture.State, str]] = ..., photo: _Optional[_Union[Photo, _Mapping]] = ..., error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class DownloadCaptureRequest(_message.Message):
    __slots__ = ("name", "offset")
    NAME_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    name: str
    offset: int
    def __init__(self, name: _Optional[str] = ..., offset: _Optional[int] = ...) -> None: ...

class DownloadCaptureResponse(_message.Message):
    __slots__ = ("offset", "data")
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    offset: int
    data: bytes
    def __init__(self, offset: _Optional[int] = ..., data: _Optional[bytes] = ...) -> None: ...

class WatchReadinessRequest(_message.Message):
    __slots__ = ("session",)
    SESSION_FIELD_NUMBER: _ClassVar[int]
    session: str
    def __init__(self, session: _Optional[str] = ...) -> None: ...

class WatchReadinessResponse(_message.Message):
    __slots__ = ("readiness",)
    READINESS_FIELD_NUMBER: _ClassVar[int]
    readiness: CaptureReadiness
    def __init__(self, readiness: _Optional[_Union[CaptureReadiness, str]] = ...) -> None: ...

import datetime

from firstlight.v1 import photo_pb2 as _photo_pb2
from firstlight.v1 import photo_events_pb2 as _photo_events_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.rpc import status_pb2 as _status_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
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

class CaptureReadinessHint(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CAPTURE_READINESS_HINT_UNSPECIFIED: _ClassVar[CaptureReadinessHint]
    CAPTURE_READINESS_HINT_ENABLE: _ClassVar[CaptureReadinessHint]
    CAPTURE_READINESS_HINT_DISABLE_UNCHANGED: _ClassVar[CaptureReadinessHint]
    CAPTURE_READINESS_HINT_DISABLE_DIMMED: _ClassVar[CaptureReadinessHint]
    CAPTURE_READINESS_HINT_DISABLE_SPINNER: _ClassVar[CaptureReadinessHint]
CAPTURE_READINESS_UNSPECIFIED: CaptureReadiness
CAPTURE_READINESS_SESSION_NOT_RUNNING: CaptureReadiness
CAPTURE_READINESS_READY: CaptureReadiness
CAPTURE_READINESS_NOT_READY_MOMENTARILY: CaptureReadiness
CAPTURE_READINESS_NOT_READY_WAITING_FOR_CAPTURE: CaptureReadiness
CAPTURE_READINESS_NOT_READY_WAITING_FOR_PROCESSING: CaptureReadiness
CAPTURE_READINESS_HINT_UNSPECIFIED: CaptureReadinessHint
CAPTURE_READINESS_HINT_ENABLE: CaptureReadinessHint
CAPTURE_READINESS_HINT_DISABLE_UNCHANGED: CaptureReadinessHint
CAPTURE_READINESS_HINT_DISABLE_DIMMED: CaptureReadinessHint
CAPTURE_READINESS_HINT_DISABLE_SPINNER: CaptureReadinessHint

class CapturePhotoRequest(_message.Message):
    __slots__ = ("session", "settings", "viewfinder_sequence", "shutter_time", "viewfinder_stream_id", "max_message_bytes")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    VIEWFINDER_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    SHUTTER_TIME_FIELD_NUMBER: _ClassVar[int]
    VIEWFINDER_STREAM_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    session: str
    settings: _photo_pb2.PhotoSettings
    viewfinder_sequence: int
    shutter_time: _timestamp_pb2.Timestamp
    viewfinder_stream_id: int
    max_message_bytes: int
    def __init__(self, session: _Optional[str] = ..., settings: _Optional[_Union[_photo_pb2.PhotoSettings, _Mapping]] = ..., viewfinder_sequence: _Optional[int] = ..., shutter_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., viewfinder_stream_id: _Optional[int] = ..., max_message_bytes: _Optional[int] = ...) -> None: ...

class CapturePhotoResponse(_message.Message):
    __slots__ = ("event",)
    EVENT_FIELD_NUMBER: _ClassVar[int]
    event: _photo_events_pb2.PhotoCaptureEvent
    def __init__(self, event: _Optional[_Union[_photo_events_pb2.PhotoCaptureEvent, _Mapping]] = ...) -> None: ...

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
    __slots__ = ("name", "state", "photo", "error", "bracketed_photos", "session", "request_time")
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
    BRACKETED_PHOTOS_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_TIME_FIELD_NUMBER: _ClassVar[int]
    name: str
    state: Capture.State
    photo: _photo_pb2.Photo
    error: _status_pb2.Status
    bracketed_photos: _containers.RepeatedCompositeFieldContainer[_photo_pb2.Photo]
    session: str
    request_time: _timestamp_pb2.Timestamp
    def __init__(self, name: _Optional[str] = ..., state: _Optional[_Union[Capture.State, str]] = ..., photo: _Optional[_Union[_photo_pb2.Photo, _Mapping]] = ..., error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ..., bracketed_photos: _Optional[_Iterable[_Union[_photo_pb2.Photo, _Mapping]]] = ..., session: _Optional[str] = ..., request_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ListCapturesRequest(_message.Message):
    __slots__ = ("session", "state", "start_time", "end_time", "page_size", "page_token")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    session: str
    state: Capture.State
    start_time: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    page_size: int
    page_token: str
    def __init__(self, session: _Optional[str] = ..., state: _Optional[_Union[Capture.State, str]] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListCapturesResponse(_message.Message):
    __slots__ = ("captures", "next_page_token", "event_id")
    CAPTURES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    captures: _containers.RepeatedCompositeFieldContainer[Capture]
    next_page_token: str
    event_id: str
    def __init__(self, captures: _Optional[_Iterable[_Union[Capture, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., event_id: _Optional[str] = ...) -> None: ...

class DownloadCaptureRequest(_message.Message):
    __slots__ = ("name", "offset", "bracket_index")
    NAME_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    BRACKET_INDEX_FIELD_NUMBER: _ClassVar[int]
    name: str
    offset: int
    bracket_index: int
    def __init__(self, name: _Optional[str] = ..., offset: _Optional[int] = ..., bracket_index: _Optional[int] = ...) -> None: ...

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
    __slots__ = ("readiness", "hint", "stream_token")
    READINESS_FIELD_NUMBER: _ClassVar[int]
    HINT_FIELD_NUMBER: _ClassVar[int]
    STREAM_TOKEN_FIELD_NUMBER: _ClassVar[int]
    readiness: CaptureReadiness
    hint: CaptureReadinessHint
    stream_token: str
    def __init__(self, readiness: _Optional[_Union[CaptureReadiness, str]] = ..., hint: _Optional[_Union[CaptureReadinessHint, str]] = ..., stream_token: _Optional[str] = ...) -> None: ...

class StartTrackingCaptureRequest(_message.Message):
    __slots__ = ("session", "settings", "stream_token")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    STREAM_TOKEN_FIELD_NUMBER: _ClassVar[int]
    session: str
    settings: _photo_pb2.PhotoSettings
    stream_token: str
    def __init__(self, session: _Optional[str] = ..., settings: _Optional[_Union[_photo_pb2.PhotoSettings, _Mapping]] = ..., stream_token: _Optional[str] = ...) -> None: ...

class StartTrackingCaptureResponse(_message.Message):
    __slots__ = ("readiness",)
    READINESS_FIELD_NUMBER: _ClassVar[int]
    readiness: CaptureReadiness
    def __init__(self, readiness: _Optional[_Union[CaptureReadiness, str]] = ...) -> None: ...

class StopTrackingCaptureRequest(_message.Message):
    __slots__ = ("session", "unique_id")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    UNIQUE_ID_FIELD_NUMBER: _ClassVar[int]
    session: str
    unique_id: str
    def __init__(self, session: _Optional[str] = ..., unique_id: _Optional[str] = ...) -> None: ...

class StopTrackingCaptureResponse(_message.Message):
    __slots__ = ("readiness",)
    READINESS_FIELD_NUMBER: _ClassVar[int]
    readiness: CaptureReadiness
    def __init__(self, readiness: _Optional[_Union[CaptureReadiness, str]] = ...) -> None: ...

class WatchCapturesRequest(_message.Message):
    __slots__ = ("session", "after_event_id")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    AFTER_EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    session: str
    after_event_id: str
    def __init__(self, session: _Optional[str] = ..., after_event_id: _Optional[str] = ...) -> None: ...

class WatchCapturesResponse(_message.Message):
    __slots__ = ("event",)
    EVENT_FIELD_NUMBER: _ClassVar[int]
    event: _photo_events_pb2.PhotoCaptureEvent
    def __init__(self, event: _Optional[_Union[_photo_events_pb2.PhotoCaptureEvent, _Mapping]] = ...) -> None: ...

class PreparePhotoSettingsRequest(_message.Message):
    __slots__ = ("session", "settings")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    session: str
    settings: _containers.RepeatedCompositeFieldContainer[_photo_pb2.PhotoSettings]
    def __init__(self, session: _Optional[str] = ..., settings: _Optional[_Iterable[_Union[_photo_pb2.PhotoSettings, _Mapping]]] = ...) -> None: ...

class PreparePhotoSettingsResponse(_message.Message):
    __slots__ = ("preparation",)
    class Preparation(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        PREPARATION_UNSPECIFIED: _ClassVar[PreparePhotoSettingsResponse.Preparation]
        PREPARATION_DONE: _ClassVar[PreparePhotoSettingsResponse.Preparation]
        PREPARATION_SUPERSEDED: _ClassVar[PreparePhotoSettingsResponse.Preparation]
    PREPARATION_UNSPECIFIED: PreparePhotoSettingsResponse.Preparation
    PREPARATION_DONE: PreparePhotoSettingsResponse.Preparation
    PREPARATION_SUPERSEDED: PreparePhotoSettingsResponse.Preparation
    PREPARATION_FIELD_NUMBER: _ClassVar[int]
    preparation: PreparePhotoSettingsResponse.Preparation
    def __init__(self, preparation: _Optional[_Union[PreparePhotoSettingsResponse.Preparation, str]] = ...) -> None: ...

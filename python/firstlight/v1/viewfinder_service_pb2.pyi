from firstlight.v1 import device_service_pb2 as _device_service_pb2
from firstlight.v1 import photo_service_pb2 as _photo_service_pb2
from firstlight.v1 import pressure_service_pb2 as _pressure_service_pb2
from firstlight.v1 import preview_service_pb2 as _preview_service_pb2
from firstlight.v1 import session_service_pb2 as _session_service_pb2
from google.rpc import status_pb2 as _status_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ViewfinderContents(_message.Message):
    __slots__ = ("previews", "sessions", "pressure", "devices", "metered_sessions")
    PREVIEWS_FIELD_NUMBER: _ClassVar[int]
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    PRESSURE_FIELD_NUMBER: _ClassVar[int]
    DEVICES_FIELD_NUMBER: _ClassVar[int]
    METERED_SESSIONS_FIELD_NUMBER: _ClassVar[int]
    previews: _containers.RepeatedCompositeFieldContainer[ViewfinderPreview]
    sessions: _containers.RepeatedScalarFieldContainer[str]
    pressure: bool
    devices: bool
    metered_sessions: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, previews: _Optional[_Iterable[_Union[ViewfinderPreview, _Mapping]]] = ..., sessions: _Optional[_Iterable[str]] = ..., pressure: bool = ..., devices: bool = ..., metered_sessions: _Optional[_Iterable[str]] = ...) -> None: ...

class ViewfinderPreview(_message.Message):
    __slots__ = ("id", "request")
    ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    id: str
    request: _preview_service_pb2.StreamPreviewRequest
    def __init__(self, id: _Optional[str] = ..., request: _Optional[_Union[_preview_service_pb2.StreamPreviewRequest, _Mapping]] = ...) -> None: ...

class StreamViewfinderRequest(_message.Message):
    __slots__ = ("contents",)
    CONTENTS_FIELD_NUMBER: _ClassVar[int]
    contents: ViewfinderContents
    def __init__(self, contents: _Optional[_Union[ViewfinderContents, _Mapping]] = ...) -> None: ...

class StreamViewfinderResponse(_message.Message):
    __slots__ = ("message_number", "status", "preview", "session", "pressure", "device", "ended")
    MESSAGE_NUMBER_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    PRESSURE_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    message_number: int
    status: ViewfinderStatus
    preview: ViewfinderPreviewMessage
    session: ViewfinderSessionMessage
    pressure: _pressure_service_pb2.WatchSystemPressureResponse
    device: _device_service_pb2.WatchDevicesResponse
    ended: ViewfinderEnding
    def __init__(self, message_number: _Optional[int] = ..., status: _Optional[_Union[ViewfinderStatus, _Mapping]] = ..., preview: _Optional[_Union[ViewfinderPreviewMessage, _Mapping]] = ..., session: _Optional[_Union[ViewfinderSessionMessage, _Mapping]] = ..., pressure: _Optional[_Union[_pressure_service_pb2.WatchSystemPressureResponse, _Mapping]] = ..., device: _Optional[_Union[_device_service_pb2.WatchDevicesResponse, _Mapping]] = ..., ended: _Optional[_Union[ViewfinderEnding, _Mapping]] = ...) -> None: ...

class ViewfinderStatus(_message.Message):
    __slots__ = ("stream_token", "revision")
    STREAM_TOKEN_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    stream_token: str
    revision: int
    def __init__(self, stream_token: _Optional[str] = ..., revision: _Optional[int] = ...) -> None: ...

class ViewfinderPreviewMessage(_message.Message):
    __slots__ = ("id", "message")
    ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    id: str
    message: _preview_service_pb2.StreamPreviewResponse
    def __init__(self, id: _Optional[str] = ..., message: _Optional[_Union[_preview_service_pb2.StreamPreviewResponse, _Mapping]] = ...) -> None: ...

class ViewfinderSessionMessage(_message.Message):
    __slots__ = ("session", "session_event", "capture_event", "readiness_event", "audio_levels_event")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    SESSION_EVENT_FIELD_NUMBER: _ClassVar[int]
    CAPTURE_EVENT_FIELD_NUMBER: _ClassVar[int]
    READINESS_EVENT_FIELD_NUMBER: _ClassVar[int]
    AUDIO_LEVELS_EVENT_FIELD_NUMBER: _ClassVar[int]
    session: str
    session_event: _session_service_pb2.WatchSessionResponse
    capture_event: _photo_service_pb2.WatchCapturesResponse
    readiness_event: _photo_service_pb2.WatchReadinessResponse
    audio_levels_event: _session_service_pb2.WatchAudioLevelsResponse
    def __init__(self, session: _Optional[str] = ..., session_event: _Optional[_Union[_session_service_pb2.WatchSessionResponse, _Mapping]] = ..., capture_event: _Optional[_Union[_photo_service_pb2.WatchCapturesResponse, _Mapping]] = ..., readiness_event: _Optional[_Union[_photo_service_pb2.WatchReadinessResponse, _Mapping]] = ..., audio_levels_event: _Optional[_Union[_session_service_pb2.WatchAudioLevelsResponse, _Mapping]] = ...) -> None: ...

class ViewfinderEnding(_message.Message):
    __slots__ = ("preview_id", "session", "pressure", "devices", "metered_session", "error")
    PREVIEW_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    PRESSURE_FIELD_NUMBER: _ClassVar[int]
    DEVICES_FIELD_NUMBER: _ClassVar[int]
    METERED_SESSION_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    preview_id: str
    session: str
    pressure: bool
    devices: bool
    metered_session: str
    error: _status_pb2.Status
    def __init__(self, preview_id: _Optional[str] = ..., session: _Optional[str] = ..., pressure: bool = ..., devices: bool = ..., metered_session: _Optional[str] = ..., error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class UpdateViewfinderRequest(_message.Message):
    __slots__ = ("stream_token", "contents")
    STREAM_TOKEN_FIELD_NUMBER: _ClassVar[int]
    CONTENTS_FIELD_NUMBER: _ClassVar[int]
    stream_token: str
    contents: ViewfinderContents
    def __init__(self, stream_token: _Optional[str] = ..., contents: _Optional[_Union[ViewfinderContents, _Mapping]] = ...) -> None: ...

class UpdateViewfinderResponse(_message.Message):
    __slots__ = ("revision",)
    REVISION_FIELD_NUMBER: _ClassVar[int]
    revision: int
    def __init__(self, revision: _Optional[int] = ...) -> None: ...

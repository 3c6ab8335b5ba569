from firstlight.v1 import photo_pb2 as _photo_pb2
from google.rpc import status_pb2 as _status_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PhotoCaptureEvent(_message.Message):
    __slots__ = ("unique_id", "monotonic_time_ns", "will_begin_capture", "will_capture_photo", "did_capture_photo", "did_finish_processing_photo", "did_finish_capture", "resolved_settings", "event_id")
    UNIQUE_ID_FIELD_NUMBER: _ClassVar[int]
    MONOTONIC_TIME_NS_FIELD_NUMBER: _ClassVar[int]
    WILL_BEGIN_CAPTURE_FIELD_NUMBER: _ClassVar[int]
    WILL_CAPTURE_PHOTO_FIELD_NUMBER: _ClassVar[int]
    DID_CAPTURE_PHOTO_FIELD_NUMBER: _ClassVar[int]
    DID_FINISH_PROCESSING_PHOTO_FIELD_NUMBER: _ClassVar[int]
    DID_FINISH_CAPTURE_FIELD_NUMBER: _ClassVar[int]
    RESOLVED_SETTINGS_FIELD_NUMBER: _ClassVar[int]
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    unique_id: str
    monotonic_time_ns: int
    will_begin_capture: WillBeginCapture
    will_capture_photo: WillCapturePhoto
    did_capture_photo: DidCapturePhoto
    did_finish_processing_photo: DidFinishProcessingPhoto
    did_finish_capture: DidFinishCapture
    resolved_settings: _photo_pb2.ResolvedPhotoSettings
    event_id: str
    def __init__(self, unique_id: _Optional[str] = ..., monotonic_time_ns: _Optional[int] = ..., will_begin_capture: _Optional[_Union[WillBeginCapture, _Mapping]] = ..., will_capture_photo: _Optional[_Union[WillCapturePhoto, _Mapping]] = ..., did_capture_photo: _Optional[_Union[DidCapturePhoto, _Mapping]] = ..., did_finish_processing_photo: _Optional[_Union[DidFinishProcessingPhoto, _Mapping]] = ..., did_finish_capture: _Optional[_Union[DidFinishCapture, _Mapping]] = ..., resolved_settings: _Optional[_Union[_photo_pb2.ResolvedPhotoSettings, _Mapping]] = ..., event_id: _Optional[str] = ...) -> None: ...

class WillBeginCapture(_message.Message):
    __slots__ = ("resolved_settings",)
    RESOLVED_SETTINGS_FIELD_NUMBER: _ClassVar[int]
    resolved_settings: _photo_pb2.ResolvedPhotoSettings
    def __init__(self, resolved_settings: _Optional[_Union[_photo_pb2.ResolvedPhotoSettings, _Mapping]] = ...) -> None: ...

class WillCapturePhoto(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class DidCapturePhoto(_message.Message):
    __slots__ = ("sequence", "stream_id", "input")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    STREAM_ID_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    stream_id: int
    input: str
    def __init__(self, sequence: _Optional[int] = ..., stream_id: _Optional[int] = ..., input: _Optional[str] = ...) -> None: ...

class DidFinishProcessingPhoto(_message.Message):
    __slots__ = ("photo", "error")
    PHOTO_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    photo: _photo_pb2.Photo
    error: _status_pb2.Status
    def __init__(self, photo: _Optional[_Union[_photo_pb2.Photo, _Mapping]] = ..., error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class DidFinishCapture(_message.Message):
    __slots__ = ("error",)
    ERROR_FIELD_NUMBER: _ClassVar[int]
    error: _status_pb2.Status
    def __init__(self, error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

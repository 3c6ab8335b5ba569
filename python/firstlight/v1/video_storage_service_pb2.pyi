from google.rpc import status_pb2 as _status_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetVideoStorageRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetVideoStorageResponse(_message.Message):
    __slots__ = ("video_storage",)
    VIDEO_STORAGE_FIELD_NUMBER: _ClassVar[int]
    video_storage: VideoStorage
    def __init__(self, video_storage: _Optional[_Union[VideoStorage, _Mapping]] = ...) -> None: ...

class WatchVideoStorageRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class WatchVideoStorageResponse(_message.Message):
    __slots__ = ("video_storage",)
    VIDEO_STORAGE_FIELD_NUMBER: _ClassVar[int]
    video_storage: VideoStorage
    def __init__(self, video_storage: _Optional[_Union[VideoStorage, _Mapping]] = ...) -> None: ...

class ReplenishVideoStorageRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ReplenishVideoStorageResponse(_message.Message):
    __slots__ = ("video_storage",)
    VIDEO_STORAGE_FIELD_NUMBER: _ClassVar[int]
    video_storage: VideoStorage
    def __init__(self, video_storage: _Optional[_Union[VideoStorage, _Mapping]] = ...) -> None: ...

class SetVideoStorageCapacityRequest(_message.Message):
    __slots__ = ("initial_capacity",)
    INITIAL_CAPACITY_FIELD_NUMBER: _ClassVar[int]
    initial_capacity: int
    def __init__(self, initial_capacity: _Optional[int] = ...) -> None: ...

class SetVideoStorageCapacityResponse(_message.Message):
    __slots__ = ("video_storage",)
    VIDEO_STORAGE_FIELD_NUMBER: _ClassVar[int]
    video_storage: VideoStorage
    def __init__(self, video_storage: _Optional[_Union[VideoStorage, _Mapping]] = ...) -> None: ...

class OpenSettingsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class OpenSettingsResponse(_message.Message):
    __slots__ = ("instructions", "uri")
    INSTRUCTIONS_FIELD_NUMBER: _ClassVar[int]
    URI_FIELD_NUMBER: _ClassVar[int]
    instructions: str
    uri: str
    def __init__(self, instructions: _Optional[str] = ..., uri: _Optional[str] = ...) -> None: ...

class VideoStorage(_message.Message):
    __slots__ = ("supported", "unsupported_reason", "initial_capacity", "remaining_capacity", "busy", "busy_reasons", "error")
    class BusyReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        BUSY_REASON_UNSPECIFIED: _ClassVar[VideoStorage.BusyReason]
        BUSY_REASON_ADJUSTING_CAPACITY: _ClassVar[VideoStorage.BusyReason]
        BUSY_REASON_REPLENISHING: _ClassVar[VideoStorage.BusyReason]
        BUSY_REASON_CAPTURING: _ClassVar[VideoStorage.BusyReason]
    BUSY_REASON_UNSPECIFIED: VideoStorage.BusyReason
    BUSY_REASON_ADJUSTING_CAPACITY: VideoStorage.BusyReason
    BUSY_REASON_REPLENISHING: VideoStorage.BusyReason
    BUSY_REASON_CAPTURING: VideoStorage.BusyReason
    SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    UNSUPPORTED_REASON_FIELD_NUMBER: _ClassVar[int]
    INITIAL_CAPACITY_FIELD_NUMBER: _ClassVar[int]
    REMAINING_CAPACITY_FIELD_NUMBER: _ClassVar[int]
    BUSY_FIELD_NUMBER: _ClassVar[int]
    BUSY_REASONS_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    supported: bool
    unsupported_reason: str
    initial_capacity: int
    remaining_capacity: int
    busy: bool
    busy_reasons: _containers.RepeatedScalarFieldContainer[VideoStorage.BusyReason]
    error: _status_pb2.Status
    def __init__(self, supported: bool = ..., unsupported_reason: _Optional[str] = ..., initial_capacity: _Optional[int] = ..., remaining_capacity: _Optional[int] = ..., busy: bool = ..., busy_reasons: _Optional[_Iterable[_Union[VideoStorage.BusyReason, str]]] = ..., error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

from firstlight.v1 import video_data_service_pb2 as _video_data_service_pb2
from google.rpc import status_pb2 as _status_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SharedVideoDataRequest(_message.Message):
    __slots__ = ("open", "read", "release")
    OPEN_FIELD_NUMBER: _ClassVar[int]
    READ_FIELD_NUMBER: _ClassVar[int]
    RELEASE_FIELD_NUMBER: _ClassVar[int]
    open: SharedVideoDataOpen
    read: SharedVideoDataRead
    release: SharedVideoDataRelease
    def __init__(self, open: _Optional[_Union[SharedVideoDataOpen, _Mapping]] = ..., read: _Optional[_Union[SharedVideoDataRead, _Mapping]] = ..., release: _Optional[_Union[SharedVideoDataRelease, _Mapping]] = ...) -> None: ...

class SharedVideoDataOpen(_message.Message):
    __slots__ = ("session", "output", "max_leases")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    MAX_LEASES_FIELD_NUMBER: _ClassVar[int]
    session: str
    output: str
    max_leases: int
    def __init__(self, session: _Optional[str] = ..., output: _Optional[str] = ..., max_leases: _Optional[int] = ...) -> None: ...

class SharedVideoDataRead(_message.Message):
    __slots__ = ("frames",)
    FRAMES_FIELD_NUMBER: _ClassVar[int]
    frames: int
    def __init__(self, frames: _Optional[int] = ...) -> None: ...

class SharedVideoDataRelease(_message.Message):
    __slots__ = ("lease",)
    LEASE_FIELD_NUMBER: _ClassVar[int]
    lease: int
    def __init__(self, lease: _Optional[int] = ...) -> None: ...

class SharedVideoDataResponse(_message.Message):
    __slots__ = ("status", "frame", "error")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    FRAME_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    status: _video_data_service_pb2.VideoDataStatus
    frame: SharedVideoDataFrame
    error: _status_pb2.Status
    def __init__(self, status: _Optional[_Union[_video_data_service_pb2.VideoDataStatus, _Mapping]] = ..., frame: _Optional[_Union[SharedVideoDataFrame, _Mapping]] = ..., error: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class SharedVideoDataFrame(_message.Message):
    __slots__ = ("frame", "lease", "mapping", "mapping_bytes", "data_bytes")
    FRAME_FIELD_NUMBER: _ClassVar[int]
    LEASE_FIELD_NUMBER: _ClassVar[int]
    MAPPING_FIELD_NUMBER: _ClassVar[int]
    MAPPING_BYTES_FIELD_NUMBER: _ClassVar[int]
    DATA_BYTES_FIELD_NUMBER: _ClassVar[int]
    frame: _video_data_service_pb2.VideoDataFrame
    lease: int
    mapping: int
    mapping_bytes: int
    data_bytes: int
    def __init__(self, frame: _Optional[_Union[_video_data_service_pb2.VideoDataFrame, _Mapping]] = ..., lease: _Optional[int] = ..., mapping: _Optional[int] = ..., mapping_bytes: _Optional[int] = ..., data_bytes: _Optional[int] = ...) -> None: ...

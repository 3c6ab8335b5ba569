import datetime

from firstlight.v1 import types_pb2 as _types_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Asset(_message.Message):
    __slots__ = ("name", "state", "session", "device", "capture_time", "create_time", "encoding", "width", "height", "byte_count", "thumbnail")
    class State(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        STATE_UNSPECIFIED: _ClassVar[Asset.State]
        STATE_FINAL: _ClassVar[Asset.State]
    STATE_UNSPECIFIED: Asset.State
    STATE_FINAL: Asset.State
    NAME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    CAPTURE_TIME_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    ENCODING_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    BYTE_COUNT_FIELD_NUMBER: _ClassVar[int]
    THUMBNAIL_FIELD_NUMBER: _ClassVar[int]
    name: str
    state: Asset.State
    session: str
    device: str
    capture_time: _timestamp_pb2.Timestamp
    create_time: _timestamp_pb2.Timestamp
    encoding: _types_pb2.Encoding
    width: int
    height: int
    byte_count: int
    thumbnail: bytes
    def __init__(self, name: _Optional[str] = ..., state: _Optional[_Union[Asset.State, str]] = ..., session: _Optional[str] = ..., device: _Optional[str] = ..., capture_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., encoding: _Optional[_Union[_types_pb2.Encoding, str]] = ..., width: _Optional[int] = ..., height: _Optional[int] = ..., byte_count: _Optional[int] = ..., thumbnail: _Optional[bytes] = ...) -> None: ...

class AssetChange(_message.Message):
    __slots__ = ("create_asset", "delete_asset")
    CREATE_ASSET_FIELD_NUMBER: _ClassVar[int]
    DELETE_ASSET_FIELD_NUMBER: _ClassVar[int]
    create_asset: CreateAsset
    delete_asset: str
    def __init__(self, create_asset: _Optional[_Union[CreateAsset, _Mapping]] = ..., delete_asset: _Optional[str] = ...) -> None: ...

class CreateAsset(_message.Message):
    __slots__ = ("resources", "session", "device", "capture_time")
    RESOURCES_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    CAPTURE_TIME_FIELD_NUMBER: _ClassVar[int]
    resources: _containers.RepeatedCompositeFieldContainer[NewResource]
    session: str
    device: str
    capture_time: _timestamp_pb2.Timestamp
    def __init__(self, resources: _Optional[_Iterable[_Union[NewResource, _Mapping]]] = ..., session: _Optional[str] = ..., device: _Optional[str] = ..., capture_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class NewResource(_message.Message):
    __slots__ = ("type", "file", "bracket_index", "data")
    class Type(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        TYPE_UNSPECIFIED: _ClassVar[NewResource.Type]
        TYPE_PHOTO: _ClassVar[NewResource.Type]
    TYPE_UNSPECIFIED: NewResource.Type
    TYPE_PHOTO: NewResource.Type
    TYPE_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    BRACKET_INDEX_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    type: NewResource.Type
    file: str
    bracket_index: int
    data: bytes
    def __init__(self, type: _Optional[_Union[NewResource.Type, str]] = ..., file: _Optional[str] = ..., bracket_index: _Optional[int] = ..., data: _Optional[bytes] = ...) -> None: ...

class PerformChangesRequest(_message.Message):
    __slots__ = ("changes",)
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    changes: _containers.RepeatedCompositeFieldContainer[AssetChange]
    def __init__(self, changes: _Optional[_Iterable[_Union[AssetChange, _Mapping]]] = ...) -> None: ...

class PerformChangesResponse(_message.Message):
    __slots__ = ("assets",)
    ASSETS_FIELD_NUMBER: _ClassVar[int]
    assets: _containers.RepeatedCompositeFieldContainer[Asset]
    def __init__(self, assets: _Optional[_Iterable[_Union[Asset, _Mapping]]] = ...) -> None: ...

class ListAssetsRequest(_message.Message):
    __slots__ = ("session", "device", "start_time", "end_time", "state", "page_size", "page_token", "include_thumbnails")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_THUMBNAILS_FIELD_NUMBER: _ClassVar[int]
    session: str
    device: str
    start_time: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    state: Asset.State
    page_size: int
    page_token: str
    include_thumbnails: bool
    def __init__(self, session: _Optional[str] = ..., device: _Optional[str] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., state: _Optional[_Union[Asset.State, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., include_thumbnails: bool = ...) -> None: ...

class ListAssetsResponse(_message.Message):
    __slots__ = ("assets", "next_page_token", "event_id")
    ASSETS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    assets: _containers.RepeatedCompositeFieldContainer[Asset]
    next_page_token: str
    event_id: str
    def __init__(self, assets: _Optional[_Iterable[_Union[Asset, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., event_id: _Optional[str] = ...) -> None: ...

class GetAssetRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class GetAssetResponse(_message.Message):
    __slots__ = ("asset",)
    ASSET_FIELD_NUMBER: _ClassVar[int]
    asset: Asset
    def __init__(self, asset: _Optional[_Union[Asset, _Mapping]] = ...) -> None: ...

class RequestImageRequest(_message.Message):
    __slots__ = ("name", "target_width", "target_height", "content_mode", "delivery_mode", "allow_secondary_degraded_image", "max_message_bytes")
    class ContentMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        CONTENT_MODE_UNSPECIFIED: _ClassVar[RequestImageRequest.ContentMode]
        CONTENT_MODE_ASPECT_FIT: _ClassVar[RequestImageRequest.ContentMode]
        CONTENT_MODE_ASPECT_FILL: _ClassVar[RequestImageRequest.ContentMode]
    CONTENT_MODE_UNSPECIFIED: RequestImageRequest.ContentMode
    CONTENT_MODE_ASPECT_FIT: RequestImageRequest.ContentMode
    CONTENT_MODE_ASPECT_FILL: RequestImageRequest.ContentMode
    class DeliveryMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        DELIVERY_MODE_UNSPECIFIED: _ClassVar[RequestImageRequest.DeliveryMode]
        DELIVERY_MODE_OPPORTUNISTIC: _ClassVar[RequestImageRequest.DeliveryMode]
        DELIVERY_MODE_HIGH_QUALITY_FORMAT: _ClassVar[RequestImageRequest.DeliveryMode]
        DELIVERY_MODE_FAST_FORMAT: _ClassVar[RequestImageRequest.DeliveryMode]
    DELIVERY_MODE_UNSPECIFIED: RequestImageRequest.DeliveryMode
    DELIVERY_MODE_OPPORTUNISTIC: RequestImageRequest.DeliveryMode
    DELIVERY_MODE_HIGH_QUALITY_FORMAT: RequestImageRequest.DeliveryMode
    DELIVERY_MODE_FAST_FORMAT: RequestImageRequest.DeliveryMode
    NAME_FIELD_NUMBER: _ClassVar[int]
    TARGET_WIDTH_FIELD_NUMBER: _ClassVar[int]
    TARGET_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    CONTENT_MODE_FIELD_NUMBER: _ClassVar[int]
    DELIVERY_MODE_FIELD_NUMBER: _ClassVar[int]
    ALLOW_SECONDARY_DEGRADED_IMAGE_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    name: str
    target_width: int
    target_height: int
    content_mode: RequestImageRequest.ContentMode
    delivery_mode: RequestImageRequest.DeliveryMode
    allow_secondary_degraded_image: bool
    max_message_bytes: int
    def __init__(self, name: _Optional[str] = ..., target_width: _Optional[int] = ..., target_height: _Optional[int] = ..., content_mode: _Optional[_Union[RequestImageRequest.ContentMode, str]] = ..., delivery_mode: _Optional[_Union[RequestImageRequest.DeliveryMode, str]] = ..., allow_secondary_degraded_image: bool = ..., max_message_bytes: _Optional[int] = ...) -> None: ...

class RequestImageResponse(_message.Message):
    __slots__ = ("image",)
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    image: AssetImage
    def __init__(self, image: _Optional[_Union[AssetImage, _Mapping]] = ...) -> None: ...

class AssetImage(_message.Message):
    __slots__ = ("encoding", "width", "height", "degraded", "data_omitted", "data")
    ENCODING_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    DEGRADED_FIELD_NUMBER: _ClassVar[int]
    DATA_OMITTED_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    encoding: _types_pb2.Encoding
    width: int
    height: int
    degraded: bool
    data_omitted: bool
    data: bytes
    def __init__(self, encoding: _Optional[_Union[_types_pb2.Encoding, str]] = ..., width: _Optional[int] = ..., height: _Optional[int] = ..., degraded: bool = ..., data_omitted: bool = ..., data: _Optional[bytes] = ...) -> None: ...

class DownloadAssetRequest(_message.Message):
    __slots__ = ("name", "offset")
    NAME_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    name: str
    offset: int
    def __init__(self, name: _Optional[str] = ..., offset: _Optional[int] = ...) -> None: ...

class DownloadAssetResponse(_message.Message):
    __slots__ = ("offset", "data")
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    offset: int
    data: bytes
    def __init__(self, offset: _Optional[int] = ..., data: _Optional[bytes] = ...) -> None: ...

class WatchAssetsRequest(_message.Message):
    __slots__ = ("after_event_id",)
    AFTER_EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    after_event_id: str
    def __init__(self, after_event_id: _Optional[str] = ...) -> None: ...

class WatchAssetsResponse(_message.Message):
    __slots__ = ("event",)
    EVENT_FIELD_NUMBER: _ClassVar[int]
    event: AssetEvent
    def __init__(self, event: _Optional[_Union[AssetEvent, _Mapping]] = ...) -> None: ...

class AssetEvent(_message.Message):
    __slots__ = ("event_id", "time", "added", "deleted")
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    ADDED_FIELD_NUMBER: _ClassVar[int]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    event_id: str
    time: _timestamp_pb2.Timestamp
    added: Asset
    deleted: str
    def __init__(self, event_id: _Optional[str] = ..., time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., added: _Optional[_Union[Asset, _Mapping]] = ..., deleted: _Optional[str] = ...) -> None: ...

from firstlight.v1 import asset_writer_pb2 as _asset_writer_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CreateWriterRequest(_message.Message):
    __slots__ = ("writer_configuration",)
    WRITER_CONFIGURATION_FIELD_NUMBER: _ClassVar[int]
    writer_configuration: _asset_writer_pb2.WriterConfiguration
    def __init__(self, writer_configuration: _Optional[_Union[_asset_writer_pb2.WriterConfiguration, _Mapping]] = ...) -> None: ...

class CreateWriterResponse(_message.Message):
    __slots__ = ("writer",)
    WRITER_FIELD_NUMBER: _ClassVar[int]
    writer: _asset_writer_pb2.AssetWriter
    def __init__(self, writer: _Optional[_Union[_asset_writer_pb2.AssetWriter, _Mapping]] = ...) -> None: ...

class ConfigureWriterRequest(_message.Message):
    __slots__ = ("name", "writer_configuration")
    NAME_FIELD_NUMBER: _ClassVar[int]
    WRITER_CONFIGURATION_FIELD_NUMBER: _ClassVar[int]
    name: str
    writer_configuration: _asset_writer_pb2.WriterConfiguration
    def __init__(self, name: _Optional[str] = ..., writer_configuration: _Optional[_Union[_asset_writer_pb2.WriterConfiguration, _Mapping]] = ...) -> None: ...

class ConfigureWriterResponse(_message.Message):
    __slots__ = ("writer",)
    WRITER_FIELD_NUMBER: _ClassVar[int]
    writer: _asset_writer_pb2.AssetWriter
    def __init__(self, writer: _Optional[_Union[_asset_writer_pb2.AssetWriter, _Mapping]] = ...) -> None: ...

class GetWriterRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class GetWriterResponse(_message.Message):
    __slots__ = ("writer",)
    WRITER_FIELD_NUMBER: _ClassVar[int]
    writer: _asset_writer_pb2.AssetWriter
    def __init__(self, writer: _Optional[_Union[_asset_writer_pb2.AssetWriter, _Mapping]] = ...) -> None: ...

class ListWritersRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListWritersResponse(_message.Message):
    __slots__ = ("writers", "next_page_token")
    WRITERS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    writers: _containers.RepeatedCompositeFieldContainer[_asset_writer_pb2.AssetWriter]
    next_page_token: str
    def __init__(self, writers: _Optional[_Iterable[_Union[_asset_writer_pb2.AssetWriter, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class StartWritingRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class StartWritingResponse(_message.Message):
    __slots__ = ("writer",)
    WRITER_FIELD_NUMBER: _ClassVar[int]
    writer: _asset_writer_pb2.AssetWriter
    def __init__(self, writer: _Optional[_Union[_asset_writer_pb2.AssetWriter, _Mapping]] = ...) -> None: ...

class AppendSamplesRequest(_message.Message):
    __slots__ = ("writer_name", "sample")
    WRITER_NAME_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_FIELD_NUMBER: _ClassVar[int]
    writer_name: str
    sample: WriterSample
    def __init__(self, writer_name: _Optional[str] = ..., sample: _Optional[_Union[WriterSample, _Mapping]] = ...) -> None: ...

class AppendSamplesResponse(_message.Message):
    __slots__ = ("writer",)
    WRITER_FIELD_NUMBER: _ClassVar[int]
    writer: _asset_writer_pb2.AssetWriter
    def __init__(self, writer: _Optional[_Union[_asset_writer_pb2.AssetWriter, _Mapping]] = ...) -> None: ...

class WriterSample(_message.Message):
    __slots__ = ("input", "presentation_time_ns", "data")
    INPUT_FIELD_NUMBER: _ClassVar[int]
    PRESENTATION_TIME_NS_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    input: str
    presentation_time_ns: int
    data: bytes
    def __init__(self, input: _Optional[str] = ..., presentation_time_ns: _Optional[int] = ..., data: _Optional[bytes] = ...) -> None: ...

class AttachToOutputRequest(_message.Message):
    __slots__ = ("name", "session", "output")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    name: str
    session: str
    output: str
    def __init__(self, name: _Optional[str] = ..., session: _Optional[str] = ..., output: _Optional[str] = ...) -> None: ...

class AttachToOutputResponse(_message.Message):
    __slots__ = ("writer",)
    WRITER_FIELD_NUMBER: _ClassVar[int]
    writer: _asset_writer_pb2.AssetWriter
    def __init__(self, writer: _Optional[_Union[_asset_writer_pb2.AssetWriter, _Mapping]] = ...) -> None: ...

class EndSessionRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class EndSessionResponse(_message.Message):
    __slots__ = ("writer",)
    WRITER_FIELD_NUMBER: _ClassVar[int]
    writer: _asset_writer_pb2.AssetWriter
    def __init__(self, writer: _Optional[_Union[_asset_writer_pb2.AssetWriter, _Mapping]] = ...) -> None: ...

class FinishWritingRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class FinishWritingResponse(_message.Message):
    __slots__ = ("writer",)
    WRITER_FIELD_NUMBER: _ClassVar[int]
    writer: _asset_writer_pb2.AssetWriter
    def __init__(self, writer: _Optional[_Union[_asset_writer_pb2.AssetWriter, _Mapping]] = ...) -> None: ...

class CancelWritingRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class CancelWritingResponse(_message.Message):
    __slots__ = ("writer",)
    WRITER_FIELD_NUMBER: _ClassVar[int]
    writer: _asset_writer_pb2.AssetWriter
    def __init__(self, writer: _Optional[_Union[_asset_writer_pb2.AssetWriter, _Mapping]] = ...) -> None: ...

class WatchWriterRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class WatchWriterResponse(_message.Message):
    __slots__ = ("writer",)
    WRITER_FIELD_NUMBER: _ClassVar[int]
    writer: _asset_writer_pb2.AssetWriter
    def __init__(self, writer: _Optional[_Union[_asset_writer_pb2.AssetWriter, _Mapping]] = ...) -> None: ...

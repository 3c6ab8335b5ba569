from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor

class PhotoEncoding(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PHOTO_ENCODING_UNSPECIFIED: _ClassVar[PhotoEncoding]
    PHOTO_ENCODING_JPEG: _ClassVar[PhotoEncoding]
    PHOTO_ENCODING_HEIC: _ClassVar[PhotoEncoding]
    PHOTO_ENCODING_PNG: _ClassVar[PhotoEncoding]
    PHOTO_ENCODING_UNCOMPRESSED: _ClassVar[PhotoEncoding]
PHOTO_ENCODING_UNSPECIFIED: PhotoEncoding
PHOTO_ENCODING_JPEG: PhotoEncoding
PHOTO_ENCODING_HEIC: PhotoEncoding
PHOTO_ENCODING_PNG: PhotoEncoding
PHOTO_ENCODING_UNCOMPRESSED: PhotoEncoding

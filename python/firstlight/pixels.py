"""Converts pictures between bytes and numpy arrays, by the V4L2 four-character code of their pixel format."""

from __future__ import annotations

import io
from typing import Final, NamedTuple

import numpy as np


class Plane(NamedTuple):
    """The place of one plane in the bytes of a frame."""

    #: The number of bytes from the start of the frame to the plane.
    offset: int
    #: The number of bytes from the start of one line to the start of the next.
    stride: int
    #: The number of lines.
    rows: int


#: The compressed formats, which have to be decoded to become arrays.
COMPRESSED: Final = frozenset(("JPEG", "MJPG"))
#: The formats with one plane: the bytes per pixel, and the place of the brightness among these bytes. The place is None
#: for RGB formats.
_PACKED: Final[dict[str, tuple[int, int | None]]] = {
    "GREY": (1, 0),
    "YUYV": (2, 0),
    "UYVY": (2, 1),
    "RGB3": (3, None),
    "BGR3": (3, None),
    "AR24": (4, None),
    "BGR4": (4, None),
    "XR24": (4, None),
}
#: The formats with a luma plane and one plane of interleaved chroma, which has half as many lines.
_INTERLEAVED_CHROMA: Final = frozenset(("NV12", "NV21"))
#: The format that is like NV12 with samples of 16 bits, little-endian, whose upper ten bits count.
_WIDE: Final = "P010"
#: The formats with one plane of samples of 16 bits: the dtype of the samples.
_WIDE_GREY: Final[dict[str, str]] = {"Y10": "<u2", "Y12": "<u2", "Y14": "<u2", "Y16": "<u2", "Y16-BE": ">u2"}
#: The formats of 8 bits whose first plane is luma.
_LUMA_FIRST: Final = _INTERLEAVED_CHROMA | {"YU12", "YV12", "422P"}


def as_array(
    data: bytes | memoryview, pixel_format: str, size: tuple[int, int], planes: tuple[Plane, ...]
) -> np.ndarray:
    """A picture of `size` (width, height) as an array of uint8; of uint16 for P010, Y10, Y12, Y14, Y16 and Y16-BE.

    `Frame.as_array` says the shape for each format. The arrays of uncompressed pictures are read-only views of `data`;
    P010, and NV12 and NV21 whose planes do not lie one after the other with the same stride, are copied. Raises
    ValueError for a format without an array, and for a picture that lacks planes.
    """
    width, height = size
    if pixel_format in COMPRESSED:
        return decode_image(data, "RGB")
    _expect(planes, pixel_format)
    if pixel_format in _PACKED:
        depth, _ = _PACKED[pixel_format]
        lines = view(data, planes[0], depth * width)
        return lines if depth == 1 else lines.reshape(height, width, depth)
    if pixel_format in _INTERLEAVED_CHROMA:
        above, below = planes
        if below.stride == above.stride and below.offset == above.offset + above.stride * above.rows:
            return view(data, above._replace(rows=above.rows + below.rows), width)
        return np.concatenate((view(data, above, width), view(data, below, width)))
    if pixel_format in _WIDE_GREY:
        return _wide_view(data, planes[0], width, _WIDE_GREY[pixel_format])
    if pixel_format == _WIDE:
        return np.concatenate([view(data, plane, 2 * width) for plane in planes]).view("<u2")
    raise ValueError(f"no array is defined for {pixel_format}; use data and planes")


def packed(array: np.ndarray, pixel_format: str) -> tuple[bytes, tuple[int, int]]:
    """Converts an array to the bytes of a picture without padding, and its (width, height): the reverse of `as_array`.

    Raises ValueError for a format without an array, for an array of another shape or dtype, and for an odd width in a
    format whose pixels share chroma.
    """
    depth = _PACKED[pixel_format][0] if pixel_format in _PACKED else 1
    has_one_plane = pixel_format in _PACKED or pixel_format in _WIDE_GREY
    if not has_one_plane and pixel_format not in _INTERLEAVED_CHROMA | {_WIDE}:
        raise ValueError(f"no array is defined for {pixel_format}")
    wanted = np.dtype("<u2" if pixel_format == _WIDE else _WIDE_GREY.get(pixel_format, "u1"))
    if array.dtype != wanted or array.ndim < 2 or array.shape[2:] != (() if depth == 1 else (depth,)):
        raise ValueError(
            f"an array of shape {array.shape} and dtype {array.dtype} cannot be a picture of {pixel_format}: see"
            " Frame.as_array"
        )
    rows, width = array.shape[:2]
    if width % 2 and (not has_one_plane or pixel_format in ("YUYV", "UYVY")):
        raise ValueError(f"an array of {pixel_format} cannot have an odd width: answer with bytes")
    return array.tobytes(), (width, rows if has_one_plane else rows * 2 // 3)


def luma(data: bytes | memoryview, pixel_format: str, size: tuple[int, int], planes: tuple[Plane, ...]) -> np.ndarray:
    """The brightness of a picture as a (height, width) array of uint8; of uint16 for formats with 16 bits a sample.

    The array is a view of `data` where the format stores the brightness separately. For RGB formats it is computed, and
    rounded. Raises ValueError for a format whose brightness is not known, and for a picture that lacks planes.
    """
    width, height = size
    if pixel_format in COMPRESSED:
        return decode_image(data, "L")
    _expect(planes, pixel_format)
    if pixel_format in _LUMA_FIRST:
        return view(data, planes[0], width)
    if pixel_format in _WIDE_GREY:
        return _wide_view(data, planes[0], width, _WIDE_GREY[pixel_format])
    if pixel_format == _WIDE:
        return np.ascontiguousarray(view(data, planes[0], 2 * width)).view("<u2")
    if pixel_format not in _PACKED:
        raise ValueError(f"brightness of {pixel_format} is not known; use data and planes")
    depth, place = _PACKED[pixel_format]
    pixels = view(data, planes[0], depth * width).reshape(height, width, depth)
    if place is not None:
        return pixels[:, :, place]
    red, blue = (0, 2) if pixel_format == "RGB3" else (2, 0)
    weighted = 0.299 * pixels[:, :, red] + 0.587 * pixels[:, :, 1] + 0.114 * pixels[:, :, blue]
    return weighted.round().astype(np.uint8)


def packed_planes(pixel_format: str, size: tuple[int, int]) -> tuple[Plane, ...]:
    """The places of the planes of a picture without padding. Raises ValueError for an unknown format."""
    width, height = size
    half = ((width + 1) // 2, (height + 1) // 2)
    if pixel_format in ("YUYV", "UYVY"):
        shapes = [(4 * half[0], height)]
    elif pixel_format in _PACKED:
        shapes = [(_PACKED[pixel_format][0] * width, height)]
    elif pixel_format in _WIDE_GREY:
        shapes = [(2 * width, height)]
    elif pixel_format in _INTERLEAVED_CHROMA:
        shapes = [(width, height), (2 * half[0], half[1])]
    elif pixel_format == _WIDE:
        shapes = [(2 * width, height), (4 * half[0], half[1])]
    elif pixel_format in ("YU12", "YV12"):
        shapes = [(width, height), half, half]
    elif pixel_format == "422P":
        shapes = [(width, height), (half[0], height), (half[0], height)]
    else:
        raise ValueError(f"planes of {pixel_format} are not known")
    planes, offset = [], 0
    for stride, rows in shapes:
        planes.append(Plane(offset, stride, rows))
        offset += stride * rows
    return tuple(planes)


def _expect(planes: tuple[Plane, ...], pixel_format: str) -> None:
    """Raises ValueError when a picture of a format that this module knows lacks planes."""
    least = 2 if pixel_format in _INTERLEAVED_CHROMA | {_WIDE} else 1
    if pixel_format in _LUMA_FIRST | {_WIDE} | _PACKED.keys() | _WIDE_GREY.keys() and len(planes) < least:
        raise ValueError(f"a picture of {pixel_format} has {least} planes at least, not {len(planes)}")


def view(data: bytes | memoryview, plane: Plane, line_bytes: int) -> np.ndarray:
    """A (rows, line_bytes) view of a plane as uint8. The last line may be shorter than the stride."""
    shape, strides = (plane.rows, line_bytes), (plane.stride, 1)
    return np.ndarray(shape, np.uint8, buffer=data, offset=plane.offset, strides=strides)


def _wide_view(data: bytes | memoryview, plane: Plane, width: int, dtype: str) -> np.ndarray:
    """A (rows, width) view of a plane of samples of 16 bits. The stride may have padding."""
    return np.ndarray((plane.rows, width), dtype, buffer=data, offset=plane.offset, strides=(plane.stride, 2))


def decode_image(data: bytes | memoryview, mode: str) -> np.ndarray:
    """Decodes a JPEG or PNG picture by Pillow to an array of uint8.

    `mode` is `RGB` for (height, width, 3), or `L` for the brightness alone, (height, width), which is faster.
    """
    # Imported here and not at the top, so that programs that only read uncompressed frames need no Pillow.
    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        image.draft(mode, image.size)
        return np.asarray(image.convert(mode))


def decode_heic(data: bytes | memoryview, mode: str) -> np.ndarray:
    """Decodes a HEIC picture by pillow-heif, as `decode_image` does."""
    import pillow_heif

    return np.asarray(pillow_heif.open_heif(io.BytesIO(data)).to_pillow().convert(mode))

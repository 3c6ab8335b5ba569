"""Takes JPEG files apart."""

import io
import itertools
import re
from collections.abc import Iterator

from PIL import Image


def segments(picture: bytes) -> Iterator[tuple[int, int, int]]:
    """The marker, begin and end of each segment up to the first scan."""
    position = 2
    while picture[position + 1] != 0xDA:
        length = int.from_bytes(picture[position + 2 : position + 4], "big")
        yield picture[position + 1], position, position + 2 + length
        position += 2 + length


def intervals(picture: bytes) -> list[bytes]:
    """The restart intervals of the first scan, each with the marker behind it. The first one has the header, too."""
    scan = max(end for _, _, end in segments(picture))
    ends = [marker.end() for marker in re.compile(rb"\xff[\xd0-\xd7]").finditer(picture, scan)]
    return [picture[begin:end] for begin, end in itertools.pairwise([0, *ends, len(picture)])]


def without_tables(picture: bytes) -> bytes:
    """The picture without its Huffman tables (DHT)."""
    for marker, begin, end in reversed(list(segments(picture))):
        if marker == 0xC4:
            picture = picture[:begin] + picture[end:]
    return picture


def parted(picture: bytes) -> tuple[bytes, dict[int, bytes]]:
    """The bytes before and behind the only segment of Huffman tables, in one piece, and the tables of this segment."""
    (place,) = [(begin, end) for marker, begin, end in segments(picture) if marker == 0xC4]
    return picture[: place[0]] + picture[place[1] :], _tables(picture[place[0] : place[1]])


def standard_tables() -> dict[int, bytes]:
    """The Huffman tables of ITU-T T.81, K.3, as libjpeg writes them."""
    file = io.BytesIO()
    Image.new("YCbCr", (16, 16)).save(file, "JPEG")
    picture = file.getvalue()
    tables: dict[int, bytes] = {}
    for marker, begin, end in segments(picture):
        if marker == 0xC4:
            tables |= _tables(picture[begin:end])
    return tables


def _tables(segment: bytes) -> dict[int, bytes]:
    """The tables of a segment, by class and number. A table has the counts of codes of 16 lengths, then the symbols."""
    tables: dict[int, bytes] = {}
    position = 4
    while position < len(segment):
        end = position + 17 + sum(segment[position + 1 : position + 17])
        assert segment[position] not in tables, "a table twice"
        tables[segment[position]] = segment[position + 1 : end]
        position = end
    assert position == len(segment), "a table is cut short"
    return tables

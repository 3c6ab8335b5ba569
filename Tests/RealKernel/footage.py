"""An MJPEG camera with known pictures: v4l2loopback, fed by ffmpeg, in the guest of scripts/vm/run."""

import contextlib
import functools
import io
import pathlib
import subprocess
import tempfile
import time
from collections.abc import Iterator

from PIL import Image

NODE = pathlib.Path("/dev/video20")
SIZE = (640, 360)
# So low that a buffer is written again after 133 ms at the earliest: the daemon asks for four, and the driver gives one
# two frames late at most. See `camera`.
RATE = 15
PICTURES = 60
BUFFERS = 8
PATIENCE = 30.0


@contextlib.contextmanager
def camera(*, keep_tables: bool = True) -> Iterator[list[bytes]]:
    """A camera that shows the same pictures over and over; gives them as the device does.

    Without `keep_tables` they lack their Huffman tables, as those of USB cameras do.
    """
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        file = pathlib.Path(folder) / "footage.mjpeg"
        pictures = [picture if keep_tables else without_tables(picture) for picture in _made()]
        file.write_bytes(b"".join(pictures))
        # Into a buffer that a reader has not returned the driver writes again once all others are full, and it goes
        # on with the fewest that anybody ever asked for.
        subprocess.run(["modprobe", "v4l2loopback", f"video_nr={NODE.name[5:]}", f"max_buffers={BUFFERS}"], check=True)
        endless = ("-re", "-stream_loop", "-1", "-framerate", str(RATE), "-f", "mjpeg", "-i", str(file))
        feeder = subprocess.Popen(
            ("ffmpeg", "-v", "error", *endless, "-c", "copy", "-f", "v4l2", str(NODE)), stdin=subprocess.DEVNULL
        )
        try:
            _wait_for_pictures(pathlib.Path(folder) / "first")
            yield pictures
        finally:
            feeder.kill()
            feeder.wait()
            _unload()


#: For the standard's Huffman tables, which is what decoders assume where there are none.
_STANDARD_TABLES = ("-c:v", "mjpeg", "-huffman", "default", "-q:v", "4", "-pix_fmt", "yuvj420p")


@functools.cache
def _made() -> tuple[bytes, ...]:
    """The pictures. Made once: an emulated machine takes long."""
    source = f"testsrc2=size={SIZE[0]}x{SIZE[1]}:rate={RATE}"
    arguments = ("-f", "lavfi", "-i", source, "-frames:v", str(PICTURES), *_STANDARD_TABLES, "-f", "mjpeg", "-")
    command = ("ffmpeg", "-v", "error", *arguments)
    made = subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout
    pictures = split(made)
    assert len(pictures) == PICTURES
    return tuple(pictures)


def _unload() -> None:
    """Takes the camera away as soon as nobody has its node open: a daemon may be looking at it.

    Tried over and over: nothing tells that another process has closed a node, and this kmod cannot wait by itself.
    """
    deadline = time.monotonic() + PATIENCE
    while subprocess.run(["modprobe", "-r", "v4l2loopback"], check=False).returncode != 0:
        assert time.monotonic() < deadline, "somebody keeps the camera open"
        time.sleep(0.1)


def _wait_for_pictures(first: pathlib.Path) -> None:
    """Waits until the feeder's pictures can be read. Until it writes, the node has no format, and is no camera.

    v4l2-ctl ends at once then, and says that all is well; no event tells when that changes.
    """
    command = ["v4l2-ctl", "-d", str(NODE), f"--stream-mmap={BUFFERS}", "--stream-count=1", f"--stream-to={first}"]
    deadline = time.monotonic() + PATIENCE
    while not first.exists() or first.stat().st_size == 0:
        assert time.monotonic() < deadline, "nobody feeds the camera"
        subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
        time.sleep(0.1)


def split(stream: bytes) -> list[bytes]:
    """The pictures of a file of pictures: each begins with SOI, which is nowhere inside."""
    begins = [index for index in range(len(stream) - 1) if stream[index] == 0xFF and stream[index + 1] == 0xD8]
    return [stream[begin:end] for begin, end in zip(begins, [*begins[1:], len(stream)], strict=True)]


def segments(picture: bytes) -> Iterator[tuple[int, int, int]]:
    """Marker, begin and end of each segment up to the first scan."""
    position = 2
    while picture[position + 1] != 0xDA:
        length = int.from_bytes(picture[position + 2 : position + 4], "big")
        yield picture[position + 1], position, position + 2 + length
        position += 2 + length


def without_tables(picture: bytes) -> bytes:
    """The picture without its Huffman tables (DHT)."""
    for marker, begin, end in reversed(list(segments(picture))):
        if marker == 0xC4:
            picture = picture[:begin] + picture[end:]
    return picture


def parted(picture: bytes) -> tuple[bytes, dict[int, bytes]]:
    """What is before and behind the one segment of Huffman tables, in one piece, and the tables in it."""
    (place,) = [(begin, end) for marker, begin, end in segments(picture) if marker == 0xC4]
    return picture[: place[0]] + picture[place[1] :], _tables(picture[place[0] : place[1]])


def standard_tables() -> dict[int, bytes]:
    """The Huffman tables of ITU-T T.81, K.3, as libjpeg has them."""
    file = io.BytesIO()
    Image.new("YCbCr", (16, 16)).save(file, "JPEG")
    picture = file.getvalue()
    tables: dict[int, bytes] = {}
    for marker, begin, end in segments(picture):
        if marker == 0xC4:
            tables |= _tables(picture[begin:end])
    return tables


def _tables(segment: bytes) -> dict[int, bytes]:
    """The tables of a segment by class and number: how many codes of each of 16 lengths, then their symbols."""
    tables: dict[int, bytes] = {}
    position = 4
    while position < len(segment):
        end = position + 17 + sum(segment[position + 1 : position + 17])
        assert segment[position] not in tables, "a table twice"
        tables[segment[position]] = segment[position + 1 : end]
        position = end
    assert position == len(segment), "a table is cut short"
    return tables

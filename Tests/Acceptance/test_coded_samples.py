"""What a writer takes of samples that are coded already (F6): a parser looks at each of them."""

from __future__ import annotations

import json
import subprocess

import pytest

import drawn
import firstlight
from firstlight.v1 import asset_writer_pb2 as writer_pb2
from support import refused

State = writer_pb2.AssetWriter
DELIMITER = b"\0\0\0\1\x09"


def access_units(size: tuple[int, int], count: int) -> list[bytes]:
    """Access units of x264 in Annex B, each of several slices: a key frame with its parameter sets, then others."""
    source = ("-f", "lavfi", "-i", f"testsrc2=size={size[0]}x{size[1]}:rate=25", "-frames:v", str(count))
    coder = ("-c:v", "libx264", "-preset", "ultrafast", "-bf", "0", "-g", "250", "-x264-params", "aud=1:slices=3")
    command = ("ffmpeg", "-v", "error", *source, *coder, "-pix_fmt", "yuv420p", "-f", "h264", "-")
    stream = subprocess.run(command, check=True, capture_output=True).stdout
    units = [DELIMITER + unit for unit in stream.split(DELIMITER)[1:]]
    assert len(units) == count
    return units


def pictures(path) -> tuple[int, int, int]:
    """Width, height and number of the pictures of a movie that FFmpeg decodes."""
    entries = ("-count_frames", "-show_entries", "stream=width,height,nb_read_frames", "-of", "json")
    command = ("ffprobe", "-v", "error", "-select_streams", "v", *entries, str(path))
    ended = subprocess.run(command, check=True, capture_output=True, text=True)
    assert not ended.stderr, ended.stderr
    (stream,) = json.loads(ended.stdout)["streams"]
    return stream["width"], stream["height"], int(stream["nb_read_frames"])


@pytest.fixture
def movies(own_daemon, tmp_path):
    """A client of a daemon of its own, and the folder of its recordings."""
    folder = tmp_path / "movies"
    with firstlight.connect(own_daemon("--recordings-dir", str(folder)).address, timeout=20) as client:
        yield client, folder


def test_fault_F6_only_pictures_of_the_writer_are_taken(movies):
    client, folder = movies
    units, larger = access_units(drawn.SIZE, 20), access_units((640, 360), 2)
    writer = client.asset_writer(drawn.SIZE, "parsed", pixel_format="H264", fragment_seconds=0.2)
    writer.start()
    without_sets = DELIMITER + b"\xf0" + units[0][units[0].index(b"\0\0\1\x65") :]
    wrong = {
        "another size": larger[0],
        "another size, without parameter sets": larger[0] + larger[1],
        "two access units": units[10] + units[11],
        "a picture and noise that begins another one": units[10] + b"\0\0\0\1\x41" + bytes(range(1, 200)),
        "no picture": b"\0\0\0\1\x41" + bytes([0x01]) * 500,
        "no picture in a key frame": b"\0\0\0\1\x65" + bytes([0x01]) * 500,
        "only the head of a unit": b"\0\0\0\1\x41",
        "bytes": bytes(range(256)),
    }
    first = {"another size": larger[0], "no parameter sets": without_sets, "two access units": units[0] + units[1]}
    for what, sample in first.items():
        check_refused(writer, sample, 0, what)
    for number in range(10):
        writer.append(units[number], number * drawn.PERIOD)
    writer.flush()
    for what, sample in wrong.items():
        check_refused(writer, sample, 10 * drawn.PERIOD, what)
    assert writer.refresh().state == State.STATE_WRITING
    assert writer.input().appended_sample_count == 10
    for number in range(10, 20):
        writer.append(units[number], number * drawn.PERIOD)
    assert writer.finish().state == State.STATE_COMPLETED
    assert writer.input().acknowledged_sample_count == 20
    size = client.recording(writer.recording).size
    assert (size.width, size.height) == drawn.SIZE
    assert pictures(folder / "parsed.mp4") == (*drawn.SIZE, 20)


def check_refused(writer, sample: bytes, time: int, what: str) -> None:
    """Checks that the writer does not take a sample, and says so of its data."""
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT") as refusal:
        writer.append(sample, time)
        writer.flush()
    assert [each.field for each in refusal.error.violations] == ["sample.data"], what

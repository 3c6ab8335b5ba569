"""Photos with a real driver in every encoding, read by third-party programs."""

import datetime
import io
import json
import subprocess
from pathlib import Path

import pytest
from PIL import Image

from client import next_frame
from firstlight.v1 import photo_pb2, types_pb2
from picture import drawn_sequence

pytestmark = pytest.mark.bare

NAMES = {
    types_pb2.ENCODING_JPEG: "jpeg",
    types_pb2.ENCODING_HEIC: "heic",
    types_pb2.ENCODING_PNG: "png",
    types_pb2.ENCODING_UNCOMPRESSED: "raw",
}


def luma(photo, file: Path) -> tuple[bytes, int]:
    """The luma of a photo, and the distance of its samples in bytes."""
    if photo.encoding == types_pb2.ENCODING_UNCOMPRESSED:
        assert photo.pixel_format == "YUYV"
        return photo.data, 2
    data = photo.data
    if photo.encoding == types_pb2.ENCODING_HEIC:
        decoded = file.with_suffix(".decoded.png")
        subprocess.run(["heif-convert", file, decoded], check=True, capture_output=True)
        data = decoded.read_bytes()
    picture = Image.open(io.BytesIO(data)).convert("L")
    assert picture.size == (640, 360)
    return picture.tobytes(), 1


@pytest.mark.parametrize("encoding", list(NAMES), ids=list(NAMES.values()))
def test_a_photo_of_a_driver_is_the_frame_asked_for_in_every_encoding(client, tmp_path, encoding):
    with client.open_session(client.cameras()[0].name, window=2) as name, client.stream_preview(name) as stream:
        next_frame(stream)
        seen = next_frame(stream)
        # The photo is made of one frame, because this test checks the file and the very pixels.
        speed = photo_pb2.PHOTO_QUALITY_PRIORITIZATION_SPEED
        settings = photo_pb2.PhotoSettings(encoding=encoding, quality_prioritization=speed)
        moment = {"viewfinder_sequence": seen.sequence, "viewfinder_stream_id": seen.stream_id}
        events = client.capture(name, settings=settings, **moment)
    assert not events[-1].did_finish_capture.HasField("error")
    photo = events[3].did_finish_processing_photo.photo
    file = tmp_path / f"photo.{NAMES[encoding]}"
    file.write_bytes(photo.data)
    samples, step = luma(photo, file)
    assert drawn_sequence(samples, 640 * step, step) == seen.sequence
    if encoding == types_pb2.ENCODING_UNCOMPRESSED:
        return
    told = json.loads(subprocess.run(["exiftool", "-j", file], check=True, capture_output=True).stdout)[0]
    # The clock of the guest is in UTC.
    instant = datetime.datetime.fromisoformat(told["SubSecDateTimeOriginal"].replace(":", "-", 2))
    assert round(instant.timestamp() * 1e6) == photo.capture_time.ToNanoseconds() // 1000
    assert told["Model"] == client.cameras()[0].display_name
    # vivid has no control of exposure.
    assert "ExposureTime" not in told

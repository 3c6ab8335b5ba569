"""Pass-through: a camera's own JPEG reaches readers unchanged."""

import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest

import jpeg_parts
from client import PATIENCE, Client, assert_every_gap_is_counted, next_frame
from firstlight.v1 import preview_service_pb2 as preview, types_pb2
from machine import BINARY, IS_GUEST, REPOSITORY, address, environment, measured
from test_launch import timeline

COUNTER = REPOSITORY / ".build/benchmarks/count_codec_calls.so"
FRAMES = 45
# No other daemon and no other program uses this address.
ADDRESS = address(50061)


@contextmanager
def counted_daemon(*flags):
    """A client of a daemon that starts while the camera is present, and a function that returns the number of its codec
    calls.
    """
    if not IS_GUEST:
        # scripts/vm-test has built the counter for the guest, which discards what it writes.
        subprocess.run([REPOSITORY / "Tests/Benchmarks/build_codec_counter", BINARY], check=True)
    with tempfile.TemporaryDirectory() as folder, open(Path(folder) / "log", "wb") as log:
        count = Path(folder) / "codec-calls"
        count.write_bytes(bytes(4096))
        known = environment()
        process = subprocess.Popen(
            [
                BINARY,
                "serve",
                "--listen",
                ADDRESS,
                "--data-dir",
                folder,
                *measured(Path(folder)),
                "--synthetic",
                "0",
                *flags,
            ],
            stdout=log,
            stderr=subprocess.STDOUT,
            env=known | {"LD_PRELOAD": f"{COUNTER}:{known.get('LD_PRELOAD', '')}", "CODEC_CALLS": str(count)},
        )
        try:
            with grpc.insecure_channel(ADDRESS) as channel:
                grpc.channel_ready_future(channel).result(PATIENCE)
                yield Client(channel), lambda: int.from_bytes(count.read_bytes()[:8], sys.byteorder)
        finally:
            process.terminate()
            process.wait(PATIENCE)


@pytest.mark.parametrize("tables", [pytest.param("with tables", marks=pytest.mark.bare), "without tables"])
def test_D2_motion_jpeg_is_the_devices_byte_for_byte_and_nothing_is_decoded(webcam, tables):
    keep = tables == "with tables"
    if not keep:
        webcam.spoil("no-tables")
    encoding = types_pb2.ENCODING_JPEG
    with (
        webcam.recording() as recording,
        counted_daemon() as (client, codec_calls),
        client.open_session(webcam.device(client).name, pixel_format="MJPG", start=False) as name,
        client.stream_preview(name, encoding) as stream,
    ):
        client.start(name)
        # A launch ends when the exposure has settled. Until then the daemon decodes some frames at an eighth of their
        # size.
        while not timeline(client, name).HasField("first_settled_sequence"):
            next_frame(stream)
        before = codec_calls()
        first = next_frame(stream)
        frames = [first]
        while len(frames) <= FRAMES // 2 or frames[-1].sequence < first.sequence + FRAMES:
            frames.append(next_frame(stream))
        assert codec_calls() == before, "libjpeg, libyuv or libv4lconvert decoded, encoded or converted a frame"

        # The daemon must encode another size itself, which shows that the counter counts.
        request = preview.StreamPreviewRequest(session=name, encoding=encoding)
        request.max_size.width, request.max_size.height = 320, 180
        with client.stream(client.previews.StreamPreview(request)) as smaller:
            assert next_frame(smaller).width == 320
        assert codec_calls() > before

        assert_every_gap_is_counted(frames)
        for frame in frames:
            data = frame.data
            if not keep:
                data, tables = jpeg_parts.parted(data)
                # These are the tables that an encoder without tables of its own writes.
                assert tables == jpeg_parts.standard_tables(), "the tables are not the standard ones"
            # The bytes must be those of the picture with this very number.
            assert data == recording.picture(frame.sequence), f"frame {frame.sequence} is not what the camera sent"

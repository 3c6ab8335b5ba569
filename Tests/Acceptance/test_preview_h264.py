"""H.264: every picture decodes to the camera's picture, from the first one on."""

import itertools

import av
import numpy as np
import pytest

import firstlight
from firstlight import Encoding, Gravity
from support import Collector, take

SMALL = {"pixel_format": "NV12", "size": (640, 360), "frame_rate": 30}


class Decoder:
    """Decodes as a player does: one decoder for the stream, which gets picture by picture."""

    def __init__(self):
        self._codec = av.CodecContext.create("h264", "r")
        # The decoder gives each picture as soon as it has the data.
        self._codec.thread_count = 1
        self._codec.flags |= av.codec.context.Flags.low_delay

    def decode(self, frame):
        """The luma of the picture as it was coded, or None when the decoder gave no picture."""
        pictures = self._codec.decode(av.Packet(frame.data))
        if not pictures:
            return None
        plane = pictures[0].planes[0]
        return np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)[: plane.height, : plane.width]


def board(luma):
    return firstlight.timecode.decode(luma)


def test_D1_h264_pictures_are_the_cameras(client, session):
    name = session(start=True, **SMALL)
    with client.preview(name, encoding=Encoding.H264) as preview:
        frames = take(preview, 12)
    assert frames[0].key_frame
    assert frames[0].encoding is Encoding.H264
    decoder = Decoder()
    for frame in frames:
        assert frame.data[:4] == b"\0\0\0\1"
        luma = decoder.decode(frame)
        assert luma.shape == (frame.height, frame.width) == (360, 640)
        assert board(luma) == (frame.sequence, frame.capture_time_ns, 0)


def test_D1_h264_is_scaled_turned_and_cut(client, session):
    name = session(start=True, **SMALL)
    size = (180, 320)
    with client.preview(name, encoding=Encoding.H264, max_size=size, rotation=90, gravity=Gravity.RESIZE) as preview:
        frame = next(preview)
    luma = Decoder().decode(frame)
    assert luma.shape == (320, 180)
    assert board(np.rot90(luma)) == (frame.sequence, frame.capture_time_ns, 0)


def test_D1_a_new_h264_reader_begins_with_a_key_frame(client, session):
    name = session(start=True, **SMALL)
    with client.preview(name, encoding=Encoding.H264) as first:
        others = Collector(first)
        newest = others.wait_for(lambda frames: len(frames) > 35)[-1].sequence
        with client.preview(name, encoding=Encoding.H264) as second:
            frame = next(second)
            assert frame.key_frame
            # The key frame comes at once, apart from the time of the call. Without a request there is one every 300
            # pictures.
            assert newest <= frame.sequence <= newest + 15
            assert board(Decoder().decode(frame)).sequence == frame.sequence
        # The first reader's copy of that key frame may arrive after the second reader's.
        others.wait_for(lambda frames: frames[-1].sequence >= frame.sequence)
        frames = others.close()
    keys = [frame for frame in frames if frame.key_frame]
    assert len(keys) >= 2, "it is one for all readers of the encoding"
    for before, after in itertools.pairwise(keys):
        assert after.monotonic_time_ns - before.monotonic_time_ns >= 1_000_000_000


@pytest.mark.timeout(60)
def test_D1_a_slow_h264_reader_skips_to_a_key_frame(client, session):
    name = session(start=True, **{**SMALL, "size": (320, 180)})
    decoder = Decoder()
    with (
        client.preview(name, encoding=Encoding.H264, max_unacknowledged_frames=1) as slow,
        client.preview(name, encoding=Encoding.H264) as fast,
    ):
        others = Collector(fast)
        frames = take(slow, 2)
        # The slow reader has not acknowledged its second frame. At most two of these pictures wait for it.
        last = frames[-1].sequence
        others.wait_for(lambda pictures: sum(picture.sequence > last for picture in pictures) >= 20, timeout=60)
        frames += take(slow, 20)
        pictures = {picture.sequence for picture in others.close()}
    assert sum(frame.dropped.late for frame in frames) > 10
    for before, after in itertools.pairwise(frames):
        between = range(before.sequence + 1, after.sequence)
        assert len(between) == sum(after.dropped)
        # A busy machine does not make a picture of every frame, and a picture needs only the picture before it.
        assert pictures.isdisjoint(between) or after.key_frame, "a picture came without the one it needs"
    for frame in frames:
        assert board(decoder.decode(frame)).sequence == frame.sequence

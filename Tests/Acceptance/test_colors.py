"""Every preview, video data output and movie shows a camera's colours, rotated and mirrored in any way."""

from contextlib import ExitStack

import av
import numpy as np
import pytest

import firstlight
from bars import BARS, bar_means, check_bars
from firstlight import ColorRange, MovieCodec, connection, movie_output, video_data_output
from movies import record
from support import PREVIEWS, SYNTHETIC

FULL, LIMITED = ColorRange.FULL, ColorRange.LIMITED
SIZE = (320, 180)
TURNS = [(angle, mirrored) for angle in (0, 90, 180, 270) for mirrored in (False, True)]
SMALL = {"size": SIZE, "frame_rate": 60, "photo": False}


def until(preview, revision):
    """The first frame of a configuration revision, after the frames that a decoder needs before it."""
    frames = []
    # Frames from before the end of the commit may be rotated already, but have the old revision.
    for frame in preview:
        frames = [frame] if frame.key_frame else [*frames, frame]
        if frame.config_revision == revision:
            return frames
    raise AssertionError("the stream ended")


@pytest.mark.parametrize("camera", ["NV12", "YUYV"])
@pytest.mark.parametrize("pixel_format", PREVIEWS)
def test_A7_D1_a_preview_shows_the_colours_however_turned(client, bars, camera, pixel_format):
    turns = [connection("preview", rotated=angle, mirrored=mirrored) for angle, mirrored in TURNS]
    # The session starts with the last rotation, so that each commit is a change.
    name = bars(pixel_format=camera, connections=turns[-1:], **SMALL)
    with client.preview(name, **PREVIEWS[pixel_format], jpeg_quality=95) as preview:
        stream_id = next(preview).stream_id
        for (angle, mirrored), turn in zip(TURNS, turns, strict=True):
            wanted = firstlight.configuration(SYNTHETIC[0], pixel_format=camera, connections=[turn], **SMALL)
            revision = client.configure(name, wanted).config_revision
            *before, frame = until(preview, revision)
            assert frame.pixel_format == pixel_format
            assert (frame.width, frame.height) == (SIZE if angle in (0, 180) else SIZE[::-1])
            check_bars(frame, angle, mirrored, before)
            assert frame.stream_id == stream_id, "the device was restarted"


@pytest.mark.parametrize("camera", ["NV12", "YUYV"])
@pytest.mark.parametrize(
    "wanted",
    [
        [("", None), ("GREY", None), ("GREY", FULL), ("AR24", None), ("BGR4", None)],
        [(format, colors) for format in ("NV12", "YUYV") for colors in (None, LIMITED, FULL)],
    ],
    ids=["usual", "ranges"],
)
def test_A7_D5_video_data_shows_the_colours_however_turned(client, bars, camera, wanted):
    outputs = [
        video_data_output(f"data-{index}", pixel_format=format, color_range=colors)
        for index, (format, colors) in enumerate(wanted)
    ]
    name = bars(pixel_format=camera, video_data=outputs, **SMALL)
    with ExitStack() as stack:
        streams = [stack.enter_context(client.video_data(name, output.id)) for output in outputs]
        for angle, mirrored in TURNS:
            turns = [connection(output.id, rotated=angle, mirrored=mirrored) for output in outputs]
            revision = client.configure(
                name,
                firstlight.configuration(
                    SYNTHETIC[0], pixel_format=camera, video_data=outputs, connections=turns, **SMALL
                ),
            ).config_revision
            for stream, (format, colors) in zip(streams, wanted, strict=True):
                frame = next(frame for frame in stream if frame.config_revision == revision)
                assert frame.pixel_format == (format or camera)
                assert (frame.color_range is ColorRange.FULL) == (format in ("AR24", "BGR4") or colors == FULL)
                assert (frame.width, frame.height) == (SIZE if angle in (0, 180) else SIZE[::-1])
                check_bars(frame, angle, mirrored)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("camera", ["NV12", "YUYV"])
@pytest.mark.parametrize("codec", [MovieCodec.H264, MovieCodec.HEVC, MovieCodec.FFV1])
def test_G1_a_movie_shows_the_colours(client, bars, tmp_path, codec, camera):
    """The file says how its samples relate to colours, as players need it."""
    name = bars(pixel_format=camera, movie=movie_output(codec=codec, quality=95), **SMALL)
    recording = record(client, name, frames=3)[-1].recording
    path = tmp_path / recording.file.rpartition("/")[2]
    client.download_recording(recording.name, path)
    with av.open(str(path)) as movie:
        *_, picture = movie.decode(video=0)
    assert picture.color_range == av.video.reformatter.ColorRange.MPEG
    # BT.601, for which FFmpeg has two numbers.
    assert int(picture.colorspace) in (5, 6)
    for index, (plane, truth) in enumerate(zip(picture.planes, np.array(BARS, float).T, strict=True)):
        lines = np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)[: plane.height, : plane.width]
        off = bar_means(lines) - truth
        assert np.abs(off).max() <= 2, f"channel {index}: bars are off by {off.round(1)}"

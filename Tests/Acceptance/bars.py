"""Checks the colour bars of synthetic cameras in pictures of every format, rotated and mirrored in any way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import av
import numpy as np

import firstlight

#: The colours of SyntheticCapture's BarsScene from left to right: Y, Cb, Cr in limited-range BT.601.
BARS = [
    (180, 128, 128),
    (162, 44, 142),
    (131, 156, 44),
    (112, 72, 58),
    (84, 184, 198),
    (65, 100, 212),
    (35, 212, 114),
    (16, 128, 128),
]
#: Parts of the picture's height. The board's chroma is neutral and that of the bars is not, so the chroma planes show
#: which way up they are. BOARD leaves out the last lines of the board, because lossy formats mix them with the bars.
BOARD, BELOW = (0.0, 0.08), (0.5, 0.95)


def rgb(y: float, cb: float, cr: float) -> np.ndarray:
    """A limited-range BT.601 colour as R, G, B."""
    y, cb, cr = (y - 16) * 255 / 219, (cb - 128) * 255 / 224, (cr - 128) * 255 / 224
    return np.clip([y + 1.402 * cr, y - 0.344136 * cb - 0.714136 * cr, y + 1.772 * cb], 0, 255)


def as_captured(plane: np.ndarray, angle: int, mirrored: bool) -> np.ndarray:
    """Undoes the rotation and mirroring of a connection. The rotation comes first in the daemon, so this function
    undoes the mirroring first.
    """
    return np.rot90(np.fliplr(plane) if mirrored else plane, angle // 90)


def channels(frame: firstlight.Frame, before: Sequence[firstlight.Frame] = ()) -> list[np.ndarray]:
    """The channels of a frame, each in the size that the format stores: Y, Cb and Cr, or Y alone, or R, G and B.

    An H.264 frame is decoded after the frames `before` it.
    """
    if frame.pixel_format == "H264":
        return decoded_h264([*before, frame])
    picture = frame.as_array()
    if frame.pixel_format == "NV12":
        chroma = picture[frame.height :]
        return [picture[: frame.height], chroma[:, 0::2], chroma[:, 1::2]]
    if frame.pixel_format == "YUYV":
        return [picture[:, :, 0], picture[:, 0::2, 1], picture[:, 1::2, 1]]
    if frame.pixel_format == "GREY":
        return [picture]
    if frame.pixel_format == "AR24":
        assert (picture[:, :, 3] == 255).all(), "AR24 is opaque"
    order = {"JPEG": (0, 1, 2), "AR24": (2, 1, 0), "BGR4": (2, 1, 0)}[frame.pixel_format]
    return [picture[:, :, channel] for channel in order]


def decoded_h264(frames: Sequence[firstlight.Frame]) -> list[np.ndarray]:
    """Y, Cb and Cr of the last picture. The first frame must be a key frame."""
    codec: Any = av.CodecContext.create("h264", "r")
    codec.thread_count = 1
    pictures = [picture for frame in frames for picture in codec.decode(av.Packet(frame.data))] + codec.decode(None)
    assert len(pictures) == len(frames)
    assert pictures[-1].format.name == "yuv420p"
    assert pictures[-1].color_range == av.video.reformatter.ColorRange.MPEG
    return [
        np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)[: plane.height, : plane.width]
        for plane in pictures[-1].planes
    ]


def bar_means(plane: np.ndarray, part: tuple[float, float] = BELOW) -> np.ndarray:
    """The mean inside each bar, in a part of the height. The mean averages noise out, and the edges of a bar, where
    chroma mixes, are left out.
    """
    height, bar = plane.shape[0], plane.shape[1] / 8
    lines = slice(int(part[0] * height), int(part[1] * height))
    return np.array([plane[lines, int((i + 0.25) * bar) : int((i + 0.75) * bar)].mean() for i in range(8)])


def check_bars(
    frame: firstlight.Frame, angle: int = 0, mirrored: bool = False, before: Sequence[firstlight.Frame] = ()
) -> None:
    """Checks the board and the colours of a picture that a connection rotated and mirrored. Each mean must be right to
    2 code values, in lossy formats as well.
    """
    planes = [as_captured(plane, angle, mirrored) for plane in channels(frame, before)]
    is_rgb = frame.pixel_format in ("JPEG", "AR24", "BGR4")
    truth = np.array([rgb(*bar) for bar in BARS] if is_rgb else BARS, float).T
    if frame.color_range is firstlight.ColorRange.FULL and not is_rgb:
        truth = np.array([(truth[0] - 16) * 255 / 219, *(128 + (truth[1:] - 128) * 255 / 224)])
    # Near the ends of R, G and B the format cuts noise off on one side, which moves the mean by up to 1.
    slack = 2 + (is_rgb & ((truth < 3) | (truth > 252)))
    grey = bar_means(planes[1], BOARD) if is_rgb else 128
    what = f"{frame.pixel_format}, turned by {angle}, mirrored: {mirrored}, channel"
    for index, plane in enumerate(planes):
        off = bar_means(plane) - truth[index]
        assert (np.abs(off) <= slack[index]).all(), f"{what} {index}: bars are off by {off.round(1)}"
        if is_rgb or index > 0:
            off = bar_means(plane, BOARD) - grey
            assert np.abs(off).max() <= 2, f"{what} {index}: the board is off by {off.round(1)}"
    luma = planes[0] if frame.pixel_format == "H264" else as_captured(frame.luma(), angle, mirrored)
    assert firstlight.timecode.decode(luma) == (frame.sequence, frame.capture_time_ns, 0), what

"""The effect of merging several frames on the pixels."""

import itertools

import numpy as np
import pytest

from firstlight import Encoding, Quality
from support import SYNTHETIC, take

CAMERA = SYNTHETIC[0]
LIGHTBOARD, STILL = 0, 1
pytestmark = pytest.mark.timeout(60)
MERGED = pytest.mark.parametrize("quality", [Quality.BALANCED, Quality.QUALITY])


@pytest.fixture
def scene(patient, session):
    """Starts sessions whose camera shows a scene."""
    names = []

    def make(number):
        wanted = {"pixel_format": "NV12", "size": (640, 360), "frame_rate": 30, "max_quality": Quality.QUALITY}
        # Several photos are taken of each frame, one after the other.
        names.append(session(start=True, window=5, **wanted))
        patient.set_controls(CAMERA, {"test_pattern": number}, session=names[-1])
        return names[-1]

    yield make
    for name in names:
        patient.set_controls(CAMERA, {"test_pattern": None}, session=name)


def below_the_board(photo):
    """The luma below the timecode board."""
    return photo.luma()[photo.height // 6 + 4 :].astype(np.float32)


def box_means(picture, side=5):
    """The mean of each square of `side` pixels. Noise averages out, and objects as large as a square stay."""
    height, width = (length // side for length in picture.shape)
    return picture[: height * side, : width * side].reshape(height, side, width, side).mean(axis=(1, 3))


@MERGED
def test_H5_a_merge_has_at_most_six_tenths_of_the_noise(patient, scene, quality):
    name = scene(STILL)

    def noise(preview, quality, fused):
        pictures = []
        for _ in range(6):
            # The frames lie so far apart that no two photos are made of the same frames.
            frame = take(preview, 10)[-1]
            photo = patient.photo(name, of=frame, encoding=Encoding.UNCOMPRESSED, quality=quality)
            assert photo.sequence == frame.sequence
            assert (photo.fused_frame_count > 1) == fused
            pictures.append(below_the_board(photo))
        return np.array(pictures).std(axis=0, ddof=1).mean()

    with patient.preview(name, max_size=(320, 180)) as preview:
        single = noise(preview, Quality.SPEED, fused=False)
        merged = noise(preview, quality, fused=True)
    assert single > 1, "there is noise to lessen"
    assert merged <= 0.6 * single


@MERGED
def test_H5_what_moves_leaves_no_ghost(patient, scene, quality):
    name = scene(LIGHTBOARD)
    seen = []
    with patient.preview(name, max_size=(320, 180)) as preview:
        take(preview, 20)
        for frame in take(preview, 4):
            single, merged = (
                patient.photo(name, of=frame, encoding=Encoding.UNCOMPRESSED, quality=each)
                for each in (Quality.SPEED, quality)
            )
            assert single.sequence == merged.sequence == frame.sequence
            assert merged.fused_frame_count > 1
            seen.append(box_means(below_the_board(single)))
            assert np.abs(seen[-1] - box_means(below_the_board(merged))).max() < 4
    assert min(np.abs(after - before).max() for before, after in itertools.pairwise(seen)) > 100, "something moved"

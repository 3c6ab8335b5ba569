import io

import numpy as np
import pytest
from PIL import Image

from boards import draw
from firstlight import timecode

NOW_NS = 1_790_000_000_123_456_789


@pytest.mark.parametrize("size", [(64, 24), (100, 75), (320, 180), (640, 360), (641, 361), (1920, 1080), (3840, 2160)])
def test_reads_the_board_at_every_size(size):
    assert timecode.decode(draw(123_456, NOW_NS, *size, camera=7)) == (123_456, NOW_NS, 7)


@pytest.mark.parametrize("sequence", [0, 1, 2**63, 2**64 - 1])
def test_reads_the_ends_of_the_range(sequence):
    assert timecode.decode(draw(sequence, NOW_NS, 640, 360)) == (sequence, NOW_NS, 0)


@pytest.mark.parametrize("camera", [0, 1, 2**31, 2**32 - 1])
def test_reads_every_number_of_a_camera(camera):
    assert timecode.decode(draw(77, NOW_NS, 640, 360, camera)) == (77, NOW_NS, camera)


@pytest.mark.parametrize(
    "filter", [Image.Resampling.BOX, Image.Resampling.BILINEAR, Image.Resampling.BICUBIC, Image.Resampling.LANCZOS]
)
def test_survives_scaling_and_jpeg(filter):
    picture = Image.fromarray(draw(77, NOW_NS, 1920, 1080, camera=1)).resize((320, 180), filter)
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=50)
    assert timecode.decode(np.asarray(Image.open(file))) == (77, NOW_NS, 1)


def test_reads_a_view_of_a_larger_picture():
    padded = np.zeros((360, 704), np.uint8)
    padded[:, :640] = draw(5, NOW_NS, 640, 360)
    assert timecode.decode(padded[:, :640]) == (5, NOW_NS, 0)


@pytest.mark.parametrize("row", range(4))
def test_a_wrong_bit_in_any_row_fails_a_check(row):
    picture = draw(123_456, NOW_NS, 640, 360)
    cell = picture[15 * row : 15 * (row + 1), :10]
    cell[:] = 251 - cell
    assert timecode.decode(picture) is None


@pytest.mark.parametrize("size", [(63, 24), (64, 23), (0, 0)])
def test_too_small_a_picture_has_no_board(size):
    assert timecode.decode(np.zeros(size[::-1], np.uint8)) is None


def test_a_flat_picture_and_noise_have_no_board():
    assert timecode.decode(np.full((360, 640), 128, np.uint8)) is None
    assert timecode.decode(np.random.default_rng(2).integers(0, 256, (360, 640), dtype=np.uint8)) is None


def test_a_picture_has_two_dimensions():
    with pytest.raises(ValueError, match="two dimensions"):
        timecode.decode(np.zeros((360, 640, 3), np.uint8))

"""Tests of the webcam itself. They use v4l2-ctl and Pillow, without the daemon, and check the properties of the webcam
that the other tests rely on.
"""

import io
import re
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import firstlight
import jpeg_parts
from client import PATIENCE
from webcam import REFERENCE_EXPOSURE

PICTURES = 20


def v4l2(webcam, *arguments):
    """The output of v4l2-ctl for the camera."""
    command = ["v4l2-ctl", "-d", webcam.node, *arguments]
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE
    ).stdout


def pictures(webcam, width=640, height=360, pixel_format="MJPG", count=PICTURES):
    """The pictures that the driver gives, by number. v4l2-ctl writes them one behind the other, and reports numbers and
    lengths.
    """
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        file = Path(folder) / "stream"
        size = f"--set-fmt-video=width={width},height={height},pixelformat={pixel_format}"
        told = v4l2(webcam, size, "--stream-mmap", f"--stream-count={count}", f"--stream-to={file}", "--verbose")
        stream = file.read_bytes()
    given, position = {}, 0
    for line in told.splitlines():
        if match := re.search(r"cap dqbuf: .* seq: *(\d+) bytesused: (\d+)", line):
            number, length = int(match[1]), int(match[2])
            given[number] = stream[position : position + length]
            position += length
    return given


def last(given):
    """The last one of these pictures."""
    return given[max(given)]


def luma(picture):
    """The luma of a JPEG."""
    return np.asarray(Image.open(io.BytesIO(picture), formats=["JPEG"]).convert("L"))


def shown_number(picture):
    """The number on a JPEG's timecode board."""
    board = firstlight.timecode.decode(luma(picture))
    assert board is not None
    return board.sequence


def level(picture):
    """The brightness, relative to the usual light, of the grey whose luma is 80 in that light."""
    shown = luma(picture)
    height, width = shown.shape
    return shown[height // 4 : height // 3, width * 15 // 32].mean() / 80


def with_bands_of(intact, picture):
    """The whole picture of 640 x 360 of which `picture` has the first half. All pictures of a stream have the same
    bytes below the board. The board's own bytes change with its bits, in number too. The first eight lines of blocks
    show the board, and a restart marker follows each line of blocks.
    """
    board, bands = (jpeg_parts.intervals(each) for each in (picture, intact))
    assert len(board) > 8
    assert len(bands) == 360 // 8
    return b"".join([*board[:8], *bands[8:]])


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080), (640, 480), (640, 360)])
def test_each_picture_is_the_one_of_its_number_byte_for_byte(webcam, width, height):
    with webcam.recording() as recording:
        given = pictures(webcam, width, height)
        assert len(given) == PICTURES
        for number, picture in given.items():
            assert picture == recording.picture(number)
            assert shown_number(picture) == number
            assert luma(picture).shape == (height, width)


def test_uncompressed_pictures_too(webcam):
    with webcam.recording() as recording:
        given = pictures(webcam, 320, 180, "YUYV")
        assert len(given) == PICTURES
        for number, picture in given.items():
            assert picture == recording.picture(number)
            board = firstlight.timecode.decode(np.frombuffer(picture, np.uint8).reshape(180, 640)[:, ::2])
            assert board.sequence == number


def test_pixels_follow_exposure_and_gain(webcam):
    assert level(last(pictures(webcam))) == pytest.approx(1, abs=0.03)
    v4l2(webcam, "-c", "auto_exposure=1")
    for exposure, gain, wanted in ((REFERENCE_EXPOSURE // 2, 0, 0.5), (REFERENCE_EXPOSURE, 25, 2)):
        v4l2(webcam, "-c", f"exposure_time_absolute={exposure},gain={gain}")
        assert level(last(pictures(webcam))) == pytest.approx(wanted, abs=0.03)
    v4l2(webcam, "-c", "auto_exposure=3")
    webcam.light(0.5)
    assert level(last(pictures(webcam))) == pytest.approx(1, abs=0.03)
    assert webcam.status["exposure"] == pytest.approx(REFERENCE_EXPOSURE, abs=1)


def test_pictures_are_spoilt_as_told(webcam):
    kinds = ("no-tables", "padding", "no-end", "cut", "torn", "garbage", "other-size", "error-bit")
    for place, kind in enumerate(kinds):
        webcam.spoil(kind, every=10, remainder=place)
    with webcam.recording() as recording:
        given = pictures(webcam)
        sent = {number: recording.picture(number) for number in range(max(given) + 1)}
    assert all(sent[number] == picture for number, picture in given.items())
    intact = sent[8]
    assert jpeg_parts.without_tables(intact) != intact
    assert jpeg_parts.without_tables(sent[0]) == sent[0]
    assert sent[1].rstrip(b"\0").endswith(b"\xff\xd9")
    assert len(sent[1]) % 1024 == 0
    assert not sent[2].endswith(b"\xff\xd9")
    whole = with_bands_of(intact, sent[3])
    assert sent[3] == whole[: len(whole) // 2]
    whole = with_bands_of(intact, sent[4])
    assert sent[4] == whole[: len(whole) // 2] + whole[len(whole) // 4 * 3 :]
    assert sent[4].endswith(b"\xff\xd9")
    assert b"\xff" not in sent[5]
    assert luma(sent[6]).shape == (180, 320)
    # The driver drops pictures that it knows to be broken (its parameter nodrop is 0).
    assert shown_number(sent[7]) == 7
    assert {number % 10 for number in given} == {*range(10)} - {7}


def test_several_at_once_and_the_same_one_again(webcams):
    cameras = [webcams(serial="SAME"), webcams(serial="SAME"), webcams(serial="")]
    nodes = {camera.node for camera in cameras} | {camera.metadata_node for camera in cameras}
    assert len(nodes) == 6
    assert "Serial" in v4l2(cameras[0], "--info")
    cameras[1].unplug()
    cameras[1].plug()
    for camera in cameras:
        given = pictures(camera, count=2)
        assert len(given) == 2
        assert all(shown_number(picture) == number for number, picture in given.items())


@pytest.mark.parametrize("point", ["open", "probe", "commit", "frame 10", "set gain"])
def test_it_unplugs_itself_where_told(webcam, point):
    node = webcam.node
    v4l2(webcam, "--info")
    if point == "open":
        webcam.let_sleep()
    command = ["v4l2-ctl", "-d", node, "--set-fmt-video=width=640,height=360", "-c", "gain=7"]
    with webcam.unplugging(point):
        subprocess.run([*command, "--stream-mmap", "--stream-count=20"], check=False, timeout=PATIENCE)
    assert not webcam.is_plugged
    assert not Path(node).exists()
    webcam.plug()
    assert len(pictures(webcam, count=3)) == 3


def test_it_stalls_and_refuses_and_answers_late(webcam):
    webcam.stall()
    command = ["v4l2-ctl", "-d", webcam.node, "--stream-mmap", "--stream-count=1"]
    stalled = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    while not webcam.status["streaming"]:
        assert stalled.poll() is None, "v4l2-ctl ended before it streamed"
        time.sleep(0.1)
    with pytest.raises(subprocess.TimeoutExpired):
        stalled.wait(1)
    # The camera goes on with the program that waits.
    webcam.resume()
    assert stalled.wait(PATIENCE) == 0
    webcam.refuse("gain")
    refused = subprocess.run(
        ["v4l2-ctl", "-d", webcam.node, "-c", "gain=7"], check=False, capture_output=True, text=True, timeout=PATIENCE
    )
    assert (refused.returncode != 0, webcam.status["gain"]) == (True, 0)
    webcam.answer_well()
    webcam.answer_late("gain", 500)
    v4l2(webcam, "-c", "gain=7")
    assert webcam.status["gain"] == 7


def test_its_default_rate_and_a_size_that_it_does_not_honour(webcams):
    webcam = webcams(default_rate=5, dishonoured=(1280, 720))
    assert "5.000" in v4l2(webcam, "--set-fmt-video=width=640,height=480,pixelformat=MJPG", "--get-parm")
    assert "1280x720" in v4l2(webcam, "--list-framesizes=MJPG")
    told = v4l2(webcam, "--set-fmt-video=width=1280,height=720,pixelformat=MJPG", "--get-fmt-video")
    assert re.search(r"Width/Height\s*: 640/360", told)

"""Drawing over previews: by specification, and by a program that answers frames."""

import io
import itertools
import queue
import time
from contextlib import ExitStack

import numpy as np
import pytest
from PIL import Image

import firstlight
from firstlight import video_data_output
from firstlight.v1 import overlay_pb2, video_data_service_pb2 as video_data_pb2
from support import SYNTHETIC, Collector, call, refused, take, timecode

SMALL = {"pixel_format": "NV12", "size": (640, 360), "frame_rate": 30}
RED = 0xFF0000FF
#: Red in limited-range BT.601.
RED_YCC = (81, 90, 240)


def png(color, size=(32, 32)):
    file = io.BytesIO()
    Image.new("RGBA", size, color).save(file, "png")
    return file.getvalue()


def patch(x=0.7, y=0.7, width=0.2, color=(255, 0, 0, 255)):
    """A coloured square."""
    return overlay_pb2.Overlay(elements=[{"image": {"png": png(color), "x": x, "y": y, "width": width}}])


def at(frame, x, y):
    """Y, Cb, Cr of a raw preview around a place."""
    array = frame.as_array()
    column, row = int(x * frame.width), int(y * frame.height)
    chroma = array[frame.height :].reshape(frame.height // 2, frame.width // 2, 2)
    around = array[row - 4 : row + 4, column - 4 : column + 4]
    return (around.mean(), *chroma[row // 2 - 2 : row // 2 + 2, column // 2 - 2 : column // 2 + 2].mean(axis=(0, 1)))


def is_red(frame, x=0.8, y=0.8):
    return np.abs(np.subtract(at(frame, x, y), RED_YCC)).max() <= 3


def set_overlay(stubs, session, overlay, preview=""):
    request = video_data_pb2.SetOverlayRequest(session=session, preview=preview, overlay=overlay)
    call(stubs.video_data.SetOverlay, request)


def raw(client, session, **keywords):
    return client.preview(session, encoding=firstlight.Encoding.NV12, **keywords)


def until(frames, condition, count=60):
    """The first of the next frames for which `condition` holds."""
    return next(frame for frame in itertools.islice(frames, count) if condition(frame))


class Program:
    """A client of ProcessFrames whose answers a test decides."""

    def __init__(self, stubs, session, **start):
        self._requests = queue.SimpleQueue()
        self._requests.put(video_data_pb2.ProcessFramesRequest(start={"session": session, **start}))
        self._call = stubs.video_data.ProcessFrames(iter(self._requests.get, None))
        self.counts = None

    def frames(self):
        for response in self._call:
            self.counts = response.counts
            if response.HasField("frame"):
                yield response.frame

    def answer(self, to, **content):
        answer = {"stream_id": to.stream_id, "sequence": to.sequence, **content}
        self._requests.put(video_data_pb2.ProcessFramesRequest(answer=answer))

    def leave(self):
        self._requests.put(None)

    def cancel(self):
        self._call.cancel()
        self._requests.put(None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.cancel()


@pytest.mark.parametrize("pixel_format", ["NV12", "YUYV"])
def test_D6_an_overlay_is_in_the_preview_and_not_in_photos_nor_video_data(client, stubs, session, pixel_format):
    name = session(start=True, video_data=[video_data_output("data")], **{**SMALL, "pixel_format": pixel_format})
    with raw(client, name) as preview, client.video_data(name) as data:
        assert not is_red(next(preview))
        set_overlay(stubs, name, patch())
        drawn = until(preview, is_red)
        assert timecode(drawn).sequence == drawn.sequence
        photo = client.photo(name, of=drawn)
        assert (photo.sequence, photo.stream_id) == (drawn.sequence, drawn.stream_id)
        pixels = photo.as_array()[int(0.8 * 360), int(0.8 * 640)]
        assert not (pixels[0] > 200 and pixels[1] < 60), "the photo is what the camera gave"
        newer = until(data, lambda frame: frame.sequence >= drawn.sequence)
        assert newer.luma()[280:296, 500:520].std() > 0 or abs(int(newer.luma()[288, 512]) - RED_YCC[0]) > 3
        set_overlay(stubs, name, overlay_pb2.Overlay())
        until(preview, lambda frame: not is_red(frame))


def test_D6_every_frame_has_it_and_none_is_lost(client, stubs, session):
    name = session(start=True, photo=False, **{**SMALL, "size": (320, 180)})
    set_overlay(stubs, name, patch())
    with raw(client, name, max_unacknowledged_frames=0) as preview:
        frames = take(preview, 40)
    assert all(is_red(frame) for frame in frames[1:])
    assert sum(sum(frame.dropped) for frame in frames[1:]) <= 2
    assert frames[-1].sequence - frames[0].sequence == 39 + sum(sum(frame.dropped) for frame in frames[1:])


def test_D6_a_new_viewer_never_sees_a_frame_without(client, stubs, session):
    name = session(start=True, photo=False, **SMALL)
    with raw(client, name) as first:
        set_overlay(stubs, name, patch())
        until(first, is_red)
        for _ in range(5):
            with raw(client, name) as viewer:
                assert is_red(next(viewer))


def test_D6_drawing_ends_no_viewer_though_it_makes_a_ninth_encoding(client, stubs, session):
    """The camera's own frames need none; drawn on, they are made anew."""
    name = session(start=True, photo=False, **{**SMALL, "size": (320, 180), "frame_rate": 10})
    with ExitStack() as stack:
        viewers = [stack.enter_context(raw(client, name))]
        # Before the first frame nobody knows that it needs none.
        next(viewers[0])
        viewers += [stack.enter_context(client.preview(name, jpeg_quality=10 * tenth)) for tenth in range(1, 9)]
        before = max(next(viewer).sequence for viewer in viewers)
        set_overlay(stubs, name, patch())
        for viewer in viewers:
            until(viewer, lambda frame: frame.sequence > before + 3)
        assert is_red(until(viewers[0], is_red))
        with refused("RESOURCE_EXHAUSTED", "TOO_MANY_REQUESTS"), client.preview(name, jpeg_quality=99) as viewer:
            next(viewer)


def test_D6_what_is_drawn_is_upright_in_a_turned_preview(client, stubs, session):
    connections = [firstlight.connection("preview", rotated=90, mirrored=True)]
    name = session(start=True, photo=False, connections=connections, **SMALL)
    set_overlay(stubs, name, patch(x=0.05, y=0.9, width=0.1))
    with raw(client, name) as preview:
        frame = until(preview, lambda frame: is_red(frame, 0.1, 0.92))
        assert (frame.width, frame.height) == (360, 640)
        assert not is_red(frame, 0.9, 0.92)


def test_D6_text_and_boxes_are_drawn(client, stubs, session):
    client.set_controls(SYNTHETIC[0], {"test_pattern": 2})
    try:
        name = session(photo=False, **SMALL)
        client.start(name)
        background = {"text": "{time}", "x": 0.05, "y": 0.4, "height": 0.1, "background": RED, "color": 0xFFFFFFFF}
        box = {"x": 0.2, "y": 0.6, "width": 0.3, "height": 0.3, "color": RED, "line_width": 0.06}
        set_overlay(stubs, name, overlay_pb2.Overlay(elements=[{"text": background}, {"box": box}]))
        with raw(client, name) as preview:
            frame = until(preview, lambda frame: is_red(frame, 0.2, 0.75))
            assert is_red(frame, 0.5, 0.75)
            assert not is_red(frame, 0.35, 0.75)
            line = frame.luma()[int(0.4 * 360) : int(0.5 * 360), 32:300]
            assert (line > 200).mean() > 0.03, "white letters"
            assert (np.abs(line.astype(int) - RED_YCC[0]) < 8).mean() > 0.3, "on red"
    finally:
        client.stop(name)
        client.set_controls(SYNTHETIC[0], {"reset_controls": None})


@pytest.mark.parametrize(
    ("element", "field"),
    [
        ({}, "elements[0]"),
        ({"text": {"text": "x" * 257}}, "elements[0].text.text"),
        ({"text": {"text": "x", "x": float("nan")}}, "elements[0].text.x"),
        ({"text": {"text": "x", "height": 2}}, "elements[0].text.height"),
        ({"image": {"png": b"no picture"}}, "elements[0].image.png"),
        ({"image": {"pixels": {"width": 2, "height": 2, "rgba": b"xxx"}}}, "elements[0].image.pixels"),
        ({"image": {}}, "elements[0].image"),
        ({"box": {"width": -1}}, "elements[0].box.width"),
    ],
)
def test_D6_what_cannot_be_drawn_is_refused_by_name(stubs, session, element, field):
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT") as refusal:
        set_overlay(stubs, session(**SMALL), overlay_pb2.Overlay(elements=[element]))
    assert refusal.error.violations[0].field == f"overlay.{field}"


def test_D6_small_files_that_hold_large_pictures_are_refused_together(stubs, session):
    file = io.BytesIO()
    Image.new("1", (4096, 2049)).save(file, "PNG")
    large = {"image": {"png": file.getvalue()}}
    name = session(**SMALL)
    set_overlay(stubs, name, overlay_pb2.Overlay(elements=[large]))
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT") as refusal:
        set_overlay(stubs, name, overlay_pb2.Overlay(elements=[large, large]))
    assert refusal.error.violations[0].field == "overlay.elements[1].image"


def test_D6_a_program_draws_over_the_very_frame_it_got(client, stubs, session):
    name = session(start=True, photo=False, video_data=[video_data_output("data", pixel_format="GREY")], **SMALL)
    with raw(client, name) as preview, Program(stubs, name, deadline_frames=8) as program:
        shown = Collector(preview)
        asked = {}
        for frame in itertools.islice(program.frames(), 30):
            # Even frames get the mark, odd ones nothing: so the preview tells which answer is on which frame.
            asked[frame.sequence] = frame.sequence % 2 == 0
            program.answer(frame, **({"overlay": patch()} if asked[frame.sequence] else {}))
        frames = shown.wait_for(lambda items: items and items[-1].sequence > max(asked))
        counts = program.counts
    answered = [frame for frame in frames if frame.sequence in asked]
    right = [is_red(frame) == asked[frame.sequence] for frame in answered]
    assert len(answered) >= 20
    assert sum(right) >= len(right) - counts.unanswered - counts.late
    assert counts.shown >= 20


@pytest.mark.parametrize("pixel_format", ["JPEG", "GREY"])
def test_D6_a_program_shows_another_picture_in_its_place(client, stubs, session, pixel_format):
    name = session(start=True, photo=False, video_data=[video_data_output("data")], **SMALL)
    if pixel_format == "JPEG":
        file = io.BytesIO()
        Image.new("RGB", (640, 360), (255, 0, 0)).save(file, "jpeg", quality=95)
        data = file.getvalue()
    else:
        data = bytes([81]) * (640 * 360)
    picture = {"pixel_format": pixel_format, "width": 640, "height": 360, "data": data}
    with raw(client, name) as preview, Program(stubs, name, deadline_frames=8) as program:
        shown = Collector(preview)
        for frame in itertools.islice(program.frames(), 20):
            program.answer(frame, frame=picture)
        frames = shown.wait_for(lambda items: any(abs(at(f, 0.5, 0.1)[0] - 81) <= 2 for f in items))
    replaced = next(frame for frame in frames if abs(at(frame, 0.5, 0.1)[0] - 81) <= 2)
    if pixel_format == "JPEG":
        assert is_red(replaced, 0.5, 0.5)


@pytest.mark.parametrize("behaviour", ["silent", "slow", "gone"])
def test_D6_a_slow_or_dead_program_never_stalls_the_preview(client, stubs, session, behaviour):
    name = session(start=True, photo=False, video_data=[video_data_output("data")], **{**SMALL, "size": (320, 180)})
    with client.preview(name, max_unacknowledged_frames=0) as preview, Program(stubs, name) as program:
        frames = program.frames()
        first = next(frames)
        if behaviour == "gone":
            program.cancel()
        seen = []
        for shown in preview:
            seen.append(shown)
            if behaviour == "slow" and len(seen) % 10 == 0:
                program.answer(first, overlay=patch())
                first = next(frames)
            if len(seen) == 45:
                break
        lost = sum(sum(frame.dropped) for frame in seen[1:])
        assert seen[-1].sequence - seen[0].sequence == 44 + lost
        assert lost <= 3
        age = client.server_info().monotonic_time_ns - seen[-1].monotonic_time_ns
        # Given up after 30 frames without an answer in time: as fresh as without the program.
        assert age < 6 * 33_333_333 + 200_000_000
        if behaviour == "slow":
            deadline = time.monotonic() + 5
            while program.counts.late == 0 and time.monotonic() < deadline:
                program.answer(next(frames))
            assert program.counts.late > 0, "late answers are counted"


def test_D6_a_program_that_leaves_gives_the_preview_back(client, stubs, session):
    name = session(start=True, photo=False, video_data=[video_data_output("data")], **SMALL)
    with raw(client, name) as preview:
        program = Program(stubs, name, deadline_frames=8)
        for frame in itertools.islice(program.frames(), 10):
            program.answer(frame, overlay=patch())
        until(preview, is_red)
        program.leave()
        drain(program)
        until(preview, lambda frame: not is_red(frame))


def test_D6_one_program_for_each_preview(client, stubs, session):
    name = session(start=True, photo=False, video_data=[video_data_output("data")], **SMALL)
    with Program(stubs, name) as former:
        next(former.frames())
        with Program(stubs, name) as later:
            next(later.frames())
            with refused("ABORTED", "OPERATION_INTERRUPTED"):
                drain(former)
            later.leave()
            drain(later)


def test_D6_a_removed_output_ends_the_program_with_its_reason(client, stubs, session):
    name = session(start=True, photo=False, video_data=[video_data_output("data")], **SMALL)
    with Program(stubs, name) as program:
        next(program.frames())
        client.configure(name, firstlight.configuration(SYNTHETIC[0], photo=False, **SMALL))
        with refused("FAILED_PRECONDITION", "OUTPUT_REMOVED"):
            drain(program)


def drain(program):
    """Reads until the stream ends; failures as FirstlightError."""
    try:
        for _ in program.frames():
            pass
    except Exception as error:
        raise firstlight.FirstlightError.from_rpc_error(error) from error


@pytest.mark.parametrize(
    ("start", "answer", "code"),
    [
        ({"deadline_frames": 9}, None, "INVALID_ARGUMENT"),
        ({"output": "none"}, None, "NOT_FOUND"),
        ({"preview": "none"}, None, "NOT_FOUND"),
        ({"max_message_bytes": 65536}, None, "FAILED_PRECONDITION"),
        ({}, {"overlay": {"elements": [{}]}}, "INVALID_ARGUMENT"),
        ({}, {"frame": {"pixel_format": "GREY", "width": 2, "height": 2, "data": b"1234"}}, "INVALID_ARGUMENT"),
        ({}, {"frame": {"pixel_format": "GREY", "width": 640, "height": 360, "data": b"1"}}, "INVALID_ARGUMENT"),
        ({}, {"frame": {"pixel_format": "NV12", "width": 2**32 - 1, "height": 2**32 - 1}}, "INVALID_ARGUMENT"),
        ({}, {"frame": {"pixel_format": "NV12"}}, "INVALID_ARGUMENT"),
    ],
)
def test_D6_what_cannot_be_processed_is_refused(stubs, session, start, answer, code):
    name = session(start=True, photo=False, video_data=[video_data_output("data")], **SMALL)
    with Program(stubs, name, **start) as program, refused(code):
        if answer is None:
            drain(program)
        for frame in program.frames():
            program.answer(frame, **answer)
            drain(program)


def test_D6_the_first_request_must_be_start(stubs, session):
    session(start=True, photo=False, video_data=[video_data_output("data")], **SMALL)
    requests = [video_data_pb2.ProcessFramesRequest(answer={"sequence": 1})]
    with refused("INVALID_ARGUMENT"):
        call(stubs.video_data.ProcessFrames, iter(requests))

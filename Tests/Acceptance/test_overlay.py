"""Drawing over previews: by an overlay that a client sets, and by a program that answers frames."""

import io
import itertools
import threading
from contextlib import ExitStack, suppress

import numpy as np
import pytest
from PIL import Image

import firstlight
from firstlight import overlays, video_data_output
from firstlight.v1 import overlay_pb2, video_data_service_pb2 as video_data_pb2
from support import SYNTHETIC, Collector, refused, take, timecode

SMALL = {"pixel_format": "NV12", "size": (640, 360), "frame_rate": 30}
RED = 0xFF0000FF
#: Red in limited-range BT.601.
RED_YCC = (81, 90, 240)


def png(color, size=(32, 32)):
    file = io.BytesIO()
    Image.new("RGBA", size, color).save(file, "png")
    return file.getvalue()


def patch(x=0.7, y=0.7, width=0.2, color=(255, 0, 0, 255)):
    """An overlay with one coloured square. Places and sizes are fractions of the picture."""
    return [overlays.image(png(color), x, y, width=width)]


def at(frame, x, y):
    """The mean Y, Cb, Cr of a raw preview frame around a place."""
    array = frame.as_array()
    column, row = int(x * frame.width), int(y * frame.height)
    chroma = array[frame.height :].reshape(frame.height // 2, frame.width // 2, 2)
    around = array[row - 4 : row + 4, column - 4 : column + 4]
    return (around.mean(), *chroma[row // 2 - 2 : row // 2 + 2, column // 2 - 2 : column // 2 + 2].mean(axis=(0, 1)))


def is_red(frame, x=0.8, y=0.8):
    return np.abs(np.subtract(at(frame, x, y), RED_YCC)).max() <= 3


def raw(client, session, **keywords):
    return client.preview(session, pixel_format="NV12", **keywords)


def until(frames, condition, count=60):
    """The first of the next `count` frames for which `condition` holds."""
    return next(frame for frame in itertools.islice(frames, count) if condition(frame))


@pytest.mark.parametrize("pixel_format", ["NV12", "YUYV"])
def test_D6_an_overlay_is_in_the_preview_and_not_in_photos_nor_video_data(client, session, pixel_format):
    name = session(start=True, video_data=[video_data_output("data")], **{**SMALL, "pixel_format": pixel_format})
    with raw(client, name) as preview, client.video_data(name) as data:
        assert not is_red(next(preview))
        client.set_overlay(name, patch())
        drawn = until(preview, is_red)
        assert timecode(drawn).sequence == drawn.sequence
        photo = client.photo(name, of=drawn)
        assert (photo.sequence, photo.stream_id) == (drawn.sequence, drawn.stream_id)
        pixels = photo.as_array()[int(0.8 * 360), int(0.8 * 640)]
        assert not (pixels[0] > 200 and pixels[1] < 60), "the photo is what the camera gave"
        newer = until(data, lambda frame: frame.sequence >= drawn.sequence)
        assert newer.luma()[280:296, 500:520].std() > 0 or abs(int(newer.luma()[288, 512]) - RED_YCC[0]) > 3
        client.set_overlay(name)
        until(preview, lambda frame: not is_red(frame))


@pytest.mark.alone
def test_D6_every_frame_has_it_and_none_is_lost(client, session):
    name = session(start=True, photo=False, **{**SMALL, "size": (320, 180)})
    client.set_overlay(name, patch())
    with raw(client, name, max_unacknowledged_frames=0) as preview:
        frames = take(preview, 40)
    assert all(is_red(frame) for frame in frames[1:])
    assert sum(sum(frame.dropped) for frame in frames[1:]) <= 2
    assert frames[-1].sequence - frames[0].sequence == 39 + sum(sum(frame.dropped) for frame in frames[1:])


def test_D6_a_new_viewer_never_sees_a_frame_without(client, session):
    name = session(start=True, photo=False, **SMALL)
    with raw(client, name) as first:
        client.set_overlay(name, patch())
        until(first, is_red)
        for _ in range(5):
            with raw(client, name) as viewer:
                assert is_red(next(viewer))


def test_D6_drawing_ends_no_viewer_though_it_makes_a_ninth_encoding(client, session):
    """The reader of the camera's own frames needs no encoding. Once there is an overlay, this reader needs an encoding
    too.
    """
    name = session(start=True, photo=False, **{**SMALL, "size": (320, 180), "frame_rate": 10})
    with ExitStack() as stack:
        viewers = [stack.enter_context(raw(client, name))]
        # Only the first frame shows the daemon that this reader needs no encoding.
        next(viewers[0])
        viewers += [stack.enter_context(client.preview(name, jpeg_quality=10 * tenth)) for tenth in range(1, 9)]
        before = max(next(viewer).sequence for viewer in viewers)
        client.set_overlay(name, patch())
        for viewer in viewers:
            until(viewer, lambda frame: frame.sequence > before + 3)
        assert is_red(until(viewers[0], is_red))
        with refused("RESOURCE_EXHAUSTED", "TOO_MANY_REQUESTS"), client.preview(name, jpeg_quality=99) as viewer:
            next(viewer)


def test_D6_what_is_drawn_is_upright_in_a_turned_preview(client, session):
    connections = [firstlight.connection("preview", rotated=90, mirrored=True)]
    name = session(start=True, photo=False, connections=connections, **SMALL)
    client.set_overlay(name, patch(x=0.05, y=0.9, width=0.1))
    with raw(client, name) as preview:
        frame = until(preview, lambda frame: is_red(frame, 0.1, 0.92))
        assert (frame.width, frame.height) == (360, 640)
        assert not is_red(frame, 0.9, 0.92)


def test_D6_text_and_boxes_are_drawn(client, session):
    client.set_controls(SYNTHETIC[0], {"test_pattern": 2})
    try:
        name = session(photo=False, **SMALL)
        client.start(name)
        time = overlays.text("{time}", 0.05, 0.4, height=0.1, background=RED, color=0xFFFFFFFF)
        client.set_overlay(name, [time, overlays.box(0.2, 0.6, 0.3, 0.3, color=RED, line_width=0.06)])
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


def test_D6_small_files_that_hold_large_pictures_are_refused_together(client, session):
    file = io.BytesIO()
    Image.new("1", (4096, 2049)).save(file, "PNG")
    large = overlays.image(file.getvalue())
    name = session(**SMALL)
    client.set_overlay(name, [large])
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT") as refusal:
        client.set_overlay(name, [large, large])
    assert refusal.error.violations[0].field == "overlay.elements[1].image"


def test_D6_a_program_draws_over_the_very_frame_it_got(client, session):
    name = session(start=True, photo=False, video_data=[video_data_output("data", pixel_format="GREY")], **SMALL)
    with raw(client, name) as preview, client.process_frames(name, deadline_frames=8) as program:
        shown = Collector(preview)
        asked = {}
        for frame in itertools.islice(program, 30):
            # Frames with an even number get the mark, so the preview shows which answer is on which frame.
            asked[frame.sequence] = frame.sequence % 2 == 0
            program.answer(overlay=patch() if asked[frame.sequence] else None)
        frames = shown.wait_for(lambda items: items and items[-1].sequence > max(asked))
        counts = program.counts
    answered = [frame for frame in frames if frame.sequence in asked]
    right = [is_red(frame) == asked[frame.sequence] for frame in answered]
    assert len(answered) >= 20
    assert sum(right) >= len(right) - counts.unanswered - counts.late
    assert counts.shown >= 20


@pytest.mark.parametrize("pixel_format", ["JPEG", "GREY"])
def test_D6_a_program_shows_another_picture_in_its_place(client, session, pixel_format):
    name = session(start=True, photo=False, video_data=[video_data_output("data")], **SMALL)
    picture = np.full((360, 640), 81, np.uint8)
    if pixel_format == "JPEG":
        file = io.BytesIO()
        Image.new("RGB", (640, 360), (255, 0, 0)).save(file, "jpeg", quality=95)
        picture = file.getvalue()
    with raw(client, name) as preview, client.process_frames(name, deadline_frames=8) as program:
        shown = Collector(preview)
        for _ in itertools.islice(program, 20):
            program.answer(picture=picture, pixel_format=pixel_format)
        frames = shown.wait_for(lambda items: any(abs(at(f, 0.5, 0.1)[0] - 81) <= 2 for f in items))
    replaced = next(frame for frame in frames if abs(at(frame, 0.5, 0.1)[0] - 81) <= 2)
    if pixel_format == "JPEG":
        assert is_red(replaced, 0.5, 0.5)


@pytest.mark.alone
@pytest.mark.parametrize("behaviour", ["silent", "slow", "gone"])
def test_D6_a_slow_or_dead_program_never_stalls_the_preview(client, session, behaviour):
    name = session(start=True, photo=False, video_data=[video_data_output("data")], **{**SMALL, "size": (320, 180)})
    with client.preview(name, max_unacknowledged_frames=0) as preview, client.process_frames(name) as program:
        next(program)
        if behaviour == "gone":
            program.close()
        seen = []
        for shown in preview:
            seen.append(shown)
            if behaviour == "slow" and len(seen) % 10 == 0:
                program.answer(overlay=patch())
                next(program)
            if len(seen) == 45:
                break
        lost = sum(sum(frame.dropped) for frame in seen[1:])
        assert seen[-1].sequence - seen[0].sequence == 44 + lost
        assert lost <= 3
        age = client.server_info().monotonic_time_ns - seen[-1].monotonic_time_ns
        # After 30 frames without an answer in time the preview does not wait for the program any more. Frames are then
        # as fresh as without the program.
        assert age < 6 * 33_333_333 + 200_000_000
        if behaviour == "slow":
            until(program, lambda _: program.counts.late > 0)


@pytest.mark.alone
def test_D6_a_program_in_time_whose_answers_are_heavy_to_draw_never_stalls_the_preview(client, session):
    wanted = {**SMALL, "size": (1280, 720), "frame_rate": 15}
    name = session(start=True, photo=False, video_data=[video_data_output("data")], **wanted)
    # The preview enlarges each of these images to the width of the picture.
    heavy = [overlays.image(np.full((16, 16, 4), 128, np.uint8), width=1.0)] * 64
    with client.preview(name, max_unacknowledged_frames=0) as preview, client.process_frames(name) as program:

        def answer():
            with suppress(firstlight.FirstlightError):
                for _ in program:
                    program.answer(overlay=heavy)

        answering = threading.Thread(target=answer)
        answering.start()
        until(preview, lambda _: program.counts.unanswered > 0)
        seen = take(preview, 30)
        program.close()
        answering.join()
    lost = sum(sum(frame.dropped) for frame in seen[1:])
    assert seen[-1].sequence - seen[0].sequence == 29 + lost
    assert lost <= 3
    assert program.counts.late > 0, "they were not heavy"


def answered(program, **answer):
    """The program's next frame, after the program has answered this frame."""
    frame = next(program)
    program.answer(**answer)
    return frame


def check_given_back(preview, last):
    """Waits for a frame without the drawing of `last`. Such a frame must come before the second ends for which the
    drawing would otherwise stay.
    """
    plain = until(preview, lambda frame: not is_red(frame))
    assert plain.sequence - last.sequence < 25


def test_D6_a_program_that_leaves_gives_the_preview_back(client, session):
    name = session(start=True, photo=False, video_data=[video_data_output("data")], **SMALL)
    with raw(client, name) as preview:
        with client.process_frames(name, deadline_frames=8) as program:
            last = [answered(program, overlay=patch()) for _ in range(10)][-1]
            until(preview, is_red)
        check_given_back(preview, last)


@pytest.mark.parametrize("pixel_format", ["NV12", "YUYV", "AR24", "GREY"])
def test_D6_an_array_of_every_frame_can_be_its_answer(client, session, pixel_format):
    output = video_data_output("data", pixel_format=pixel_format)
    name = session(start=True, photo=False, video_data=[output], **SMALL)
    with raw(client, name) as preview, client.process_frames(name, deadline_frames=8) as program:
        shown = Collector(preview)
        for frame in itertools.islice(program, 10):
            program.answer(picture=frame.as_array()[:, ::-1])
        frames = shown.wait_for(lambda items: items and items[-1].sequence > frame.sequence)
    # The board of a mirrored frame has the bits of its number in reverse order.
    mirrored = [frame for frame in frames if timecode(frame).sequence == int(f"{frame.sequence:064b}"[::-1], 2) != 0]
    assert len(mirrored) >= 2


def test_D6_an_answer_above_the_limit_tells_so(client, session):
    large = {"pixel_format": "NV12", "size": (1920, 1080), "frame_rate": 10}
    name = session(start=True, photo=False, video_data=[video_data_output("data", pixel_format="AR24")], **large)
    with refused("RESOURCE_EXHAUSTED", "REQUEST_TOO_LARGE"), client.process_frames(name) as program:
        program.answer(picture=next(program).as_array())


def test_D6_a_program_that_pauses_finds_no_backlog(client, session):
    name = session(start=True, photo=False, video_data=[video_data_output("data", queue_depth=1)], **SMALL)
    with client.preview(name) as preview, client.process_frames(name, deadline_frames=2) as program:
        before = next(program)
        newest = until(preview, lambda frame: frame.sequence > before.sequence + 20)
        waited = list(itertools.takewhile(lambda frame: frame.sequence < newest.sequence, program))
        # Two frames were on their way when the program paused, one of which it already has, and one frame waits in the
        # output's queue.
        assert len(waited) <= 2
        assert program.counts.unanswered > 0


def test_D6_a_program_that_closes_early_gives_the_preview_back(client, session):
    name = session(start=True, photo=False, video_data=[video_data_output("data")], **SMALL)
    with raw(client, name) as preview, client.process_frames(name, deadline_frames=8) as program:
        last = [answered(program, overlay=patch()) for _ in range(5)][-1]
        until(preview, is_red)
        program.close()
        assert list(program) == []
        check_given_back(preview, last)


@pytest.mark.parametrize("leaves", [False, True])
@pytest.mark.parametrize(
    ("answer", "field"),
    [
        ({"overlay": [overlay_pb2.OverlayElement()]}, "answer.overlay.elements[0]"),
        ({"picture": np.zeros((2, 2), np.uint8), "pixel_format": "GREY"}, "answer.replacement"),
        ({"picture": b"1", "pixel_format": "GREY"}, "answer.replacement"),
        ({"picture": b"1", "pixel_format": "FIVE5"}, "answer.replacement.pixel_format"),
    ],
)
def test_D6_a_bad_answer_is_refused_by_name_even_the_last(client, session, answer, field, leaves):
    name = session(start=True, photo=False, video_data=[video_data_output("data")], **SMALL)
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT") as refusal, client.process_frames(name) as program:
        next(program)
        program.answer(**answer)
        if not leaves:
            take(program, 60)
    assert [violation.field for violation in refusal.error.violations] == [field]
    assert list(program) == [], "it has ended"


@pytest.mark.parametrize("size", [{"width": 2**32 - 1, "height": 2**32 - 1}, {}])
def test_D6_an_answer_of_impossible_size_is_refused(stubs, session, size):
    name = session(start=True, photo=False, video_data=[video_data_output("data")], **SMALL)
    requests = [
        video_data_pb2.ProcessFramesRequest(processing_start={"session": name}),
        video_data_pb2.ProcessFramesRequest(answer={"replacement": {"pixel_format": "NV12", **size}}),
    ]
    with refused("INVALID_ARGUMENT"):
        take(firstlight.Stream(stubs.video_data.ProcessFrames(iter(requests)), lambda response: response), 60)

"""A preview shows the pictures that a program makes of a real driver's frames."""

import queue

import pytest

from client import configuration, frames_until, next_frame
from firstlight import video_data_output
from firstlight.v1 import video_data_service_pb2 as video_data
from picture import drawn_sequence

pytestmark = pytest.mark.bare

NEGATIVE = bytes(range(255, -1, -1))
FRAMES = 6


def is_negative(frame):
    """Whether the first bar, which is white, is dark."""
    return frame.data[300 * frame.planes[0].stride + 80] < 128


def test_D6_a_program_shows_its_picture_in_place_of_the_drivers(client):
    wanted = configuration(client.cameras()[0].name, video_data=[video_data_output("data")])
    # An emulated machine can answer 5 frames per second in time.
    wanted.inputs[0].frame_rate_override.numerator = 5
    wanted.inputs[0].frame_rate_override.denominator = 1
    requests = queue.SimpleQueue()
    with client.open_session(wanted.inputs[0].device, start=False) as name:
        client.configure(name, wanted)
        client.start(name)
        start = video_data.ProcessingStart(session=name, deadline_frames=8)
        requests.put(video_data.ProcessFramesRequest(processing_start=start))
        with client.stream_preview(name) as preview:
            given, shown = {}, []
            with client.stream(client.video_data.ProcessFrames(iter(requests.get, None))) as program:
                # The preview shows the camera's own frame where an answer is too late.
                while len(given) < FRAMES or sum(map(is_negative, shown)) < FRAMES // 2:
                    frame = next_frame(program)
                    given[frame.sequence] = frame.data
                    made = {"pixel_format": "YUYV", "width": 640, "height": 360, "data": frame.data.translate(NEGATIVE)}
                    answer = {"stream_id": frame.stream_id, "sequence": frame.sequence, "replacement": made}
                    requests.put(video_data.ProcessFramesRequest(answer=answer))
                    shown += [message.frame for message in preview.waiting() if message.HasField("frame")]
                shown += frames_until(preview, lambda frame: frame.sequence >= max(given))
                counts = program.until(lambda message: message.HasField("frame"))[-1].counts
                # After the program has left, the preview shows the camera's own frames again.
                requests.put(None)
                own = frames_until(preview, lambda frame: not is_negative(frame))[-1]
    negatives = [frame for frame in shown if is_negative(frame)]
    own_shown = sum(frame.sequence in given for frame in shown) - len(negatives)
    assert own_shown <= counts.late + counts.unanswered
    for frame in negatives:
        assert frame.data == given[frame.sequence].translate(NEGATIVE)
        assert drawn_sequence(given[frame.sequence], frame.planes[0].stride, step=2) == frame.sequence
    assert drawn_sequence(own.data, own.planes[0].stride, step=2) == own.sequence > max(given)

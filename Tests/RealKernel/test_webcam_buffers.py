"""Raw frames of a USB camera stay in the driver's buffers, whoever holds them and for how long."""

from pathlib import Path

import firstlight
from client import assert_every_gap_is_counted, next_frame
from test_faults import assert_was_interrupted

#: The number of buffers that the daemon asks for at first.
FIRST_BUFFERS = 4


def mapped(process, node):
    """The number of buffers of a camera that the daemon has mapped."""
    return sum(line.split()[-1] == node for line in Path(f"/proc/{process.pid}/maps").read_text().splitlines())


def test_frames_in_the_drivers_buffers_are_whole_and_outlive_the_camera(sdk, client, process, webcam):
    camera, node = webcam.device(client).name, webcam.node
    wanted = firstlight.configuration(camera, pixel_format="YUYV", size=(320, 180), frame_rate=30)
    with (
        webcam.recording() as recording,
        client.open_session(camera, pixel_format="MJPG", start=False) as name,
        client.watch_session(name) as events,
        client.stream_preview(name) as read,
        client.stream_preview(name) as held,
    ):
        sdk.configure(name, wanted)
        client.start(name)
        next_frame(held)
        frames = [next_frame(read) for _ in range(60)]
        assert_every_gap_is_counted(frames)
        assert [frame.data for frame in frames] == [recording.picture(frame.sequence) for frame in frames]
        # The ring alone holds more frames than the driver had buffers at first.
        assert mapped(process, node) > FIRST_BUFFERS
        with webcam.unplugging(f"frame {frames[-1].sequence + 9}"):
            pass
        assert_was_interrupted(events)
        # Frames wait for the reader that has taken one so far. They keep nothing of the camera open.
        assert mapped(process, node) == 0
        for _ in range(2):
            frame = next_frame(held)
            assert frame.data == recording.picture(frame.sequence)
        webcam.plug()
        webcam.device(client)
        assert webcam.node == node

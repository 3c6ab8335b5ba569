"""Readers that want the same share one encoding, and there is none without a reader. The test counts the daemon's
threads.
"""

import time
from contextlib import ExitStack

import firstlight
from firstlight import video_data_output
from processes import thread_names
from support import SYNTHETIC, TIMEOUT, take


def encoders(daemon):
    """The sorted names of the threads that encode for previews. Each encoding has one thread."""
    return sorted(name for name in thread_names(daemon.process.pid) if name.startswith("preview-"))


def wait_for(daemon, expected):
    """Waits until the encoding threads are as expected. A thread ends at an unknown time after its last reader learned
    that the stream is over.
    """
    deadline = time.monotonic() + TIMEOUT
    while (found := encoders(daemon)) != expected:
        assert time.monotonic() < deadline, found
        time.sleep(0.01)


def test_D1_one_encoding_for_all_who_want_the_same_and_none_for_nobody(own_daemon):
    daemon = own_daemon()
    with ExitStack() as stack:
        client = stack.enter_context(firstlight.connect(daemon.address, timeout=8))
        name = client.create_session().name
        camera = {"pixel_format": "NV12", "size": (640, 360), "frame_rate": 30}
        outputs = {"additional_previews": ["second"], "video_data": [video_data_output("data")]}
        client.configure(name, firstlight.configuration(SYNTHETIC[0], **camera, **outputs))
        client.start(name)
        data = stack.enter_context(client.video_data(name))
        take(data, 5)
        assert encoders(daemon) == [], "frames flow, and nobody watches"

        def watch(output="", **wanted):
            viewer = stack.enter_context(client.preview(name, output, **wanted))
            next(viewer)
            return viewer

        equal = [watch() for _ in range(5)]
        assert encoders(daemon) == ["preview-JPEG"]
        # These readers take the camera's own pictures, or make choices that each reader has for itself. They need no
        # further encoding.
        alike = [
            watch(pixel_format="NV12"),
            watch(jpeg_quality=80, max_size=(4000, 4000)),
            watch(max_frame_rate=10),
            watch(max_unacknowledged_frames=0, max_message_bytes=1 << 20),
        ]
        assert encoders(daemon) == ["preview-JPEG"]
        worse = watch(jpeg_quality=40)
        assert encoders(daemon) == ["preview-JPEG"] * 2
        smaller = [watch(max_size=(320, 180)) for _ in range(2)]
        assert encoders(daemon) == ["preview-JPEG"] * 3
        turned = watch(rotation=90)
        assert encoders(daemon) == ["preview-JPEG"] * 4
        raw = [watch(pixel_format="YUYV", jpeg_quality=quality) for quality in (20, 90)]
        assert encoders(daemon) == ["preview-JPEG"] * 4 + ["preview-YUYV"]
        other = watch("second")
        assert encoders(daemon) == ["preview-JPEG"] * 5 + ["preview-YUYV"]

        # An encoding lives as long as it has a reader.
        for viewer in (*equal[1:], *alike, worse, smaller[0], turned, *raw, other):
            viewer.close()
        wait_for(daemon, ["preview-JPEG"] * 2)
        take(equal[0], 5)
        take(smaller[1], 5)
        assert encoders(daemon) == ["preview-JPEG"] * 2
        for viewer in (equal[0], smaller[1]):
            viewer.close()
        wait_for(daemon, [])
        take(data, 5)
        assert encoders(daemon) == []

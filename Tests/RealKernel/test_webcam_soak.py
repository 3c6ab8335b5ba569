"""Ten minutes of everything that cameras and people do to a daemon, on two webcams and vivid."""

import collections
import os
import random
import threading
import time
from pathlib import Path

import grpc
import pytest
from google.rpc import code_pb2

from client import PATIENCE, Client, error_info, guest
from firstlight.v1 import (
    device_service_pb2 as device,
    photo_pb2,
    photo_service_pb2 as photo_service,
    preview_service_pb2 as preview,
    session_configuration_pb2 as configuration_pb2,
    session_pb2,
    session_service_pb2 as sessions_pb2,
    types_pb2 as types,
    video_data_service_pb2 as video_data,
)
from webcam import SPOILINGS

#: The seconds that the test runs, and the seed of all random choices.
DURATION = float(os.environ.get("FIRSTLIGHT_SOAK_SECONDS", "600"))
SEED = int(os.environ.get("FIRSTLIGHT_SOAK_SEED", "1"))
#: The seconds between two times of calm, at which the test compares memory and descriptors.
PERIOD = DURATION / 10
#: The status codes that no call may end with. A camera's fault has another code, and no call hangs.
WRONG = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.DEADLINE_EXCEEDED}


class Viewer(threading.Thread):
    """Reads a stream of frames to its end and compares each frame with the one before."""

    def __init__(self, what: str, call):
        """Begins to read at once."""
        super().__init__(daemon=True)
        self.what = what
        self.faults: list[str] = []
        self.count = 0
        self.newest = None
        self._call = call
        self._arrived = threading.Condition()
        self.start()

    def run(self):
        """Reads until the call is cancelled."""
        try:
            for message in self._call:
                if message.HasField("frame"):
                    self._take(message.frame)
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.CANCELLED:
                self.faults.append(f"{self.what} ended: {error.code().name} {error.details()}")

    def _take(self, frame) -> None:
        before, dropped = self.newest, frame.dropped
        lost = dropped.late + dropped.out_of_buffers + dropped.damaged
        if before is not None and frame.stream_id == before.stream_id:
            lost += dropped.discontinuity
            if frame.sequence != before.sequence + 1 + lost:
                self.faults.append(f"{self.what}: {before.sequence} is followed by {frame.sequence}, {dropped}")
            if frame.monotonic_time_ns <= before.monotonic_time_ns:
                self.faults.append(f"{self.what}: {frame.sequence} is not later than the one before")
        elif before is not None and dropped.discontinuity == 0:
            self.faults.append(f"{self.what}: stream {frame.stream_id} follows without a discontinuity")
        # The viewer does not keep frames, because the test has four viewers for ten minutes.
        with self._arrived:
            self.newest = frame
            self.count += 1
            self._arrived.notify_all()

    def wait_for(self, count: int) -> None:
        """Waits for `count` more frames."""
        with self._arrived:
            wanted = self.count + count
            assert self._arrived.wait_for(lambda: self.count >= wanted, 2 * PATIENCE), (
                f"{self.what} had {self.count} frames and no {count} more within {2 * PATIENCE} s"
            )

    def close(self) -> None:
        """Ends the stream."""
        self._call.cancel()
        self.join(PATIENCE)


class Soak:
    """The three cameras, their sessions, and the faults that the test causes."""

    def __init__(self, client: Client, process, cameras: dict[str, str], webcams: list):
        self.client = client
        self.process = process
        self.random = random.Random(SEED)
        self.webcams = webcams
        self.sessions = list(cameras)
        self.cameras = cameras
        self.outcomes: collections.Counter = collections.Counter()
        self.faults: list[str] = []
        self.is_over = threading.Event()

    def call(self, what: str, method, request) -> None:
        """Makes a call that the daemon may refuse. A call that hangs or ends with a fault of the daemon is recorded."""
        try:
            method(request, timeout=PATIENCE)
            self.outcomes[what] += 1
        except grpc.RpcError as error:
            self.outcomes[f"{what}: {error_info(error).reason if error.code() not in WRONG else error.code()}"] += 1
            if error.code() in WRONG:
                self.faults.append(f"{what}: {error.code().name} {error.details()}")

    def commit(self, name: str, wanted: configuration_pb2.SessionConfiguration) -> None:
        """Commits a configuration."""
        request = sessions_pb2.ConfigureSessionRequest(name=name, configuration=wanted)
        self.call("ConfigureSession", self.client.sessions.ConfigureSession, request)

    def configuration(self, name: str) -> configuration_pb2.SessionConfiguration:
        """A random configuration that the session's camera can have."""
        if name != self.sessions[-1]:
            size, rate = self.random.choice([(640, 360), (640, 480), (1280, 720)]), self.random.choice([5, 15, 15])
        else:
            size, rate = self.random.choice([(320, 180), (640, 360)]), 15
        return self.configured(name, size, rate)

    def configured(self, name: str, size: tuple[int, int], rate: int) -> configuration_pb2.SessionConfiguration:
        """A configuration with preview, photos and video data of the session's camera, in a size and at a rate."""
        pixel_format = "MJPG" if name != self.sessions[-1] else "YUYV"
        wanted = configuration_pb2.StreamFormat(pixel_format=pixel_format, width=size[0], height=size[1])
        camera = configuration_pb2.SessionInput(device=self.cameras[name], format=wanted)
        camera.frame_rate_override.numerator, camera.frame_rate_override.denominator = rate, 1
        return configuration_pb2.SessionConfiguration(
            inputs=[camera],
            preview=configuration_pb2.PreviewOutput(),
            photo=configuration_pb2.PhotoOutput(),
            video_data=[configuration_pb2.VideoDataOutput(id="data")],
        )

    # --- faults of the cameras, one at a time

    def trouble(self) -> None:
        """Causes one random fault."""
        chosen = self.random.randrange(12)
        webcam = self.random.choice(self.webcams)
        name = self.random.choice(self.sessions)
        if chosen == 0 and webcam.is_plugged:
            webcam.unplug()
        elif chosen == 1 and not webcam.is_plugged:
            webcam.plug()
        elif chosen in (2, 3):
            webcam.spoil(self.random.choice(SPOILINGS), self.random.randint(2, 5))
        elif chosen == 4:
            webcam.spoil_nothing()
        elif chosen == 5:
            webcam.stall()
        elif chosen == 6:
            webcam.resume()
        elif chosen == 7:
            self.random.choice([webcam.refuse, lambda control: webcam.answer_late(control, 300)])("brightness")
        elif chosen == 8:
            self.restart(name)
        elif chosen == 9:
            number = self.vivid_number
            losses = [("unbind",), ("disconnect", number)]
            guest("camera", *(("bind",) if number is None else self.random.choice(losses)))
        elif chosen == 10:
            webcam.answer_well()
        else:
            self.commit(name, self.configuration(name))

    @property
    def vivid_number(self) -> str | None:
        """The number of vivid's node, which changes when a webcam took its place. None while vivid is not bound to its
        driver.
        """
        for node in Path("/sys/bus/platform/drivers/vivid/vivid.0/video4linux").glob("video*"):
            if (node / "name").read_text() == "vivid-000-vid-cap\n":
                return node.name.removeprefix("video")
        return None

    def restart(self, name: str) -> None:
        """Stops a session and starts it again."""
        self.call("StopSession", self.client.sessions.StopSession, sessions_pb2.StopSessionRequest(name=name))
        self.call("StartSession", self.client.sessions.StartSession, sessions_pb2.StartSessionRequest(name=name))

    def calm(self) -> None:
        """Ends all faults: cameras are plugged in, pictures are whole, sessions run."""
        for webcam in self.webcams:
            webcam.answer_well()
            webcam.spoil_nothing()
            webcam.resume()
            if not webcam.is_plugged:
                webcam.plug()
        if self.vivid_number is None:
            guest("camera", "bind")
        wanted = set(self.cameras.values())
        with self.client.watch_devices() as events:
            while wanted:
                event = events.next().event
                if event.kind == device.DeviceEvent.KIND_CONNECTED:
                    wanted.discard(event.device.name)
        for name in self.sessions:
            # The session could not start in the meantime. An interrupted session resumes by itself.
            if self.client.state(name) == session_pb2.Session.STATE_STOPPED:
                self.client.start(name)

    # --- photos, one per second

    def take_photos(self, viewers: dict[str, Viewer]) -> None:
        """Takes a photo each second, of now or of a frame that the viewer saw."""
        chosen = random.Random(SEED + 1)
        while not self.is_over.wait(1):
            name = chosen.choice(self.sessions)
            request = photo_service.CapturePhotoRequest(session=name)
            seen = viewers[name].newest
            if seen is not None and chosen.random() < 0.5:
                request.viewfinder_sequence = seen.sequence
                request.viewfinder_stream_id = seen.stream_id
            self.take_photo(request)

    def take_photo(self, request: photo_service.CapturePhotoRequest) -> None:
        """Takes a photo and judges how its capture ended."""
        try:
            events = [message.event for message in self.client.photos.CapturePhoto(request, timeout=PATIENCE)]
        except grpc.RpcError as error:
            self.outcomes[f"photo: {error_info(error).reason if error.code() not in WRONG else error.code()}"] += 1
            if error.code() in WRONG:
                self.faults.append(f"CapturePhoto: {error.code().name} {error.details()}")
            return
        if not events or not events[-1].HasField("did_finish_capture"):
            self.faults.append("a capture ended without did_finish_capture")
            return
        error = events[-1].did_finish_capture.error
        if error.code in (code_pb2.INTERNAL, code_pb2.UNKNOWN):
            self.faults.append(f"a photo ended with {error.message}")
        self.outcomes[f"photo: {code_pb2.Code.Name(error.code)}"] += 1
        for event in events:
            if event.HasField("did_finish_processing_photo") and event.did_finish_processing_photo.HasField("photo"):
                self.judge(request, event.did_finish_processing_photo.photo)

    def judge(self, request: photo_service.CapturePhotoRequest, photo: photo_pb2.Photo) -> None:
        """Checks that a photo of a named frame shows that frame, or says that it does not."""
        if not request.HasField("viewfinder_sequence"):
            return
        is_it = (photo.stream_id, photo.sequence) == (request.viewfinder_stream_id, request.viewfinder_sequence)
        if is_it != (photo.frame_match == photo_pb2.FRAME_MATCH_EXACT):
            self.faults.append(f"a photo of {request.viewfinder_sequence} is of {photo.sequence}: {photo.frame_match}")
        self.outcomes[photo_pb2.FrameMatch.Name(photo.frame_match)] += 1

    # --- resources that may not grow

    def settle(self, viewers: list[Viewer]) -> None:
        """Gives all sessions the same work each time, since memory depends on the size of pictures, and waits for
        frames.
        """
        for name in self.sessions:
            self.commit(name, self.configured(name, (640, 360), 15))
        for viewer in viewers:
            viewer.wait_for(10)

    def usage(self) -> tuple[int, int]:
        """The resident memory in bytes, and the number of open descriptors."""
        folder = Path(f"/proc/{self.process.pid}")
        resident = next(line for line in (folder / "status").read_text().splitlines() if line.startswith("VmRSS:"))
        return int(resident.split()[1]) << 10, len(os.listdir(folder / "fd"))


@pytest.mark.slow
@pytest.mark.timeout(DURATION * 2 + 120)
def test_ten_minutes_of_trouble_lose_nothing_uncounted_and_end_with_all_streams_alive(client, process, webcams):
    plugged = [webcams(), webcams()]
    cameras = {f"sessions/soak-{index}": camera.device(client).name for index, camera in enumerate(plugged)}
    cameras["sessions/soak-vivid"] = next(camera.name for camera in client.cameras() if "vivid" in camera.location)
    soak = Soak(client, process, cameras, plugged)
    for name in cameras:
        identifier = name.removeprefix("sessions/")
        client.sessions.CreateSession(sessions_pb2.CreateSessionRequest(session_id=identifier), timeout=PATIENCE)
        soak.commit(name, soak.configuration(name))
        client.start(name)
    viewers = {
        name: Viewer(
            f"preview of {name}",
            client.previews.StreamPreview(preview.StreamPreviewRequest(session=name, encoding=types.ENCODING_JPEG)),
        )
        for name in cameras
    }
    data = Viewer(
        "video data",
        client.video_data.StreamVideoData(
            video_data.StreamVideoDataRequest(session=soak.sessions[0], output="data", max_message_bytes=64 << 20)
        ),
    )
    everyone = [*viewers.values(), data]
    photographer = threading.Thread(target=soak.take_photos, args=[viewers], daemon=True)
    photographer.start()
    used = []
    try:
        end = time.monotonic() + DURATION
        while time.monotonic() < end:
            period_end = min(end, time.monotonic() + PERIOD)
            while time.monotonic() < period_end and not soak.faults:
                soak.trouble()
                time.sleep(soak.random.uniform(0.1, 2))
            soak.calm()
            soak.settle(everyone)
            used.append(soak.usage())
            assert not soak.faults
    finally:
        soak.is_over.set()
        photographer.join(PATIENCE)
        for viewer in everyone:
            viewer.close()
        for name in cameras:
            client.sessions.DeleteSession(sessions_pb2.DeleteSessionRequest(name=name), timeout=PATIENCE)
        print("outcomes", dict(soak.outcomes))
        print("memory and descriptors", used, "frames", {viewer.what: viewer.count for viewer in everyone})
    assert not [fault for viewer in everyone for fault in viewer.faults]
    assert soak.outcomes["photo: OK"] > DURATION / 5
    first_half, second_half = used[: len(used) // 2], used[len(used) // 2 :]
    assert max(memory for memory, _ in second_half) <= 1.1 * max(memory for memory, _ in first_half)
    assert max(files for _, files in second_half) <= max(files for _, files in first_half)

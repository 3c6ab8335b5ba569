"""A client that breaks off streams: it opens each streaming method again and again, by gRPC and by Connect, and leaves
at a random moment. Often it first stops reading, after a random number of messages.

Run as a program: `broken_calls.py GRPC HTTP SESSION CAPTURE RECORDING FOOTAGE RECORDED WRITER ASSET EVENT COUNT SEED`,
with what `prepare` returned. It prints how many calls it made, and how many of each method it broke off in the middle,
as JSON.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import itertools
import json
import random
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator

import grpc
import numpy as np
from google.protobuf import duration_pb2, timestamp_pb2
from google.protobuf.message import Message
from PIL import Image

import firstlight
from captures import SMALL
from firstlight import Encoding, MovieCodec, movie_output
from firstlight.v1 import (
    asset_writer_service_pb2 as writers_pb2,
    delayed_feed_service_pb2 as delayed_pb2,
    device_service_pb2 as devices_pb2,
    photo_library_service_pb2 as library_pb2,
    photo_pb2,
    photo_service_pb2 as photos_pb2,
    pressure_service_pb2 as pressure_pb2,
    preview_service_pb2 as previews_pb2,
    recording_service_pb2 as recordings_pb2,
    session_service_pb2 as sessions_pb2,
    video_data_service_pb2 as data_pb2,
    video_storage_service_pb2 as storage_pb2,
    viewfinder_service_pb2 as viewfinder_pb2,
)
from http_rpc import envelope
from support import SYNTHETIC, Stubs, call

PACKAGE = "/firstlight.v1."
#: The longest time that a stream stays open, in seconds.
LONGEST = 0.025
#: How long a stream may take until its first message, in seconds. The levels of a microphone come each tenth of one.
PATIENCE = 0.15
#: The most messages that a client reads before it stops reading.
MOST_MESSAGES = 3
#: How many bytes a client by Connect lets come that it does not read.
UNREAD = 16 << 10
#: The end of an answer in chunks.
LAST_CHUNK = b"\r\n0\r\n\r\n"
#: How many calls are under way at a time. Each has a connection of its own, as those of many clients.
CLIENTS = 4
SIZE = (320, 180)

#: The methods that only gRPC offers, because their clients stream, too.
BIDIRECTIONAL = ("AssetWriterService/AppendSamples", "VideoDataService/ProcessFrames")

Requests = Callable[[], list[Message]]


@dataclasses.dataclass(frozen=True)
class Leaving:
    """When a client leaves a stream."""

    #: How many messages it reads before it stops reading. None: it reads until it leaves.
    messages: int | None
    #: How long it stays: from the first message on if it stops reading, and else from the start.
    seconds: float

    @classmethod
    def some(cls, choice: random.Random) -> Leaving:
        """A random moment. A client that stops reading is not there for as long, because it waits for its messages."""
        if choice.random() < 0.5:
            return cls(None, choice.uniform(0, LONGEST))
        return cls(choice.randint(1, MOST_MESSAGES), choice.uniform(0, LONGEST / 3))

    @property
    def until_first(self) -> float:
        """How long it waits for the first message, in seconds."""
        return self.seconds if self.messages is None else PATIENCE


class Streams:
    """The requests of every streaming method of the contract."""

    def __init__(
        self,
        client: firstlight.Client | None,
        session: str,
        capture: str,
        recording: str,
        footage: str,
        recorded: str,
        writer: str,
        asset: str,
        asset_event: str,
    ) -> None:
        self.client, self.session, self.capture, self.footage = client, session, capture, footage
        self.writer: firstlight.AssetWriter | None = None
        self.newest_capture = ""
        start, second = timestamp_pb2.Timestamp(), duration_pb2.Duration(seconds=1)
        start.FromNanoseconds(int(recorded or 0))
        #: By the path of the method below the package.
        self.requests: dict[str, Requests] = {
            "AssetWriterService/AppendSamples": self.append,
            "AssetWriterService/WatchWriter": lambda: [writers_pb2.WatchWriterRequest(name=writer)],
            "DelayedFeedService/StreamDelayedFrames": lambda: [
                delayed_pb2.StreamDelayedFramesRequest(session=session, delay=second)
            ],
            "DelayedFeedService/StreamDelayedChunks": lambda: [
                delayed_pb2.StreamDelayedChunksRequest(session=session, latency=second)
            ],
            "DeviceService/WatchDevices": lambda: [devices_pb2.WatchDevicesRequest()],
            "PhotoLibraryService/DownloadAsset": lambda: [library_pb2.DownloadAssetRequest(name=asset)],
            "PhotoLibraryService/RequestImage": lambda: [library_pb2.RequestImageRequest(name=asset)],
            "PhotoLibraryService/WatchAssets": lambda: [library_pb2.WatchAssetsRequest(after_event_id=asset_event)],
            "PhotoService/CapturePhoto": self.photo,
            "PhotoService/DownloadCapture": self.download,
            "PhotoService/WatchReadiness": lambda: [photos_pb2.WatchReadinessRequest(session=session)],
            "PhotoService/WatchCaptures": self.captures,
            "PressureService/WatchSystemPressure": lambda: [pressure_pb2.WatchSystemPressureRequest()],
            "PreviewService/StreamPreview": lambda: [
                previews_pb2.StreamPreviewRequest(session=session, jpeg_quality=random.choice([50, 80]))
            ],
            "RecordingService/StartRecording": lambda: [recordings_pb2.StartRecordingRequest(session=session)],
            "RecordingService/DownloadRecording": lambda: [recordings_pb2.DownloadRecordingRequest(name=recording)],
            "RecordingService/ExportRecording": lambda: [
                recordings_pb2.ExportRecordingRequest(session=footage, start_time=start, duration=second)
            ],
            "SessionService/WatchSession": lambda: [sessions_pb2.WatchSessionRequest(name=session)],
            "SessionService/WatchAudioLevels": lambda: [sessions_pb2.WatchAudioLevelsRequest(name=session)],
            "VideoDataService/StreamVideoData": lambda: [data_pb2.StreamVideoDataRequest(session=session)],
            "VideoDataService/ProcessFrames": lambda: [
                data_pb2.ProcessFramesRequest(processing_start=data_pb2.ProcessingStart(session=session))
            ],
            "VideoStorageService/WatchVideoStorage": lambda: [storage_pb2.WatchVideoStorageRequest()],
            "ViewfinderService/StreamViewfinder": self.viewfinder,
        }

    def clean_up(self, path: str) -> None:
        """Cancels the writer whose samples were broken off, because the daemon has room for few. Stops the recording
        whose events were broken off, because it would keep others from recording.
        """
        writer, self.writer = self.writer, None
        if writer:
            writer.cancel()
        if path.endswith("StartRecording") and self.client:
            for recording in self.client.recordings():
                if not recording.HasField("end"):
                    self.client.stop_recording(recording.name)

    def viewfinder(self) -> list[Message]:
        """What the page asks for."""
        preview = viewfinder_pb2.ViewfinderPreview(
            id="main", request=previews_pb2.StreamPreviewRequest(session=self.session)
        )
        contents = viewfinder_pb2.ViewfinderContents(
            previews=[preview], sessions=[self.session], pressure=True, devices=True, metered_sessions=[self.session]
        )
        return [viewfinder_pb2.StreamViewfinderRequest(contents=contents)]

    def photo(self) -> list[Message]:
        """A photo, or two that wait for frames in other exposures, so that time passes between the events."""
        bracket = [firstlight.Exposure(bias=bias).bracketed() for bias in random.choice([(), (-1, 1)])]
        return [photos_pb2.CapturePhotoRequest(session=self.session, settings=photo_pb2.PhotoSettings(bracket=bracket))]

    def download(self) -> list[Message]:
        """The large photo, or another one when the daemon does not keep it any more."""
        assert self.client is not None
        try:
            call(Stubs(self.client.channel).photos.GetCapture, photos_pb2.GetCaptureRequest(name=self.capture))
        except firstlight.FirstlightError as error:
            if error.reason != "CAPTURE_NOT_FOUND":
                raise
            self.capture = large_photo(self.client, self.footage)
        return [photos_pb2.DownloadCaptureRequest(name=self.capture)]

    def captures(self) -> list[Message]:
        """All events of captures since the last time that this was asked for."""
        assert self.client is not None
        after = self.newest_capture
        request = photos_pb2.ListCapturesRequest(session=self.session)
        self.newest_capture = call(Stubs(self.client.channel).photos.ListCaptures, request).event_id
        return [photos_pb2.WatchCapturesRequest(session=self.session, after_event_id=after)]

    def append(self) -> list[Message]:
        """A writer of its own, and three of its samples."""
        assert self.client is not None
        self.writer = self.client.asset_writer(SIZE)
        self.writer.start()
        width, height = SIZE
        picture = bytes([128]) * (width * height * 3 // 2)
        samples = [
            writers_pb2.WriterSample(data=picture, presentation_time_ns=number * 40_000_000) for number in range(3)
        ]
        return [
            writers_pb2.AppendSamplesRequest(writer_name=self.writer.name),
            *(writers_pb2.AppendSamplesRequest(sample=sample) for sample in samples),
        ]


#: Every streaming method of the contract.
METHODS = sorted(Streams(None, "", "", "", "", "0", "", "", "").requests)


def large_photo(client: firstlight.Client, session: str) -> str:
    """Takes a photo that is larger than what a client lets come without reading it. Returns the name of its capture."""
    return f"captures/{client.photo(session, encoding=Encoding.UNCOMPRESSED).unique_id}"


def prepare(client: firstlight.Client, session: str) -> tuple[str, ...]:
    """Makes a photo, a recording, a writer and an asset. Returns the names of the session, of the photo, of the
    recording, of the session of both, the nanosecond at which the recording began, the names of the writer and of the
    asset, and the last event before it.
    """
    large = {**SMALL, "size": (1280, 720)}
    wanted = firstlight.configuration(SYNTHETIC[1], movie=movie_output(codec=MovieCodec.PRO_RES), **large)
    footage = client.create_session(configuration=wanted, start=True).name
    started = next(each for each in client.start_recording(footage, fragment_seconds=0.2) if each.HasField("started"))
    with client.preview(footage) as frames:
        list(itertools.islice(frames, 20))
    recording = client.stop_recording(started.recording.name)
    # The session goes on for photos, at little cost.
    client.configure(footage, firstlight.configuration(SYNTHETIC[1], **{**large, "frame_rate": 5}))
    start = str(recording.start_time.ToNanoseconds())
    capture = large_photo(client, footage)
    library = Stubs(client.channel).library
    event = call(library.ListAssets, library_pb2.ListAssetsRequest()).event_id
    # Noise makes a file that is larger than what a client lets come without reading it.
    file = io.BytesIO()
    noise = np.random.default_rng(1).integers(0, 256, (1080, 1920, 3), np.uint8)
    Image.fromarray(noise).save(file, "JPEG")
    asset = client.save_photo(file.getvalue()).name
    return session, capture, recording.name, footage, start, client.asset_writer(SIZE).name, asset, event


def leave_grpc(channel: grpc.Channel, path: str, requests: list[Message], leaving: Leaving) -> bool:
    """Opens a stream by gRPC and cancels it. Returns whether it had begun and not ended."""

    def all_requests() -> Iterator[Message]:
        yield from requests
        # The client has more to send, but never does.
        over.wait(10)

    def cancel_after(seconds: float) -> threading.Timer:
        timer = threading.Timer(seconds, stream.cancel)
        timer.start()
        return timer

    over = threading.Event()
    stream = channel.stream_stream(
        PACKAGE + path, request_serializer=lambda message: message.SerializeToString(), response_deserializer=bytes
    )(all_requests(), timeout=20)
    timer = cancel_after(leaving.until_first)
    received = 0
    with contextlib.suppress(grpc.RpcError):
        for _ in stream:
            received += 1
            if received == 1 and leaving.messages is not None:
                timer.cancel()
                timer = cancel_after(leaving.seconds)
            if received == leaving.messages:
                timer.join()
                break
    timer.cancel()
    over.set()
    return received > 0 and stream.cancelled()


def leave_connect(address: str, path: str, requests: list[Message], leaving: Leaving) -> bool:
    """Opens a stream by Connect and closes the connection. Returns whether the stream had begun and not ended."""
    host, port = address.rsplit(":", 1)
    body = envelope(requests[0].SerializeToString())
    head = (
        f"POST {PACKAGE}{path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/connect+proto\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    )
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, UNREAD)
        connection.settimeout(20)
        connection.connect((host, int(port)))
        connection.sendall(head.encode() + body)
        end = time.monotonic() + leaving.until_first
        received, reads = b"", 0
        while (left := end - time.monotonic()) > 0:
            if reads == leaving.messages:
                # The client leaves at a random moment, and waits for nothing until then.
                time.sleep(left)
                break
            connection.settimeout(left)
            try:
                read = connection.recv(65_536)
            except TimeoutError:
                break
            # The head and the end of the answer are all that matters.
            received = (received if reads == 0 else received[-len(LAST_CHUNK) :]) + read
            if not read or received.endswith(LAST_CHUNK):
                return False
            if reads == 0 and not received.partition(b"\r\n\r\n")[2]:
                continue
            reads += 1
            if reads == 1 and leaving.messages is not None:
                end = time.monotonic() + leaving.seconds
        return reads > 0


def campaign(grpc_address: str, http_address: str, names: tuple[str, ...], count: int, seed: int) -> dict[str, object]:
    """Makes `count` calls, of each method as many, and returns how many it was and how many it broke off."""
    done: list[int] = []
    broken: Counter[str] = Counter()

    def work(number: int) -> None:
        choice = random.Random(seed * CLIENTS + number)
        paths: list[str] = []
        with firstlight.connect(grpc_address, timeout=20) as client:
            streams = Streams(client, *names)
            for _ in range(count // CLIENTS):
                paths = paths or choice.sample(METHODS, len(METHODS))
                path = paths.pop()
                leaving = Leaving.some(choice)
                done.append(number)
                try:
                    requests = streams.requests[path]()
                    if path in BIDIRECTIONAL or choice.random() < 0.5:
                        has_left = leave_grpc(client.channel, path, requests, leaving)
                    else:
                        has_left = leave_connect(http_address, path, requests, leaving)
                    with counting:
                        broken[path] += has_left
                    streams.clean_up(path)
                except firstlight.FirstlightError as error:
                    # The campaign has all writers that there may be, for example.
                    if error.code is grpc.StatusCode.DEADLINE_EXCEEDED:
                        raise

    counting = threading.Lock()
    threads = [threading.Thread(target=work, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"calls": len(done), "broken": broken}


if __name__ == "__main__":
    grpc_, http, *known, total, random_seed = sys.argv[1:]
    print(json.dumps(campaign(grpc_, http, tuple(known), int(total), int(random_seed))))

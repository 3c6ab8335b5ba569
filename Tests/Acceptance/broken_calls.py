"""A client that breaks off streams: it opens each streaming method again and again, by gRPC and by Connect, and leaves
at a random moment.

Run as a program: `broken_calls.py GRPC HTTP SESSION CAPTURE RECORDING RECORDED WRITER COUNT SEED`, with what `prepare`
returned. It prints how many calls it broke off.
"""

from __future__ import annotations

import contextlib
import itertools
import random
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator

import grpc
from google.protobuf import duration_pb2, timestamp_pb2
from google.protobuf.message import Message

import firstlight
from firstlight.v1 import (
    asset_writer_service_pb2 as writers_pb2,
    delayed_feed_service_pb2 as delayed_pb2,
    device_service_pb2 as devices_pb2,
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

PACKAGE = "/firstlight.v1."
#: The longest time that a stream stays open, in seconds.
LONGEST = 0.03
#: How many calls are under way at a time. Each has a connection of its own, as those of many clients.
CLIENTS = 4
SIZE = (320, 180)

#: The methods that only gRPC offers, because their clients stream, too.
BIDIRECTIONAL = ("AssetWriterService/AppendSamples", "VideoDataService/ProcessFrames")

Requests = Callable[[], list[Message]]


class Streams:
    """The requests of every streaming method of the contract."""

    def __init__(
        self, client: firstlight.Client | None, session: str, capture: str, recording: str, recorded: str, writer: str
    ) -> None:
        self.client, self.session = client, session
        self.writer: firstlight.AssetWriter | None = None
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
            "PhotoService/CapturePhoto": lambda: [photos_pb2.CapturePhotoRequest(session=session)],
            "PhotoService/DownloadCapture": lambda: [photos_pb2.DownloadCaptureRequest(name=capture)],
            "PhotoService/WatchReadiness": lambda: [photos_pb2.WatchReadinessRequest(session=session)],
            "PhotoService/WatchCaptures": lambda: [photos_pb2.WatchCapturesRequest(session=session)],
            "PressureService/WatchSystemPressure": lambda: [pressure_pb2.WatchSystemPressureRequest()],
            "PreviewService/StreamPreview": lambda: [
                previews_pb2.StreamPreviewRequest(session=session, jpeg_quality=random.choice([50, 80]))
            ],
            "RecordingService/StartRecording": lambda: [recordings_pb2.StartRecordingRequest(session=session)],
            "RecordingService/DownloadRecording": lambda: [recordings_pb2.DownloadRecordingRequest(name=recording)],
            "RecordingService/ExportRecording": lambda: [
                recordings_pb2.ExportRecordingRequest(session=session, start_time=start, duration=second)
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
METHODS = sorted(Streams(None, "", "", "", "0", "").requests)


def prepare(client: firstlight.Client, session: str) -> tuple[str, ...]:
    """Makes a photo, a recording and a writer. Returns the names of the session and of them, and the nanosecond at
    which the recording began.
    """
    capture = f"captures/{client.photo(session).unique_id}"
    started = next(each for each in client.start_recording(session, fragment_seconds=0.2) if each.HasField("started"))
    with client.preview(session) as frames:
        list(itertools.islice(frames, 45))
    recording = client.stop_recording(started.recording.name)
    return session, capture, recording.name, str(recording.start_time.ToNanoseconds()), client.asset_writer(SIZE).name


def leave_grpc(channel: grpc.Channel, path: str, requests: list[Message], seconds: float) -> None:
    """Opens a stream by gRPC and cancels it after some time."""

    def all_requests() -> Iterator[Message]:
        yield from requests
        # The client has more to send, but never does.
        over.wait(10)

    over = threading.Event()
    stream = channel.stream_stream(
        PACKAGE + path, request_serializer=lambda message: message.SerializeToString(), response_deserializer=bytes
    )(all_requests(), timeout=20)
    timer = threading.Timer(seconds, stream.cancel)
    timer.start()
    with contextlib.suppress(grpc.RpcError):
        for _ in stream:
            pass
    timer.cancel()
    over.set()


def leave_connect(address: str, path: str, requests: list[Message], seconds: float) -> None:
    """Opens a stream by Connect and closes the connection after some time."""
    host, port = address.rsplit(":", 1)
    body = envelope(requests[0].SerializeToString())
    head = (
        f"POST {PACKAGE}{path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/connect+proto\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(head.encode() + body)
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            connection.settimeout(left)
            try:
                if not connection.recv(65_536):
                    return
            except TimeoutError:
                return


def campaign(grpc_address: str, http_address: str, names: tuple[str, ...], count: int, seed: int) -> int:
    """Breaks off `count` streams, and returns how many it was."""
    done: list[int] = []

    def work(number: int) -> None:
        choice = random.Random(seed * CLIENTS + number)
        with firstlight.connect(grpc_address, timeout=20) as client:
            streams = Streams(client, *names)
            for _ in range(count // CLIENTS):
                path = choice.choice(METHODS)
                seconds = choice.uniform(0, LONGEST)
                done.append(number)
                try:
                    requests = streams.requests[path]()
                    if path in BIDIRECTIONAL or choice.random() < 0.5:
                        leave_grpc(client.channel, path, requests, seconds)
                    else:
                        leave_connect(http_address, path, requests, seconds)
                    streams.clean_up(path)
                except firstlight.FirstlightError as error:
                    # The campaign has all writers that there may be, for example.
                    if error.code is grpc.StatusCode.DEADLINE_EXCEEDED:
                        raise

    threads = [threading.Thread(target=work, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(done)


if __name__ == "__main__":
    grpc_, http, *known, total, random_seed = sys.argv[1:]
    print(campaign(grpc_, http, tuple(known), int(total), int(random_seed)))

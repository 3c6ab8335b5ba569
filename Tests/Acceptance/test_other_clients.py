"""The main job, done by third-party clients: another HTTP/2 implementation, a command line, and the generated stubs
alone.

Each client creates, configures and starts a session in one call, shows the first frame of the preview, takes the photo
of that very frame, and asks for the pressure of the machine.
"""

import asyncio
import base64

import grpc
import grpclib.client
import pytest
from google.protobuf import json_format
from google.rpc import error_details_pb2
from grpclib.const import Status
from grpclib.exceptions import GRPCError

from buf_curl import buf_curl
from firstlight import PressureLevel
from firstlight.v1 import (
    device_service_pb2 as device_pb2,
    photo_pb2,
    photo_service_pb2 as photos_pb2,
    pressure_service_pb2 as pressure_pb2,
    preview_service_pb2 as preview_pb2,
    session_pb2,
    session_service_pb2 as sessions_pb2,
    types_pb2,
)
from support import SYNTHETIC, TIMEOUT, Stubs

JPEG = b"\xff\xd8"

# The configuration as a client without our helpers writes it. buf and declared sessions read the same form.
CONFIGURATION = {
    "inputs": [{"device": SYNTHETIC[0], "format": {"pixel_format": "NV12", "width": 320, "height": 180}}],
    "preview": {},
    # The photo output is ready from the start and its ring reaches far back, so that a slow client finds its frame.
    "photo": {"deferred_start_enabled": False, "zero_shutter_lag_window": "5s"},
}


def creation(session_id):
    request = {"session_id": session_id, "configuration": CONFIGURATION, "start": True}
    return json_format.ParseDict(request, sessions_pb2.CreateSessionRequest())


def photo_of(frame, session):
    return photos_pb2.CapturePhotoRequest(
        session=session, viewfinder_sequence=frame.sequence, viewfinder_stream_id=frame.stream_id
    )


def check(session, frame, photo, pressure):
    """Checks that the session runs, that the preview has a picture, that the photo is of the same frame, and that the
    pressure is nominal.
    """
    assert session.state == session_pb2.Session.STATE_RUNNING
    assert (frame.width, frame.height, frame.encoding) == (320, 180, types_pb2.ENCODING_JPEG)
    assert frame.data.startswith(JPEG)
    assert (photo.sequence, photo.stream_id) == (frame.sequence, frame.stream_id)
    assert photo.frame_match == photo_pb2.FRAME_MATCH_EXACT
    assert photo.data.startswith(JPEG)
    assert len(photo.data) == photo.byte_count
    assert pressure.level == PressureLevel.NOMINAL


def photo_in(events):
    """The photo among all events of one capture."""
    assert events[-1].HasField("did_finish_capture")
    (photo,) = [
        event.did_finish_processing_photo.photo for event in events if event.HasField("did_finish_processing_photo")
    ]
    return photo


def first_frame(responses):
    return next(response.frame for response in responses if response.HasField("frame"))


def test_the_generated_stubs_do_the_main_job_without_our_client(daemon, unique_id):
    with grpc.insecure_channel(daemon.address) as channel:
        stubs = Stubs(channel)
        session = stubs.sessions.CreateSession(creation(unique_id), timeout=TIMEOUT).session
        preview = stubs.previews.StreamPreview(preview_pb2.StreamPreviewRequest(session=session.name), timeout=TIMEOUT)
        frame = first_frame(preview)
        events = [r.event for r in stubs.photos.CapturePhoto(photo_of(frame, session.name), timeout=TIMEOUT)]
        request = pressure_pb2.GetSystemPressureRequest(device=SYNTHETIC[0])
        pressure = stubs.pressure.GetSystemPressure(request, timeout=TIMEOUT).state
        preview.cancel()
        stubs.sessions.DeleteSession(sessions_pb2.DeleteSessionRequest(name=session.name), timeout=TIMEOUT)
    check(session, frame, photo_in(events), pressure)


class OtherChannel(grpclib.client.Channel):
    """A connection by grpclib, which has its own implementation of HTTP/2. The methods pass messages on unchanged."""

    async def unary(self, path, request, answer):
        """The answer of a unary method."""
        method = grpclib.client.UnaryUnaryMethod(self, f"/firstlight.v1.{path}", type(request), answer)
        return await method(request, timeout=TIMEOUT)

    async def stream(self, path, request, answer, enough):
        """The answers of a stream, up to the first that is `enough`, or all of them."""
        method = grpclib.client.UnaryStreamMethod(self, f"/firstlight.v1.{path}", type(request), answer)
        answers = []
        async with method.open(timeout=TIMEOUT) as stream:
            await stream.send_message(request, end=True)
            async for response in stream:
                answers.append(response)
                if enough(response):
                    await stream.cancel()
                    break
        return answers


def with_grpclib(daemon, job):
    """Runs a job with a channel of grpclib."""

    async def run():
        host, port = daemon.address.rsplit(":", 1)
        async with OtherChannel(host, int(port)) as channel:
            return await job(channel)

    return asyncio.run(run())


def test_grpclib_does_the_main_job(daemon, unique_id):
    async def job(channel):
        create = creation(unique_id)
        created = await channel.unary("SessionService/CreateSession", create, sessions_pb2.CreateSessionResponse)
        session = created.session
        request = preview_pb2.StreamPreviewRequest(session=session.name)
        responses = await channel.stream(
            "PreviewService/StreamPreview", request, preview_pb2.StreamPreviewResponse, lambda r: r.HasField("frame")
        )
        assert responses[0].HasField("status")
        frame = first_frame(responses)
        request = photo_of(frame, session.name)
        responses = await channel.stream(
            "PhotoService/CapturePhoto", request, photos_pb2.CapturePhotoResponse, lambda _: False
        )
        photo = photo_in([response.event for response in responses])
        request = pressure_pb2.GetSystemPressureRequest(device=SYNTHETIC[0])
        told = await channel.unary("PressureService/GetSystemPressure", request, pressure_pb2.GetSystemPressureResponse)
        watched = await channel.stream(
            "PressureService/WatchSystemPressure",
            pressure_pb2.WatchSystemPressureRequest(),
            pressure_pb2.WatchSystemPressureResponse,
            lambda _: True,
        )
        assert watched[0].event_id
        request = sessions_pb2.DeleteSessionRequest(name=session.name)
        await channel.unary("SessionService/DeleteSession", request, sessions_pb2.DeleteSessionResponse)
        check(session, frame, photo, told.state)

    with_grpclib(daemon, job)


def test_grpclib_reads_what_an_error_carries(daemon):
    async def job(channel):
        request = device_pb2.GetDeviceRequest(name="devices/nowhere")
        with pytest.raises(GRPCError) as raised:
            await channel.unary("DeviceService/GetDevice", request, device_pb2.GetDeviceResponse)
        assert raised.value.status is Status.NOT_FOUND
        (info,) = [detail for detail in raised.value.details if isinstance(detail, error_details_pb2.ErrorInfo)]
        assert (info.domain, info.reason) == ("firstlight", "DEVICE_NOT_FOUND")

    with_grpclib(daemon, job)


def buf(daemon, path, request, enough=lambda _: False):
    return buf_curl(daemon.address, path, request, enough)


def parsed(answer, message):
    return json_format.ParseDict(answer, message())


def test_buf_does_the_main_job_without_proto_files(daemon, unique_id):
    request = {"session_id": unique_id, "configuration": CONFIGURATION, "start": True}
    (created,) = buf(daemon, "SessionService/CreateSession", request)
    name = created["session"]["name"]
    told = buf(daemon, "PreviewService/StreamPreview", {"session": name}, lambda answer: "frame" in answer)
    assert "status" in told[0]
    assert base64.b64decode(told[-1]["frame"]["data"]).startswith(JPEG)
    frame = parsed(told[-1], preview_pb2.StreamPreviewResponse).frame
    request = {"session": name, "viewfinder_sequence": frame.sequence, "viewfinder_stream_id": frame.stream_id}
    told = buf(daemon, "PhotoService/CapturePhoto", request)
    events = [parsed(answer, photos_pb2.CapturePhotoResponse).event for answer in told]
    (pressure,) = buf(daemon, "PressureService/GetSystemPressure", {"device": SYNTHETIC[0]})
    (watched,) = buf(daemon, "PressureService/WatchSystemPressure", {}, lambda _: True)
    assert watched["eventId"]
    assert buf(daemon, "SessionService/DeleteSession", {"name": name}) == [{}]
    check(
        parsed(created, sessions_pb2.CreateSessionResponse).session,
        frame,
        photo_in(events),
        parsed(pressure, pressure_pb2.GetSystemPressureResponse).state,
    )

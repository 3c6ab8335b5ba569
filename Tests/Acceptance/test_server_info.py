"""The daemon's statements about itself are true: its services, encodings and limits, and the id of its run."""

import contextlib
import queue

import grpc
import pytest
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

import firstlight
from captures import SMALL
from faults import inject, stall
from firstlight import Encoding
from firstlight.v1 import (
    photo_service_pb2 as photos_pb2,
    preview_service_pb2 as preview_pb2,
    session_configuration_pb2 as configuration_pb2,
    session_service_pb2 as sessions_pb2,
    types_pb2,
    video_data_service_pb2 as video_data_pb2,
)
from support import SYNTHETIC, TIMEOUT, Stubs, call, refused

DRILLS = [
    f"firstlight.drill.v1.{name}" for name in ("FaultInjectionService", "PressureDrillService", "TaskPoolDrillService")
]


def limits(client):
    return client.server_info().limits


@pytest.mark.parametrize("flags", [[], ["--enable-fault-injection"]], ids=["usual", "drills"])
def test_the_services_are_those_that_reflection_lists(own_daemon, flags):
    with firstlight.connect(own_daemon(*flags).address, timeout=8) as client:
        services = list(client.server_info().services)
        assert services == sorted(ProtoReflectionDescriptorDatabase(client.channel).get_services())
        assert {"firstlight.v1.ServerService", "grpc.health.v1.Health"} < set(services)
        assert [service for service in services if "drill" in service] == (DRILLS if flags else [])


def test_photos_are_encoded_as_said(client, photo_session):
    name = photo_session()
    encodings = list(client.server_info().photo_encodings)
    (output,) = [each for each in client.session(name).output_capabilities if each.HasField("photo_capabilities")]
    assert encodings == list(output.photo_capabilities.available_encodings)
    assert {types_pb2.ENCODING_JPEG, types_pb2.ENCODING_UNCOMPRESSED} <= set(encodings)
    for encoding in filter(None, Encoding):
        if encoding in encodings:
            assert client.photo(name, encoding=encoding).encoding == encoding
        else:
            with refused("INVALID_ARGUMENT", "UNSUPPORTED_VALUE"):
                client.photo(name, encoding=encoding)


def test_previews_are_encoded_as_said(client, stubs, session):
    name = session(start=True, photo=False, **SMALL)
    encodings = list(client.server_info().preview_encodings)
    assert {types_pb2.ENCODING_JPEG, types_pb2.ENCODING_UNCOMPRESSED} <= set(encodings)
    assert len(set(encodings)) == len(encodings)
    for encoding in filter(None, Encoding):
        request = preview_pb2.StreamPreviewRequest(session=name, encoding=encoding)
        if encoding in encodings:
            assert call(stubs.previews.StreamPreview, request).status.encoding == encoding
            with client.preview(name, encoding=encoding) as preview:
                assert next(preview).encoding == encoding
        else:
            with refused("INVALID_ARGUMENT", "UNSUPPORTED_VALUE"):
                call(stubs.previews.StreamPreview, request)


def test_video_encoders_make_what_previews_may_be(client):
    info = client.server_info()
    assert {encoder.encoding for encoder in info.video_encoders} == {Encoding.H264} & set(info.preview_encodings)
    encoders = [encoder.name for encoder in info.video_encoders]
    assert len(set(encoders)) == len(encoders)
    assert all(encoders)


def test_every_limit_is_told(client):
    for field, value in limits(client).ListFields():
        assert value > 0, field.name
    assert len(limits(client).ListFields()) == len(limits(client).DESCRIPTOR.fields)


def test_what_the_operator_limits_is_told(own_daemon):
    with firstlight.connect(own_daemon("--max-connections", "7", "--max-request-bytes", "100000").address) as client:
        assert (limits(client).max_connections, limits(client).max_request_bytes) == (7, 100_000)


def test_a_request_may_be_as_large_as_said_and_no_larger(client, stubs):
    most = limits(client).max_small_request_bytes
    assert most < limits(client).max_request_bytes

    def request(size):
        # The name's field number and length take four bytes.
        return sessions_pb2.GetSessionRequest(name="sessions/".ljust(size - 4, "a"))

    assert request(most).ByteSize() == most
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT"):
        call(stubs.sessions.GetSession, request(most))
    with refused("RESOURCE_EXHAUSTED", "REQUEST_TOO_LARGE"):
        call(stubs.sessions.GetSession, request(most + 1))


def test_a_picture_to_draw_may_be_as_large_as_said_and_no_larger(client, stubs):
    most = limits(client).max_request_bytes

    def request(size):
        # The name's field number and length take five bytes.
        return video_data_pb2.SetOverlayRequest(session="sessions/".ljust(size - 5, "a"))

    assert request(most).ByteSize() == most
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT"):
        call(stubs.video_data.SetOverlay, request(most))
    with refused("RESOURCE_EXHAUSTED", "REQUEST_TOO_LARGE"):
        call(stubs.video_data.SetOverlay, request(most + 1))


def test_there_may_be_as_many_sessions_as_said(own_daemon):
    with firstlight.connect(own_daemon().address, timeout=8) as client:
        # The daemon has sessions/default from the beginning.
        names = [client.create_session().name for _ in range(limits(client).max_sessions - 1)]
        with refused("RESOURCE_EXHAUSTED", "TOO_MANY_REQUESTS"):
            client.create_session()
        client.delete_session(names[0])
        client.create_session()


@pytest.mark.parametrize("kind", ["preview", "video_data", "movie"])
def test_a_session_may_have_as_many_outputs_as_said(client, session, kind):
    def wanted(count):
        configuration = firstlight.configuration(SYNTHETIC[0], **SMALL)
        if kind == "preview":
            # The main preview counts.
            previews = [configuration_pb2.PreviewOutput(id=f"more{number}") for number in range(count - 1)]
            configuration.additional_previews.extend(previews)
        elif kind == "movie":
            configuration.movie.SetInParent()
            movies = [configuration_pb2.MovieOutput(id=f"more{number}") for number in range(count - 1)]
            configuration.additional_movies.extend(movies)
        else:
            outputs = [configuration_pb2.VideoDataOutput(id=f"data{number}") for number in range(count)]
            configuration.video_data.extend(outputs)
        return configuration

    most = getattr(limits(client), f"max_{kind}_outputs")
    name = session(configure=False)
    client.configure(name, wanted(most))
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT") as refusal:
        client.configure(name, wanted(most + 1))
    field = {"preview": "additional_previews", "video_data": "video_data", "movie": "additional_movies"}[kind]
    assert {each.field.partition("[")[0] for each in refusal.error.violations} == {f"configuration.{field}"}


def test_a_video_data_output_may_have_as_many_readers_as_said(daemon, client, session):
    name = session(photo=False, video_data=[firstlight.video_data_output("frames")])
    request = video_data_pb2.StreamVideoDataRequest(session=name)
    too_many(
        daemon,
        lambda stubs: stubs.video_data.StreamVideoData,
        [request] * limits(client).max_video_data_readers,
        request,
    )


def test_a_preview_may_be_encoded_in_as_many_ways_as_said(daemon, client, session):
    name = session(start=True, photo=False, **SMALL)
    most = limits(client).max_preview_encodings
    requests = [preview_pb2.StreamPreviewRequest(session=name, jpeg_quality=10 + way) for way in range(most + 1)]
    too_many(daemon, lambda stubs: stubs.previews.StreamPreview, requests[:-1], requests[-1])


def test_readiness_may_be_watched_as_often_as_said(daemon, client, session):
    request = photos_pb2.WatchReadinessRequest(session=session(**SMALL))
    too_many(
        daemon, lambda stubs: stubs.photos.WatchReadiness, [request] * limits(client).max_capture_watchers, request
    )


def too_many(daemon, method, requests, another):
    """Opens a stream for each request and expects the daemon to refuse another one.

    The other one has a TCP connection of its own: one connection takes a limited number of calls, and unread frames
    fill it.
    """
    alone = [("grpc.use_local_subchannel_pool", 1)]
    with contextlib.ExitStack() as stack:
        channels = [stack.enter_context(grpc.insecure_channel(daemon.address, options=alone)) for _ in range(2)]
        many, one = (method(Stubs(channel)) for channel in channels)
        for request in requests:
            stream = many(request)
            stack.callback(stream.cancel)
            next(stream)
        with refused("RESOURCE_EXHAUSTED", "TOO_MANY_REQUESTS"):
            call(one, another)


def test_as_many_captures_may_wait_as_said(own_daemon):
    with firstlight.connect(own_daemon("--enable-fault-injection").address, timeout=8) as client:
        wanted = firstlight.configuration(SYNTHETIC[0], zero_shutter_lag=False, **SMALL)
        name = client.create_session(configuration=wanted, start=True).name
        client.photo(name)
        # Before a stream's first frame, a camera counts as stalled only after 5 s. The restart gives the test this
        # time.
        client.stop(name)
        inject(client, stall(60))
        client.start(name)
        most, more = limits(client).max_waiting_captures, 8
        ended: queue.Queue[grpc.Call] = queue.Queue()
        method, request = Stubs(client.channel).photos.CapturePhoto, photos_pb2.CapturePhotoRequest(session=name)
        streams = [method(request) for _ in range(most + more)]
        for stream in streams:
            stream.add_done_callback(ended.put)
        # One capture has left the queue, because it is its turn.
        refusals = [ended.get(timeout=TIMEOUT / 2) for _ in range(more - 1)]
        for refusal in refusals:
            error = firstlight.FirstlightError.from_rpc_error(refusal)
            assert (error.code.name, error.reason) == ("RESOURCE_EXHAUSTED", "TOO_MANY_REQUESTS")
        waiting = client.captures(name, state=photos_pb2.Capture.STATE_IN_PROGRESS).captures
        assert most <= len(waiting) <= most + 1
        client.stop(name)


def test_as_many_captures_are_kept_as_said(client, photo_session):
    name = photo_session()
    most = limits(client).max_kept_captures
    taken = [f"captures/{client.photo(name).unique_id}" for _ in range(most + 3)]
    assert [capture.name for capture in client.captures(name).captures] == taken[-most:]


def test_one_run_has_one_name_and_no_two_have_the_same(client, own_daemon):
    names = [client.server_info().instance_id for _ in range(3)]
    assert len(set(names)) == 1
    assert names[0]
    for _ in range(2):
        # The second daemon starts with the files that the first one left.
        daemon = own_daemon()
        with firstlight.connect(daemon.address, timeout=8) as other:
            names.append(other.server_info().instance_id)
            assert other.server_info().instance_id == names[-1]
        daemon.process.kill()
        daemon.process.wait()
    assert len(set(names)) == 3

"""Inputs, outputs and the connections between them."""

import itertools

import pytest

import firstlight
from bars import as_captured
from firstlight import connection, video_data_output
from firstlight.v1 import (
    preview_service_pb2 as preview_pb2,
    session_configuration_pb2 as configuration_pb2,
    session_service_pb2 as sessions_pb2,
    types_pb2,
)
from support import SYNTHETIC, Collector, call, refused, take, timecode

SMALL = {"pixel_format": "NV12", "size": (640, 360), "frame_rate": 30}
ANGLES = [0, 90, 180, 270]


def configured(**keywords):
    return firstlight.configuration(SYNTHETIC[0], **SMALL, **keywords)


def board(picture, angle, mirrored):
    """The timecode of a picture that was rotated and mirrored in this way, or None if it was not."""
    return firstlight.timecode.decode(as_captured(picture.luma(), angle, mirrored))


def check_turned(picture, angle, mirrored, size=(640, 360)):
    assert (picture.width, picture.height) == (size if angle in (0, 180) else size[::-1])
    assert picture.luma().shape == (picture.height, picture.width)
    assert board(picture, angle, mirrored) == (picture.sequence, picture.capture_time_ns, 0)


def test_A6_an_id_given_twice_is_refused_and_nothing_changes(client, session):
    name = session(**SMALL)
    before = client.session(name)
    twice = firstlight.configuration(SYNTHETIC[1], additional_previews=["photo"])
    with refused("INVALID_ARGUMENT") as refusal:
        client.configure(name, twice)
    assert [violation.field for violation in refusal.error.violations] == ["configuration.additional_previews[0].id"]
    assert client.session(name) == before


def test_A6_two_video_data_outputs_stream(client, session):
    outputs = [video_data_output("raw"), video_data_output("grey", pixel_format="GREY")]
    name = session(start=True, video_data=outputs, **SMALL)
    with client.video_data(name, "raw") as raw, client.video_data(name, "grey") as grey:
        for _ in range(5):
            for frame, pixel_format in ((next(raw), "NV12"), (next(grey), "GREY")):
                assert frame.pixel_format == pixel_format
                assert timecode(frame) == (frame.sequence, frame.capture_time_ns, 0)


def test_A6_everything_that_stands_against_it_is_told(client, session):
    name = session()
    wanted = configured(
        additional_previews=["", "one"],
        video_data=[
            video_data_output("one"),
            video_data_output("two", pixel_format="RGBP"),
            video_data_output("three", queue_depth=65),
            configuration_pb2.VideoDataOutput(id="four", max_queue_depth=3),
        ],
        connections=[
            connection("preview", rotated=45),
            connection("photo", input="microphone"),
            connection("nobody"),
            connection("preview"),
        ],
    )
    _, issues = client.check(name, wanted)
    assert {(issue.field.removeprefix("configuration."), issue.reason) for issue in issues} == {
        ("additional_previews[0].id", "INVALID_ARGUMENT"),
        ("video_data[0].id", "INVALID_ARGUMENT"),
        ("video_data[1].pixel_format", "UNSUPPORTED_VALUE"),
        ("video_data[2].max_queue_depth", "INVALID_ARGUMENT"),
        ("video_data[3].max_queue_depth", "INVALID_ARGUMENT"),
        ("connections[0].video_rotation_angle", "INVALID_ARGUMENT"),
        ("connections[1].input", "INVALID_ARGUMENT"),
        ("connections[2].output", "INVALID_ARGUMENT"),
        ("connections[3].output", "INVALID_ARGUMENT"),
    }
    assert "NV12, AR24, YUYV, GREY, BGR4" in next(
        issue.description for issue in issues if issue.reason == "UNSUPPORTED_VALUE"
    )


def test_A6_what_each_output_can_do_is_told(client, session):
    name = session(video_data=[video_data_output("raw")], additional_previews=["second"])
    told = {capabilities.output: capabilities for capabilities in client.session(name).output_capabilities}
    assert {output: capabilities.WhichOneof("kind") for output, capabilities in told.items()} == {
        "preview": "preview_capabilities",
        "photo": "photo_capabilities",
        "second": "preview_capabilities",
        "raw": "video_data_capabilities",
    }
    assert all(capabilities.deferred_start_supported for capabilities in told.values())
    assert all(capabilities.video_orientation_supported for capabilities in told.values())
    assert told["photo"].photo_capabilities.zero_shutter_lag_supported


def test_A7_every_output_is_connected_unless_something_is_said(client, session):
    resolved = client.session(session()).resolved_configuration
    assert [(c.input, c.output, c.enabled, c.video_mirrored, c.video_rotation_angle) for c in resolved.connections] == [
        ("camera", "preview", True, False, 0),
        ("camera", "photo", True, False, 0),
    ]


def test_A7_a_resolved_configuration_can_be_committed_as_it_is(client, stubs, session):
    name = session(
        video_data=[video_data_output("queue", queue_depth=3), video_data_output("newest")],
        additional_previews=["second"],
        connections=[connection("preview", rotated=90), connection("queue", enabled=False)],
        **SMALL,
    )
    resolved = client.session(name).resolved_configuration
    assert [c.output for c in resolved.connections] == ["preview", "queue"], "the others are not connected"
    assert client.configure(name, resolved).resolved_configuration == resolved


def test_A7_disabling_a_connection_stops_its_frames_alone(client, stubs, session):
    name = session(start=True, additional_previews=["second"], **SMALL)
    with client.preview(name, "second", max_size=(320, 180)) as other:
        watched = Collector(client.preview(name, max_size=(320, 180)))
        before = watched.wait_for(len)[0]
        take(other, 2)

        def commit(enabled):
            wanted = configured(
                additional_previews=["second"],
                connections=[connection("preview", enabled=enabled), connection("photo"), connection("second")],
            )
            request = sessions_pb2.ConfigureSessionRequest(name=name, configuration=wanted)
            response = call(stubs.sessions.ConfigureSession, request)
            assert not response.reconfigured
            return response.session.config_revision

        disabled = commit(enabled=False)
        meanwhile = take((frame for frame in other if frame.config_revision == disabled), 20)
        enabled = commit(enabled=True)
        frames = watched.wait_for(lambda items: items[-1].config_revision == enabled)
        watched.close()
    assert {frame.config_revision for frame in frames} == {before.config_revision, enabled}
    assert {frame.stream_id for frame in [*frames, *meanwhile]} == {before.stream_id}
    first = next(frame for frame in frames if frame.config_revision == enabled)
    assert sum(first.dropped) < 10, "frames of a disabled connection do not count as dropped"
    assert first.sequence - before.sequence > 20


def test_A7_no_photo_comes_by_a_disabled_connection(client, session):
    name = session(start=True, **SMALL)
    client.configure(name, configured(connections=[connection("preview")]))
    with refused("FAILED_PRECONDITION", "NOT_SUPPORTED_IN_CONFIGURATION"):
        client.photo(name)
    client.configure(name, configured())
    photo = client.photo(name)
    assert timecode(photo).sequence == photo.sequence


def test_A7_a_size_means_the_rotated_picture(client, session):
    name = session(start=True, connections=[connection("preview", rotated=90)], **SMALL)
    with client.preview(name, max_size=(270, 480)) as preview:
        frame = next(preview)
        check_turned(frame, 90, False, size=(480, 270))
        assert (preview.status.size.width, preview.status.size.height) == (270, 480)


def test_A7_what_changes_while_stopped_is_told_before_the_first_frame(client, stubs, session):
    name = session(**SMALL)
    call = stubs.previews.StreamPreview(preview_pb2.StreamPreviewRequest(session=name))
    told = Collector(firstlight.Stream(call, lambda response: response.status))
    told.wait_for(lambda items: items and items[-1].size == types_pb2.Size(width=640, height=360))
    client.configure(name, configured(connections=[connection("preview", rotated=90)]))
    told.wait_for(lambda items: items[-1].size == types_pb2.Size(width=360, height=640))
    without_camera = configured()
    del without_camera.inputs[:]
    client.configure(name, without_camera)
    told.wait_for(lambda items: not items[-1].HasField("size") and items[-1].jpeg_quality == 0)
    told.close()


@pytest.mark.parametrize("angle", ANGLES)
def test_A7_a_photo_is_turned_as_its_own_connection_says(client, session, angle):
    turned = connection("photo", rotated=angle, mirrored=True)
    name = session(start=True, connections=[turned, connection("preview")], **SMALL)
    photo = client.photo(name)
    check_turned(photo, angle, True)
    with client.preview(name) as preview:
        check_turned(next(preview), 0, False)


def test_A7_several_previews_are_told_apart(client, session):
    name = session(start=True, additional_previews=["second", "third"], **SMALL)
    with refused("NOT_FOUND", "OUTPUT_NOT_FOUND"):
        next(client.preview(name, "fourth"))
    wanted = configured(
        additional_previews=["second", "third"], connections=[connection("preview"), connection("second", rotated=180)]
    )
    revision = client.configure(name, wanted).config_revision
    for output, angle in {"": 0, "preview": 0, "second": 180}.items():
        with client.preview(name, output) as preview:
            check_turned(next(frame for frame in preview if frame.config_revision == revision), angle, False)

    without_main = configured(preview=False, additional_previews=["second", "third"])
    client.configure(name, without_main)
    with refused("NOT_FOUND", "OUTPUT_NOT_FOUND") as refusal:
        next(client.preview(name))
    assert "second, third" in str(refusal.error)


def test_A8_the_preset_is_the_size_of_frames(client, session):
    name = session(start=True, preset=configuration_pb2.SESSION_PRESET_HD_1080P, video_data=[video_data_output("raw")])
    with client.video_data(name) as data:
        frame = next(data)
        assert (frame.width, frame.height) == (1920, 1080)
    resolved = client.configure(name, configured()).resolved_configuration
    assert resolved.preset == configuration_pb2.SESSION_PRESET_INPUT_PRIORITY


def test_A16_a_swap_keeps_readers_and_shows_nothing_of_the_old_camera(client, stubs, session):
    outputs = [video_data_output("raw"), video_data_output("grey", pixel_format="GREY")]
    name = session(start=True, video_data=outputs, **SMALL)
    with (
        client.preview(name) as preview,
        client.video_data(name, "raw") as raw,
        client.video_data(name, "grey") as grey,
    ):
        streams = (preview, raw, grey)
        old = {next(stream).stream_id for stream in streams}
        wanted = firstlight.configuration(SYNTHETIC[1], pixel_format="YUYV", size=(320, 180), video_data=outputs)
        wanted.inputs[0].id = "other"
        response = call(
            stubs.sessions.ConfigureSession, sessions_pb2.ConfigureSessionRequest(name=name, configuration=wanted)
        )
        assert response.reconfigured
        for output in ("raw", "grey"):
            with client.video_data(name, output) as fresh:
                assert {frame.input for frame in take(fresh, 3)} == {"other"}
        new = set()
        for stream in streams:
            first = next(frame for frame in stream if frame.input == "other")
            assert (first.width, first.height) == (320, 180)
            assert first.config_revision == response.session.config_revision
            # A frame of the former stream that was still being encoded counts, too.
            assert first.dropped.discontinuity >= 1
            assert {frame.input for frame in take(stream, 5)} == {"other"}
            new.add(first.stream_id)
    assert len(old) == len(new) == 1
    assert max(new) > max(old)


def test_D1_previewing_is_told(client, stubs, session):
    name = session(**SMALL)
    request = preview_pb2.StreamPreviewRequest(session=name)
    told = Collector(firstlight.Stream(stubs.previews.StreamPreview(request), lambda response: response))
    told.wait_for(len)

    def changes(responses):
        statuses = (response.status.previewing for response in responses if response.HasField("status"))
        return [value for value, _ in itertools.groupby(statuses)]

    def commit(enabled):
        client.configure(name, configured(connections=[connection("preview", enabled=enabled), connection("photo")]))

    steps = [lambda: client.start(name), lambda: commit(False), lambda: commit(True), lambda: client.stop(name)]
    for count, step in enumerate(steps, 2):
        step()
        told.wait_for(lambda responses, count=count: len(changes(responses)) == count)
    assert changes(told.close()) == [False, True, False, True, False]

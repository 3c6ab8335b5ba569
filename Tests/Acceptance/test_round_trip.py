"""The daemon accepts a configuration that was read back, and the commit changes nothing."""

import pytest

import firstlight
from captures import SMALL
from firstlight import AdaptationPolicy, Quality, connection, video_data_output
from firstlight.v1 import session_configuration_pb2 as configuration_pb2
from round_trip import FORMS
from support import SYNTHETIC, changed, take, watching

CONFIGURATIONS = {
    "default": {},
    "preset": {"preset": configuration_pb2.SESSION_PRESET_MEDIUM},
    "explicit format": {**SMALL, "pixel_format": "YUYV"},
    "rate": {"frame_rate": 15},
    "all features": {**SMALL, "responsive_capture": True, "fast_capture_prioritization": True},
    "no zero shutter lag": {**SMALL, "zero_shutter_lag": False, "max_quality": Quality.SPEED},
    "no photo": {**SMALL, "photo": False},
    "no preview": {**SMALL, "preview": False},
    "many outputs": {
        **SMALL,
        "additional_previews": ["second", "third"],
        "movie": firstlight.movie_output(quality=50),
        "additional_movies": [
            firstlight.movie_output(id="side"),
            firstlight.movie_output(id="more", bit_rate=1_000_000),
        ],
        "video_data": [
            video_data_output("newest"),
            video_data_output("queued", pixel_format="AR24", queue_depth=4),
            video_data_output("full", pixel_format="NV12", color_range=2),
        ],
        "automatic_deferred_start": False,
        "adaptation": AdaptationPolicy.SERVER,
    },
    "connections": {
        **SMALL,
        "connections": [
            connection("preview", rotated=90, mirrored=True),
            connection("photo", enabled=False),
        ],
    },
}


def set_by_hand():
    """A configuration with fields that `firstlight.configuration` cannot set."""
    wanted = firstlight.configuration(SYNTHETIC[0], pixel_format="NV12", size=(640, 360))
    wanted.inputs[0].id = "front"
    wanted.preview.id, wanted.photo.id = "viewfinder", "shutter"
    wanted.preview.deferred_start_enabled = True
    wanted.photo.deferred_start_enabled = False
    wanted.photo.zero_shutter_lag_window.FromMilliseconds(300)
    wanted.photo.max_photo_dimensions.width, wanted.photo.max_photo_dimensions.height = 1920, 1080
    wanted.connections.add(input="front", output="viewfinder")
    wanted.connections.add(input="front", output="shutter", video_mirrored=True)
    return wanted


def wanted(kind):
    return set_by_hand() if kind == "set by hand" else firstlight.configuration(SYNTHETIC[0], **CONFIGURATIONS[kind])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", [*CONFIGURATIONS, "set by hand"])
def test_committed_again_while_running_it_changes_nothing(client, session, kind, form):
    name = session(configure=False)
    client.configure(name, wanted(kind))
    client.start(name)
    before = client.session(name)
    events = watching(client, name)
    after = client.configure(name, getattr(before, form))
    assert after.resolved_configuration == before.resolved_configuration
    assert after.output_capabilities == before.output_capabilities
    if form == "configuration":
        assert (after.configuration, after.etag) == (before.configuration, before.etag)
        assert after.config_revision == before.config_revision
    client.stop(name)
    told = events.wait_for(lambda items: changed(items[-1]) == "STATE_STOPPED")
    commits = [event.configuration_committed for event in told if changed(event) == "configuration_committed"]
    assert len(commits) == (after.config_revision != before.config_revision)
    assert not any(commit.reconfigured for commit in commits)
    assert not {"reconfiguration_started", "reconfiguration_finished"} & set(map(changed, told))


@pytest.mark.parametrize("form", FORMS)
def test_committed_again_it_leaves_frames_and_photos_alone(client, session, form):
    name = session(start=True, **SMALL)
    client.photo(name)
    with client.preview(name) as preview:
        first = take(preview, 3)[-1]
        client.configure(name, getattr(client.session(name), form))
        after = take(preview, 5)[-1]
        photo = client.photo(name, of=after)
    assert after.stream_id == first.stream_id == photo.stream_id
    assert after.dropped.discontinuity == 0
    assert photo.zero_shutter_lag_used


@pytest.mark.parametrize("pixel_format", ["", "NV12", "GREY"])
@pytest.mark.parametrize("form", FORMS)
def test_committed_again_it_leaves_readers_of_video_data_alone(client, session, form, pixel_format):
    name = session(start=True, **SMALL, video_data=[firstlight.video_data_output("data", pixel_format=pixel_format)])
    with client.video_data(name, "data") as frames:
        first = take(frames, 2)[-1]
        client.configure(name, getattr(client.session(name), form))
        assert take(frames, 3)[-1].stream_id == first.stream_id


@pytest.mark.parametrize("form", FORMS)
def test_a_new_session_takes_a_configuration_that_was_read(client, session, form):
    read = client.session(session(**SMALL, responsive_capture=True))
    created = client.create_session(configuration=getattr(read, form), start=True)
    try:
        assert created.resolved_configuration == read.resolved_configuration
        assert created.output_capabilities == read.output_capabilities
    finally:
        client.delete_session(created.name)

"""Recordings in the viewfinder page that cannot begin, that go on or end without its button, and what it says then."""

from __future__ import annotations

import pytest

import firstlight
from browser import SECONDS
from faults import REPLUG, UNPLUG, inject
from movie_tabs import ITEMS, RUNNING, VIDEO, item, pressed, recorded, text, wait_for_time
from support import wait_until

pytestmark = pytest.mark.timeout(120)


def test_the_error_is_said_when_a_session_cannot_record(recorder, open_page, tmp_path):
    (tmp_path / "movies").write_text("no folder")
    served = recorder()
    served.session()
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.page.click("#record")
    viewfinder.wait("document.querySelector('#alert').textContent !== ''")
    viewfinder.wait("document.querySelector('#record').dataset.look === 'ready'")
    assert pressed(viewfinder) == "false"


def test_a_recording_of_another_client_is_shown_while_it_runs(recorder, open_page):
    served = recorder()
    session = served.session(movie=firstlight.movie_output())
    with served.client.start_recording(session, fragment_seconds=0.1) as events:
        name = next(events).recording.name
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.wait(f"firstlight.recording?.name === '{name}'")
    assert pressed(viewfinder) == "true"
    viewfinder.page.click("#well")
    viewfinder.page.click("#tab-movies")
    viewfinder.wait(f"""document.querySelector('{item(name)}').dataset.state === 'recording'
        && document.querySelector('{item(name)} img')?.naturalWidth === 320""")
    # It plays as far as it is written.
    viewfinder.page.click(f"{item(name)} .play")
    viewfinder.wait(f"{VIDEO}.currentTime > 0")
    shorter = viewfinder.get(f"{VIDEO}.duration")
    viewfinder.page.keyboard.press("Escape")
    served.client.stop_recording(name)
    viewfinder.wait(
        f"firstlight.recording === null && document.querySelector('{item(name)}').dataset.state === 'finished'"
    )
    assert text(viewfinder, "#status") == "The recording was stopped elsewhere."
    # The browser does not take the shorter movie that it knows for the whole one.
    viewfinder.page.click(f"{item(name)} .play")
    viewfinder.wait(f"{VIDEO}.duration > {shorter}")
    length = served.client.recording(name).recorded_duration.ToNanoseconds() / 1e9
    assert viewfinder.get(f"{VIDEO}.duration") == pytest.approx(length, abs=0.1)


def test_a_recording_goes_on_while_the_tab_is_hidden(recorder, open_page):
    served = recorder()
    session = served.session(movie=firstlight.movie_output())
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.page.click("#record")
    viewfinder.wait(RUNNING)
    name = viewfinder.get("firstlight.recording.name")
    viewfinder.hide(True)
    viewfinder.wait("firstlight.connection === 'hidden'")
    frames = served.client.recording(name).frame_count
    wait_until(lambda: served.client.recording(name).frame_count > frames, SECONDS)
    served.client.stop_recording(name)
    assert viewfinder.get("firstlight.recording.name") == name
    viewfinder.hide(False)
    viewfinder.wait("firstlight.connection === 'live' && firstlight.recording === null")
    assert text(viewfinder, "#status") == "The recording was stopped elsewhere."
    assert [each.name for each in served.client.recordings(session)] == [name]


def test_a_start_that_is_not_answered_leaves_the_page_usable(recorder, open_page, context):
    served = recorder()
    served.session(movie=firstlight.movie_output())
    # The page waits two seconds in place of 30.
    context.add_init_script("{ const { timeout } = AbortSignal; AbortSignal.timeout = () => timeout(2000); }")
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.page.route("**/*/StartRecording", lambda route: None)
    viewfinder.page.click("#record")
    viewfinder.wait("document.querySelector('#record').dataset.look === 'start'")
    viewfinder.wait("document.querySelector('#alert').textContent === 'The daemon did not answer in time.'")
    viewfinder.page.unroute_all()
    viewfinder.wait("document.querySelector('#record').dataset.look === 'ready'")
    viewfinder.page.click("#record")
    viewfinder.wait(RUNNING)


def test_a_recording_ends_with_the_movie_output_of_its_session(recorder, open_page):
    served = recorder()
    session = served.session(movie=firstlight.movie_output())
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.page.click("#record")
    viewfinder.wait(RUNNING)
    wait_for_time(viewfinder, 1)
    wanted = served.client.session(session).configuration
    wanted.ClearField("movie")
    served.client.configure(session, wanted)
    viewfinder.wait("firstlight.recording === null && document.querySelector('#alert').textContent !== ''")
    assert pressed(viewfinder) == "false"


def test_a_press_without_a_connection_says_that_there_is_none(recorder, open_page):
    served = recorder()
    served.session(movie=firstlight.movie_output())
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.page.click("#record")
    viewfinder.wait(RUNNING)
    assert served.daemon.stop() == 0
    viewfinder.wait("firstlight.connection === 'waiting'")
    viewfinder.page.keyboard.press("r")
    assert text(viewfinder, "#status") == "The daemon does not answer."


def test_the_page_says_what_ended_a_recording(recorder, open_page):
    served = recorder()
    session = served.session(movie=firstlight.movie_output())
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.page.click("#record")
    viewfinder.wait(RUNNING)
    wait_for_time(viewfinder, 1)
    inject(served.client, UNPLUG)
    viewfinder.wait("firstlight.recording === null")
    told = "The recording has ended. The camera is not there. The movie plays up to there."
    assert text(viewfinder, "#alert") == told
    assert pressed(viewfinder) == "false"
    viewfinder.wait("document.querySelector('#record').dataset.look === 'off'")
    viewfinder.page.keyboard.press("m")
    viewfinder.wait(f"document.querySelector('.movies li').textContent.includes('{told}')")
    inject(served.client, REPLUG)
    viewfinder.wait("document.querySelector('#record').dataset.look === 'ready'")
    recorded(served.client, session, frames=40, max_seconds=0.5)
    viewfinder.page.keyboard.press("m")
    viewfinder.page.keyboard.press("m")
    viewfinder.wait(f"{ITEMS}.length === 2")
    assert "ended at its longest duration" in text(viewfinder, ".movies li")

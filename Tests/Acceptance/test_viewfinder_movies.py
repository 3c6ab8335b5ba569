"""The movies of the viewfinder page: the list with its pictures, and the player."""

from __future__ import annotations

import json
import pathlib

import pytest

import firstlight
from browser import EXACT, Viewfinder
from firstlight import MovieCodec
from movie_tabs import ITEMS, VIDEO, WORDS, item, recorded
from support import SYNTHETIC

pytestmark = pytest.mark.timeout(120)


def test_a_hidden_tab_lets_go_of_the_movie_and_goes_on_at_the_same_time(recorder, open_page):
    served = recorder()
    name = recorded(served.client, served.session(movie=firstlight.movie_output()), frames=60).name
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.page.keyboard.press("m")
    viewfinder.page.click(f"{item(name)} .play")
    viewfinder.wait(f"{VIDEO}.currentTime > 0.5")
    viewfinder.get(f"{VIDEO}.pause()")
    time = viewfinder.get(f"{VIDEO}.currentTime")
    viewfinder.hide(True)
    viewfinder.wait(f"{VIDEO}.networkState === HTMLMediaElement.NETWORK_EMPTY")
    viewfinder.hide(False)
    viewfinder.wait(f"{VIDEO}.readyState > 1")
    # The browser rounds a time that is set to microseconds.
    assert viewfinder.get(f"[{VIDEO}.paused, {VIDEO}.currentTime]") == [True, pytest.approx(time, abs=2e-6)]


def test_a_movie_plays_when_the_daemon_is_there_again(recorder, open_page, own_daemon, tmp_path):
    served = recorder("--drain-timeout", "1")
    name = recorded(served.client, served.session(movie=firstlight.movie_output()), frames=30).name
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    # The browser would play what it has read for the picture in the list.
    viewfinder.page.route(f"**/{name}", lambda route: route.abort())
    viewfinder.page.keyboard.press("m")
    viewfinder.wait(f"{ITEMS}.length === 1")
    assert served.daemon.stop() == 0
    viewfinder.wait("firstlight.connection === 'waiting'")
    viewfinder.page.unroute(f"**/{name}")
    viewfinder.page.click(f"{item(name)} .play")
    viewfinder.wait(f"{WORDS} === 'The daemon does not answer.'")
    listen = ("--http-listen", f"127.0.0.1:{served.endpoint.port}")
    again = own_daemon(
        *listen, "--config", str(tmp_path / "firstlight.yaml"), "--recordings-dir", str(tmp_path / "movies")
    )
    with firstlight.connect(again.address) as client:
        client.create_session("default", configuration=firstlight.configuration(SYNTHETIC[0], **EXACT), start=True)
        viewfinder.wait(f"{VIDEO}.currentTime > 0.3 && !{VIDEO}.hidden && {WORDS} === ''")


def test_a_movie_goes_on_at_the_same_time_after_it_broke_off(recorder, open_page):
    served = recorder()
    name = recorded(served.client, served.session(movie=firstlight.movie_output()), frames=30).name
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.page.keyboard.press("m")
    viewfinder.page.click(f"{item(name)} .play")
    viewfinder.wait(f"{VIDEO}.currentTime > 0.3")
    viewfinder.get(f"{VIDEO}.pause()")
    time = viewfinder.get(f"{VIDEO}.currentTime")
    # Chromium asks again by itself after most losses, so the test tells the page of one.
    viewfinder.get(f"""{{
        Object.defineProperty({VIDEO}, 'error', {{ value: {{ code: MediaError.MEDIA_ERR_NETWORK }} }});
        {VIDEO}.dispatchEvent(new Event('error'));
    }}""")
    viewfinder.wait(f"{WORDS} === 'The movie broke off. The page loads it again.'")
    viewfinder.wait(f"{WORDS} === '' && {VIDEO}.readyState > 1")
    assert viewfinder.get(f"[{VIDEO}.paused, {VIDEO}.currentTime, {VIDEO}.hidden]") == [True, time, False]


def test_what_was_asked_for_a_closed_player_says_nothing_in_the_next_one(recorder, open_page):
    served = recorder()
    name = recorded(served.client, served.session(movie=firstlight.movie_output())).name
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.page.keyboard.press("m")
    viewfinder.wait("document.querySelector('.movies img')")
    held = []
    viewfinder.page.route("**/*/GetRecording", lambda route: held.append(route))
    viewfinder.page.route(f"**/{name}", lambda route: route.abort())
    viewfinder.page.click(f"{item(name)} .play")
    viewfinder.wait(f"{VIDEO}.error")
    viewfinder.page.click("#player-close")
    viewfinder.page.unroute(f"**/{name}")
    viewfinder.page.click(f"{item(name)} .play")
    viewfinder.wait(f"{VIDEO}.currentTime > 0")
    for route in held:
        route.continue_()
    viewfinder.wait_for_next()
    viewfinder.wait_for_next()
    assert viewfinder.get(f"[{WORDS}, {VIDEO}.hidden, {VIDEO}.error]") == ["", False, None]


def test_one_tab_at_a_time_has_a_player(recorder, open_page):
    served = recorder()
    name = recorded(served.client, served.session(movie=firstlight.movie_output())).name
    first, second = open_page(served.address), open_page(served.address)

    def play(tab: Viewfinder) -> None:
        tab.page.bring_to_front()
        tab.wait_for_picture()
        tab.page.click(f"{item(name)} .play")
        tab.wait(f"{VIDEO}.currentTime > 0")

    for tab in (first, second):
        tab.wait_for_picture()
        tab.page.keyboard.press("m")
    for _ in range(2):
        play(first)
        # Closed and opened again in one tab, it stays open.
        first.page.click("#player-close")
        play(first)
        play(second)
        first.wait("!document.querySelector('#player').open && document.querySelector('#status').textContent !== ''")
    assert second.get("document.querySelector('#player').open")


@pytest.mark.parametrize(("codec", "words"), [(MovieCodec.PRO_RES, "ProRes"), (MovieCodec.FFV1, "FFV1")])
def test_a_movie_that_the_browser_does_not_play_is_offered_for_download(recorder, open_page, codec, words):
    served = recorder()
    name = recorded(served.client, served.session(movie=firstlight.movie_output(codec=codec))).name
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.page.keyboard.press("m")
    viewfinder.page.click(f"{item(name)} .play")
    viewfinder.wait("document.querySelector('#player .words').textContent.startsWith('This browser does not play')")
    assert viewfinder.get("document.activeElement.id") == "player-download"
    viewfinder.page.click("#player-close")
    viewfinder.wait(f"document.querySelector('{item(name)} .picture').textContent === 'No picture of {words}'")


def test_a_long_list_is_shown_in_steps_and_makes_pictures_of_what_is_seen(recorder, open_page):
    served = recorder()
    session = served.session(movie=firstlight.movie_output())
    names = [recorded(served.client, session, frames=3).name for _ in range(15)]
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.page.keyboard.press("m")
    viewfinder.wait(f"{ITEMS}.length === 12 && document.querySelector('.movies li img')")
    listed = f"[...{ITEMS}].map((each) => each.dataset.recording)"
    assert viewfinder.get(listed) == names[:-13:-1]
    viewfinder.page.click("#more-movies")
    viewfinder.wait(f"{ITEMS}.length === 15")
    assert viewfinder.get(listed) == names[::-1]
    viewfinder.wait("document.querySelectorAll('.movies li')[12].contains(document.activeElement)")
    last = f"{ITEMS}[14]"
    assert not viewfinder.get(f"{last}.querySelector('img')"), "nobody has seen the last one"
    viewfinder.get(f"{last}.scrollIntoView()")
    viewfinder.wait(f"{last}.querySelector('img')")


def plant(folder: pathlib.Path, session: str, count: int) -> list[str]:
    """Writes the records of recordings without a file, as an earlier daemon would have. Returns their names, the newest
    first.
    """
    records = folder / ".firstlight"
    records.mkdir(parents=True)
    ids = [f"{number:032x}" for number in range(count)]
    for number, id in enumerate(ids):
        record = {
            "id": id,
            "session": session,
            "output": "movie",
            "file": f"{session}/{number}.mp4",
            "container": "mp4",
            "codec": "h264",
            **{"width": 320, "height": 180, "duration": 0, "fileSize": 0, "frames": 0},
            "requestTime": 1_700_000_000_000_000_000 + number,
            "state": "finished",
            "dropped": {"late": 0, "outOfBuffers": 0, "discontinuity": 0, "damaged": 0},
            "end": {"kind": "stopped"},
        }
        (records / f"{id}.json").write_text(json.dumps(record))
    return [f"recordings/{id}" for id in reversed(ids)]


def test_older_pages_of_the_list_are_read_when_they_are_shown(recorder, open_page, tmp_path):
    names = plant(tmp_path / "movies", "default", 130)
    served = recorder()
    session = served.session(movie=firstlight.movie_output())
    assert [each.name for each in served.client.recordings(session)] == names
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.page.keyboard.press("m")
    viewfinder.wait(f"{ITEMS}.length === 12")
    listed = f"[...{ITEMS}].map((each) => each.dataset.recording)"
    # A recording that comes meanwhile moves no older one.
    new = recorded(served.client, session, frames=3).name
    for step in range(2, 12):
        viewfinder.wait("!document.querySelector('#more-movies').hidden")
        viewfinder.page.click("#more-movies")
        viewfinder.wait(f"{ITEMS}.length >= {min(12 * step, 130)}")
    # The page may have heard of the new recording.
    assert [name for name in viewfinder.get(listed) if name != new] == names
    assert viewfinder.get("document.querySelector('#more-movies').hidden")
    viewfinder.page.keyboard.press("m")
    viewfinder.page.keyboard.press("m")
    # The page reads the list anew, in several steps.
    viewfinder.wait(f"{listed}.join() === '{','.join([new, *names])}'")


def test_a_picture_that_could_not_be_read_is_read_again(recorder, open_page):
    served = recorder()
    name = recorded(served.client, served.session(movie=firstlight.movie_output())).name
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    refused = []
    viewfinder.page.route(f"**/{name}", lambda route: (refused.append(route.request.method), route.abort()))
    viewfinder.page.keyboard.press("m")
    viewfinder.wait(f"{ITEMS}.length === 1")
    while "HEAD" not in refused:
        viewfinder.wait_for_next()
    assert viewfinder.get("document.querySelector('.movies .picture').textContent") == ""
    viewfinder.page.unroute(f"**/{name}")
    viewfinder.hide(True)
    viewfinder.hide(False)
    viewfinder.wait("document.querySelector('.movies img')?.naturalWidth === 320")


def test_pictures_leave_the_memory_with_their_movies(recorder, open_page, context):
    context.add_init_script("""{
        const { createObjectURL, revokeObjectURL } = URL;
        window.kept = new Set();
        URL.createObjectURL = (each) => { const url = createObjectURL(each); kept.add(url); return url; };
        URL.revokeObjectURL = (url) => { kept.delete(url); revokeObjectURL(url); };
    }""")
    served = recorder()
    session = served.session(movie=firstlight.movie_output())
    names = [recorded(served.client, session).name for _ in range(2)]
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.page.keyboard.press("m")
    viewfinder.wait("document.querySelectorAll('.movies img').length === 2 && kept.size === 2")
    served.client.delete_recording(names[0])
    viewfinder.page.keyboard.press("m")
    viewfinder.page.keyboard.press("m")
    viewfinder.wait(f"{ITEMS}.length === 1 && kept.size === 1")


def test_the_list_of_another_camera_is_gone_at_once(recorder, open_page):
    served = recorder()
    recorded(served.client, served.session(movie=firstlight.movie_output()))
    served.session("other", SYNTHETIC[1])
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.page.keyboard.press("m")
    viewfinder.wait(f"{ITEMS}.length === 1")
    viewfinder.page.route("**/*/ListRecordings", lambda route: route.abort())
    viewfinder.page.click("#next-button")
    viewfinder.wait(f"firstlight.session === 'sessions/other' && {ITEMS}.length === 0")

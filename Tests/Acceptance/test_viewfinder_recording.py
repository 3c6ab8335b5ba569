"""Recording in the viewfinder page: the button, the list of movies and the player."""

from __future__ import annotations

import itertools
import json
import pathlib

import pytest

import firstlight
from browser import PHONE, SECONDS, Viewfinder, board, window
from captures import SMALL
from faults import REPLUG, UNPLUG, inject
from firstlight import MovieCodec
from firstlight.v1 import recording_pb2
from movies import read_movie
from support import wait_until

State = recording_pb2.Recording
Cause = recording_pb2.RecordingEnd

pytestmark = pytest.mark.timeout(120)

RUNNING = "firstlight.recording?.state === 'RECORDING'"
VIDEO = "document.querySelector('#player video')"
ITEMS = "document.querySelectorAll('.movies li')"

#: The picture of the first movie in the list, as a data URL.
DRAWN = """(() => {
    const canvas = document.createElement('canvas');
    const image = document.querySelector('.movies img');
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    canvas.getContext('2d').drawImage(image, 0, 0);
    return canvas.toDataURL();
})()"""


@pytest.fixture
def recorder(serving, tmp_path):
    """Starts a daemon that serves the page and keeps its recordings in `movies`."""
    return lambda *flags: serving("--recordings-dir", str(tmp_path / "movies"), *flags)


def text(viewfinder: Viewfinder, selector: str) -> str:
    return viewfinder.get(f"document.querySelector('{selector}').textContent")


def pressed(viewfinder: Viewfinder) -> str:
    return viewfinder.get("document.querySelector('#record').ariaPressed")


def wait_for_time(viewfinder: Viewfinder, seconds: int) -> None:
    """Waits until the running time has come to a number of seconds."""
    viewfinder.wait(f"/^0:(\\d\\d)/.exec(document.querySelector('#recording-time').textContent)[1] >= {seconds}")


def recorded(client: firstlight.Client, session: str, frames: int = 10, **options) -> State:
    """Another client records about so many frames."""
    with client.start_recording(session, fragment_seconds=0.1, **options) as events:
        name = next(events).recording.name
    list(itertools.islice(client.preview(session), frames))
    return client.stop_recording(name)


def item(name: str) -> str:
    """The selector of a recording in the list."""
    return f'.movies li[data-recording="{name}"]'


def test_a_movie_is_recorded_listed_played_and_sought(recorder, open_page, tmp_path):
    served = recorder()
    session = served.session(movie=firstlight.movie_output())
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    assert (pressed(viewfinder), viewfinder.get("document.querySelector('#recording-line').hidden")) == ("false", True)
    viewfinder.page.click("#record")
    viewfinder.wait(RUNNING)
    assert pressed(viewfinder) == "true"
    assert text(viewfinder, "#status") == "The recording has begun."
    # Nothing lies over the shutter, which takes photos meanwhile.
    press = viewfinder.press()
    assert press.photo == press.canvas
    wait_for_time(viewfinder, 3)
    viewfinder.wait("/^0:\\d\\d · \\d+ k?B$/.test(document.querySelector('#recording-time').textContent)")
    viewfinder.page.click("#record")
    viewfinder.wait("firstlight.recording === null")
    assert pressed(viewfinder) == "false"
    assert text(viewfinder, "#status") == "The recording is saved."
    (recording,) = served.client.recordings(session)
    assert recording.end.cause == Cause.CAUSE_STOPPED
    movie = read_movie(tmp_path / "movies" / recording.file)
    # A busy machine may cost the movie frames, which is no fault of the page.
    assert len(movie.boards) == recording.frame_count

    viewfinder.page.keyboard.press("m")
    viewfinder.wait("document.querySelector('.movies img')?.naturalWidth === 320")
    assert board(viewfinder.get(DRAWN)) == movie.boards[0]
    viewfinder.page.click(f"{item(recording.name)} .play")
    viewfinder.wait(f"{VIDEO}.currentTime > 0.5")
    assert viewfinder.get(f"[{VIDEO}.videoWidth, {VIDEO}.videoHeight]") == list(SMALL["size"])
    length = recording.recorded_duration.ToNanoseconds() / 1e9
    assert viewfinder.get(f"{VIDEO}.duration") == pytest.approx(length, abs=0.1)
    viewfinder.get(f"{{ {VIDEO}.pause(); {VIDEO}.currentTime = 2; }}")
    viewfinder.wait(f"!{VIDEO}.seeking && {VIDEO}.currentTime === 2")
    viewfinder.get(f"{{ {VIDEO}.play(); }}")
    viewfinder.wait(f"{VIDEO}.currentTime > 2.2")
    with viewfinder.page.expect_download() as download:
        viewfinder.page.click("#player-download")
    assert download.value.suggested_filename == recording.file.rpartition("/")[2]


def test_a_session_without_a_movie_output_gets_one(recorder, open_page):
    served = recorder()
    session = served.session()
    # Where connections are named, an output that none of them names would get no frames.
    wanted = served.client.session(session).configuration
    wanted.connections.add(input="camera", output="preview", video_mirrored=True)
    wanted.connections.add(input="camera", output="photo")
    served.client.configure(session, wanted)
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    stream, drawn = viewfinder.get("[firstlight.current.streamId, firstlight.current.drawn]")
    viewfinder.page.click("#record")
    viewfinder.wait(RUNNING)
    assert viewfinder.get("firstlight.current.streamId") == stream
    assert viewfinder.get("firstlight.current.drawn") > drawn
    configuration = served.client.session(session).configuration
    assert configuration.HasField("movie")
    assert configuration.connections[0].video_mirrored
    viewfinder.page.click("#record")
    viewfinder.wait("firstlight.recording === null")
    (recording,) = served.client.recordings(session)
    assert recording.frame_count > 0


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


def test_the_keyboard_records_and_plays(recorder, open_page):
    served = recorder()
    session = served.session(movie=firstlight.movie_output())
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    keys = viewfinder.page.keyboard
    keys.press("r")
    viewfinder.wait(RUNNING)
    viewfinder.focus("#pause")
    keys.press("Enter")
    viewfinder.wait(
        "firstlight.recording.state === 'PAUSED' && document.querySelector('#pause').ariaPressed === 'true'"
    )
    keys.press("Enter")
    viewfinder.wait(RUNNING)
    wait_for_time(viewfinder, 1)
    keys.press("r")
    viewfinder.wait("firstlight.recording === null")
    # The button for the pause has gone, and the focus with it.
    assert viewfinder.get("document.activeElement.id") == "record"
    keys.press("m")
    viewfinder.wait(f"{ITEMS}.length === 1 && document.activeElement.id === 'tab-movies'")
    viewfinder.wait("!document.querySelector('.movies .play').disabled")
    viewfinder.focus(".movies .play")
    keys.press("Enter")
    viewfinder.wait(f"{VIDEO} === document.activeElement && {VIDEO}.currentTime > 0")
    keys.press("Escape")
    viewfinder.wait("!document.querySelector('#player').open && document.activeElement.matches('.movies .play')")
    viewfinder.focus(".movies .delete")
    keys.press("Enter")
    viewfinder.wait("document.querySelector('#question').open && document.activeElement.textContent === 'Keep it'")
    keys.press("Escape")
    viewfinder.wait("!document.querySelector('#question').open && document.activeElement.matches('.movies .delete')")
    assert len(list(served.client.recordings(session))) == 1
    keys.press("Enter")
    viewfinder.wait("document.querySelector('#question').open")
    keys.press("Tab")
    keys.press("Enter")
    viewfinder.wait(
        f"{ITEMS}.length === 0 && document.querySelector('#status').textContent === 'The movie is deleted.'"
    )
    assert list(served.client.recordings(session)) == []
    keys.press("Escape")
    viewfinder.wait("document.querySelector('#panel').hidden")


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
    viewfinder.wait(f"{VIDEO}.readyState > 1 && {VIDEO}.currentTime >= {time}")


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


@pytest.mark.parametrize("codec", [MovieCodec.PRO_RES, MovieCodec.FFV1])
def test_a_movie_that_the_browser_does_not_play_is_offered_for_download(recorder, open_page, codec):
    served = recorder()
    name = recorded(served.client, served.session(movie=firstlight.movie_output(codec=codec))).name
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.page.keyboard.press("m")
    viewfinder.page.click(f"{item(name)} .play")
    viewfinder.wait("document.querySelector('#player .words').textContent.startsWith('This browser does not play')")
    assert viewfinder.get("document.activeElement.id") == "player-download"
    viewfinder.page.click("#player-close")
    viewfinder.wait(f"document.querySelector('{item(name)} .picture').textContent.startsWith('No picture')")


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
    viewfinder.wait(f"{ITEMS}.length === 131")
    assert viewfinder.get(listed) == [new, *names]


@pytest.mark.parametrize("size", [{}, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_axe_finds_nothing_while_recording_in_the_list_and_in_the_player(browser, recorder, size, theme):
    served = recorder()
    session = served.session(movie=firstlight.movie_output())
    done = recorded(served.client, session).name
    with window(browser, **size) as context:
        context.add_init_script(f"localStorage.setItem('firstlight-theme', '{theme}')")
        viewfinder = Viewfinder(context.new_page()).open(served.address)
        viewfinder.wait_for_picture()
        viewfinder.page.click("#record")
        viewfinder.wait(RUNNING)
        assert viewfinder.violations() == []
        assert_free(viewfinder, "#shutter", "#record", "#pause", "#state-line")
        viewfinder.page.keyboard.press("m")
        viewfinder.wait(f"{ITEMS}.length === 2 && document.querySelector('{item(done)} img')")
        assert viewfinder.violations() == []
        viewfinder.page.click(f"{item(done)} .play")
        viewfinder.wait(f"{VIDEO}.currentTime > 0")
        assert viewfinder.violations() == []
        viewfinder.page.click("#player-close")
        viewfinder.page.click(f"{item(done)} .delete")
        assert viewfinder.violations() == []
        assert viewfinder.errors == []


def assert_free(viewfinder: Viewfinder, *selectors: str) -> None:
    """Checks that nothing lies over the middle of some elements."""
    for selector in selectors:
        assert viewfinder.page.evaluate(
            """(selector) => {
                const element = document.querySelector(selector);
                const { x, y, width, height } = element.getBoundingClientRect();
                return element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
            }""",
            selector,
        ), selector

"""Recording in the viewfinder page: the button, and what becomes of a recording."""

from __future__ import annotations

import re

import pytest

import firstlight
from browser import PHONE, Viewfinder, board, window
from captures import SMALL
from faults import inject
from firstlight.drill.v1 import fault_injection_service_pb2 as fault_pb2
from firstlight.v1 import recording_pb2
from movie_tabs import ITEMS, RUNNING, VIDEO, item, pressed, recorded, text, wait_for_time
from movies import read_movie

Cause = recording_pb2.RecordingEnd

pytestmark = pytest.mark.timeout(120)

#: A session that records continuously, in segments of a second.
CONTINUOUS = """
sessions:
  door:
    inputs:
      - device: devices/synthetic-0
        format: {pixel_format: NV12, width: 320, height: 180}
        frame_rate_override: {numerator: 30, denominator: 1}
    preview: {}
    record: {segment-duration: 1, fragment-interval: 0.25}
"""

#: The picture of the first movie in the list, as a data URL.
DRAWN = """(() => {
    const canvas = document.createElement('canvas');
    const image = document.querySelector('.movies img');
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    canvas.getContext('2d').drawImage(image, 0, 0);
    return canvas.toDataURL();
})()"""


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
    viewfinder.wait(
        "/^0:\\d\\d · \\d+ k?B( · \\d+ frames? lost)?$/.test(document.querySelector('#recording-time').textContent)"
    )
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


def test_the_page_shows_and_ends_the_recording_of_the_main_movie_output(recorder, open_page):
    served = recorder()
    side = firstlight.movie_output(id="side")
    session = served.session(movie=firstlight.movie_output(id="main"), additional_movies=[side])

    def begin(output):
        events = served.client.start_recording(session, output=output)
        return next(event for event in events if event.HasField("started")).recording.name

    # The recording of the other output is the newer one.
    main, other = begin("main"), begin("side")
    viewfinder = open_page(served.address)
    viewfinder.wait(RUNNING)
    assert viewfinder.get("firstlight.recording.name") == main
    viewfinder.page.click("#record")
    viewfinder.wait("firstlight.recording === null")
    assert served.client.recording(main).end.cause == Cause.CAUSE_STOPPED
    assert served.client.recording(other).state == recording_pb2.Recording.STATE_RECORDING


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


def test_an_answer_to_one_question_is_none_to_the_next(recorder, open_page):
    # Both questions come in one task of the page: the first close event comes when the second question is open.
    viewfinder = open_page(recorder().address)
    viewfinder.wait("firstlight.isComplete")
    answers = viewfinder.page.evaluate(
        """async () => {
            const loaded = performance.getEntriesByType('resource').map((each) => each.name);
            const { asked } = await import(loaded.find((name) => name.endsWith('/question.js')));
            const first = asked('First?', 'Keep it.', 'Delete');
            document.querySelector('#question').close();
            const second = asked('Second?', 'Delete it.', 'Delete');
            await first;
            // All listeners of the event have run when the next task runs.
            await new Promise((resolve) => setTimeout(resolve));
            document.querySelector('#question .danger').click();
            return [await first, await second];
        }"""
    )
    assert answers == [False, True]


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


def test_fault_F15_the_page_shows_how_many_frames_a_recording_lacks(recorder, open_page):
    served = recorder()
    served.session(movie=firstlight.movie_output())
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.page.click("#record")
    viewfinder.wait(RUNNING)
    inject(served.client, {"drop": fault_pb2.DropFault(frames=3)})
    viewfinder.wait(r"/ · ([3-9]|\d\d+) frames lost$/.test(document.querySelector('#recording-time').textContent)")


def test_a_continuous_recording_is_shown_without_buttons_and_without_an_end(recorder, open_page):
    served = recorder(sessions=CONTINUOUS)
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.wait("firstlight.recording !== null")
    viewfinder.get("""{
        window.told = [];
        const look = () => told.push([document.querySelector('#alert').textContent,
            document.querySelector('#record').dataset.look, document.querySelector('#recording-time').textContent,
            document.querySelector('#pause').hidden, document.querySelector('#recording-line').hidden].join('|'));
        look();
        new MutationObserver(look).observe(document.body,
            { subtree: true, childList: true, characterData: true, attributeFilter: ['hidden', 'data-look'] });
    }""")
    first = viewfinder.get("firstlight.recording.name")
    viewfinder.page.keyboard.press("m")
    # The page has seen the end of three segments.
    viewfinder.wait(f"document.querySelectorAll('.movies li[data-state=finished]').length >= 3 && {ITEMS}.length > 3")
    viewfinder.wait(f"firstlight.recording.name !== '{first}'")
    # A busy machine may cost the segments frames, which the page tells.
    told = {re.sub(r" · \d+ frames? lost", "", line) for line in viewfinder.get("told")}
    assert told == {"|off|Records continuously|true|false"}
    assert (pressed(viewfinder), viewfinder.violations()) == ("true", [])
    # Nothing is said of the ends of segments in the list.
    assert "ended" not in text(viewfinder, ".movies")
    viewfinder.page.keyboard.press("r")
    viewfinder.wait("document.querySelector('#status').textContent.startsWith('The camera records continuously')")
    served.client.stop("sessions/door")
    viewfinder.wait("firstlight.recording === null && document.querySelector('#recording-line').hidden")


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

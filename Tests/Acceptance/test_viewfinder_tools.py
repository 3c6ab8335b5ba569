"""The tools of the viewfinder page: zoom, full screen, the download of a photo, and the charts of the machine."""

from __future__ import annotations

import pathlib

import pytest

from firstlight.v1 import photo_service_pb2 as photos_pb2, session_service_pb2 as sessions_pb2

pytestmark = pytest.mark.timeout(120)

#: How the picture is zoomed and moved.
TRANSFORM = (
    "(({ a, e, f }) => [a, e, f])(new DOMMatrix(getComputedStyle(document.querySelector('#picture')).transform))"
)


@pytest.fixture
def served(serving):
    """A daemon with a session that runs."""
    served = serving()
    served.session()
    return served


@pytest.fixture
def viewfinder(served, open_page):
    """A tab that shows a live picture."""
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    return viewfinder


def test_the_place_under_the_mouse_stays_where_it_is_while_the_wheel_zooms(viewfinder):
    mouse = viewfinder.page.mouse
    mouse.move(400, 300)
    mouse.wheel(0, -400)
    viewfinder.wait(f"{TRANSFORM}[0] > 1")
    scale, x, y = viewfinder.get(TRANSFORM)
    box = viewfinder.get("document.querySelector('#finder').getBoundingClientRect()")
    left, top = 400 - box["left"], 300 - box["top"]
    # Whatever was at this place before is there now.
    assert ((left - x) / scale, (top - y) / scale) == pytest.approx((left, top), abs=0.5)
    assert viewfinder.get("document.querySelector('#zoom-level').textContent") == f"{scale:.1f} \u00d7"

    mouse.down()
    mouse.move(430, 280)
    mouse.up()
    assert viewfinder.get(TRANSFORM) == pytest.approx([scale, x + 30, y - 20], abs=0.5)
    # The picture is never moved away from the border of its place.
    mouse.move(200, 150)
    mouse.down()
    mouse.move(1200, 750)
    mouse.up()
    assert viewfinder.get(TRANSFORM) == pytest.approx([scale, 0, 0], abs=0.5)
    mouse.dblclick(400, 300)
    assert viewfinder.get(TRANSFORM) == [1, 0, 0]


def test_keys_zoom_and_show_the_whole_picture_again(viewfinder):
    keyboard = viewfinder.page.keyboard
    keyboard.press("+")
    keyboard.press("+")
    assert viewfinder.get(TRANSFORM)[0] == pytest.approx(2.25)
    keyboard.press("-")
    assert viewfinder.get(TRANSFORM)[0] == pytest.approx(1.5)
    keyboard.press("0")
    assert viewfinder.get(TRANSFORM) == [1, 0, 0]


def test_a_zoomed_picture_is_asked_for_in_more_pixels(serving, open_page):
    served = serving()
    served.session(size=(1920, 1080))
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    width = viewfinder.get("document.querySelector('#picture').width")
    assert width < 1920
    for _ in range(4):
        viewfinder.page.keyboard.press("+")
    viewfinder.wait("document.querySelector('#picture').width === 1920")


def test_the_page_fills_the_screen_and_gives_it_back(viewfinder):
    viewfinder.page.click("#full-button")
    viewfinder.wait("document.fullscreenElement === document.documentElement")
    viewfinder.wait("document.querySelector('#full-button').ariaPressed === 'true'")
    viewfinder.page.keyboard.press("f")
    viewfinder.wait("document.fullscreenElement === null")
    viewfinder.wait("document.querySelector('#full-button').ariaPressed === 'false'")


def test_a_photo_can_be_saved(served, viewfinder, tmp_path: pathlib.Path):
    # The page saves its own photos in the library.
    capture = f"captures/{served.client.photo('sessions/default').unique_id}"
    viewfinder.wait(f"firstlight.photos.some((each) => each.isLoaded && each.capture === '{capture}')")
    page = viewfinder.page
    page.click("#well")
    with page.expect_download() as saving:
        page.click(f"[data-capture='{capture}'] a")
    assert saving.value.suggested_filename.startswith("default-")
    assert saving.value.suggested_filename.endswith(".jpg")
    saving.value.save_as(tmp_path / "photo.jpg")
    request = photos_pb2.DownloadCaptureRequest(name=capture)
    kept = b"".join(chunk.data for chunk in served.stubs.photos.DownloadCapture(request))
    assert (tmp_path / "photo.jpg").read_bytes() == kept


def test_the_launch_is_drawn_as_the_daemon_tells_it(served, viewfinder):
    page = viewfinder.page
    page.keyboard.press("s")
    page.click("#tab-machine")
    viewfinder.wait("document.querySelectorAll('#page-machine table tr').length > 3")
    request = sessions_pb2.GetLaunchTimelineRequest(name="sessions/default")
    timeline = served.stubs.sessions.GetLaunchTimeline(request).timeline
    cells = "(rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent))"
    rows = dict(page.eval_on_selector_all("#page-machine table tr", cells))
    for row, instant in (
        ("First frame", timeline.first_frame_captured_ns),
        ("First frame sent", timeline.first_frame_sent_ns),
    ):
        told = (instant - timeline.start_requested_ns) / 1e6
        assert float(rows[row].removesuffix(" ms")) == pytest.approx(told, abs=0.5)
    assert rows["Camera starts"].startswith("0.0 ms to ")
    assert viewfinder.get("document.querySelectorAll('#page-machine .bar').length") == len(rows)


def test_the_history_of_pressure_is_a_line_with_its_gaps(viewfinder):
    page = viewfinder.page
    page.keyboard.press("s")
    page.click("#tab-machine")
    viewfinder.wait("document.querySelector('#page-machine figure').children.length > 0")
    drawn = page.evaluate(
        """async () => {
            const loaded = performance.getEntriesByType('resource').map((each) => each.name);
            const { pressureChart } = await import(loaded.find((name) => name.endsWith('/pressure-chart.js')));
            const minute = (ago, worstLevel, degrees) => ({
                startTime: { seconds: 1_800_000_000n - BigInt(60 * ago) }, duration: { seconds: 60n }, worstLevel,
                temperatures: degrees.map((each) => ({ maximumMillidegrees: each * 1000 })),
            });
            // The daemon did not run for ten minutes.
            const points = [
                minute(20, 'NOMINAL', [40, 50]), minute(19, 'SERIOUS', [41, 83]), minute(18, 'NOMINAL', []),
                minute(8, 'NOMINAL', [45]), minute(7, 'FAIR', [46]),
            ];
            const [chart, caption] = pressureChart(points, 1_800_000_000_000);
            return {
                lines: [...chart.querySelectorAll('path')].map((path) => path.getAttribute('d').split('L').length),
                levels: [...chart.querySelectorAll('rect')].map((each) => each.getAttribute('class')),
                words: caption.textContent,
            };
        }"""
    )
    assert drawn == {
        "lines": [2, 2],
        "levels": [f"level-{level}" for level in ("NOMINAL", "SERIOUS", "NOMINAL", "NOMINAL", "FAIR")],
        "words": "The worst level was serious. The highest temperature was 83 °C.",
    }

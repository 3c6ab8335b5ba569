"""The movies of the viewfinder page: the list with its pictures, and the player."""

from __future__ import annotations

import pytest

import firstlight
from firstlight import MovieCodec
from movie_tabs import ITEMS, VIDEO, item, recorded

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
    viewfinder.wait(f"{VIDEO}.readyState > 1 && {VIDEO}.currentTime >= {time}")


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

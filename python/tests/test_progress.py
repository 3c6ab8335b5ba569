import sys

import pytest

from firstlight.commands.progress import Progress, size_text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (999_499, "999.5 kB"),
        (999_500, "1.0 MB"),
        (3_440_000, "3.4 MB"),
        (5_060_000_000, "5.1 GB"),
        (12_000_000_000_000, "12000.0 GB"),
    ],
)
def test_sizes_are_short(count, text):
    assert size_text(count) == text


def test_a_file_gets_every_line(capsys):
    with Progress() as progress:
        progress.show("one")
        progress.show("two")
    assert capsys.readouterr().err == "one\ntwo\n"


def test_a_terminal_shows_one_line_that_goes_at_the_end(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with Progress() as progress:
        progress.show("one")
        progress.show("two")
    assert capsys.readouterr().err == "\rone\033[K\rtwo\033[K\r\033[K"


def test_a_second_has_one_line(capsys):
    with Progress() as progress:
        progress.show_each_second("one")
        progress.show_each_second("two")
    assert capsys.readouterr().err == "one\n"

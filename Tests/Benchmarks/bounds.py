"""The bounds that a benchmark states. A benchmark lists every missed bound at its end, and then fails."""

from __future__ import annotations


class Bounds:
    """The bounds that were missed."""

    def __init__(self) -> None:
        """Begins without a missed bound."""
        self.missed: list[str] = []

    def check(self, holds: bool, what: str) -> bool:
        """Notes `what` as missed unless it holds. Returns `holds`."""
        if not holds:
            self.missed.append(what)
        return holds

    def ending(self) -> str | None:
        """The argument for `sys.exit`: a text with all that was missed, or None for success."""
        return "missed:\n  " + "\n  ".join(self.missed) if self.missed else None

"""What harnesses do about the bounds they state: every one that is missed is told at the end, and fails the run."""

from __future__ import annotations


class Bounds:
    """What was missed."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.missed: list[str] = []

    def check(self, holds: bool, what: str) -> bool:
        """Notes `what` as missed unless it holds, and returns whether it does."""
        if not holds:
            self.missed.append(what)
        return holds

    def ending(self) -> str | None:
        """For `sys.exit`: all that was missed, or nothing."""
        return "missed:\n  " + "\n  ".join(self.missed) if self.missed else None

"""A stand-in for /sys: thermal zones that a test heats."""

import pathlib


class SysfsTree:
    """Thermal zones below `root`, laid out as the kernel does."""

    def __init__(self, root: pathlib.Path) -> None:
        #: What `--sysfs-root` gets.
        self.root = root
        self._zones = root / "class" / "thermal"
        self._zones.mkdir(parents=True)

    def add_zone(self, celsius: float, kind: str = "x86_pkg_temp", **trips: float) -> str:
        """Adds a zone with trips such as `passive=80`; returns its name."""
        name = f"thermal_zone{sum(1 for _ in self._zones.iterdir())}"
        (self._zones / name).mkdir()
        self._write(f"{name}/type", kind)
        self.heat(name, celsius)
        for index, (trip, limit) in enumerate(trips.items()):
            self._write(f"{name}/trip_point_{index}_type", trip)
            self._write(f"{name}/trip_point_{index}_temp", f"{limit * 1000:.0f}")
        return name

    def heat(self, zone: str, celsius: float) -> None:
        """Sets a zone's temperature."""
        self._write(f"{zone}/temp", f"{celsius * 1000:.0f}")

    def _write(self, file: str, text: str) -> None:
        (self._zones / file).write_text(text + "\n")

"""Breaks the product at random places, to see whether the tests find it.

Usage:
  breakages.py plant SEED COUNT [FOLDER]   breaks COUNT places of a checkout, and lists them
  breakages.py try COUNT COMMAND...        runs a command once for each breakage, and lists those that it finds

All breakages are in one build, and all of them sleep. A process wakes the one whose number is in the environment
variable FIRSTLIGHT_BREAKAGE. So the product is built once, and any tests may be the command. A command finds a breakage
when it fails. It must pass without a breakage.

The same seed breaks the same places while the sources do not change. `plant` changes files: use it in a clone.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import random
import re
import subprocess
import sys
from collections.abc import Iterator

VARIABLE = "FIRSTLIGHT_BREAKAGE"
#: The seconds after which a command has found its breakage, such as a loop without end.
LIMIT = 3600
#: What a broken file gets: whether the breakage with this number is awake.
AWAKE = f"""
internal import Glibc
/// Tells whether the environment wakes a breakage in this process.
private func isAwake(_ breakage: Int32) -> Bool {{ getenv("{VARIABLE}").map {{ atoi($0) == breakage }} ?? false }}
"""

#: A condition on one line that is an expression and binds nothing.
CONDITION = re.compile(r"^(?P<before>\s*(?:\} else )?(?:guard|if|while) )(?P<what>[^{},]+?)(?P<after>(?: else)? \{.*)$")
BINDS = re.compile(r"\b(?:let|var|case)\b|#|\"")
#: A call that stands alone on its line.
CALL = re.compile(r"^(?P<before>\s*)(?P<what>(?:(?:try|await) )*[a-z][\w.?!]*\([^{}]*\))$")
#: A sum with one.
ONE = re.compile(r"^(?P<before>[^\"/]*[\w)\]] [+-] )(?P<what>1)(?P<after>\b(?!\.)[^\"]*)$")


@dataclasses.dataclass(frozen=True, order=True)
class Place:
    """A line that can be broken."""

    file: str
    line: int
    kind: str
    broken: str

    def text(self, number: int) -> str:
        """The line with the breakage of this number."""
        return self.broken.replace("NUMBER", str(number))


def broken_lines(lines: list[str], index: int) -> Iterator[tuple[str, str]]:
    """The kinds of breakages of a line, and the line with each of them."""
    line = lines[index]
    found = CONDITION.match(line)
    if found and not BINDS.search(found["what"]):
        yield "negated condition", f"{found['before']}({found['what']}) != isAwake(NUMBER){found['after']}"
    found = CALL.match(line)
    # The only expression of a body may be its value, and a line may go on with the next one.
    alone = lines[index - 1].rstrip().endswith("{") and lines[index + 1].strip().startswith("}")
    inside = lines[index - 1].rstrip().endswith(("(", ",", "=", "?", ":", "[", "return", "&&", "||"))
    goes_on = lines[index + 1].strip().startswith((".", "?", ":", "&&", "||", ")", "]", "+", "as ", "{"))
    balanced = bool(found) and found["what"].count("(") == found["what"].count(")")
    is_call = balanced and not alone and not inside and not goes_on
    if is_call and not re.match(r"\s*(?:super|self)\.init|\s*(?:init|precondition|fatalError|return)\b", line):
        yield "missing call", f"{found['before']}if !isAwake(NUMBER) {{ {found['what']} }}"
    found = ONE.match(line)
    if found:
        yield "one too many", f"{found['before']}(isAwake(NUMBER) ? 2 : 1){found['after']}"


def places(root: pathlib.Path) -> list[Place]:
    """Every place of the Swift sources that can be broken, in a fixed order."""
    found = []
    for path in sorted((root / "Sources").rglob("*.swift")):
        if "Generated" in path.parts:
            continue
        lines = path.read_text().splitlines()
        for index in range(1, len(lines) - 1):
            if not lines[index].lstrip().startswith(("//", "@")):
                for kind, broken in broken_lines(lines, index):
                    found.append(Place(str(path.relative_to(root)), index, kind, broken))
    return found


def plant(seed: int, count: int, root: pathlib.Path) -> None:
    """Breaks a checkout."""
    chosen = random.Random(seed).sample(places(root), count)
    for number, place in enumerate(chosen, start=1):
        path = root / place.file
        lines = path.read_text().splitlines()
        print(f"{number}\t{place.file}:{place.line + 1}\t{place.kind}\t{lines[place.line].strip()}")
        lines[place.line] = place.text(number)
        path.write_text("\n".join(lines) + "\n")
    for file in {place.file for place in chosen}:
        with (root / file).open("a") as broken:
            broken.write(AWAKE)


def attempt(count: int, command: list[str]) -> None:
    """Runs the command with each breakage awake."""

    def passes(breakage: dict[str, str]) -> bool:
        environment = {name: value for name, value in os.environ.items() if name != VARIABLE} | breakage
        try:
            return subprocess.run(command, env=environment, capture_output=True, timeout=LIMIT).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    if not passes({}):
        sys.exit("The command fails without a breakage.")
    found = 0
    for number in range(1, count + 1):
        is_found = not passes({VARIABLE: str(number)})
        found += is_found
        print(f"{number}\t{'found' if is_found else 'NOT FOUND'}", flush=True)
    print(f"{found} of {count} found")


def main() -> None:
    """Does what the arguments say."""
    match sys.argv[1:]:
        case ["plant", seed, count, *folder]:
            plant(int(seed), int(count), pathlib.Path(folder[0] if folder else "."))
        case ["try", count, *command] if command:
            attempt(int(count), command)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()

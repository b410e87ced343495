"""Notes the commit that is built, in chase_fast/commit.txt: 40 hex digits, or nothing.

`setup.py` runs it, and so does `make build`. "-dirty" follows where files that git knows were
changed. In an sdist, which has no history, the file stays as it was packed.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "chase_fast" / "commit.txt"


def commit() -> str:
    """Of the clone; empty where git cannot tell."""
    command = ["git", "--no-optional-locks", "describe"]
    options = ["--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        done = subprocess.run(
            [*command, *options], cwd=ROOT, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def main() -> None:
    """Writes the file if that changes it."""
    known = TARGET.read_text(encoding="ascii") if TARGET.exists() else None
    # Of a history somewhere above, such as that of a distribution, nothing is asked.
    found = commit() if (ROOT / ".git").exists() else known or ""
    if found != known:
        TARGET.write_text(found, encoding="ascii")


if __name__ == "__main__":
    main()

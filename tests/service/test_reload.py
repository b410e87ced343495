"""Files that change: taken up whatever their times say, read again only if need be."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import pytest
from chase_service.reload import Content, FileError, Reloaded
from hypothesis import given
from hypothesis import strategies as st

pytestmark = pytest.mark.no_core


class Made:
    """Makes the text of files, and counts how often."""

    def __init__(self, *paths: Path) -> None:
        self.times = 0
        self.reloaded = Reloaded("texts", paths, self.make)

    def make(self, contents: Sequence[Content]) -> bytes:
        self.times += 1
        joined = b"|".join(content.data for content in contents)
        if b"bad" in joined:
            raise FileError(f"bad: {contents[0].path}")
        if b"odd" in joined:
            raise ZeroDivisionError("of a library, which no promise covers")
        return joined


@given(st.lists(st.sampled_from([b"one", b"two", b"bad", b"odd", b"bed", None]), max_size=20))
def test_any_sequence_of_changes(
    tmp_path_factory: pytest.TempPathFactory, changes: list[bytes | None]
) -> None:
    """Changes of equal length within a tick of the clock, too: the last good one is the value."""
    path = tmp_path_factory.mktemp("files") / "file"
    path.write_bytes(b"old")
    made = Made(path)
    expected = b"old"
    for data in changes:
        if data is None:
            path.unlink(missing_ok=True)
        else:
            path.write_bytes(data)
        expected = expected if data in (None, b"bad", b"odd") else data or b""
        assert made.reloaded.value() == expected
        assert made.reloaded.value() == expected


def test_equal_content_is_not_made_again(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one")
    made = Made(path)
    path.write_bytes(b"one")
    replaced = tmp_path / "other"
    replaced.write_bytes(b"one")
    replaced.rename(path)
    assert made.reloaded.value() == b"one"
    assert made.times == 1
    path.chmod(0o600)  # what is allowed may depend on it
    assert made.reloaded.value() == b"one"
    assert made.times == 2


def test_files_that_rest_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one")
    monkeypatch.setattr("chase_service.reload._SETTLED", -(10**18))  # all times count as old
    made = Made(path)
    reads: list[Path] = []
    opened = Path.open

    def noted(self: Path, mode: str = "r") -> object:
        reads.append(self)
        return opened(self, mode)

    monkeypatch.setattr(Path, "open", noted)
    for _ in range(5):
        made.reloaded.value()
    assert reads == []
    path.write_bytes(b"three")
    reads.clear()
    assert made.reloaded.value() == made.reloaded.value() == b"three"
    assert reads == [path]


def test_each_of_several_files_counts(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in "abc"]
    for path in paths:
        path.write_bytes(path.name.encode())
    made = Made(*paths)
    assert made.reloaded.value() == b"a|b|c"
    paths[2].write_bytes(b"d")
    assert made.reloaded.value() == b"a|b|d"
    paths[0].write_bytes(b"z")
    assert made.reloaded.value() == b"z|b|d"


def test_the_log_says_it_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one")
    made = Made(path)
    with caplog.at_level(logging.INFO, "chase_service"):
        for data in (b"bad", b"two"):
            path.write_bytes(data)
            for _ in range(3):
                made.reloaded.value()
        path.unlink()
        for _ in range(3):
            made.reloaded.value()
    said = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert said == [
        ("WARNING", f"texts: bad: {path}; what was there before stays in use"),
        ("INFO", "texts: taken up anew"),
        (
            "WARNING",
            f"texts: cannot read {path}: No such file or directory; "
            "what was there before stays in use",
        ),
    ]


def test_the_first_time_it_must_be_right(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"cannot read \S+/none: No such file"):
        Made(tmp_path / "none")
    with pytest.raises(FileError, match=r"cannot read \S+: Is a directory"):
        Made(tmp_path)
    (tmp_path / "file").write_bytes(b"bad")
    with pytest.raises(FileError, match="bad: "):
        Made(tmp_path / "file")

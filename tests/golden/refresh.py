"""Writes the golden files anew: ``python -m tests.golden.refresh``.

Look at the differences before committing them: a golden file changes on purpose or not at all.
"""

from pathlib import Path

from chase_fast.cli.bench import signature_parts
from tests.golden import illustrations, pictures

# Each kind of golden file has a folder of its own and a module that knows what belongs in it.
KINDS = {"pictures": pictures.files, "illustrations": illustrations.files}
_ELSEWHERE = {"illustrations": Path(__file__).parents[2] / "docs" / "img"}


def bench_signature() -> str:
    """What ``chase-fast bench --signature`` prints: it changes with the behaviour of the engine."""
    return f"{sum(part.total for part in signature_parts())}\n"


# Golden files that stand alone, in this folder.
SINGLE = {"bench_signature.txt": bench_signature}


def folder(kind: str) -> Path:
    """Where the golden files of a kind are kept; by default in the folder of that name here."""
    return _ELSEWHERE.get(kind, Path(__file__).parent / kind)


def main() -> None:
    """Writes every kind of golden file and removes those that are no longer made."""
    for kind, files in KINDS.items():
        wanted = files()
        directory = folder(kind)
        directory.mkdir(exist_ok=True)
        for old in directory.iterdir():
            if old.name not in wanted:
                old.unlink()
        for name, text in wanted.items():
            write(directory / name, text)
    for name, make in SINGLE.items():
        write(Path(__file__).with_name(name), make())


def write(path: Path, text: str) -> None:
    """Writes a file unless it says so already."""
    if not path.exists() or path.read_bytes() != text.encode():
        path.write_bytes(text.encode())
        print(f"wrote {path.parent.name}/{path.name}")


if __name__ == "__main__":
    main()

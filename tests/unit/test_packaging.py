"""sdist, wheel from the sdist, empty virtual environment outside the clone: the package works.

Nothing is downloaded: the dependencies that an environment needs are linked into it from the one
that runs the tests, by their own metadata, and pip has to find them sufficient.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib.metadata import distribution
from pathlib import Path
from typing import NamedTuple

import pytest
from packaging.metadata import Metadata
from packaging.requirements import Requirement

import chase_fast

ROOT = Path(__file__).parents[2]
NAME = f"chase_fast-{chase_fast.__version__}"
NOT_SOURCE = shutil.ignore_patterns(
    ".*",
    "build",
    "dist",
    "*.egg-info",
    "__pycache__",
    "*.so",
    "_core.c",
    "*_pb2.py",
    "*_pb2.pyi",
    "commit.txt",
)
EXTRAS = {"cli", "stats", "store", "report", "service", "all", "dev", "fuzz"}

pytestmark = [pytest.mark.no_core, pytest.mark.needs_tool("git")]


class Built(NamedTuple):
    """What the build made: the files in each archive, and what it printed."""

    sdist: set[str]
    wheel: set[str]
    wheel_path: Path
    metadata: Metadata
    log: str


def clean_environment() -> dict[str, str]:
    """No build switch, and nothing that would let the installed package see the clone."""
    dropped = ("CHASE_NATIVE", "CHASE_SANITIZE", "CHASE_COVERAGE", "PYTHONPATH", "PYTHONHOME")
    return {key: value for key, value in os.environ.items() if key not in dropped}


def run(*command: str | Path, cwd: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    said = f"{command}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert done.returncode == code, said
    return done


def files_below(folder: Path) -> set[str]:
    return {
        path.relative_to(folder.parent).as_posix() for path in folder.rglob("*") if path.is_file()
    }


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree as it was cloned: no build output, and nothing the archives could lean on."""
    tree = tmp_path_factory.mktemp("packaging") / "clone"
    shutil.copytree(ROOT, tree, ignore=NOT_SOURCE)
    name = ("-c", "user.name=Test", "-c", "user.email=test@example.org")
    for words in (("init", "--quiet"), ("add", "."), (*name, "commit", "--quiet", "-m", "all")):
        run("git", *words, cwd=tree)
    return tree


@pytest.fixture(scope="module")
def commit(clone: Path) -> str:
    return run("git", "rev-parse", "HEAD", cwd=clone).stdout.strip()


@pytest.fixture(scope="module")
def built(clone: Path) -> Built:
    done = run(sys.executable, "-m", "build", "--no-isolation", clone, cwd=clone.parent)
    (sdist_path,) = (clone / "dist").glob("*.tar.gz")
    (wheel_path,) = (clone / "dist").glob("*.whl")
    assert sdist_path.name == f"{NAME}.tar.gz"
    with tarfile.open(sdist_path) as archive:
        members = [member for member in archive.getmembers() if not member.isdir()]
    assert all(member.isfile() and member.name.startswith(f"{NAME}/") for member in members)
    with zipfile.ZipFile(wheel_path) as wheel:
        metadata = Metadata.from_email(wheel.read(f"{NAME}.dist-info/METADATA"))
        wheel_files = set(wheel.namelist())
    return Built(
        sdist={member.name.removeprefix(f"{NAME}/") for member in members},
        wheel=wheel_files,
        wheel_path=wheel_path,
        metadata=metadata,
        log=done.stdout + done.stderr,
    )


# ---- What is in the archives ------------------------------------------------------------------


def test_the_sdist_holds_the_sources(built: Built, clone: Path) -> None:
    folders = ("chase_fast", "csrc", "proto", "service")
    sources = set[str]().union(*(files_below(clone / folder) for folder in folders))
    packed = {name for name in built.sdist if name.split("/")[0] in folders}
    assert packed == sources
    top = {name.split("/")[0] for name in built.sdist}
    required = {"LICENSE", "MANIFEST.in", "PKG-INFO", "README.md", "pyproject.toml", "setup.py"}
    documents = {path.name for path in clone.glob("*.md")}
    written_by_setuptools = {"setup.cfg", "chase_fast.egg-info"}
    assert top == required | documents | written_by_setuptools | {*folders, "tools"}
    assert {name for name in built.sdist if name.startswith("tools/")} == {
        "tools/commit.py", "tools/protos.py",
    }  # fmt: skip


def test_the_wheel_holds_the_package_and_its_types_alone(built: Built, clone: Path) -> None:
    for_the_build = (".pyx", ".pxd", ".pxi")
    service = files_below(clone / "service" / "chase_service")
    generated = {
        f"chase_service/_pb/chase/v1/{path.stem}_pb2{suffix}"
        for path in (clone / "proto" / "chase" / "v1").iterdir()
        for suffix in (".py", ".pyi")
    }
    expected = {
        name
        for name in files_below(clone / "chase_fast") | service | generated
        if not name.endswith(for_the_build)
    }
    assert {"chase_fast/py.typed", "chase_fast/_core.pyi", "chase_service/py.typed"} <= expected
    packed = {name for name in built.wheel if not name.startswith(f"{NAME}.dist-info/")}
    (core,) = packed - expected
    assert core.startswith("chase_fast/_core.")
    assert core.endswith(".so")
    assert packed - {core} == expected


def test_the_wheel_is_portable(built: Built) -> None:
    """Only the file that asks the processor first is compiled for more than the oldest one."""
    compiled = [line for line in built.log.splitlines() if " -c " in line]
    assert any("csrc/kernels_generic.c" in line for line in compiled)
    tuned = [line for line in compiled if "-march=" in line or "-mtune=" in line]
    assert all("csrc/kernels_v3.c" in line for line in tuned), tuned
    assert all("-march=native" not in line for line in tuned), tuned


def test_the_metadata(built: Built) -> None:
    metadata = built.metadata
    assert metadata.version is not None
    assert str(metadata.version) == chase_fast.__version__
    assert set(metadata.provides_extra or ()) == EXTRAS
    requirements = metadata.requires_dist or []
    always = [need for need in requirements if need.marker is None]
    assert [need.name for need in always] == ["numpy"]
    capped = [str(need) for need in requirements if "<" in str(need.specifier)]
    assert capped == []


# ---- Installed --------------------------------------------------------------------------------


def link(name: str, site: Path, extras: frozenset[str] = frozenset()) -> None:
    """Links an installed distribution, and whatever it requires, into another environment.

    Ours, of which an extra may ask for others, is left to pip, which would write through the link.
    """
    found = distribution(name)
    tops = {path.parts[0] for path in found.files or () if path.parts[0] != ".."}
    for top in tops - {"__pycache__"} if name != "chase-fast" else ():
        if not (site / top).exists():
            (site / top).symlink_to(Path(str(found.locate_file(top))))
    for text in found.requires or ():
        need = Requirement(text)
        wanted = need.marker is None or any(
            need.marker.evaluate({"extra": extra}) for extra in extras | {""}
        )
        if wanted and not (site / need.name).exists():
            link(need.name, site, frozenset(need.extras))


class Environment:
    """A virtual environment that holds the wheel and what it requires, and nothing else."""

    def __init__(self, folder: Path, built: Built, extra: str) -> None:
        self.folder = folder
        venv.create(folder / "venv", with_pip=False)
        self.bin = folder / "venv" / "bin"
        (site,) = (folder / "venv" / "lib").glob("python*/site-packages")
        for need in built.metadata.requires_dist or []:
            if need.marker is None or (extra and need.marker.evaluate({"extra": extra})):
                link(need.name, site, frozenset(need.extras))
        wheel = built.wheel_path.as_uri()
        what = f"chase-fast[{extra}] @ {wheel}" if extra else f"chase-fast @ {wheel}"
        self.pip("install", "--no-index", "--no-compile", what)
        self.pip("check")

    def pip(self, *words: str) -> None:
        pip = (sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check")
        run(*pip, "--python", self.bin / "python", *words, cwd=self.folder)

    def run(self, *command: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        return run(self.bin / command[0], *command[1:], cwd=self.folder, code=code)


@pytest.fixture(scope="module")
def base(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return Environment(tmp_path_factory.mktemp("base"), built, extra="")


@pytest.fixture(scope="module")
def with_service(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return Environment(tmp_path_factory.mktemp("service"), built, extra="service")


@pytest.fixture(scope="module")
def with_cli(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return Environment(tmp_path_factory.mktemp("cli"), built, extra="cli")


def test_the_base_install_needs_numpy_alone(base: Environment) -> None:
    code = "import chase_fast as cf; print(cf.__file__, len(cf.Position.start().legal_moves))"
    path, moves = base.run("python", "-c", code).stdout.split()
    assert Path(path).is_relative_to(base.folder)
    assert moves == "46"


def test_without_its_extra_the_command_names_it(base: Environment) -> None:
    done = base.run("chase-fast", code=2)
    assert "pip install 'chase-fast[cli]'" in done.stderr
    assert done.stdout == ""


def test_the_commit_that_was_built_is_known(base: Environment, commit: str) -> None:
    code = "from chase_fast import _built; print(_built.commit())"
    assert base.run("python", "-c", code).stdout.strip() == commit


def test_the_command_works(with_cli: Environment) -> None:
    done = with_cli.run("chase-fast", "--help")
    assert "chase-fast" in done.stdout
    assert done.stderr == ""


def test_without_its_extra_the_service_names_it(with_cli: Environment) -> None:
    done = with_cli.run("chase-fast", "serve", code=2)
    assert "pip install 'chase-fast[service]'" in done.stderr
    assert done.stdout == ""
    done = with_cli.run("chase-fast", "remote", "playout", "5", code=2)
    assert "pip install 'chase-fast[service]'" in done.stderr
    assert done.stdout == ""


FOREIGN = {
    "chase/__init__.py": "",
    "chase/v1/__init__.py": "",
    "chase/v1/errors_pb2.py": "raise ImportError('somebody else wrote this')",
    "service.py": "",
    "proto.py": "",
}

ASK = """
import asyncio
import chase, chase.v1, proto, service
from chase_service.client import AsyncClient
from chase_service.server import Options, Server

async def main():
    server = Server(Options(listen="127.0.0.1:0"))
    await server.start()
    async with AsyncClient(f"127.0.0.1:{server.port}") as client:
        answer, = await client.legal_decisions([""])
        print(len(answer.decisions), chase.__file__, proto.__file__, service.__file__)
    await server.drain()

asyncio.run(main())
"""


def test_the_service_shares_no_name_with_others(with_service: Environment, built: Built) -> None:
    tops = {name.split("/")[0] for name in built.wheel}
    assert tops == {"chase_fast", "chase_service", f"{NAME}.dist-info"}
    (site,) = (with_service.folder / "venv" / "lib").glob("python*/site-packages")
    for name, text in FOREIGN.items():
        path = site / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    count, *foreign = with_service.run("python", "-c", ASK).stdout.split()
    assert count == "46"
    assert foreign == [str(site / name) for name in ("chase/__init__.py", "proto.py", "service.py")]

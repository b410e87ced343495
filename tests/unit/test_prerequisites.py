"""``make`` first looks for what it needs: it names what is missing and the packages that bring it.

The programs are stand-ins in a folder that is the whole PATH, so that any of them can be missing
or faulty whatever this machine has.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tools" / "prerequisites.sh"

pytestmark = pytest.mark.no_core

# A Python whose answers to the script's questions differ from the real one's in one point.
PYTHON = """#!/bin/sh
case "$2" in
  *{question}*) {answer} ;;
  *) exec "{python}" "$@" ;;
esac
"""


class Machine:
    """A PATH with stand-ins for everything the check looks for, all in order at first."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.venv = folder / "venv"
        self.put("python3", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        self.put("gcc", "#!/bin/sh\nexit 0\n")
        self.put("make", "#!/bin/sh\nexit 0\n")

    def put(self, name: str, text: str) -> None:
        path = self.bin / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def put_python(self, question: str, answer: str, name: str = "python3") -> None:
        text = PYTHON.format(question=question, answer=answer, python=sys.executable)
        self.put(name, text)

    def check(self, *names: str, **variables: str) -> tuple[int, str]:
        """The exit code and what was said."""
        shell = shutil.which("sh")
        assert shell
        run = subprocess.run(
            [shell, str(SCRIPT), *names],
            env={"PATH": str(self.bin), "VENV": str(self.venv), **variables},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert run.stdout == ""
        return run.returncode, run.stderr


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def apt(text: str) -> list[str]:
    """The packages of the line to copy."""
    lines = [line for line in text.splitlines() if "apt-get install" in line]
    assert len(lines) == 1
    return lines[0].split("apt-get install ")[1].split()


def test_nothing_is_said_when_nothing_is_missing(machine: Machine) -> None:
    assert machine.check() == (0, "")


@pytest.mark.parametrize(
    ("program", "said", "packages"),
    [
        ("python3", "there is no python3", ["python3", "python3-venv", "python3-dev"]),
        ("gcc", "there is no gcc", ["gcc", "libc6-dev"]),
        ("make", "* make", ["make"]),
    ],
)
def test_a_missing_program_is_named(
    machine: Machine, program: str, said: str, packages: list[str]
) -> None:
    (machine.bin / program).unlink()
    code, text = machine.check()
    assert code == 1
    assert said in text
    assert apt(text) == packages


def test_everything_missing_is_said_at_once(machine: Machine) -> None:
    for program in machine.bin.iterdir():
        program.unlink()
    code, text = machine.check()
    assert code == 1
    assert text.count("  * ") == 3
    assert apt(text) == ["python3", "python3-venv", "python3-dev", "gcc", "libc6-dev", "make"]


@pytest.mark.parametrize(
    ("question", "said", "package"),
    [
        ("ensurepip", "the venv module of python3", "python3-venv"),
        ("Python.h", "the C headers of python3 (Python.h)", "python3-dev"),
    ],
)
def test_a_missing_part_of_python_is_named(
    machine: Machine, question: str, said: str, package: str
) -> None:
    machine.put_python(question, "exit 1")
    code, text = machine.check()
    assert code == 1
    assert said in text
    assert apt(text) == [package]


def test_packages_are_named_after_the_interpreter(machine: Machine) -> None:
    machine.put_python("Python.h", "exit 1", name="python3.12")
    code, text = machine.check(PYTHON="python3.12")
    assert code == 1
    assert apt(text) == ["python3.12-dev"]


def old_python(machine: Machine) -> None:
    machine.put("python3", '#!/bin/sh\ncase "$2" in *print*) echo 3.9 ;; *) exit 1 ;; esac\n')


def test_an_old_python_is_refused(machine: Machine) -> None:
    old_python(machine)
    code, text = machine.check()
    assert code == 1
    assert "Python >= 3.11: python3 is 3.9" in text
    assert apt(text) == ["python3.11", "python3.11-venv", "python3.11-dev"]


def test_a_newer_python_beside_an_old_one_is_pointed_out(machine: Machine) -> None:
    old_python(machine)
    machine.put("python3.12", "#!/bin/sh\nexit 0\n")
    code, text = machine.check()
    assert code == 1
    assert "make PYTHON=python3.12" in text
    assert "apt-get" not in text


def test_a_compiler_without_the_c_library_is_refused(machine: Machine) -> None:
    machine.put("gcc", "#!/bin/sh\nexit 1\n")
    code, text = machine.check()
    assert code == 1
    assert "gcc cannot compile a program" in text
    assert apt(text) == ["libc6-dev"]


def test_another_compiler_may_be_named(machine: Machine) -> None:
    (machine.bin / "gcc").unlink()
    machine.put("clang-19", "#!/bin/sh\nexit 0\n")
    assert machine.check(CC="clang-19") == (0, "")


def test_an_environment_of_another_python_is_not_used(machine: Machine) -> None:
    (machine.venv / "bin").mkdir(parents=True)
    shutil.copy(machine.bin / "python3", machine.venv / "bin" / "python")
    assert machine.check() == (0, "")
    machine.put_python("print", "echo 3.99")
    code, text = machine.check()
    assert code == 1
    assert f"made with Python {sys.version_info[0]}.{sys.version_info[1]}, python3 is 3.99" in text
    assert "make clean-venv" in text


@pytest.mark.parametrize(
    ("name", "packages"),
    [
        ("libasan", ["libasan8", "libubsan1"]),
        ("clang", ["clang", "libclang-rt-dev"]),
        ("aarch64", ["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross", "qemu-user"]),
    ],
)
def test_the_tools_of_single_targets(machine: Machine, name: str, packages: list[str]) -> None:
    machine.put("gcc", '#!/bin/sh\ncase "$*" in *-fsanitize*) exit 1 ;; esac\n')
    code, text = machine.check(name)
    assert code == 1
    assert apt(text) == packages


def test_a_name_that_the_script_does_not_know(machine: Machine) -> None:
    code, text = machine.check("pyhton")
    assert code == 1
    assert "'pyhton'" in text


@pytest.mark.needs_tool("make")
def test_make_stops_before_it_builds_anything(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    run = subprocess.run(
        ["make", "-C", str(tmp_path), "test", "PYTHON=no-such-python"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 2
    assert "there is no no-such-python" in run.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"Makefile", "tools"}

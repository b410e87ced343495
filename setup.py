"""Builds core, code of the contract and note of the commit; all else stands in pyproject.toml.

Environment switches, each on when set to 1:
    CHASE_SANITIZE  AddressSanitizer and UndefinedBehaviorSanitizer, -O1, asserts on
    CHASE_COVERAGE  gcov counters, -O0
    CHASE_NATIVE    -march=native; for the machine that builds, never for a wheel to hand on
    CHASE_WERROR    -Wall -Wextra -Werror for csrc (not for the code that Cython writes)
"""

import os
import platform
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from glob import glob
from pathlib import Path
from typing import Any

import numpy as np
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.modified import newer_group

SWITCHES = {
    "CHASE_SANITIZE": ["-O1", "-g", "-UNDEBUG", "-fno-omit-frame-pointer",
                       "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
    "CHASE_COVERAGE": ["-O0", "-g", "--coverage"],
    "CHASE_NATIVE": ["-march=native"],
    "CHASE_WERROR": [],
}  # fmt: skip
ACTIVE = [name for name in SWITCHES if os.environ.get(name) == "1"]
SWITCH_FLAGS = [flag for name in ACTIVE for flag in SWITCHES[name]]

# Results must not depend on the processor: no fused multiply-add. Debug information would be large.
FLAGS = ["-std=c11", "-O3", "-g0", "-ffp-contract=off", "-fvisibility=hidden", *SWITCH_FLAGS]
CORE_FLAGS = ["-Wall", "-Wextra", "-Werror"] if "CHASE_WERROR" in ACTIVE else []
# Code that runs only where the processor was asked first and has these instructions.
X86_64 = platform.machine().lower() in ("x86_64", "amd64")
SOURCE_FLAGS = {"csrc/kernels_v3.c": ["-march=x86-64-v3"] if X86_64 else []}

CORE_SOURCES = sorted(glob("csrc/*.c"))
HEADERS = [*sorted(glob("csrc/*.h")), *sorted(glob("chase_fast/*.px[di]"))]


class BuildExt(build_ext):
    """Compiles only what changed, side by side, each source with its own flags."""

    def initialize_options(self) -> None:
        super().initialize_options()
        # A folder of objects for each kind of build, never mixed, and kept between builds.
        kind = "-".join(name.removeprefix("CHASE_").lower() for name in ACTIVE) or "plain"
        tag = f"{sysconfig.get_platform()}-{sys.implementation.cache_tag}"
        self.build_temp = f"build/objects/{tag}/{kind}"

    def build_extension(self, ext: Extension) -> None:
        # The switches may have changed since it was linked, which no time stamp tells.
        Path(self.get_ext_fullpath(ext.name)).unlink(missing_ok=True)
        compiler: Any = self.compiler
        compiler.compile = partial(self.side_by_side, compiler.compile, compiler._compile)
        super().build_extension(ext)

    def side_by_side(self, every: Any, one: Any, *args: Any, **options: Any) -> list[str]:
        """Lets distutils name the jobs, as it would compile them, and runs those in a pool."""
        jobs = []

        def submit(obj: str, src: str, suffix: str, cc: Any, flags: list[str], pp: Any) -> None:
            if newer_group([src, *HEADERS, "setup.py"], obj):
                flags = flags + CORE_FLAGS * (src in CORE_SOURCES) + SOURCE_FLAGS.get(src, [])
                jobs.append(pool.submit(one, obj, src, suffix, cc, flags, pp))

        compiler: Any = self.compiler
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            compiler._compile = submit
            objects: list[str] = every(*args, **options)
            for job in jobs:
                job.result()
        return objects


class BuildPy(build_py):
    """Writes the Python code of the contract before it looks for code."""

    def run(self) -> None:
        self.spawn([sys.executable, "tools/protos.py"])
        super().run()


CORE = Extension(
    "chase_fast._core", sources=["chase_fast/_core.pyx", *CORE_SOURCES], depends=HEADERS,
    include_dirs=["csrc", np.get_include()],
    define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")],
    extra_compile_args=FLAGS, extra_link_args=[*SWITCH_FLAGS, "-lm"],
)  # fmt: skip

subprocess.run([sys.executable, "tools/commit.py"], check=True)
setup(ext_modules=[CORE], cmdclass={"build_ext": BuildExt, "build_py": BuildPy})

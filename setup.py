"""Builds the compiled core; everything else about the package stands in pyproject.toml.

Environment switches, each on when set to 1:
    CHASE_SANITIZE  AddressSanitizer and UndefinedBehaviorSanitizer, -O1, asserts on
    CHASE_COVERAGE  gcov counters, -O0
    CHASE_NATIVE    -march=native; only for the machine that builds, never for a wheel to hand on
    CHASE_WERROR    -Wall -Wextra -Werror for csrc (not for the code that Cython writes)
"""

import os
import platform
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
from setuptools.modified import newer_group

SWITCHES = {
    "CHASE_SANITIZE": [
        *("-O1", "-g", "-UNDEBUG", "-fno-omit-frame-pointer"),
        *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
    ],
    "CHASE_COVERAGE": ["-O0", "-g", "--coverage"],
    "CHASE_NATIVE": ["-march=native"],
    "CHASE_WERROR": [],
}
ACTIVE = [name for name in SWITCHES if os.environ.get(name) == "1"]
SWITCH_FLAGS = [flag for name in ACTIVE for flag in SWITCHES[name]]

# Results must not depend on the processor, hence no fused multiply-add. Python's own flags ask for
# debug information, which would be most of the wheel.
FLAGS = ["-std=c11", "-O3", "-g0", "-ffp-contract=off", "-fvisibility=hidden", *SWITCH_FLAGS]
CORE_FLAGS = ["-Wall", "-Wextra", "-Werror"] if "CHASE_WERROR" in ACTIVE else []
X86_64 = platform.machine().lower() in ("x86_64", "amd64")
# Code that runs only where the processor was asked first and has these instructions.
SOURCE_FLAGS = {"csrc/kernels_v3.c": ["-march=x86-64-v3"] if X86_64 else []}

CORE_SOURCES = sorted(glob("csrc/*.c"))
HEADERS = [*sorted(glob("csrc/*.h")), *sorted(glob("chase_fast/*.px[di]"))]


class BuildExt(build_ext):
    """Compiles only what changed, side by side, each source with its own flags."""

    def initialize_options(self) -> None:
        super().initialize_options()
        # One folder of objects for each kind of build, kept between builds (an editable
        # install would throw its own away), so that switching kinds never mixes objects.
        kind = "-".join(name.removeprefix("CHASE_").lower() for name in ACTIVE) or "plain"
        tag = f"{sysconfig.get_platform()}-{sys.implementation.cache_tag}"
        self.build_temp = os.path.join("build", "objects", tag, kind)

    def build_extension(self, ext: Extension) -> None:
        # The switches may have changed since it was linked, which no time stamp tells.
        Path(self.get_ext_fullpath(ext.name)).unlink(missing_ok=True)
        compiler: Any = self.compiler
        compile_all, compile_one = compiler.compile, compiler._compile
        compiler.compile = partial(self.compile_side_by_side, compile_all, compile_one)
        super().build_extension(ext)

    def compile_side_by_side(
        self, compile_all: Any, compile_one: Any, *args: Any, **options: Any
    ) -> list[str]:
        """Lets distutils name the jobs, as it would compile them, and runs those in a pool."""
        jobs = []

        def submit(obj: str, src: str, suffix: str, cc: Any, extra: list[str], pp: Any) -> None:
            if newer_group([src, *HEADERS, "setup.py"], obj):
                own = CORE_FLAGS if src in CORE_SOURCES else []
                flags = [*extra, *own, *SOURCE_FLAGS.get(src, [])]
                jobs.append(pool.submit(compile_one, obj, src, suffix, cc, flags, pp))

        compiler: Any = self.compiler
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            compiler._compile = submit
            objects: list[str] = compile_all(*args, **options)
        for job in jobs:
            job.result()
        return objects


CORE = Extension(
    "chase_fast._core",
    sources=["chase_fast/_core.pyx", *CORE_SOURCES],
    depends=HEADERS,
    include_dirs=["csrc", np.get_include()],
    define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")],
    extra_compile_args=FLAGS,
    extra_link_args=SWITCH_FLAGS,
    libraries=["m"],
)

setup(ext_modules=[CORE], cmdclass={"build_ext": BuildExt})

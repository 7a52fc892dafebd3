"""The compiled kernels. They are optional: without a compiler the Python that each is held against runs instead."""

import sys
from pathlib import Path

from setuptools import Extension, setup

FLAGS = ["/O2"] if sys.platform == "win32" else ["-O3", "-std=c11", "-fvisibility=hidden"]
NATIVE = Path("native")

setup(
    ext_modules=[
        Extension(
            "seamline._native",
            sorted(path.as_posix() for path in NATIVE.rglob("*.c")),
            include_dirs=[NATIVE.as_posix()],
            depends=sorted(path.as_posix() for path in NATIVE.rglob("*.h")),
            extra_compile_args=FLAGS,
            optional=True,
        )
    ]
)

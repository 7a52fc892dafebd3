"""The compiled core. All extensions are optional: without a compiler the Python they mirror runs instead."""

import sys
from pathlib import Path

from setuptools import Extension, setup

FLAGS = ["/O2"] if sys.platform == "win32" else ["-O3", "-std=c11", "-fvisibility=hidden"]


def extension(name: str) -> Extension:
    """The module `seamline._name`, from the C files in native/name."""
    sources = sorted(path.as_posix() for path in Path("native", name).glob("*.c"))
    headers = sorted(path.as_posix() for path in Path("native", name).iterdir() if path.suffix in (".h", ".inc"))
    return Extension(f"seamline._{name}", sources, depends=headers, extra_compile_args=FLAGS, optional=True)


NAMES = ("blocks", "vectors", "words")
setup(ext_modules=[extension(name) for name in NAMES if any(Path("native", name).glob("*.c"))])

"""Builds the wheel of this folder: a backend of pip without dependencies (PEP 517), and a command.

Usage: wheel_backend.py FOLDER. Needs no network. Makes the same bytes from the same files.
"""

import base64
import hashlib
import os
import pathlib
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
VERSION = "0.1.0"
NAME = "schedgpu-%s" % VERSION
INFO = NAME + ".dist-info/"
METADATA = """Metadata-Version: 2.1
Name: schedgpu
Version: %s
Summary: Iterations of lane jobs of schedGPU
License: Apache-2.0
Requires-Python: >=3.8
""" % VERSION
WHEEL = "Wheel-Version: 1.0\nGenerator: schedgpu\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
# Python runs each line when it starts; sitecustomize.py is for PYTHONPATH alone.
START = "import schedgpu_start\n"


def _files():
    """(name, bytes) of what is installed."""
    source = HERE / "src"
    for path in sorted([source / "schedgpu_start.py", *(source / "schedgpu").glob("*.py")]):
        yield path.relative_to(source).as_posix(), path.read_bytes()
    yield "schedgpu.pth", START.encode()
    yield INFO + "METADATA", METADATA.encode()
    yield INFO + "WHEEL", WHEEL.encode()
    licence = HERE.parent / "LICENSE"
    if licence.exists():
        yield INFO + "LICENSE", licence.read_bytes()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel and returns its name."""
    name = NAME + "-py3-none-any.whl"
    record = []
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        def add(path, content):
            entry = zipfile.ZipInfo(path)  # of 1980
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)

        for path, content in _files():
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append("%s,sha256=%s,%d\n" % (path, digest, len(content)))
            add(path, content)
        add(INFO + "RECORD", "".join(record) + INFO + "RECORD,,\n")
    return name


if __name__ == "__main__":
    if len(sys.argv) != 2 or not os.path.isdir(sys.argv[1]):
        sys.exit("usage: wheel_backend.py FOLDER (which exists)")
    print(build_wheel(sys.argv[1]))

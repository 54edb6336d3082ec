# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The ``kreactor`` command.

A separate thread runs the command. The main thread waits for signals and for the end of the work, so a signal
interrupts nothing half-way. A command itself imports the modules that only it needs.

Python runs a signal's handler on the main thread, but the kernel may deliver the signal to any thread, for
instance when a stopped process continues. This does not wake a main thread that waits for a lock. It wakes a
main thread that waits for a descriptor, by the byte of ``signal.set_wakeup_fd``.
"""

from __future__ import annotations

import copy
import gc
import logging
import os
import queue
import re
import select
import signal
import socket
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

import click

from kreactor import __version__
from kreactor.jdk.clock import Clock
from kreactor.jdk.descriptors import raise_limit
from kreactor.jdk.extras import needs
from kreactor.jdk.forks import owned_by_process
from kreactor.jdk.heap import bound_heap
from kreactor.jdk.random_numbers import Random
from kreactor.jdk.thread_dump import add_section, thread_dumps

if TYPE_CHECKING:
    from kreactor.common.config.config_def import ConfigDef
    from kreactor.common.security.scram.scram_credential import ScramCredential
    from kreactor.core.server.kafka_config import KafkaConfig
    from kreactor.embedded.broker_server import BrokerServer
    from kreactor.metadata.node_storage import ScramCredentialKey
    from kreactor.testing.served import ServedBroker, ServedCluster

log = logging.getLogger(__name__)

# A stop takes at most 5 s; work that takes longer is abandoned.
_STOP_WITHIN_S = 4.5

# The number of allocated objects between two runs of the garbage collector.
_COLLECT_AT = 20_000

_NETWORK_THREADS = "num.network.threads"
# 128 plus the number of SIGPIPE.
_BROKEN_PIPE_STATUS = 141

# The size of a read of the bytes that woke the main thread.
_PIPE_BYTES = 4096

_HIGHEST_PORT = 65_535
_MAX_TOKEN_BYTES = 4096

# The signals that end a JVM in order.
_ENDING_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

_RECORDS = 10_000
_PARTITIONS = 3


class Failure(click.ClickException):
    """An error for the user, in one line. It ends the command with status 1."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))


class BadUsage(Failure):
    """An error in the command's arguments."""

    exit_code = 2


class Interrupted(Failure):
    """A signal arrived before the command was done."""

    exit_code = 130


class _Brief(logging.Formatter):
    """Logs an expected error in one line, and any other error with its traceback."""

    def format(self, record: logging.LogRecord) -> str:
        if record.exc_info and is_expected(e := record.exc_info[1]):
            record = copy.copy(record)
            record.msg, record.args = f"{record.getMessage()}: {e}", None
            record.exc_info = record.exc_text = None
        return super().format(record)


def is_expected(e: BaseException | None) -> bool:
    """Return whether an error has an external cause: a setting, the file system or the network."""
    from kreactor.common.kafka_exception import KafkaException
    return isinstance(e, (KafkaException, OSError, Failure))


def is_broken_pipe(e: BaseException | None) -> bool:
    """Return whether the output's reader has closed the pipe; rich turns that into SystemExit."""
    return isinstance(e, BrokenPipeError) or (
        isinstance(e, SystemExit) and isinstance(e.__context__, BrokenPipeError))


@contextmanager
def _ending_with_the_reader() -> Iterator[None]:
    """End the command silently when the output's reader has closed the pipe, as ``head`` does.

    The status is that of a program which SIGPIPE ends. Python ignores the signal, because a broken connection
    would raise it, too.
    """
    try:
        yield
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
    except BaseException as e:
        if not is_broken_pipe(e):
            raise
        # The buffered output is discarded. Otherwise the interpreter would report an error at its end.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for descriptor in (1, 2):
            if _is_reader_gone(descriptor):
                os.dup2(nowhere, descriptor)
        os.close(nowhere)
        raise click.exceptions.Exit(_BROKEN_PIPE_STATUS) from None


@contextmanager
def _output_errors_as_sentences() -> Iterator[None]:
    """Turn an error of the output, such as a full disk, into one line that ends the command.

    The commands turn the errors of all other files into sentences themselves.
    """
    try:
        yield
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
    except BrokenPipeError:
        raise
    except OSError as e:
        if sys.stdout is not None:
            # The interpreter would report the same error again at its end.
            with open(os.devnull, "wb") as nowhere, suppress(OSError, ValueError):
                os.dup2(nowhere.fileno(), sys.stdout.fileno())
        raise Failure(f"{e.filename or 'the output'}: {e.strerror or e}") from e


def _is_of_system(e: BaseException) -> bool:
    """Return whether the operating system has raised an error; OpenSSL's errors are OSErrors, too."""
    return isinstance(e, OSError) and type(e).__module__ != "ssl"


def sentence(e: BaseException) -> str:
    """Return the texts of an error and of the causes that add something to it, except errors of libraries."""
    text = " ".join(str(e).split()) or type(e).__name__
    cause = e.__cause__
    while cause is not None:
        told = " ".join(str(cause).split())
        is_known = type(cause) is ImportError or _is_of_system(cause) or (
            type(cause).__module__.startswith("kreactor."))
        if is_known and told and told not in text and (getattr(cause, "strerror", None) or told) not in text:
            text += f": {told}"
        cause = cause.__cause__
    return text


def _is_reader_gone(descriptor: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


class _Commands(click.Group):
    """The commands. Commands of other folders are imported when they are called."""

    def make_context(self, info_name: str | None, args: list[str], parent: click.Context | None = None,
                     **extra: object) -> click.Context:
        with _ending_with_the_reader(), _output_errors_as_sentences():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> object:
        with _ending_with_the_reader(), _output_errors_as_sentences():
            try:
                return super().invoke(ctx)
            except KeyboardInterrupt:
                # click would print a word, and end with status 1.
                raise click.exceptions.Exit(Interrupted.exit_code) from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([
            *super().list_commands(ctx), "conformance", "consume", "editions", "pipeline", "produce"])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name == "pipeline":
            from kreactor.pipeline.cli import pipeline
            return pipeline
        if cmd_name == "conformance":
            from kreactor.conformance.command import conformance
            return conformance
        if cmd_name == "editions":
            from kreactor.editions.command import editions
            return editions
        if cmd_name in ("consume", "produce"):
            from kreactor import cli_topics
            return cli_topics.consume if cmd_name == "consume" else cli_topics.produce
        return super().get_command(ctx, cmd_name)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="kreactor", message="%(prog)s %(version)s")
def main() -> None:
    """Kafka 3.8.0's network layer in Python, with a small broker behind it."""


@main.command(short_help="Run a broker, or a cluster, until a signal ends it.")
@click.option("--config", "file", metavar="FILE", help="Kafka's server.properties.")
@click.option("--override", "overrides", metavar="KEY=VALUE", multiple=True,
              help="A property that overrides the file's; may be repeated.")
@click.option("--data", metavar="DIR", help="The folder for topics and logs; overrides log.dirs.")
@click.option("--add-scram", "users_file", metavar="FILE",
              help="SCRAM users that are added if they do not exist yet; one on each line, such as "
                   "SCRAM-SHA-512=[name=alice,password=alice-secret], or - for standard input.")
@click.option("--stop-within", "stop_within_s", metavar="SECONDS", type=click.FloatRange(min=0, max=86_400),
              default=_STOP_WITHIN_S, show_default=True,
              help="Seconds to wait for the broker to stop, for instance on a slow disk, before the "
                   "process is ended.")
@click.option("--control", "control_address", metavar="HOST:PORT",
              help="Take commands over HTTP there: topics, records, faults, pause, kill, moves of leaders; "
                   "/openapi.json lists them. A loopback address, or any address with a token.")
@click.option("--brokers", metavar="NUMBER", type=click.IntRange(1, 100), default=1, show_default=True,
              help="Run this number of brokers in this process, on one data folder. Their ids and ports "
                   "count up from those of the first. Replication between them is simulated.")
@click.option("--racks", metavar="RACK,...",
              help="The broker.rack of each broker, as in --brokers 3 --racks a,b,c.")
@click.option("--control-token", "token_file", metavar="FILE",
              help="A file with the token of commands over HTTP, as in Authorization: Bearer TOKEN.")
@click.option("--edition", metavar="RELEASE",
              help="Run the network layer of an older Kafka: 0.10.1 (a port of 0.10.1.1), 0.10.2 (of "
                   "0.10.2.2), 1.0 (of 1.0.2) or 2.2 (of 2.2.2); 3.8 (of 3.8.0) is the default. All other "
                   "parts are those of 3.8.0: TLS, SASL, the requests and their versions, "
                   "including ApiVersions, topics, groups, quotas and logs.")
@click.option("--fast", is_flag=True,
              help="Answer more requests on other paths than Kafka's, as the property kreactor.fast=true.")
@click.option("--verbose", is_flag=True, help="Log the broker's actions, not only its errors.")
def serve(file: str | None, overrides: tuple[str, ...], data: str | None, users_file: str | None,
          stop_within_s: float, control_address: str | None, brokers: int, racks: str | None,
          token_file: str | None, edition: str | None, fast: bool, verbose: bool) -> None:
    """Run a broker, or a cluster, until SIGTERM or Ctrl-C; a second signal ends the process at once.

    Its settings are Kafka's, by Kafka's names, with Kafka's defaults; "kreactor settings" explains each.
    Under Python's interpreter lock, num.network.threads is 1 unless it is set.
    """
    click.get_current_context().with_resource(thread_dumps(uses_wakeup_fd=False))
    bound_heap()
    _log_to_stderr(verbose)
    _stop_collector()
    raise_limit()
    props = read_properties(file) if file is not None else {}
    props.update(read_assignment("--override", override) for override in overrides)
    if data is not None:
        props["log.dirs"] = data
    if fast:
        props["kreactor.fast"] = "true"

    # DEVIATION D300: one network thread where an interpreter lock is on; Kafka's default is three.
    has_default = _NETWORK_THREADS not in props and _has_interpreter_lock()
    if has_default:
        props[_NETWORK_THREADS] = "1"
    all_props = [props] if brokers == 1 else _read_cluster(props, brokers)
    if racks is not None:
        _set_racks(all_props, racks)
    configs = [_read_config(each) for each in all_props]
    config = configs[0]
    from kreactor.core.server.config_warnings import config_warnings
    for warning in config_warnings(props):
        click.echo(f"Warning: {warning}", err=True)

    scram_users = _read_users(users_file) if users_file else {}
    control = None
    if control_address is not None:
        control = _read_control(control_address, token_file)
    elif token_file is not None:
        raise BadUsage("--control-token: needs --control")

    def say(listening: Sequence[BrokerServer | ServedBroker], controlled: ServedBroker | ServedCluster | None
            ) -> None:
        threads = config.num_network_threads()
        if has_default:
            logging.getLogger(__name__).info(
                "num.network.threads is 1, and not 3 as in Kafka, because Python's interpreter lock is on")
        # Printed only on a terminal, because a script that reads stderr treats each line as a failure.
        if threads > 1 and _has_interpreter_lock() and sys.stderr.isatty():
            click.echo(f"Warning: num.network.threads is {threads}: threads take Python's interpreter lock "
                       "from each other, and the broker answers fewer requests than with one. Set "
                       "num.network.threads=1", err=True)
        add_section(lambda: _states_text(listening))
        for broker in listening:
            _print_listeners(broker)
        if controlled is not None:
            click.echo(f"Control on {controlled.control_url()}")

    if edition is not None and (server := _edition_server(edition, config, scram_users)) is not None:
        if control is not None or brokers > 1:
            raise BadUsage(f"--edition {edition}: --control and --brokers are for 3.8 alone")
        interrupted_by = _run(lambda: server, lambda broker: say([broker], None), stay=True,
                              stop_within_s=stop_within_s)
    elif control is not None:
        from kreactor.testing import served
        if brokers > 1:
            interrupted_by = _run(
                lambda: served.ServedCluster(all_props, scram_users, *control),
                lambda cluster: say(cluster.brokers(), cluster), stay=True, stop_within_s=stop_within_s)
        else:
            interrupted_by = _run(
                lambda: served.ServedBroker(config, props, scram_users, *control),
                lambda broker: say([broker], broker), stay=True, stop_within_s=stop_within_s)
    elif brokers > 1:
        from kreactor.embedded.cluster_server import ClusterServer
        interrupted_by = _run(
            lambda: ClusterServer(configs, scram_users=scram_users),
            lambda cluster: say(cluster.brokers(), None), stay=True, stop_within_s=stop_within_s)
    else:
        from kreactor.embedded.broker_server import BrokerServer
        interrupted_by = _run(lambda: BrokerServer(config, scram_users=scram_users),
                              lambda broker: say([broker], None), stay=True, stop_within_s=stop_within_s)
    _end_if_interrupted(interrupted_by)


def _edition_server(name: str, config: KafkaConfig,
                    scram_users: Mapping[ScramCredentialKey, ScramCredential]) -> BrokerServer | None:
    """Return a broker of an older edition, None for 3.8.0 itself. Raises BadUsage."""
    from kreactor.common.config.config_exception import ConfigException
    from kreactor.editions.registry import CURRENT, EDITIONS

    if name not in EDITIONS:
        raise BadUsage(f"--edition: there is no {name}; there are {', '.join(EDITIONS)}")
    if name == CURRENT:
        return None
    from kreactor.editions.edition_server import EditionServer

    try:
        return EditionServer(EDITIONS[name], config, scram_users=scram_users)
    except ConfigException as e:
        raise BadUsage(str(e)) from e


# The groups of "kreactor settings", in the order of its output.
SETTING_GROUPS = ("broker", "topic", "client-metrics", "quota", "producer")


def setting_definitions(group: str) -> Sequence[ConfigDef]:
    """Return the definitions of a group of ``SETTING_GROUPS``; no two of them have a setting in common."""
    if group == "producer":
        from kreactor.clients.producer.producer_config import ProducerConfig
        return [ProducerConfig.config_def()]
    if group == "client-metrics":
        from kreactor.server.metrics.client_metrics_configs import ClientMetricsConfigs
        return [ClientMetricsConfigs.config_def()]
    if group == "topic":
        from kreactor.storage.internals.log.log_config import LogConfig
        return [LogConfig.config_def_copy()]
    if group == "quota":
        from kreactor.server.config.quota_configs import QuotaConfigs
        return [QuotaConfigs.user_and_client_quota_configs(), QuotaConfigs.ip_configs()]
    from kreactor.core.server.dynamic_config import DynamicConfig
    from kreactor.core.server.kafka_config_def import CONFIG_DEF, OWN_CONFIG_DEF
    return [CONFIG_DEF, DynamicConfig.Broker.ONLY_DYNAMIC, OWN_CONFIG_DEF]


@main.command(short_help="Explain the settings whose names contain WORDS.")
@click.argument("words", nargs=-1)
@click.option("--of", "groups", type=click.Choice(SETTING_GROUPS), multiple=True,
              help="Only these settings; may be repeated.")
def settings(words: tuple[str, ...], groups: tuple[str, ...]) -> None:
    """Explain the settings whose names contain all WORDS, or all settings.

    Those of a broker are for "kreactor serve"; clients set those of topics, client metrics and quotas. A text
    that begins with "In Kafka" is of a setting that has no effect in kreactor.
    """
    is_found = False
    for group in SETTING_GROUPS:
        if groups and group not in groups:
            continue
        for definition in setting_definitions(group):
            for name, key in sorted(definition.config_keys().items()):
                if key._internal_config or not all(word.lower() in name.lower() for word in words):
                    continue
                is_found = True
                facts = [definition.get_config_value(key, "Type")]
                if key.has_default():
                    facts.append(f"default {definition.get_config_value(key, 'Default')}")
                if key._validator is not None:
                    facts.append(f"valid: {definition.get_config_value(key, 'Valid Values')}")
                click.echo(f"{name} ({group})\n    {key._documentation}\n    {'; '.join(map(str, facts))}")
    if not is_found:
        raise Failure(f"no setting has {' and '.join(words)} in its name")


@main.command(short_help="Have a Kafka client write to a broker and read back.")
@click.option("--exit", "leave", is_flag=True, help="End after the table, with status 0.")
def quickstart(leave: bool) -> None:
    """Have a Kafka client write to a broker and read back, and show the broker's measurements."""
    click.get_current_context().with_resource(thread_dumps(uses_wakeup_fd=False))
    bound_heap()
    _log_to_stderr(verbose=False)
    _stop_collector()
    raise_limit()
    try:
        import kafka  # noqa: F401
    except ImportError:
        raise Failure(needs("quickstart", "demo")) from None
    # The client also raises the errors that it logs; its other messages are about its close.
    logging.getLogger("kafka").setLevel(logging.CRITICAL)
    from kreactor.embedded.broker_server import BrokerServer
    from kreactor.testing.folders import TemporaryFolder

    with ExitStack() as stack:
        def make() -> BrokerServer:
            folder = stack.enter_context(closing(TemporaryFolder("kreactor-")))
            return BrokerServer(
                _read_config({"listeners": "PLAINTEXT://127.0.0.1:0", "log.dirs": folder.path}))

        def demonstrate(broker: BrokerServer) -> None:
            address = f"127.0.0.1:{broker.bound_port('PLAINTEXT')}"
            _write_and_read(address)
            _print_requests(broker)
            if not leave:
                folder, = broker.config().log_dirs()
                click.echo(f"\nThe broker is at {address} and keeps its data in {folder} until it ends. "
                           "Ctrl-C ends it.")

        interrupted_by = _run(make, demonstrate, stay=not leave, clean_up=stack.close)
    if interrupted_by and leave:
        raise Interrupted("interrupted")
    _end_if_interrupted(interrupted_by)


def _has_interpreter_lock() -> bool:
    """Return whether this Python has an interpreter lock; builds without it exist from 3.13 on."""
    is_enabled: Callable[[], bool] = getattr(sys, "_is_gil_enabled", lambda: True)
    return is_enabled()


def _log_to_stderr(verbose: bool) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        (logging.Formatter if verbose else _Brief)("[%(asctime)s] %(levelname)s %(message)s (%(name)s)"))
    logging.basicConfig(level=logging.INFO if verbose else logging.WARNING, handlers=[handler])


def read_properties(file: str) -> dict[str, str]:
    """Return the properties of a file. Raises BadUsage."""
    from kreactor.jdk.exceptions import IllegalArgumentException
    from kreactor.jdk.properties import load_properties
    try:
        with open(file, "rb") as stream:
            return load_properties(stream.read())
    except OSError as e:
        raise BadUsage(f"{file}: {e.strerror}") from e
    except IllegalArgumentException as e:
        raise BadUsage(f"{file}: {e}") from e


def read_assignment(option: str, text: str) -> tuple[str, str]:
    """Return the key and value of an option's KEY=VALUE. Raises BadUsage."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise BadUsage(f"{option} {text}: not KEY=VALUE")
    return key.strip(), value.strip()


def _read_config(props: Mapping[str, str]) -> KafkaConfig:
    from kreactor.common.config.config_exception import ConfigException
    from kreactor.core.server.kafka_config import KafkaConfig
    try:
        return KafkaConfig.from_props(props, do_log=False)
    # The exceptions of Kafka's checks; ConfigException is a RuntimeError.
    except (ConfigException, ValueError, ArithmeticError) as e:
        raise BadUsage(str(e)) from e


def _read_cluster(props: Mapping[str, str], brokers: int) -> list[dict[str, str]]:
    from kreactor.common.config.config_exception import ConfigException
    from kreactor.embedded.cluster_server import cluster_properties
    try:
        return cluster_properties(props, brokers)
    except ConfigException as e:
        raise BadUsage(str(e)) from e


def _set_racks(all_props: Sequence[dict[str, str]], racks: str) -> None:
    """Set the rack of each broker. Raises BadUsage."""
    names = [each.strip() for each in racks.split(",")]
    if len(names) != len(all_props):
        raise BadUsage(f"--racks {racks}: must have one rack for each of {len(all_props)} brokers")
    for props, name in zip(all_props, names, strict=True):
        if not name:
            raise BadUsage(f"--racks {racks}: a rack has no name")
        props["broker.rack"] = name


# A step's name and its failure, or "signal" and its number.
_Event = tuple[str, BaseException | int | None]


class _Events:
    """A queue of events: a signal by its number, the end of a step by its name and its error.

    A context manager of the main thread, which takes the events. Any thread, and the handler of a signal,
    adds events.
    """

    def __init__(self) -> None:
        # A deque, because a signal may interrupt the main thread inside one of its methods: PyPy's queues
        # would hold a lock then.
        self._queue: deque[_Event] = deque()
        self._woken, self._waker = socket.socketpair()
        for end in (self._woken, self._waker):
            end.setblocking(False)

    def __enter__(self) -> _Events:
        self._former = signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        owned_by_process(self)
        return self

    def forget_in_child(self) -> None:
        """Restore the default signal handling in a forked child, because no thread waits for events there."""
        signal.set_wakeup_fd(-1)
        for end in (self._woken, self._waker):
            end.close()
        for number in _ENDING_SIGNALS:
            if callable(signal.getsignal(number)):
                signal.signal(number, signal.SIG_DFL)

    def __exit__(self, *_: object) -> None:
        signal.set_wakeup_fd(self._former)
        self._woken.close()
        self._waker.close()

    def put(self, event: _Event) -> None:
        self._queue.append(event)
        # If the pipe is full, it wakes the thread already. If it is closed, no thread waits any more.
        with suppress(OSError):
            self._waker.send(b"\0")

    def get(self, timeout: float | None = None) -> _Event:
        """Return the next event. Raises queue.Empty if there is none for ``timeout`` seconds."""
        deadline = None if timeout is None else Clock.seconds() + timeout
        while True:
            with suppress(IndexError):
                return self._queue.popleft()
            left = None if deadline is None else deadline - Clock.seconds()
            if left is not None and left <= 0:
                raise queue.Empty
            # A pending handler runs before the next iteration, and its event wakes the thread again.
            if select.select([self._woken], [], [], left)[0]:
                self._woken.recv(_PIPE_BYTES)


def _read_users(file: str) -> Mapping[ScramCredentialKey, ScramCredential]:
    """Return the users of a file. No argument and no error shows a password."""
    from kreactor.core.tools.storage_tool import TerseFailure, get_user_scram_credential_records
    try:
        with click.open_file(file, encoding="utf-8") as stream:
            lines = [line for line in stream.read().splitlines() if line.strip() and line[0] != "#"]
        return {(record.mechanism, record.name): record.credential
                for record in get_user_scram_credential_records(lines)}
    except OSError as e:
        raise BadUsage(f"{file}: {e.strerror}") from e
    except UnicodeDecodeError:
        raise BadUsage(f"{file}: not valid UTF-8") from None
    except TerseFailure as e:
        raise BadUsage(f"{file}: {e}") from e


def _read_control(address: str, token_file: str | None) -> tuple[str, int, str | None]:
    """Return host, port and token of the control port. Raises BadUsage."""
    from kreactor.testing.control import check_address
    host, port = _read_address(address)
    token = None if token_file is None else _read_token(token_file)
    try:
        check_address(host, token)
    except ValueError as e:
        raise BadUsage(f"--control {address}: {e}") from e
    return host, port, token


def _read_address(address: str) -> tuple[str, int]:
    host, colon, port = address.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not re.fullmatch("[0-9]{1,5}", port) or int(port) > _HIGHEST_PORT:
        raise BadUsage(f"--control {address}: not HOST:PORT")
    return host, int(port)


def _read_token(file: str) -> str:
    """Return the token of a file. No error shows it."""
    try:
        with open(file, encoding="ascii") as stream:
            return stream.read(_MAX_TOKEN_BYTES).strip()
    except OSError as e:
        raise BadUsage(f"{file}: {e.strerror}") from e
    except UnicodeDecodeError:
        raise BadUsage(f"{file}: the token is not ASCII") from None


class _Server(Protocol):
    """A server to start and stop: a broker, or a broker and its control port."""

    def startup(self) -> None: ...

    def shutdown(self) -> None: ...


S = TypeVar("S", bound=_Server)


class _HeldErrors(logging.Filter):
    """Holds back expected errors that are logged while a broker starts.

    The command tells the error that ends the start. Kafka logs it, too, at its place; the user would read it
    twice.
    """

    def __init__(self) -> None:
        super().__init__()
        self._held: list[logging.LogRecord] = []
        # A verbose log has all records, in order.
        self._handlers = () if log.isEnabledFor(logging.INFO) else tuple(logging.getLogger().handlers)
        for handler in self._handlers:
            handler.addFilter(self)

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is logged at once. Called by any thread."""
        if not record.exc_info or not is_expected(record.exc_info[1]):
            return True
        self._held.append(record)
        return False

    def release(self, told: BaseException | None) -> None:
        """Log what is held, except the error ``told`` and its causes."""
        for handler in self._handlers:
            handler.removeFilter(self)
        causes = []
        while told is not None:
            causes.append(told)
            told = told.__cause__
        for record in self._held:
            if record.exc_info and record.exc_info[1] not in causes:
                logging.getLogger(record.name).handle(record)


def _run(make: Callable[[], S], when_ready: Callable[[S], None], stay: bool,
         stop_within_s: float = _STOP_WITHIN_S, clean_up: Callable[[], None] = lambda: None) -> int:
    """Start a broker and call ``when_ready``; stop the broker after that or, with ``stay``, after a signal.

    ``make`` returns the broker; no signal interrupts it. Returns 0, or the number of the signal that arrived
    before ``when_ready`` was done, with ``stay`` before the broker listened. Raises Failure for errors, and
    BrokenPipeError if the output's reader has closed the pipe. Calls ``clean_up`` and ends the process if the
    broker has not stopped after ``stop_within_s``, or after a second signal.
    """
    with _Events() as events:
        return _run_by(events, make, when_ready, stay, stop_within_s, clean_up)


def _run_by(
    events: _Events,
    make: Callable[[], S],
    when_ready: Callable[[S], None],
    stay: bool,
    stop_within_s: float,
    clean_up: Callable[[], None],
) -> int:
    """Implement ``_run`` as a loop over events."""
    from kreactor.common.config.config_exception import ConfigException

    for number in _ENDING_SIGNALS:
        # A process that ignores SIGHUP, to outlive its terminal, keeps ignoring it, as the JVM does.
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, _: events.put(("signal", number)))

    def do(step: str, work: Callable[[], None]) -> None:
        def run() -> None:
            failure: BaseException | None = None
            try:
                work()
            # Any exception: the main thread waits for the event.
            except BaseException as e:
                # A broker that is stopped while it starts fails in any way.
                is_known = is_expected(e) or is_broken_pipe(e) or step == "start" and stopping.is_set()
                level = logging.INFO if is_known else logging.ERROR
                logging.getLogger(__name__).log(level, "%s failed", step, exc_info=True)
                failure = e
            events.put((step, failure))

        threading.Thread(target=run, name=step, daemon=True).start()

    started: list[S] = []
    stopping = threading.Event()

    def start() -> None:
        broker.startup()
        _tune_collector()
        started.append(broker)
        when_ready(broker)
        _notify("READY=1")

    broker = make()
    held = _HeldErrors()
    do("start", start)
    event, failure = events.get()
    done = event == "start"
    # A broker that is to stay is ready once it listens: the user may have read so already.
    interrupted_by = failure if isinstance(failure, int) and not (stay and started) else 0
    held.release(failure if isinstance(failure, BaseException) else None)
    if done and failure is None and stay:
        events.get()

    _notify("STOPPING=1")
    stopping.set()
    do("stop", broker.shutdown)
    deadline = Clock.seconds() + stop_within_s
    while event != "stop":
        try:
            event, value = events.get(max(0.0, deadline - Clock.seconds()))
        except queue.Empty:
            click.echo("Error: the broker does not stop in time and is left as it is; the next one on its "
                       "data folder will recover the logs", err=True)
            clean_up()
            os._exit(1)
        if isinstance(value, int):
            clean_up()
            os._exit(128 + value)
    if done and isinstance(failure, BaseException) and is_broken_pipe(failure):
        raise BrokenPipeError from failure
    if done and isinstance(failure, BaseException):
        raise (BadUsage if isinstance(failure, ConfigException) else Failure)(sentence(failure)) from failure
    return interrupted_by


def _end_if_interrupted(number: int) -> None:
    """End the command silently if Ctrl-C arrived before it was ready. SIGTERM has been obeyed: status 0."""
    if number == signal.SIGINT:
        raise click.exceptions.Exit(Interrupted.exit_code)


def _notify(state: str) -> None:
    """Report the process's state to systemd, if systemd has started it and requests this."""
    address = os.environ.get("NOTIFY_SOCKET")
    if address:
        # Without a listener the broker works as well. A name with @ has no file.
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notifier:
            notifier.connect(f"\0{address[1:]}" if address[0] == "@" else address)
            notifier.sendall(state.encode())


def _stop_collector() -> None:
    """Stop the garbage collector during imports, which leave almost no garbage.

    This saves 15 % of a start.
    """
    gc.disable()


def _tune_collector() -> None:
    """Make the garbage collector run less often, and skip the broker's permanent objects.

    CPython frees a completed request without the collector. The collector still runs each time a number of
    objects has been allocated, which costs 5 % of a busy broker's time. PyPy's collector frees all objects,
    and has its own threshold.
    """
    if sys.implementation.name == "cpython":
        gc.freeze()
        gc.set_threshold(_COLLECT_AT, *gc.get_threshold()[1:])
    gc.enable()


def _states_text(brokers: Sequence[BrokerServer | ServedBroker]) -> str:
    """Return the states of brokers, for a thread dump."""
    from kreactor.embedded.broker_server import BrokerServer
    from kreactor.testing.state import state_of, states_text

    return states_text(partial(state_of, each) if isinstance(each, BrokerServer) else each.state
                       for each in brokers)


def _print_listeners(broker: BrokerServer | ServedBroker) -> None:
    for listener in broker.config().data_plane_listeners():
        name = listener.listener_name()
        host = listener.host() or "0.0.0.0"
        if ":" in host:
            host = f"[{host}]"
        click.echo(f"Listening on {name.value()}://{host}:{broker.bound_port(name)}")


def _write_and_read(address: str) -> None:
    """Create, fill and read a topic with kafka-python. Raises Failure if records are missing."""
    from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
    from kafka.admin import NewTopic

    # kafka-python drops its sockets if the broker stops while a client of it is made.
    warnings.simplefilter("ignore", ResourceWarning)

    topic = "quickstart"
    with closing(KafkaAdminClient(bootstrap_servers=address)) as admin:
        admin.create_topics([NewTopic(topic, num_partitions=_PARTITIONS, replication_factor=1)])

    made = Random(0)
    records = [(number % _PARTITIONS, b"%d" % number, made.randbytes(made.randint(0, 1000)))
               for number in range(_RECORDS)]
    started = Clock.seconds()
    with closing(KafkaProducer(bootstrap_servers=address, acks="all")) as producer:
        sent = [producer.send(topic, partition=partition, key=key, value=value)
                for partition, key, value in records]
        producer.flush()
        offsets = [future.get(timeout=0).offset for future in sent]
    written = Clock.seconds()

    expected = {(partition, offset): (key, value)
                for offset, (partition, key, value) in zip(offsets, records, strict=True)}
    with closing(KafkaConsumer(
            bootstrap_servers=address, auto_offset_reset="earliest", enable_auto_commit=False,
            consumer_timeout_ms=10_000)) as consumer:
        consumer.assign([TopicPartition(topic, partition) for partition in range(_PARTITIONS)])
        for record in consumer:
            if expected.pop((record.partition, record.offset), None) != (record.key, record.value):
                raise Failure(
                    f"record {record.offset} of partition {record.partition} is not what was written")
            if not expected:
                break
    read = Clock.seconds()
    if expected:
        raise Failure(f"{len(expected)} of {_RECORDS} records did not come back")
    click.echo(f"kafka-python wrote {_RECORDS} records in {written - started:.1f} s, and read the same bytes "
               f"back in {read - written:.1f} s.\n")


def _print_requests(broker: BrokerServer) -> None:
    """Print the number of requests of each API, and the broker's times for them."""
    from rich.console import Console
    from rich.table import Table

    from kreactor.core.server.kafka_apis import KafkaApis

    table = Table("API", title="Requests, as the broker measured them")
    for heading in ("count", "median ms", "99th percentile ms"):
        table.add_column(heading, justify="right")
    request_metrics = broker.socket_server().data_plane_request_channel.metrics
    for api in sorted(KafkaApis.ENABLED_APIS, key=lambda api: api.id):
        total = request_metrics.apply(api.name).total_time_hist
        if total.count():
            times = total.get_snapshot()
            table.add_row(api.name, f"{total.count():,}", f"{times.get_median():.0f}",
                          f"{times.get_99th_percentile():.0f}")
    Console().print(table)

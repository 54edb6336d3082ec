# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The loads of tools/bench/broker. Each load starts its servers, measures them in turn, and stops them."""

from __future__ import annotations

import argparse
import fcntl
import importlib.util
import os
import socket
import struct
import tempfile
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from tools.bench.results import (
    ASYNCIO,
    ASYNCIO_POOL,
    DEFAULT_THREADS,
    JVM,
    KREACTOR,
    LOG,
    LOGGED,
    THREADS,
    UVLOOP_POOL,
    Figures,
    Result,
)
from tools.environments import script
from tools.servers import (
    API_VERSIONS,
    COMMAND,
    LISTENING,
    Failed,
    Ours,
    Server,
    ask,
    broker,
    has_openssl,
    jvm,
    next_report,
    peer,
    serve_command,
    start_client,
    started,
    tls_broker,
    warm_up_report,
)

T = TypeVar("T")

PEERS = (ASYNCIO_POOL, UVLOOP_POOL, ASYNCIO, THREADS, JVM)
# The first seconds of each measurement, which do not count.
WARM_UP = 0.2
# A server is warm when the rates of this many windows differ by no more than this share of the highest.
WARM_WINDOWS = 4
WARM_SPREAD = 0.05
WARM_WINDOW_S = 1.0
# The approximate number of bytes that a load may write to disk, in all rounds and before them.
WRITTEN = 1_500_000_000
WARM_UP_WRITTEN = 1_000_000_000
# Written data is deleted soon, so that its memory is reused: the kernel, and the host of a virtual machine,
# take several times as long for memory that was not used recently.
DELETED_SOON = {
    "log.segment.bytes": str(64 << 20),
    "log.retention.bytes": str(64 << 20),
    "log.retention.check.interval.ms": "200",
    "log.initial.task.delay.ms": "0",
    "log.segment.delete.delay.ms": "0",
}
# The requests of a measurement that ends by their number instead of by time.
REQUESTS_EACH = 8
ACTIVE = 64
# The settings of the client that reads nothing.
UNREAD_REQUESTS = 10_000
UNREAD_BUFFER = 4096


@dataclass(frozen=True)
class Setting:
    """The settings of a run: the arguments, and the compiled programs."""

    arguments: argparse.Namespace
    client: Path
    bare_server: Path
    # The key store of all servers, for a load over TLS.
    keystore: Path | None = None
    # The measured kreactor, and the other kreactors of the run.
    ours: Ours = Ours()
    others: tuple[Ours, ...] = ()

    def properties(self, writes: bool = False) -> dict[str, str]:
        """Return the properties of a broker, with or without a heavy write load."""
        return {"num.network.threads": str(self.ours.network_threads or self.arguments.network_threads),
                "num.io.threads": str(self.arguments.handlers), **(DELETED_SOON if writes else {})}

    def all_ours(self, with_fast: bool = False) -> list[Ours]:
        """Return all kreactors. Those with kreactor.fast need a load that starts them by `kreactor serve`."""
        return [self.ours, *(ours for ours in self.others if with_fast or not ours.fast)]

    def why_absent(self, name: str) -> str | None:
        """Return the reason why a peer cannot be measured, or None."""
        if name in PEERS and name not in self.arguments.peers:
            return "not asked for"
        if name == JVM and self.arguments.jvm is None:
            return "not run without --jvm"
        if name == UVLOOP_POOL and importlib.util.find_spec("uvloop") is None:
            return "uvloop is not installed"
        return None


class Load(Protocol):
    def run(self, setting: Setting) -> Result:
        """Measure. Raises Failed if that is not possible."""


def our_broker(setting: Setting) -> AbstractContextManager[Server]:
    return broker(setting.properties(), ours=setting.ours)


def our_tls_broker(setting: Setting, writes: bool = False) -> AbstractContextManager[Server]:
    assert setting.keystore is not None
    return tls_broker(setting.properties(writes), setting.keystore, setting.ours)


@contextmanager
def keystore() -> Iterator[Path]:
    """Make a certificate that exists as long as the load."""
    if not has_openssl(os.environ.get("CC", "cc")):
        raise Failed("no OpenSSL to compile the client with")
    from kreactor.testing.certificates import new_certificate

    made = new_certificate("localhost", ["localhost"], ["127.0.0.1"])
    with tempfile.TemporaryDirectory(prefix="kreactor-tls-") as folder:
        path = Path(folder, "server.pem")
        path.write_text(made.private_key_pem() + made.certificate_pem())
        yield path


def our_written_broker(setting: Setting) -> AbstractContextManager[Server]:
    return broker(setting.properties(writes=True), ours=setting.ours)


@contextmanager
def logged_broker(setting: Setting) -> Iterator[Server]:
    """Start a broker that logs its requests to a file; check at the end that the file has lines."""
    with tempfile.TemporaryDirectory(prefix="kreactor-") as folder:
        log = Path(folder, "request.log")
        arguments = serve_command(folder, setting.properties())[len(COMMAND) + 1:]
        command = [setting.ours.python, "-m", "tools.bench.logging_broker", str(log), *arguments]
        with started(setting.ours.name + LOG, command, LISTENING, tree=setting.ours.tree) as server:
            yield server
        if not log.stat().st_size:
            raise Failed(f"{setting.ours.name}{LOG} has logged nothing")


def our_echo(setting: Setting) -> AbstractContextManager[Server]:
    numbers = [str(setting.arguments.network_threads), str(setting.arguments.handlers)]
    command = [setting.ours.python, "-m", "tools.bench.echo_server", "handlers", *numbers]
    return started(setting.ours.name, command, tree=setting.ours.tree)


def our_selector(setting: Setting) -> AbstractContextManager[Server]:
    command = [setting.ours.python, "-m", "tools.bench.echo_server", "selector"]
    return started(setting.ours.name, command, tree=setting.ours.tree)


def answer_size(server: Server, request: bytes = API_VERSIONS) -> int:
    with socket.create_connection((server.host, server.port)) as connection:
        return ask(connection, request)


def turns(servers: Sequence[T], round_number: int) -> list[T]:
    """Return the servers in the order of a round, in which each server is first in turn."""
    first = round_number % len(servers)
    return [*servers[first:], *servers[:first]]


def measure(client: Path, server: Server, connections: int, seconds: float, request: bytes = API_VERSIONS,
            options: Sequence[str] = ()) -> Figures:
    """Load a server once."""
    before = server.cpu_seconds()
    if "-t" in options:
        server = replace(server, port=server.port + server.tls_offset)
    with start_client(client, server, connections, seconds, seconds * WARM_UP, request, options) as process:
        try:
            warm_up, report = warm_up_report(process, server), next_report(process, server)
        finally:
            process.kill()
    after = server.cpu_seconds()
    requests_per_s = report["requests"] / report["seconds"]
    answer_bytes = report["bytes"] / report["requests"]
    figures = {
        "requests_per_s": requests_per_s,
        "mb_per_s": requests_per_s * max(len(request), answer_bytes) / 1e6,
        "p50_us": report["p50_us"],
        "p99_us": report["p99_us"],
        "request_bytes": len(request),
        "answer_bytes": answer_bytes}
    if before is not None and after is not None:
        figures["rss_mib"] = server.rss_kib() / 1024
        figures["cpu_us"] = (after - before) / (warm_up["requests"] + report["requests"]) * 1e6
    return figures


def warm_up(load: Callable[..., Figures], server: Server, at_most_s: float, options: Sequence[str]) -> bool:
    """Load a server until its rate is steady, for at most the warm-up time; return whether it is steady."""
    rates: list[float] = []
    window_s = min(WARM_WINDOW_S, at_most_s)
    for _ in range(max(1, int(at_most_s / window_s))):
        rates.append(load(server, seconds=window_s, options=options)["requests_per_s"])
        last = rates[-WARM_WINDOWS:]
        if len(last) == WARM_WINDOWS and max(last) - min(last) <= WARM_SPREAD * max(last):
            return True
    return False


@dataclass(frozen=True)
class ClosedLoop:
    """A load of connections with one request under way on each, to kreactor and its peers in turn."""

    title: str
    connections: int
    peers: tuple[str, ...]
    ours: Callable[[Setting], AbstractContextManager[Server]] = our_broker
    request: Callable[[], bytes] = lambda: API_VERSIONS
    # The kind of work of a peer in peer_servers.py.
    work: str = "answer"
    # Creates topics before, and checks responses before and after.
    prepare: Callable[[Server], None] = lambda _: None
    check: Callable[[Server], None] = lambda _: None
    # The client's options.
    options: tuple[str, ...] = ()
    writes: bool = False
    # Servers of --against are measured, too.
    anybody: bool = False
    # The load uses TLS; the preparation and the checks do not.
    tls: bool = False
    # Kafka's default number of network threads is measured besides that of the run.
    default_threads: bool = False
    # Whether the client is measured against the bare server, which does not support pipelining.
    has_ceiling: bool = True

    def run(self, setting: Setting) -> Result:
        with ExitStack() as stack:
            if self.tls:
                setting = replace(setting, keystore=stack.enter_context(keystore()))
            return self._run(setting)

    def _run(self, setting: Setting) -> Result:
        arguments = setting.arguments
        request = self.request()
        absent = {name: why for name in self.peers if (why := setting.why_absent(name)) is not None}
        if self.peers == (JVM,) and absent:
            return Result(self.title, {}, absent)
        with ExitStack() as stack:
            settings = [replace(setting, ours=ours)
                        for ours in setting.all_ours(self.ours not in (our_echo, our_selector))]
            if self.default_threads:
                settings += [replace(each, ours=replace(each.ours, network_threads=3,
                                                        name=each.ours.name + DEFAULT_THREADS))
                             for each in settings]
            servers = [self._ready(stack.enter_context(self.ours(each))) for each in settings]
            size = answer_size(servers[0], request)
            ceiling = self._ceiling(setting, size, request) if self.has_ceiling else None
            servers += [self._ready(stack.enter_context(self._start(name, size, each)))
                        for name in self.peers if name not in absent
                        for each in (settings if name == LOGGED else [setting]) if not each.ours.fast]
            if self.anybody:
                servers += arguments.against
            load = partial(measure, setting.client, connections=self.connections, request=request)
            warm_options = self._options(request, int(WARM_UP_WRITTEN / max(arguments.warm_up, 1.0)))
            unsteady = [server.name for server in servers
                        if not warm_up(load, server, arguments.warm_up, warm_options)]
            options = self._options(request, WRITTEN // (arguments.rounds * len(servers)))
            rounds: dict[str, list[Figures]] = {server.name: [] for server in servers}
            for number in range(arguments.rounds):
                for server in turns(servers, number):
                    rounds[server.name].append(load(server, seconds=arguments.seconds, options=options))
            for server in servers:
                self.check(server)
        return Result(self.title, rounds, absent, ceiling, unsteady)

    def _ceiling(self, setting: Setting, size: int, request: bytes) -> Figures:
        command = [str(setting.bare_server), str(size)]
        if setting.keystore is not None:
            command.append(str(setting.keystore))
        with started("bench_server", command) as bare:
            return measure(setting.client, bare, self.connections, setting.arguments.seconds, request,
                           self.options)

    def _start(self, name: str, size: int, setting: Setting) -> AbstractContextManager[Server]:
        if name == LOGGED:
            return logged_broker(setting)
        if name == JVM:
            return jvm(JVM, setting.arguments.jvm, setting.properties(self.writes))
        return peer(name, size, self.work, keystore=setting.keystore)

    def _ready(self, server: Server) -> Server:
        self.prepare(server)
        self.check(server)
        return server

    def _options(self, request: bytes, written: int) -> tuple[str, ...]:
        """Return the client's options, so that no more than about ``written`` bytes go to a disk."""
        if not self.writes:
            return self.options
        return *self.options, "-n", str(max(written // len(request), REQUESTS_EACH * self.connections))


@dataclass(frozen=True)
class Idle:
    """Active connections beside idle ones: tools/load/idle_connections in each round, on a process of its
    own."""

    title: str

    def run(self, setting: Setting) -> Result:
        idle_connections = script("load/idle_connections")
        arguments = setting.arguments
        idle_connections.raise_limit(arguments.idle)
        with our_broker(setting) as server:
            size = answer_size(server)
        env = {**os.environ, **idle_connections.GIVE_BACK}
        starts: list[tuple[str, Callable[[], AbstractContextManager[Server]]]] = [
            (KREACTOR, lambda: broker(setting.properties(), env)),
            (ASYNCIO, lambda: peer(ASYNCIO, size, env=env))]
        rounds: dict[str, list[Figures]] = {name: [] for name, _ in starts}
        of_round = argparse.Namespace(idle=arguments.idle, active=ACTIVE, seconds=arguments.seconds)
        for number in range(arguments.rounds):
            for name, start in turns(starts, number):
                with start() as server:
                    done = idle_connections.do_round(setting.client, server, of_round, number)
                held, alone = done.loads["held"], (done.loads["before"], done.loads["after"])
                if done.held.descriptors != done.alone.descriptors + arguments.idle:
                    raise Failed(f"{name} does not hold {arguments.idle} idle connections")
                alone_per_s = sum(load.requests_per_s for load in alone) / len(alone)
                rounds[name].append({
                    "requests_per_s": held.requests_per_s,
                    "alone_per_s": alone_per_s,
                    "kept": held.requests_per_s / alone_per_s,
                    "p99_us": held.p99_ms * 1000,
                    "idle_kib": idle_connections.connection_kib([done], arguments.idle)})
        return Result(self.title.format(arguments.idle), rounds)


@dataclass(frozen=True)
class Start:
    """The second last line of tools/bench/startup: a process from its start to its first response."""

    title: str

    def run(self, setting: Setting) -> Result:
        startup = script("bench/startup")
        with tempfile.TemporaryDirectory(prefix="kreactor-startup-") as cache:
            env = startup.environment(cache)
            each = setting.all_ours()
            for ours in each:
                startup.serve_ms(env, ours)
            rounds: dict[str, list[Figures]] = {ours.name: [] for ours in each}
            for number in range(setting.arguments.rounds):
                for ours in turns(each, number):
                    rounds[ours.name].append({"start_s": startup.serve_ms(env, ours) / 1000})
        return Result(self.title, rounds)


@dataclass(frozen=True)
class Unread:
    """A client that sends many small requests and reads no response: the memory that the server holds for it.

    Each measurement has its own process. The client's receive buffer is too small for all responses.
    """

    title: str

    def run(self, setting: Setting) -> Result:
        each = setting.all_ours(with_fast=True)
        rounds: dict[str, list[Figures]] = {ours.name: [] for ours in each}
        for number in range(setting.arguments.rounds):
            for ours in turns(each, number):
                with our_broker(replace(setting, ours=ours)) as server:
                    rounds[ours.name].append(self._measure(server))
        return Result(self.title, rounds)

    def _measure(self, server: Server) -> Figures:
        # Sent once, so that the modules of a first request are loaded already.
        answer_size(server)
        before = steady_rss_kib(server)
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, UNREAD_BUFFER)
            client.connect((server.host, server.port))
            sent = send_all_it_can(client, API_VERSIONS * UNREAD_REQUESTS)
            after = steady_rss_kib(server)
            unread = sum(unread_bytes(client))
        return {"held_kib": max(after - before, 1), "taken": (sent - unread) / len(API_VERSIONS),
                "requests": sent / len(API_VERSIONS)}


def steady_rss_kib(server: Server) -> int:
    """Return the resident memory of a server, in KiB, once it no longer changes, or after 10 s."""
    last, same = server.rss_kib(), 0
    end = time.monotonic() + 10
    while same < 5 and time.monotonic() < end:
        time.sleep(0.1)
        now = server.rss_kib()
        last, same = now, same + 1 if abs(now - last) <= 16 else 0
    return last


def send_all_it_can(client: socket.socket, data: bytes) -> int:
    """Send until the socket takes nothing for a second; return the number of bytes sent."""
    sent = 0
    client.settimeout(1.0)
    try:
        while sent < len(data):
            sent += client.send(data[sent:])
    except TimeoutError:
        pass
    return sent


def unread_bytes(client: socket.socket) -> tuple[int, int]:
    """Return the client's bytes in its own kernel buffer and in its peer's, which is on this machine."""
    queued = struct.unpack("=i", fcntl.ioctl(client, termios.TIOCOUTQ, bytes(4)))[0]
    port, peer_port = (address[1] for address in (client.getsockname(), client.getpeername()))
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, remote, _, queues = line.split()[:5]
        if int(local.rpartition(":")[2], 16) == peer_port and int(remote.rpartition(":")[2], 16) == port:
            return queued, int(queues.rpartition(":")[2], 16)
    raise Failed("the server has closed the connection of a client that reads nothing")


# The requests need kreactor, which is importable only in the environment.

def opaque_request(size: int) -> bytes:
    from tools.bench import messages

    return messages.framed(messages.opaque(size))


def check_echo(size: int, server: Server) -> None:
    from tools.bench import messages

    messages.check_echo(server, size)


def make_topic(server: Server) -> None:
    from tools.bench import messages

    messages.make_topic(server)


def produce_request(size: int) -> bytes:
    from tools.bench import messages

    return messages.framed(messages.produce(size))


def check_produce(size: int, server: Server) -> None:
    from tools.bench import messages

    messages.call_without_error(server, messages.produce(size))


def make_filled_topic(size: int, server: Server) -> None:
    from tools.bench import messages

    messages.make_topic(server)
    messages.fill(server, 2 * size)


def fetch_request(size: int) -> bytes:
    from tools.bench import messages

    return messages.framed(messages.fetch(size))


def check_fetch(size: int, server: Server) -> None:
    from tools.bench import messages

    messages.call_without_error(server, messages.fetch(size))
    if answer_size(server, fetch_request(size)) < size:
        raise Failed(f"{server.name} answers a fetch with less than {size} bytes")


def api_versions(connections: int) -> ClosedLoop:
    return ClosedLoop(f"ApiVersions v0, {connections} connection{'s' * (connections > 1)}", connections,
                      (ASYNCIO_POOL, UVLOOP_POOL, ASYNCIO, THREADS, JVM), anybody=True,
                      default_threads=connections == 64)


def opaque(text: str, size: int) -> ClosedLoop:
    return ClosedLoop(f"opaque echo of {text}, 16 connections", 16, (ASYNCIO_POOL, UVLOOP_POOL), our_echo,
                      partial(opaque_request, size), "echo", check=partial(check_echo, size))


def produce(text: str, size: int) -> ClosedLoop:
    return ClosedLoop(f"Produce, one batch of {text} in records of 1 KB, acks=1, 16 connections", 16, (JVM,),
                      our_written_broker, partial(produce_request, size), prepare=make_topic,
                      check=partial(check_produce, size), writes=True)


def fetch(text: str, size: int) -> ClosedLoop:
    return ClosedLoop(f"Fetch, up to {text} from offset 0, 16 connections", 16, (JVM,),
                      request=partial(fetch_request, size), prepare=partial(make_filled_topic, size),
                      check=partial(check_fetch, size))


# All editions in one run, with --editions. The number of requests under way of a pipelining client.
PIPELINED = 16
EDITION_LOADS: dict[str, Load] = {
    "editions-api-versions-64": ClosedLoop("ApiVersions v0, 64 connections", 64, ()),
    "editions-pipelined": ClosedLoop(
        f"ApiVersions v0, 16 connections, {PIPELINED} requests at once on each", 16, (),
        options=("-p", str(PIPELINED)), has_ceiling=False),
    "editions-unread": Unread(f"a client sends {UNREAD_REQUESTS:,} ApiVersions v0 and reads nothing"),
}
LOADS: dict[str, Load] = {
    **{f"api-versions-{connections}": api_versions(connections) for connections in (1, 64, 256)},
    "api-versions-tls": ClosedLoop("ApiVersions v0 over TLS, 64 connections", 64,
                                   (ASYNCIO_POOL, UVLOOP_POOL, JVM),
                                   our_tls_broker, options=("-t",), tls=True),
    "opaque-64k": opaque("64 KiB", 1 << 16),
    "opaque-1m": opaque("1 MiB", 1 << 20),
    "selector": ClosedLoop("Selector alone, echo of 18 bytes, 64 connections", 64, (ASYNCIO,), our_selector,
                           work="frame"),
    "produce-1k": produce("1 KB", 1_000),
    "produce-60k": produce("60 KB", 60_000),
    "produce-900k": produce("900 KB", 900_000),
    "produce-60k-tls": replace(produce("60 KB", 60_000), title="Produce over TLS, batches of 60 KB, acks=1, "
                               "16 connections", ours=partial(our_tls_broker, writes=True), options=("-t",),
                               tls=True),
    "fetch-64k": fetch("64 KB", 1 << 16),
    "fetch-1m": fetch("1 MB", 1 << 20),
    "connect": ClosedLoop("connections opened, asked ApiVersions v0 and closed, 16 at a time", 16,
                          (ASYNCIO_POOL, UVLOOP_POOL), options=("-o",)),
    "idle": Idle(f"{ACTIVE} connections with ApiVersions v0 beside {{:,}} idle ones"),
    "request-log": ClosedLoop("ApiVersions v0, 64 connections, request logger off and on", 64, (LOGGED,)),
    "start": Start("from the start of the process to its first answer"),
}

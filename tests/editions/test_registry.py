# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The names of editions, the settings that each refuses, and the command that serves one."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.editions.edition_server import EditionServer
from kreactor.editions.registry import EDITIONS
from tests.core.server.brokers import broker_config
from tests.core.server.wire import Wire, good, good_answer
from tests.editions.editions import OLDER

COMMAND = [sys.executable, "-m", "kreactor", "serve"]


def test_editions_name_their_tags():
    assert {name: edition.tag for name, edition in EDITIONS.items()}["0.10.2"] == "0.10.2.2"
    assert all(edition.tag.startswith(name) for name, edition in EDITIONS.items())


@pytest.mark.parametrize("name, refused", [
    ("0.10.1", {"listener.security.protocol.map", "inter.broker.listener.name", "queued.max.request.bytes",
                "max.connections", "control.plane.listener.name", "connections.max.reauth.ms"}),
    ("0.10.2", {"queued.max.request.bytes", "max.connection.creation.rate", "socket.listen.backlog.size"}),
    ("1.0", {"connection.failed.authentication.delay.ms", "connections.max.reauth.ms", "max.connections",
             "control.plane.listener.name", "early.start.listeners"}),
    ("2.2", {"max.connections", "max.connection.creation.rate", "socket.listen.backlog.size",
             "early.start.listeners"}),
    ("3.8", set()),
])
def test_later_settings_are_refused(name, refused):
    edition = EDITIONS[name]
    assert refused <= set(edition.unknown_properties())
    assert refused or not edition.unknown_properties()
    for setting in refused:
        with pytest.raises(ConfigException, match=f"{setting}: .* {edition.tag} does not know it"):
            edition.check([setting])
    edition.check(["num.network.threads", "socket.request.max.bytes", "max.connections.per.ip"])


def test_a_setting_of_one_listener_is_refused_too():
    with pytest.raises(ConfigException, match="came with 2.3"):
        EDITIONS["0.10.2"].check(["listener.name.internal.max.connections"])


def test_tls_1_3_is_refused(tmp_path):
    with pytest.raises(ConfigException, match="has no TLSv1.3, which came with 2.6"):
        EditionServer(
            EDITIONS["0.10.2"], broker_config(tmp_path, {"ssl.enabled.protocols": "TLSv1.2,TLSv1.3"}))


def test_settings_of_2_2():
    EDITIONS["2.2"].check(["queued.max.request.bytes", "connection.failed.authentication.delay.ms",
                           "connections.max.reauth.ms", "control.plane.listener.name"])


def test_settings_of_0_10_2():
    EDITIONS["0.10.2"].check(["listener.security.protocol.map", "inter.broker.listener.name"])


def test_settings_of_1_0():
    EDITIONS["1.0"].check(["queued.max.request.bytes", "listener.name.internal.ssl.keystore.location"])


def test_settings_of_one_listener_alone():
    with pytest.raises(ConfigException, match="listener.name.internal.num.network.threads: .* came with 3.2"):
        EDITIONS["2.2"].check(["listener.name.internal.num.network.threads"])


@pytest.mark.parametrize("name", OLDER)
def test_the_command_serves_an_edition(name, tmp_path):
    with subprocess.Popen(
            [*COMMAND, "--edition", name, "--data", str(tmp_path / "data"),
             "--override", "listeners=PLAINTEXT://127.0.0.1:0"],
            stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            port = int(process.stdout.readline().rstrip().rpartition(":")[2])
            with Wire("127.0.0.1", port, 60) as wire:
                wire.socket.sendall(good(1))
                assert wire.receive_bytes().hex() == good_answer(1)
                process.send_signal(signal.SIGTERM)
                assert process.wait(60) == 0
        finally:
            process.kill()
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port)).close()


@pytest.mark.parametrize("arguments, said", [
    (["--edition", "0.9"], "--edition: there is no 0.9; there are 0.10.1, 0.10.2"),
    (["--edition", "0.10.2", "--override", "max.connections=5"], "which came with 2.3"),
    (["--edition", "0.10.2", "--brokers", "3"], "--control and --brokers are for 3.8 alone"),
])
def test_the_command_refuses(arguments, said, tmp_path):
    done = subprocess.run([*COMMAND, *arguments, "--data", str(tmp_path / "data")],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert said in done.stderr

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The files in examples/service name what a broker has: its metrics, its options, its settings."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from configparser import ConfigParser
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kreactor.cli import main
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.testing import Broker, Error
from tests.clients.kafka_python_client import KafkaConsumer, KafkaProducer

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "service"
# The values for a dashboard's variables.
VARIABLES = {"instance": ".*", "request": "Produce|FetchConsumer", "__rate_interval": "1m"}
# Names of PromQL's own, beside those of metrics and labels.
WORDS = {"sum", "count", "min", "max", "avg", "by", "rate", "topk"}
COLUMNS = 24

SELECTOR = re.compile(r"([a-zA-Z_:][\w:]*)\{([^}]*)\}")
MATCHER = re.compile(r'(\w+)(=~|!~|!=|=)"([^"]*)"')


class Sample(NamedTuple):
    """A line of /metrics."""

    name: str
    labels: Mapping[str, str]


# -- the dashboard ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def samples() -> Iterator[Sequence[Sample]]:
    """The metrics of a broker that has had producers, a consumer of a group and an error."""
    pytest.importorskip("prometheus_client")
    from prometheus_client.parser import text_string_to_metric_families

    from kreactor.embedded.prometheus import exposition

    with Broker(topics=["topic"]) as broker:
        with broker.faults.add(Error("NOT_LEADER_OR_FOLLOWER"), api="Produce", first=1):
            producer = KafkaProducer(bootstrap_servers=broker.bootstrap_servers, retry_backoff_ms=1)
            producer.send("topic", b"value").get(60)
            producer.close()
        consumer = KafkaConsumer("topic", bootstrap_servers=broker.bootstrap_servers, group_id="group",
                                 auto_offset_reset="earliest")
        assert next(consumer).value == b"value"
        consumer.close()
        yield [Sample(sample.name, sample.labels)
               for family in text_string_to_metric_families(exposition(broker.server()))
               for sample in family.samples]


def dashboard() -> dict[str, Any]:
    made: dict[str, Any] = json.loads((FOLDER / "dashboard.json").read_text())
    return made


def panels() -> list[dict[str, Any]]:
    return [panel for panel in dashboard()["panels"] if panel["type"] != "row"]


def expressions() -> list[tuple[str, str]]:
    """Return each expression with its legend."""
    return [(target["expr"], target["legendFormat"]) for panel in panels() for target in panel["targets"]]


def with_values(expression: str) -> str:
    for name, value in VARIABLES.items():
        expression = expression.replace(f"${name}", value)
    assert "$" not in expression
    return expression


def fits(labels: Mapping[str, str], matchers: Sequence[tuple[str, str, str]]) -> bool:
    """Return whether labels pass PromQL's matchers; the label of the scrape's target passes all."""
    for label, operator, value in matchers:
        if label == "instance":
            continue
        found = labels.get(label, "")
        is_equal = bool(re.fullmatch(value, found)) if "~" in operator else found == value
        if is_equal == operator.startswith("!"):
            return False
    return True


@pytest.mark.parametrize("expression, legend", expressions())
def test_a_broker_exports_what_the_dashboard_asks_for(samples: Sequence[Sample], expression: str,
                                                      legend: str) -> None:
    expression = with_values(expression)
    selectors = SELECTOR.findall(expression)
    assert selectors
    grouped = re.findall(r"by \(([^)]*)\)", expression)
    for name, text in selectors:
        matchers = MATCHER.findall(text)
        assert ",".join(f'{label}{operator}"{value}"' for label, operator, value in matchers) == text
        found = [sample for sample in samples if sample.name == name and fits(sample.labels, matchers)]
        assert found, f"{name}{{{text}}}: a broker has no such metric"
        for label, operator, value in matchers:
            for each in value.split("|") if operator == "=~" and label != "instance" else ():
                assert any(re.fullmatch(each, sample.labels[label]) for sample in found), each
        for label in ", ".join(grouped).split(", ") if grouped else ():
            assert all(label in sample.labels for sample in found), label
    assert set(re.findall(r"{{(\w+)}}", legend)) <= set(re.findall(r"\w+", " ".join(grouped)))
    # Nothing but functions is left without braces, which would be a metric that nobody looked for.
    rest = re.sub(r"by \([^)]*\)|\[1m\]", "", SELECTOR.sub("", expression))
    assert set(re.findall(r"[a-zA-Z_]\w*", rest)) <= WORDS


def test_variables_of_the_dashboard_have_values(samples: Sequence[Sample]) -> None:
    variables = {each["name"]: each for each in dashboard()["templating"]["list"]}
    assert variables.keys() == {"datasource", "instance", "request"}
    query = variables["request"]["query"]["query"]
    (name, text), = SELECTOR.findall(query)
    values = {sample.labels["request"] for sample in samples
              if sample.name == name and fits(sample.labels, MATCHER.findall(text))}
    assert query.endswith(", request)") and set(variables["request"]["current"]["value"]) <= values
    name = re.match(r"label_values\((\w+), instance\)", variables["instance"]["query"]["query"])[1]  # type: ignore[index]  # noqa: E501
    assert any(sample.name == name for sample in samples)


def test_panels_of_the_dashboard_share_the_screen() -> None:
    taken: dict[tuple[int, int], str] = {}
    for panel in dashboard()["panels"]:
        at = panel["gridPos"]
        assert at["x"] + at["w"] <= COLUMNS
        for x in range(at["x"], at["x"] + at["w"]):
            for y in range(at["y"], at["y"] + at["h"]):
                assert taken.setdefault((x, y), panel["title"]) == panel["title"]
    ids = [panel["id"] for panel in dashboard()["panels"]]
    assert len(ids) == len(set(ids))
    for panel in panels():
        references = [target["refId"] for target in panel["targets"]]
        assert panel["description"] and len(references) == len(set(references))
        assert all(each["datasource"]["uid"] == "${datasource}" for each in (panel, *panel["targets"]))


# -- systemd, images, compose ----------------------------------------------------------------------


def options_of_serve() -> dict[str, Any]:
    command = main.commands["serve"]
    return {name: option for option in command.params for name in option.opts}


def arguments(command: Sequence[str]) -> list[tuple[str, str]]:
    """Return the options of a `kreactor serve`, each with its value; they are ones that it has."""
    known = options_of_serve()
    assert len(command) % 2 == 0
    found = list(zip(command[::2], command[1::2]))
    for option, _ in found:
        assert option in known and not known[option].is_flag, option
    return found


def config_of(command: Sequence[str]) -> KafkaConfig:
    """Return the settings of a `kreactor serve`."""
    overrides = [value.partition("=") for option, value in arguments(command) if option == "--override"]
    return KafkaConfig.from_props({name: value for name, _, value in overrides})


def unit() -> ConfigParser:
    parser = ConfigParser(interpolation=None, strict=True)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string((FOLDER / "kreactor.service").read_text())
    return parser


def test_the_unit_starts_a_broker() -> None:
    service = unit()["Service"]
    binary, command, *options = shlex.split(service["ExecStart"])
    assert Path(binary).is_absolute() and Path(binary).name == "kreactor" and command == "serve"
    given = dict(arguments(options))
    # systemd makes the folder, and is told when the broker serves.
    assert given["--data"] == f"/var/lib/{service['StateDirectory']}" and service["Type"] == "notify"
    # The manager is patient for longer than the broker takes.
    assert float(service["TimeoutStopSec"]) > float(options_of_serve()["--stop-within"].default)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    text = (FOLDER / "kreactor.service").read_text().replace("/opt/kreactor/bin/kreactor", sys.executable)
    (tmp_path / "kreactor.service").write_text(text)
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", tmp_path / "kreactor.service"],
                          capture_output=True, text=True, timeout=120)
    # Of units of the system it may say more.
    assert "kreactor.service" not in done.stderr and done.returncode == 0, done.stderr


def instructions() -> list[tuple[str, str]]:
    text = (FOLDER / "Containerfile").read_text().replace("\\\n", " ")
    return [(line.split()[0], line.partition(" ")[2]) for line in text.splitlines()
            if line and not line.startswith("#")]


def test_the_image_has_what_it_needs() -> None:
    found = dict(instructions())
    for instruction, text in instructions():
        if instruction == "COPY":
            assert all((ROOT / each).exists() for each in text.split()[:-1]), text
    setup = ConfigParser(interpolation=None)
    setup.read(ROOT / "setup.cfg")
    extras = re.search(r"/source\[([\w,]+)\]", found["RUN"])
    assert extras is not None and set(extras[1].split(",")) <= set(setup["options.extras_require"])
    entry = json.loads(found["ENTRYPOINT"])
    assert entry[:2] == ["kreactor", "serve"]
    assert dict(arguments(entry[2:]))["--data"] == found["VOLUME"]
    listener, = config_of(json.loads(found["CMD"])).listeners()
    assert (listener.host(), str(listener.port())) == ("0.0.0.0", found["EXPOSE"])


def test_the_compose_file_reaches_the_broker_from_inside_and_outside() -> None:
    yaml = pytest.importorskip("yaml")
    made = yaml.safe_load((FOLDER / "compose.yaml").read_text())
    (name, service), = made["services"].items()
    assert (FOLDER / service["build"]["context"]).resolve() == ROOT
    assert ROOT / service["build"]["dockerfile"] == FOLDER / "Containerfile"
    config = config_of(service["command"])
    advertised = {each.listener_name().value(): (each.host(), each.port())
                  for each in config.effective_advertised_listeners()}
    bound = {each.listener_name().value(): each.port() for each in config.listeners()}
    assert advertised == {"INSIDE": (name, bound["INSIDE"]), "OUTSIDE": ("localhost", bound["OUTSIDE"])}
    # Only this host reaches the port, by the number that the broker advertises.
    assert service["ports"] == [f"127.0.0.1:{bound['OUTSIDE']}:{bound['OUTSIDE']}"]
    volume, _, path = service["volumes"][0].partition(":")
    assert volume in made["volumes"] and path == dict(instructions())["VOLUME"]

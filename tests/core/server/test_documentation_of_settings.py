# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The text of each setting: its form, and whether it says that the setting has an effect."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

import kreactor
from kreactor.cli import SETTING_GROUPS, main, setting_definitions
from kreactor.clients.topic_reader import TopicReaderConfig
from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.message.describe_configs_request_data import DescribeConfigsRequestData
from kreactor.common.message.describe_configs_response_data import DescribeConfigsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.core.server import kafka_config, kafka_config_def
from kreactor.core.server.config_warnings import ACTED_UPON
from kreactor.testing import Broker
from tests.core.server.wire import Wire

DEFINITIONS: Mapping[str, Sequence[ConfigDef]] = {
    **{group: setting_definitions(group) for group in SETTING_GROUPS},
    "reader": [TopicReaderConfig.CONFIG],
}
# A setting that kreactor has no use for says so. The settings of TLS and SASL are also those of clients.
IN_KAFKA = "In Kafka, "
OF_BOTH_SIDES = ("ssl.", "sasl.")


def keys() -> Iterator[tuple[str, ConfigDef.ConfigKey]]:
    for group, definitions in DEFINITIONS.items():
        for definition in definitions:
            for key in definition.config_keys().values():
                yield group, key


def test_every_definition_is_here() -> None:
    root = Path(kreactor.__file__).parent
    definition = re.compile(r"^ +ConfigDef\(\)$|= ConfigDef\(\)", re.MULTILINE)
    defining = {path.relative_to(root).as_posix() for path in root.rglob("*.py")
                if definition.search(path.read_text(encoding="utf-8"))}
    assert defining == {
        "clients/producer/producer_config.py", "clients/topic_reader.py", "core/server/dynamic_config.py",
        "core/server/kafka_config_def.py", "server/config/quota_configs.py",
        "server/config/remote_log_manager_config.py", "server/metrics/client_metrics_configs.py",
        "storage/internals/log/log_config.py",
        # The settings of a client for TLS, which the producer has, too.
        "common/security/oauthbearer/internals/secured/jaas_options_utils.py"}


def test_each_setting_has_one_short_sentence() -> None:
    assert len(list(keys())) > 500
    wrong = [(group, key._name, key._documentation) for group, key in keys()
             if key._documentation is None
             or not re.fullmatch(r"[A-Z](?:(?![.!?] ).){9,198}\.", key._documentation)
             or "  " in key._documentation]
    assert wrong == []


def test_no_two_settings_have_the_same_text() -> None:
    names: dict[str | None, set[str]] = {}
    for _, key in keys():
        names.setdefault(key._documentation, set()).add(key._name)
    assert [each for each in names.items() if len(each[1]) > 1] == []
    # In two definitions a name with two meanings has two texts.
    texts = {key._documentation for _, key in keys() if key._name == "compression.type"}
    assert len(texts) == 3


def test_a_text_says_whether_the_setting_has_an_effect() -> None:
    for name, key in kafka_config_def.config_keys().items():
        assert key._documentation is not None
        says = key._documentation.startswith(IN_KAFKA)
        if name in ACTED_UPON:
            assert not says, name
        elif not name.startswith(OF_BOTH_SIDES):
            assert says, name


def test_settings_that_are_read_are_acted_upon() -> None:
    source = Path(kafka_config.__file__)
    accessors = re.findall(
        r'def (\w+)\(self\)[^\n]*:\n +"""Return ``([\w.]+)``', source.read_text(encoding="utf-8"))
    settings = {(each, name) for each, name in accessors if name in kafka_config_def.config_names()}
    assert len(settings) > 120
    root = Path(kreactor.__file__).parent
    # A change of a dynamic setting is checked, whether or not the setting has an effect.
    others = {source, source.parent / "dynamic_broker_config.py"}
    text = "\n".join(path.read_text(encoding="utf-8") for path in root.rglob("*.py")
                     if path not in others and "editions" not in path.parts)
    called = set(re.findall(r"[cC]onfig(?:\(\))?\.(\w+)\(\)", text))
    # The migration policy is only handed on: no group with members changes its protocol.
    read = {name for each, name in settings if each in called}
    assert read - ACTED_UPON == {"group.consumer.migration.policy"}


def test_rendered_text_has_each_setting_once() -> None:
    for definitions in DEFINITIONS.values():
        for definition in definitions:
            rendered = re.findall(r"^``(.+)``$", definition.to_rst(), re.MULTILINE)
            assert sorted(rendered) == sorted(
                name for name, key in definition.config_keys().items() if not key._internal_config)


@pytest.mark.parametrize("name", [
    "kreactor.request.max.elements", "kreactor.fidelity", "kreactor.fast"])
def test_own_settings_are_not_among_kafkas(name: str) -> None:
    assert name in kafka_config_def.OWN_CONFIG_DEF.names() and name not in kafka_config_def.config_names()


@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_over_the_wire(version: int) -> None:
    """Clients such as Sarama ask for the texts, which only versions 3 and 4 have."""
    with Broker(topics=["topic"]) as broker, Wire(broker.host, broker.port) as wire:
        broker_id = str(broker.server().config().broker_id())
        for type_, name, group in ((ConfigResource.Type.TOPIC, "topic", "topic"),
                                   (ConfigResource.Type.BROKER, broker_id, "broker")):
            for include in (False, True) if version >= 3 else (False,):
                answer = wire.ask(ApiKeys.DESCRIBE_CONFIGS, version, DescribeConfigsRequestData(
                    resources=[DescribeConfigsRequestData.DescribeConfigsResource(
                        resource_type=type_.id(), resource_name=name, configuration_keys=None)],
                    include_synonyms=True, include_documentation=include))
                assert isinstance(answer, DescribeConfigsResponseData)
                found = {each.name: each.documentation for each in answer.results[0].configs}
                absent = None if version >= 3 else ""
                defined = {key._name: key._documentation if include else absent
                           for definition in DEFINITIONS[group] for key in definition.config_keys().values()}
                assert len(found) > 30 and found.items() <= defined.items()


def test_the_command_explains() -> None:
    shown = CliRunner().invoke(main, ["settings", "IO", "threads"]).output
    assert shown == (
        "num.io.threads (broker)\n    This many handler threads execute the requests of all listeners.\n"
        "    int; default 8; valid: [1,...]\n")
    quotas = CliRunner().invoke(main, ["settings", "--of", "quota", "--of", "client-metrics"]).output
    assert re.findall(r"^(\S+) \(", quotas, re.MULTILINE) == [
        "interval.ms", "match", "metrics", "consumer_byte_rate", "controller_mutation_rate",
        "producer_byte_rate", "request_percentage", "connection_creation_rate"]
    everything = CliRunner().invoke(main, ["settings"]).output
    assert "unstable.api" not in everything and "kreactor.fidelity" in everything
    assert "leader.replication.throttled.rate" in everything
    unknown = CliRunner().invoke(main, ["settings", "nonsense"])
    assert unknown.exit_code == 1 and unknown.output == "Error: no setting has nonsense in its name\n"

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The text of each setting: its form, and whether it says that the setting has an effect."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

import kreactor
from kreactor.cli import SETTING_GROUPS, setting_definitions
from kreactor.clients.topic_reader import TopicReaderConfig
from kreactor.common.config.config_def import ConfigDef
from kreactor.core.server import kafka_config, kafka_config_def
from kreactor.core.server.config_warnings import ACTED_UPON

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


@pytest.mark.parametrize("name", ["kreactor.request.max.elements", "kreactor.fidelity"])
def test_own_settings_are_not_among_kafkas(name: str) -> None:
    assert name in kafka_config_def.OWN_CONFIG_DEF.names() and name not in kafka_config_def.config_names()

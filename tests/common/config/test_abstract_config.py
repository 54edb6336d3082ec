# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import pytest

from kreactor.common.config.abstract_config import AbstractConfig
from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.sasl_configs import SaslConfigs
from kreactor.common.config.types.password import Password
from kreactor.common.configurable import Configurable
from kreactor.common.kafka_exception import KafkaException

Type, Importance = ConfigDef.Type, ConfigDef.Importance


class Reporter(Configurable):
    """The interface of the plug-ins of these tests."""


class FakeMetricsReporter(Reporter):
    def configure(self, configs: Mapping[str, Any]) -> None:
        pass


class OtherMetricsReporter(FakeMetricsReporter):
    pass


class ConfiguredFakeMetricsReporter(FakeMetricsReporter):
    EXTRA_CONFIG = "metric.extra_config"

    def configure(self, configs: Mapping[str, Any]) -> None:
        # The look-up is a use of the configuration.
        assert configs.get(self.EXTRA_CONFIG) == configs[self.EXTRA_CONFIG] == "my_value"


class CountingInterceptor(Configurable):
    """Fails to be configured the third time, and counts."""

    config_count = close_count = 0

    def configure(self, configs: Mapping[str, Any]) -> None:
        CountingInterceptor.config_count += 1
        if CountingInterceptor.config_count == 3:
            raise ConfigException("enough")

    def close(self) -> None:
        CountingInterceptor.close_count += 1


FAKE = f"{__name__}.FakeMetricsReporter"
REPORTERS = "metric.reporters"


class Config(AbstractConfig):
    CONFIG = ConfigDef().define(REPORTERS, Type.LIST, "", Importance.LOW, "A list of classes.")

    def __init__(self, props: Mapping[Any, Any]) -> None:
        super().__init__(self.CONFIG, props)


class SecurityConfig(AbstractConfig):
    CONFIG = ConfigDef().with_client_ssl_support().with_client_sasl_support()

    def __init__(self, props: Mapping[Any, Any]) -> None:
        super().__init__(self.CONFIG, props)


@pytest.mark.parametrize(("value", "count"),
                         [("    ", 0), ("", 0), (FAKE, 1), (f" {FAKE} ", 1), (f"{FAKE}, {FAKE}", 2)])
def test_configured_instances(value: str, count: int) -> None:
    instances = Config({REPORTERS: value}).get_configured_instances(REPORTERS, Reporter)
    assert [type(instance) for instance in instances] == [FakeMetricsReporter] * count


@pytest.mark.parametrize("value", [",", f"{__name__}.unknown-metrics-reporter", "test1,test2", f"{FAKE},"])
def test_configured_instances_of_invalid_inputs(value: str) -> None:
    with pytest.raises(KafkaException, match="^Class .* cannot be found$"):
        Config({REPORTERS: value}).get_configured_instances(REPORTERS, Reporter)


def test_empty_list() -> None:
    definition = ConfigDef().define("a", Type.LIST, "", ConfigDef.NonNullValidator(), Importance.HIGH, "doc")
    assert AbstractConfig(definition, {}).get_list("a") == []
    assert AbstractConfig(definition, {"a": ""}).get_list("a") == []
    assert AbstractConfig(definition, {"a": "b,c,d"}).get_list("a") == ["b", "c", "d"]


def test_originals_with_prefix() -> None:
    config = Config({"foo.bar": "abc", "setting": "def"})
    originals_with_prefix = config.originals_with_prefix("foo.")
    assert "foo.bar" in config.unused()
    assert originals_with_prefix.get("bar") == "abc"
    assert "foo.bar" not in config.unused()
    assert originals_with_prefix == {"bar": "abc"}
    assert config.originals_with_prefix("foo.", False) == {"foo.bar": "abc"}


def test_values_with_prefix_override() -> None:
    config = SecurityConfig({
        "sasl.mechanism": "PLAIN", "prefix.sasl.mechanism": "GSSAPI",
        "prefix.sasl.kerberos.kinit.cmd": "/usr/bin/kinit2", "prefix.ssl.truststore.location": "my location",
        "sasl.kerberos.service.name": "service name", "ssl.keymanager.algorithm": "algorithm"})
    values = config.values_with_prefix_override("prefix.")

    def used(name: str) -> bool:
        return name not in config.unused()

    # With the prefix in place of without.
    assert not used("prefix.sasl.mechanism") and not used("sasl.mechanism")
    assert values.get("sasl.mechanism") == "GSSAPI"
    assert used("prefix.sasl.mechanism") and used("sasl.mechanism")

    # In place of a default.
    assert not used("prefix.sasl.kerberos.kinit.cmd")
    assert values.get("sasl.kerberos.kinit.cmd") == "/usr/bin/kinit2"
    assert used("sasl.kerberos.kinit.cmd") and used("prefix.sasl.kerberos.kinit.cmd")

    # Where there is no default.
    assert not used("prefix.ssl.truststore.location")
    assert values.get("ssl.truststore.location") == "my location"
    assert used("prefix.ssl.truststore.location")

    # Without the prefix, in place of a default, and where there is none.
    assert not used("ssl.keymanager.algorithm")
    assert values.get("ssl.keymanager.algorithm") == "algorithm"
    assert used("ssl.keymanager.algorithm")
    assert not used("sasl.kerberos.service.name")
    assert values["sasl.kerberos.service.name"] == "service name"
    assert used("sasl.kerberos.service.name")

    # Not given.
    assert (values.get("sasl.kerberos.min.time.before.relogin")
            == SaslConfigs.DEFAULT_KERBEROS_MIN_TIME_BEFORE_RELOGIN == 60000)
    assert values.get("ssl.key.password") is None
    assert config.unused() == set()


def test_values_with_secondary_prefix() -> None:
    prefix = "listener.name.listener1."
    config = SecurityConfig({
        f"{prefix}test-mechanism.sasl.jaas.config": "test.myLoginModule1 required;",
        "test-mechanism.sasl.jaas.config": "test.myLoginModule2 required;",
        "sasl.jaas.config": "test.myLoginModule3 required;",
        f"{prefix}gssapi.sasl.kerberos.kinit.cmd": "/usr/bin/kinit2",
        f"{prefix}gssapi.sasl.kerberos.service.name": "testkafka",
        f"{prefix}gssapi.sasl.kerberos.min.time.before.relogin": "60000",
        "ssl.provider": "TEST"})
    values = config.values_with_prefix_override(prefix)

    assert f"{prefix}test-mechanism.sasl.jaas.config" in config.unused()
    assert "test-mechanism.sasl.jaas.config" in config.unused()
    assert values.get("test-mechanism.sasl.jaas.config") == Password("test.myLoginModule1 required;")
    assert values.get("sasl.jaas.config") == Password("test.myLoginModule3 required;")
    assert f"{prefix}test-mechanism.sasl.jaas.config" not in config.unused()
    assert "test-mechanism.sasl.jaas.config" not in config.unused()
    assert "sasl.jaas.config" not in config.unused()

    assert f"{prefix}gssapi.sasl.kerberos.kinit.cmd" in config.unused()
    assert values.get("gssapi.sasl.kerberos.kinit.cmd") == "/usr/bin/kinit2"
    assert f"{prefix}gssapi.sasl.kerberos.kinit.cmd" not in config.unused()

    assert f"{prefix}gssapi.sasl.kerberos.service.name" in config.unused()
    assert values.get("gssapi.sasl.kerberos.service.name") == "testkafka"
    assert f"{prefix}gssapi.sasl.kerberos.service.name" not in config.unused()
    assert values.get("gssapi.sasl.kerberos.min.time.before.relogin") == 60000

    assert "ssl.provider" in config.unused()
    assert values.get("gssapi.ssl.provider") is None
    assert "ssl.provider" in config.unused()


def test_values_with_prefix_all_or_nothing() -> None:
    config = SecurityConfig({
        "sasl.mechanism": "PLAIN", "prefix1.sasl.mechanism": "GSSAPI",
        "prefix1.sasl.kerberos.kinit.cmd": "/usr/bin/kinit2",
        "prefix1.ssl.truststore.location": "my location",
        "sasl.kerberos.service.name": "service name", "ssl.keymanager.algorithm": "algorithm"})
    assert config.values_with_prefix_all_or_nothing("prefix1.") == {
        "sasl.mechanism": "GSSAPI", "sasl.kerberos.kinit.cmd": "/usr/bin/kinit2",
        "ssl.truststore.location": "my location"}
    values2 = config.values_with_prefix_all_or_nothing("prefix2.")
    assert values2["sasl.kerberos.service.name"] == "service name"
    assert values2["ssl.keymanager.algorithm"] == "algorithm"
    assert values2["sasl.mechanism"] == "PLAIN"


def test_unused_configs() -> None:
    config = Config({REPORTERS: f"{__name__}.ConfiguredFakeMetricsReporter",
                     ConfiguredFakeMetricsReporter.EXTRA_CONFIG: "my_value"})
    assert ConfiguredFakeMetricsReporter.EXTRA_CONFIG in config.unused()
    config.get_configured_instances(REPORTERS, Reporter)
    assert ConfiguredFakeMetricsReporter.EXTRA_CONFIG not in config.unused()


def test_configured_instances_closed_on_failure() -> None:
    CountingInterceptor.config_count = CountingInterceptor.close_count = 0
    name = f"{__name__}.CountingInterceptor"
    config = Config({REPORTERS: f"{name}, {name}, {name}", "client.id": "test"})
    with pytest.raises(ConfigException):
        config.get_configured_instances(REPORTERS, object)
    assert CountingInterceptor.config_count == 3
    assert CountingInterceptor.close_count == 3


class ClassConfig(AbstractConfig):
    CONFIG = (ConfigDef().define("class.prop", Type.CLASS, FakeMetricsReporter, Importance.HIGH, "docs")
              .define("list.prop", Type.LIST, [FakeMetricsReporter], Importance.HIGH, "docs"))

    def __init__(self, props: Mapping[Any, Any]) -> None:
        super().__init__(self.CONFIG, props)


OTHER = f"{__name__}.OtherMetricsReporter"


@pytest.mark.parametrize(("class_prop", "list_prop", "one", "several"), [
    (None, None, FakeMetricsReporter, [FakeMetricsReporter]),
    (OtherMetricsReporter, [FakeMetricsReporter, OtherMetricsReporter], OtherMetricsReporter,
     [FakeMetricsReporter, OtherMetricsReporter]),
    (OTHER, [FAKE, OTHER], OtherMetricsReporter, [FakeMetricsReporter, OtherMetricsReporter]),
    (OTHER, f"{FAKE},{OTHER}", OtherMetricsReporter, [FakeMetricsReporter, OtherMetricsReporter]),
])
def test_class_configs(class_prop: object, list_prop: object, one: type, several: list[type]) -> None:
    props = {name: value for name, value in (("class.prop", class_prop), ("list.prop", list_prop))
             if value is not None}
    config = ClassConfig(props)
    assert type(config.get_configured_instance("class.prop", Reporter)) is one
    assert [type(o) for o in config.get_configured_instances("list.prop", Reporter)] == several


def test_class_configs_that_cannot_be_loaded() -> None:
    with pytest.raises(ConfigException, match="Class no.Such could not be found.$"):
        ClassConfig({"class.prop": "no.Such"})
    for value in (["no.Such"], f"{FAKE},no.Such"):
        with pytest.raises(KafkaException, match="^Class no.Such cannot be found$"):
            ClassConfig({"list.prop": value}).get_configured_instances("list.prop", Reporter)


def test_class_configs_of_the_wrong_kind() -> None:
    with pytest.raises(KafkaException) as caught:
        ClassConfig({"class.prop": dict}).get_configured_instance("class.prop", Reporter)
    assert str(caught.value) == f"class dict is not an instance of {__name__}.Reporter"
    with pytest.raises(KafkaException, match="^Unexpected element of type int, expected String or Class$"):
        ClassConfig({"list.prop": [5]}).get_configured_instances("list.prop", Reporter)
    assert ClassConfig({"class.prop": None}).get_configured_instance("class.prop", Reporter) is None
    assert ClassConfig({"list.prop": None}).get_configured_instances("list.prop", Reporter) == []


def test_configured_instance_gets_the_overrides() -> None:
    config = AbstractConfig(ConfigDef().define("c", Type.CLASS, Importance.HIGH, None),
                            {"c": ConfiguredFakeMetricsReporter})
    assert config.get_configured_instance("c", Reporter,
                                          {ConfiguredFakeMetricsReporter.EXTRA_CONFIG: "my_value"})


def test_original_with_overrides() -> None:
    config = Config({"config.providers": "file"})
    assert config.originals().get("config.providers") == "file"
    assert config.originals({"config.providers": "file2"}).get("config.providers") == "file2"


def test_auto_config_resolution_with_invalid_config_provider_class() -> None:
    with pytest.raises(ConfigException) as caught:
        Config({"config.providers": "file", "config.providers.file.class": "no.InvalidConfigProvider",
                "testKey": "${test:/foo/bar/testpath:testKey}"})
    assert str(caught.value) == ("Invalid value no.InvalidConfigProvider for configuration "
                                 "config.providers.file.class: Config providers are not supported")


def test_auto_config_resolution_with_missing_config_provider() -> None:
    config = Config({"testKey": "${test:/foo/bar/testpath:testKey}"})
    assert config.originals().get("testKey") == "${test:/foo/bar/testpath:testKey}"


def test_documentation_of() -> None:
    assert Config({}).documentation_of(REPORTERS) == "A list of classes."


def test_documentation_of_expect_null() -> None:
    assert Config({}).documentation_of("xyz") is None


ALL = (ConfigDef()
       .define("boolean", Type.BOOLEAN, True, Importance.LOW, None)
       .define("string", Type.STRING, None, Importance.LOW, None)
       .define("int", Type.INT, 1, Importance.LOW, None)
       .define("short", Type.SHORT, 2, Importance.LOW, None)
       .define("long", Type.LONG, 3, Importance.LOW, None)
       .define("double", Type.DOUBLE, 4, Importance.LOW, None)
       .define("list", Type.LIST, "a,b", Importance.LOW, None)
       .define("class", Type.CLASS, None, Importance.LOW, None)
       .define("password", Type.PASSWORD, None, Importance.LOW, None)
       .define_internal("internal", Type.INT, 5, Importance.LOW))


def test_getters() -> None:
    config = AbstractConfig(ALL, {"string": " text ", "class": "builtins.dict", "password": "secret"})
    assert config.get_boolean("boolean") is True
    assert config.get_string("string") == "text"
    assert (config.get_int("int"), config.get_short("short"), config.get_long("long")) == (1, 2, 3)
    assert config.get_double("double") == 4.0
    assert config.get_list("list") == ["a", "b"]
    assert config.get_class("class") is dict
    assert config.get_password("password") == Password("secret")
    assert config.unused() == set()
    assert AbstractConfig(ALL, {}).get_string("string") is None
    assert config.type_of("double") is Type.DOUBLE
    assert config.type_of("xyz") is None
    with pytest.raises(ConfigException, match="^Unknown configuration 'xyz'$"):
        config.get("xyz")


def test_a_walk_is_no_use() -> None:
    config = AbstractConfig(ALL, {"string": "text", "mine": "a"})
    assert dict(config.originals().items()) == {"string": "text", "mine": "a"}
    assert set(config.values()) == ALL.names()
    assert "mine" in config.originals()
    assert config.unused() == {"string", "mine"}
    config.ignore("mine")
    config.values().get("string")
    assert config.unused() == set()


def test_non_internal_values() -> None:
    config = AbstractConfig(ALL, {})
    assert set(config.values()) - set(config.non_internal_values()) == {"internal"}


def test_originals_strings() -> None:
    assert AbstractConfig(ALL, {"string": "text"}).originals_strings() == {"string": "text"}
    with pytest.raises(TypeError, match="^Non-string value found in original settings for key int: int$"):
        AbstractConfig(ALL, {"int": 5}).originals_strings()


def test_keys_must_be_text() -> None:
    with pytest.raises(ConfigException, match="^Invalid value 2 for configuration 1: Key must be a string.$"):
        AbstractConfig(ALL, {1: 2})


def test_defaults_that_depend_on_other_values() -> None:
    class Dependent(AbstractConfig):
        def _post_process_parsed_config(self, parsed_values: Mapping[str, Any]) -> Mapping[str, Any]:
            return {"long": parsed_values["int"] * 10}

    assert Dependent(ALL, {"int": 7}).get_long("long") == 70

    class Bad(AbstractConfig):
        def _post_process_parsed_config(self, parsed_values: Mapping[str, Any]) -> Mapping[str, Any]:
            return {"long": "no number"}

    with pytest.raises(ConfigException):
        Bad(ALL, {})


def test_what_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    config = AbstractConfig(ALL, {"password": "secret", "b": "", "a": ""})
    assert caplog.messages == [
        "AbstractConfig values:\n\tboolean = true\n\tclass = null\n\tdouble = 4.0\n\tint = 1\n"
        "\tinternal = 5\n\tlist = [a, b]\n\tlong = 3\n\tpassword = [hidden]\n\tshort = 2\n\tstring = null"]
    caplog.clear()
    config.get("password")
    config.log_unused()
    assert caplog.messages == ["these settings are not used so far: a, b"]
    caplog.clear()
    AbstractConfig(ALL, {}, False).log_unused()
    assert caplog.messages == []


def test_equality() -> None:
    class Other(AbstractConfig):
        pass

    assert AbstractConfig(ALL, {"int": 5}) == AbstractConfig(ConfigDef(), {"int": 5})
    assert hash(AbstractConfig(ALL, {"list": ["a"]})) == hash(AbstractConfig(ALL, {"list": ["a"]}))
    assert AbstractConfig(ALL, {"int": 5}) != AbstractConfig(ALL, {"int": 6})
    assert AbstractConfig(ALL, {}) != Other(ALL, {})

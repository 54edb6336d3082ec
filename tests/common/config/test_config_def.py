# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.config_value import ConfigValue
from kreactor.common.config.ssl_configs import SslConfigs
from kreactor.common.config.types.password import Password
from kreactor.common.utils.utils import Utils

Type, Importance, Width = ConfigDef.Type, ConfigDef.Importance, ConfigDef.Width
Range, ValidString, ListSize = ConfigDef.Range, ConfigDef.ValidString, ConfigDef.ListSize
CaseInsensitiveValidString = ConfigDef.CaseInsensitiveValidString


class NestedClass:
    class Inner:
        pass


class IntegerRecommender(ConfigDef.Recommender):
    def __init__(self, has_parent: bool) -> None:
        self.has_parent = has_parent

    def valid_values(self, name: str, parsed_config: Any) -> list[Any]:
        return [4, 5] if self.has_parent else [1, 2, 3]

    def visible(self, name: str, parsed_config: Any) -> bool:
        return True


def test_basic_types() -> None:
    definition = (
        ConfigDef().define("a", Type.INT, 5, Range.between(0, 14), Importance.HIGH, "docs")
        .define("b", Type.LONG, Importance.HIGH, "docs")
        .define("c", Type.STRING, "hello", Importance.HIGH, "docs")
        .define("d", Type.LIST, Importance.HIGH, "docs")
        .define("e", Type.DOUBLE, Importance.HIGH, "docs")
        .define("f", Type.CLASS, Importance.HIGH, "docs")
        .define("g", Type.BOOLEAN, Importance.HIGH, "docs")
        .define("h", Type.BOOLEAN, Importance.HIGH, "docs")
        .define("i", Type.BOOLEAN, Importance.HIGH, "docs")
        .define("j", Type.PASSWORD, Importance.HIGH, "docs"))
    values = definition.parse({
        "a": "1   ", "b": 2, "d": " a , b, c", "e": 42.5, "f": "builtins.str", "g": "true", "h": "FalSE",
        "i": "TRUE", "j": "password", "z": "nobody's"})
    assert values == {"a": 1, "b": 2, "c": "hello", "d": ["a", "b", "c"], "e": 42.5, "f": str, "g": True,
                      "h": False, "i": True, "j": Password("password")}
    assert str(values["j"]) == repr(values["j"]) == Password.HIDDEN


def test_invalid_default() -> None:
    with pytest.raises(ConfigException):
        ConfigDef().define("a", Type.INT, "hello", Importance.HIGH, "docs")


def test_null_default() -> None:
    definition = ConfigDef().define("a", Type.INT, None, None, "docs")
    assert definition.parse({}) == {"a": None}
    assert definition.default_values() == {"a": None}


def test_missing_required() -> None:
    with pytest.raises(ConfigException) as caught:
        ConfigDef().define("a", Type.INT, Importance.HIGH, "docs").parse({})
    assert str(caught.value) == 'Missing required configuration "a" which has no default value.'


def test_parsing_empty_default_value_for_string_field_should_succeed() -> None:
    assert ConfigDef().define("a", Type.STRING, "", Importance.HIGH, "docs").parse({}) == {"a": ""}


def test_defined_twice() -> None:
    with pytest.raises(ConfigException, match="^Configuration a is defined twice.$"):
        (ConfigDef().define("a", Type.STRING, Importance.HIGH, "docs")
         .define("a", Type.INT, Importance.HIGH, "docs"))


LONG_MAX = 2**63 - 1
AN_OBJECT = object()


@pytest.mark.parametrize(("type_", "value", "wrong"), [
    (Type.INT, "hello", "Not a number of type INT"),
    (Type.INT, "42.5", "Not a number of type INT"),
    (Type.INT, 42.5, "Expected value to be a 32-bit integer, but it was a float"),
    (Type.INT, LONG_MAX, "Expected value to be a 32-bit integer, but it was a long"),
    (Type.INT, str(LONG_MAX), "Not a number of type INT"),
    (Type.INT, AN_OBJECT, "Expected value to be a 32-bit integer, but it was a object"),
    (Type.INT, True, "Expected value to be a 32-bit integer, but it was a bool"),
    (Type.SHORT, 32768, "Expected value to be a 16-bit integer (short), but it was a int"),
    (Type.SHORT, "32768", "Not a number of type SHORT"),
    (Type.LONG, "hello", "Not a number of type LONG"),
    (Type.LONG, "42.5", "Not a number of type LONG"),
    (Type.LONG, f"{LONG_MAX}00", "Not a number of type LONG"),
    (Type.LONG, AN_OBJECT, "Expected value to be a 64-bit integer (long), but it was a object"),
    (Type.DOUBLE, "hello", "Not a number of type DOUBLE"),
    (Type.DOUBLE, "1_0", "Not a number of type DOUBLE"),
    (Type.DOUBLE, "inf", "Not a number of type DOUBLE"),
    (Type.DOUBLE, AN_OBJECT, "Expected value to be a double, but it was a object"),
    (Type.STRING, AN_OBJECT, "Expected value to be a string, but it was a object"),
    (Type.PASSWORD, 1, "Expected value to be a string, but it was a int"),
    (Type.LIST, 53, "Expected a comma separated list."),
    (Type.LIST, AN_OBJECT, "Expected a comma separated list."),
    (Type.BOOLEAN, "hello", "Expected value to be either true or false"),
    (Type.BOOLEAN, "truee", "Expected value to be either true or false"),
    (Type.BOOLEAN, "fals", "Expected value to be either true or false"),
    (Type.BOOLEAN, 1, "Expected value to be either true or false"),
    (Type.CLASS, "ClassDoesNotExist", "Class ClassDoesNotExist could not be found."),
    (Type.CLASS, 1, "Expected a Class instance or class name."),
])
def test_bad_inputs(type_: ConfigDef.Type, value: object, wrong: str) -> None:
    definition = ConfigDef().define("name", type_, Importance.HIGH, "docs")
    with pytest.raises(ConfigException) as caught:
        definition.parse({"name": value})
    assert str(caught.value) == f"Invalid value {value} for configuration name: {wrong}".replace(
        "value True", "value true")


@pytest.mark.parametrize(("type_", "value", "parsed"), [
    (Type.INT, " +5 ", 5), (Type.INT, -5, -5), (Type.SHORT, "-32768", -32768), (Type.LONG, 5, 5),
    (Type.DOUBLE, 5, 5.0), (Type.DOUBLE, "1e3", 1000.0), (Type.DOUBLE, "5f", 5.0), (Type.DOUBLE, ".5D", 0.5),
    (Type.DOUBLE, "0x1.8p1", 3.0), (Type.DOUBLE, "-Infinity", float("-inf")),
    (Type.DOUBLE, "1e999", float("inf")), (Type.DOUBLE, "0x1p9999", float("inf")), (Type.LIST, "", []),
    (Type.LIST, "a,,b,", ["a", "", "b", ""]), (Type.LIST, ["a"], ["a"]), (Type.STRING, " a b ", "a b"),
    (Type.PASSWORD, Password("p"), Password("p")),
    (Type.CLASS, int, int), (Type.CLASS, " builtins.int ", int), (Type.BOOLEAN, True, True),
    (Type.INT, None, None),
])
def test_good_inputs(type_: ConfigDef.Type, value: object, parsed: object) -> None:
    found = ConfigDef.parse_type("name", value, type_)
    assert found == parsed
    assert type(found) is type(parsed)


def test_a_class_whose_module_is_broken_is_not_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    def load_class(name: str, base: type) -> type:
        raise ValueError("raised while importing")

    monkeypatch.setattr(Utils, "load_class", staticmethod(load_class))
    with pytest.raises(ValueError, match="raised while importing"):
        ConfigDef.parse_type("name", "a.b", Type.CLASS)


def test_invalid_default_range() -> None:
    with pytest.raises(ConfigException, match="Value must be at least 0$"):
        ConfigDef().define("name", Type.INT, -1, Range.between(0, 10), Importance.HIGH, "docs")


def test_invalid_default_string() -> None:
    with pytest.raises(ConfigException, match="String must be one of: valid, values$"):
        ConfigDef().define("name", Type.STRING, "bad", ValidString.in_("valid", "values"), Importance.HIGH,
                           "docs")


def test_nested_class() -> None:
    definition = ConfigDef().define("name", Type.CLASS, Importance.HIGH, "docs")
    assert definition.parse({"name": f"{__name__}.NestedClass.Inner"}) == {"name": NestedClass.Inner}


NAMES = ["test", "name", "test/test", "test\u1234", "\u1324name\\", "/+%>&):??<&()?-", "+1", "\U0001f601",
         "\uf3b1", "     test   \n\r", "\n  hello \t"]


@pytest.mark.parametrize(("type_", "validator", "default", "ok", "bad"), [
    (Type.INT, Range.between(0, 10), 5, [1, 5, 9], [-1, 11, None]),
    (Type.STRING, ValidString.in_("good", "values", "default"), "default", ["good", "values", "default"],
     ["bad", "inputs", "DEFAULT", None]),
    (Type.STRING, CaseInsensitiveValidString.in_("good", "values", "default"), "default",
     ["gOOd", "VALUES", "default"], ["Bad", "iNPUts", None]),
    (Type.LIST, ConfigDef.ValidList.in_("1", "2", "3"), "1", ["1", "2", "3", ""], ["4", "5", "1,6"]),
    (Type.STRING, ConfigDef.NonNullValidator(), "a", ["abb"], [None]),
    (Type.STRING, ConfigDef.CompositeValidator.of(ConfigDef.NonNullValidator(), ValidString.in_("a", "b")),
     "a", ["a", "b"], [None, -1, "c"]),
    (Type.STRING, ConfigDef.NonEmptyString(), "a", ["a", None], ["", " "]),
    (Type.STRING, ConfigDef.NonEmptyStringWithoutControlChars.non_empty_string_without_control_chars(),
     "defaultname", [*NAMES, None],
     ["nontrailing\nnotallowed", "as\u0001cii control char", "tes\rt", "test\btest", "1\t2", "", "a\x7fb",
      "a\x9fb"]),
])
def test_validators(type_: ConfigDef.Type, validator: ConfigDef.Validator, default: object, ok: list[object],
                    bad: list[object]) -> None:
    definition = ConfigDef().define("name", type_, default, validator, Importance.HIGH, "docs")
    for value in ok:
        definition.parse({"name": value})
    for value in bad:
        with pytest.raises(ConfigException):
            definition.parse({"name": value})


@pytest.mark.parametrize(("validator", "value", "wrong"), [
    (Range.between(0, 10), None, "Invalid value null for configuration n: Value must be non-null"),
    (Range.between(0, 10), 11, "Invalid value 11 for configuration n: Value must be no more than 10"),
    (Range.at_least(1), 0, "Invalid value 0 for configuration n: Value must be at least 1"),
    (CaseInsensitiveValidString.in_("a", "b"), "c",
     "Invalid value c for configuration n: String must be one of (case insensitive): A, B"),
    (ConfigDef.NonNullValidator(), None, "Invalid value null for configuration n: entry must be non null"),
    (ConfigDef.NonEmptyString(), "", "Invalid value  for configuration n: String must be non-empty"),
    (ConfigDef.NonEmptyStringWithoutControlChars(), "a\nb\t",
     "Invalid value a\nb\t for configuration n: String may not contain control sequences but had the "
     "following ASCII chars: 10, 9"),
    (ConfigDef.NonEmptyStringWithoutControlChars(), "",
     "Invalid value  for configuration n: String may not be empty"),
    (ConfigDef.ValidList.in_("a"), ["a", "b"],
     "Invalid value b for configuration n: String must be one of: a"),
])
def test_what_validators_say(validator: ConfigDef.Validator, value: object, wrong: str) -> None:
    with pytest.raises(ConfigException) as caught:
        validator.ensure_valid("n", value)
    assert str(caught.value) == wrong


@pytest.mark.parametrize(("validator", "text"), [
    (Range.between(0, 10), "[0,...,10]"), (Range.at_least(0.5), "[0.5,...]"), (Range(None, 3), "[...,3]"),
    (Range(None, None), "[...]"), (ConfigDef.ValidList.in_("a", "b"), "[a, b]"),
    (ValidString.in_("a"), "[a]"),
    (CaseInsensitiveValidString.in_("a", "b"), "(case insensitive) [A, B]"),
    (ConfigDef.NonNullValidator(), "non-null string"), (ConfigDef.NonEmptyString(), "non-empty string"),
    (ConfigDef.NonEmptyStringWithoutControlChars(), "non-empty string without ISO control characters"),
    (ConfigDef.CompositeValidator.of(Range.at_least(1), ConfigDef.NonEmptyString()),
     "[1,...], non-empty string"),
    (ConfigDef.LambdaValidator.with_(lambda name, value: None, lambda: "anything"), "anything"),
])
def test_validators_as_text(validator: ConfigDef.Validator, text: str) -> None:
    assert str(validator) == text


def test_lambda_validator() -> None:
    seen: list[tuple[str, object]] = []
    validator = ConfigDef.LambdaValidator.with_(lambda name, value: seen.append((name, value)), lambda: "any")
    ConfigDef().define("a", Type.INT, 5, validator, Importance.LOW, None)
    assert seen == [("a", 5)]


def test_ssl_passwords() -> None:
    definition = ConfigDef().with_client_ssl_support()
    names = (SslConfigs.SSL_KEY_PASSWORD_CONFIG, SslConfigs.SSL_KEYSTORE_PASSWORD_CONFIG,
             SslConfigs.SSL_TRUSTSTORE_PASSWORD_CONFIG)
    values = definition.parse({name: f"{name}-secret" for name in names})
    for name in names:
        assert values[name] == Password(f"{name}-secret")
        assert values[name].value() == f"{name}-secret"
        assert str(values[name]) == Password.HIDDEN
    assert values["ssl.enabled.protocols"] == ["TLSv1.2", "TLSv1.3"]


def test_null_default_with_validator() -> None:
    definition = ConfigDef().define("enum_test", Type.STRING, ConfigDef.NO_DEFAULT_VALUE,
                                    ValidString.in_("ONE", "TWO", "THREE"), Importance.HIGH, "docs")
    assert definition.parse({"enum_test": "ONE"}) == {"enum_test": "ONE"}
    assert definition.default_values() == {}


def test_group_inference() -> None:
    def1 = (ConfigDef()
            .define("a", Type.INT, Importance.HIGH, "docs", "group1", 1, Width.SHORT, "a")
            .define("b", Type.INT, Importance.HIGH, "docs", "group2", 1, Width.SHORT, "b")
            .define("c", Type.INT, Importance.HIGH, "docs", "group1", 2, Width.SHORT, "c"))
    assert def1.groups() == ["group1", "group2"]

    def2 = (ConfigDef()
            .define("a", Type.INT, Importance.HIGH, "docs", "group2", 1, Width.SHORT, "a")
            .define("b", Type.INT, Importance.HIGH, "docs", "group2", 2, Width.SHORT, "b")
            .define("c", Type.INT, Importance.HIGH, "docs", "group1", 2, Width.SHORT, "c"))
    assert def2.groups() == ["group2", "group1"]


MISSING_B = 'Missing required configuration "b" which has no default value.'
MISSING_C = 'Missing required configuration "c" which has no default value.'


def family() -> ConfigDef:
    return (ConfigDef()
            .define("a", Type.INT, Importance.HIGH, "docs", "group", 1, Width.SHORT, "a", ["b", "c"],
                    IntegerRecommender(False))
            .define("b", Type.INT, Importance.HIGH, "docs", "group", 2, Width.SHORT, "b",
                    IntegerRecommender(True))
            .define("c", Type.INT, Importance.HIGH, "docs", "group", 3, Width.SHORT, "c",
                    IntegerRecommender(True))
            .define("d", Type.INT, Importance.HIGH, "docs", "group", 4, Width.SHORT, "d", ["b"],
                    IntegerRecommender(False)))


def test_parse_for_validate() -> None:
    definition = family()
    config_values = {name: ConfigValue(name) for name in definition.config_keys()}
    parsed = definition.parse_for_validate({"a": "1", "d": "10"}, config_values)
    assert parsed == {"a": 1, "b": None, "c": None, "d": 10}
    assert config_values == {
        "a": ConfigValue("a", 1),
        "b": ConfigValue("b", None, [], [MISSING_B, MISSING_B]),
        "c": ConfigValue("c", None, [], [MISSING_C]),
        "d": ConfigValue("d", 10),
    }


def test_validate() -> None:
    assert family().validate_all({"a": "1", "d": "10"}) == {
        "a": ConfigValue("a", 1, [1, 2, 3]),
        "b": ConfigValue("b", None, [4, 5], [MISSING_B, MISSING_B]),
        "c": ConfigValue("c", None, [4, 5], [MISSING_C]),
        "d": ConfigValue("d", 10, [1, 2, 3]),
    }


def test_validate_missing_config_key() -> None:
    definition = (
        ConfigDef()
        .define("a", Type.INT, Importance.HIGH, "docs", "group", 1, Width.SHORT, "a", ["b", "c", "d"],
                IntegerRecommender(False))
        .define("b", Type.INT, Importance.HIGH, "docs", "group", 2, Width.SHORT, "b",
                IntegerRecommender(True))
        .define("c", Type.INT, Importance.HIGH, "docs", "group", 3, Width.SHORT, "c",
                IntegerRecommender(True)))
    config_d = ConfigValue("d", None, [], ["d is referred in the dependents, but not defined."])
    config_d.visible_to(False)
    assert {config.name(): config for config in definition.validate({"a": "1"})} == {
        "a": ConfigValue("a", 1, [1, 2, 3]),
        "b": ConfigValue("b", None, [4, 5], [MISSING_B]),
        "c": ConfigValue("c", None, [4, 5], [MISSING_C]),
        "d": config_d,
    }


def test_validate_cannot_parse() -> None:
    definition = ConfigDef().define("a", Type.INT, Importance.HIGH, "docs")
    assert definition.validate({"a": "non_integer"}) == [ConfigValue(
        "a", None, [], ["Invalid value non_integer for configuration a: Not a number of type INT"])]


def test_validate_with_a_validator_and_a_recommender_that_refuse() -> None:
    class Refusing(IntegerRecommender):
        def visible(self, name: str, parsed_config: Any) -> bool:
            raise ConfigException("not now")

    definition = ConfigDef().define("a", Type.INT, 1, Range.at_least(1), Importance.HIGH, "docs", "g", 1,
                                    Width.NONE,
                                    "a", Refusing(True))
    (value,) = definition.validate({"a": "0"})
    assert value.error_messages() == ["Invalid value 0 for configuration a: Value must be at least 1",
                                      "not now"]
    assert value.recommended_values() == [4, 5]


def test_a_dependent_of_two_gets_what_both_recommend() -> None:
    class Shrinking(ConfigDef.Recommender):
        calls = 0

        def valid_values(self, name: str, parsed_config: Any) -> list[Any]:
            self.calls += 1
            return [1, 2] if self.calls == 1 else [2, 3]

        def visible(self, name: str, parsed_config: Any) -> bool:
            return True

    definition = (ConfigDef()
                  .define("a", Type.INT, 1, Importance.LOW, None, "g", 1, Width.NONE, "a", ["c"])
                  .define("b", Type.INT, 1, Importance.LOW, None, "g", 2, Width.NONE, "b", ["c"])
                  .define("c", Type.INT, 1, Importance.LOW, None, "g", 3, Width.NONE, "c", Shrinking()))
    assert definition.validate_all({})["c"].recommended_values() == [2]


def test_can_add_internal_config() -> None:
    definition = ConfigDef().define_internal("internal.config", Type.STRING, "", Importance.LOW)
    (config_value,) = definition.validate({"internal.config": "value"})
    assert (config_value.name(), config_value.value()) == ("internal.config", "value")
    assert definition.config_keys()["internal.config"]._internal_config
    definition.define_internal_validator("x", Type.INT, 1, Range.at_least(1), None, None)
    with pytest.raises(ConfigException):
        definition.parse({"x": 0})


def test_names() -> None:
    definition = (ConfigDef().define("a", Type.STRING, Importance.LOW, "docs")
                  .define("b", Type.STRING, Importance.LOW, "docs"))
    names = definition.names()
    assert names == {"a", "b"}
    assert not hasattr(names, "add")


def test_missing_dependent_configs() -> None:
    definition = ConfigDef().define("parent", Type.STRING, Importance.HIGH, "parent docs", "group", 1,
                                    Width.LONG,
                                    "Parent", ["child"])
    with pytest.raises(ConfigException) as caught:
        definition.parse({})
    assert str(caught.value) == (
        "Some configurations in are referred in the dependents, but not defined: child")


def test_base_config_def_dependents() -> None:
    base = ConfigDef().define("a", Type.STRING, Importance.LOW, "docs")
    assert base.get_configs_with_no_parent() == {"a"}
    definition = (ConfigDef(base)
                  .define("parent", Type.STRING, Importance.HIGH, "parent docs", "group", 1, Width.LONG,
                          "Parent",
                          ["child"])
                  .define("child", Type.STRING, Importance.HIGH, "docs"))
    assert definition.get_configs_with_no_parent() == {"a", "parent"}
    assert base.names() == {"a"}
    assert base.groups() == []


def check_converted(value: object, type_: ConfigDef.Type, text: str) -> None:
    assert ConfigDef.convert_to_string(value, type_) == text
    assert ConfigDef.convert_to_string(None, type_) is None


def test_convert_value_to_string_boolean() -> None:
    check_converted(True, Type.BOOLEAN, "true")


def test_convert_value_to_string_short() -> None:
    check_converted(32767, Type.SHORT, "32767")


def test_convert_value_to_string_int() -> None:
    check_converted(2147483647, Type.INT, "2147483647")


def test_convert_value_to_string_long() -> None:
    check_converted(LONG_MAX, Type.LONG, "9223372036854775807")


def test_convert_value_to_string_double() -> None:
    check_converted(3.125, Type.DOUBLE, "3.125")


def test_convert_value_to_string_string() -> None:
    check_converted("foobar", Type.STRING, "foobar")


def test_convert_value_to_string_password() -> None:
    check_converted(Password("foobar"), Type.PASSWORD, Password.HIDDEN)
    check_converted("foobar", Type.PASSWORD, "foobar")


def test_convert_value_to_string_list() -> None:
    check_converted(["a", "bc", "d"], Type.LIST, "a,bc,d")


def test_convert_value_to_string_class() -> None:
    text = f"{__name__}.NestedClass"
    check_converted(NestedClass, Type.CLASS, text)
    assert Utils.load_class(text, object) is NestedClass


def test_convert_value_to_string_nested_class() -> None:
    text = f"{__name__}.NestedClass.Inner"
    check_converted(NestedClass.Inner, Type.CLASS, text)
    assert Utils.load_class(text, object) is NestedClass.Inner


def test_convert_to_string_map_with_password_values() -> None:
    assert ConfigDef.convert_to_string_map_with_password_values(
        {"a": Password("secret"), "b": ["x", "y"], "c": NestedClass, "d": None, "e": True, "f": 5}) == {
            "a": "secret", "b": "x,y", "c": f"{__name__}.NestedClass", "e": "true", "f": "5"}


def test_throws_exception_when_list_size_exceeds_limit() -> None:
    with pytest.raises(ConfigException) as caught:
        ConfigDef().define("lst", Type.LIST, ["a", "b"], ListSize.at_most_of_size(1), Importance.HIGH,
                           "lst doc")
    assert str(caught.value) == (
        "Invalid value [a, b] for configuration lst: exceeds maximum list size of [1].")


def test_no_exception_is_thrown_when_list_size_equals_the_limit() -> None:
    definition = ConfigDef().define("lst", Type.LIST, ["a", "b", "c"], ListSize.at_most_of_size(3),
                                    Importance.HIGH, "lst doc")
    assert definition.parse({}) == {"lst": ["a", "b", "c"]}


def test_no_exception_is_thrown_when_list_size_is_below_the_limit() -> None:
    definition = ConfigDef().define("lst", Type.LIST, ["a", "b"], ListSize.at_most_of_size(3),
                                    Importance.HIGH, "lst doc")
    assert definition.parse({}) == {"lst": ["a", "b"]}


def test_list_size_validator_to_string() -> None:
    assert str(ListSize.at_most_of_size(5)) == "List containing maximum of 5 elements"


HIGH, INT = Importance.HIGH, Type.INT
AT_LEAST, RECOMMENDER = Range.at_least(1), IntegerRecommender(True)
NO_DEFAULT = ConfigDef.NO_DEFAULT_VALUE
GROUP = ("g", 3, Width.LONG, "Shown")


@pytest.mark.parametrize(("args", "expected"), [
    ((HIGH, "d"), {}),
    ((5, HIGH, "d"), {"default_value": 5}),
    ((5, HIGH, "d", "alt"), {"default_value": 5, "alternative_string": "alt"}),
    ((5, AT_LEAST, HIGH, "d"), {"default_value": 5, "validator": AT_LEAST}),
    ((5, None, HIGH, "d"), {"default_value": 5}),
    ((HIGH, "d", *GROUP), {"group": GROUP}),
    ((HIGH, "d", *GROUP, RECOMMENDER), {"group": GROUP, "recommender": RECOMMENDER}),
    ((HIGH, "d", *GROUP, ["x"]), {"group": GROUP, "dependents": ["x"]}),
    ((HIGH, "d", *GROUP, ["x"], RECOMMENDER),
     {"group": GROUP, "dependents": ["x"], "recommender": RECOMMENDER}),
    ((5, HIGH, "d", *GROUP), {"default_value": 5, "group": GROUP}),
    ((5, HIGH, "d", *GROUP, RECOMMENDER), {"default_value": 5, "group": GROUP, "recommender": RECOMMENDER}),
    ((5, HIGH, "d", *GROUP, ["x"]), {"default_value": 5, "group": GROUP, "dependents": ["x"]}),
    ((5, HIGH, "d", *GROUP, ["x"], RECOMMENDER),
     {"default_value": 5, "group": GROUP, "dependents": ["x"], "recommender": RECOMMENDER}),
    ((5, AT_LEAST, HIGH, "d", *GROUP), {"default_value": 5, "validator": AT_LEAST, "group": GROUP}),
    ((5, AT_LEAST, HIGH, "d", *GROUP, RECOMMENDER),
     {"default_value": 5, "validator": AT_LEAST, "group": GROUP, "recommender": RECOMMENDER}),
    ((5, AT_LEAST, HIGH, "d", *GROUP, ["x"]),
     {"default_value": 5, "validator": AT_LEAST, "group": GROUP, "dependents": ["x"]}),
    ((5, AT_LEAST, HIGH, "d", *GROUP, ["x"], RECOMMENDER),
     {"default_value": 5, "validator": AT_LEAST, "group": GROUP, "dependents": ["x"],
      "recommender": RECOMMENDER}),
    ((5, AT_LEAST, HIGH, "d", *GROUP, ["x"], RECOMMENDER, "alt"),
     {"default_value": 5, "validator": AT_LEAST, "group": GROUP, "dependents": ["x"],
      "recommender": RECOMMENDER,
      "alternative_string": "alt"}),
])
def test_every_signature_of_define(args: tuple[Any, ...], expected: dict[str, Any]) -> None:
    definition = ConfigDef()
    assert definition.define("n", INT, *args) is definition
    key = definition.config_keys()["n"]
    assert (key._name, key.type(), key._importance, key._documentation) == ("n", INT, HIGH, "d")
    assert key._default_value is expected.get("default_value", NO_DEFAULT)
    assert key.has_default() is ("default_value" in expected)
    assert key._validator is expected.get("validator")
    assert (key._group, key._order_in_group, key._width, key._display_name) == expected.get(
        "group", (None, -1, Width.NONE, "n"))
    assert list(key._dependents) == expected.get("dependents", [])
    assert key._recommender is expected.get("recommender")
    assert key._alternative_string == expected.get("alternative_string")


def test_embed() -> None:
    child = (ConfigDef()
             .define("z", Type.INT, 5, Range.at_least(1), Importance.LOW, None, "group", 0, Width.NONE, "Z",
                     ["y"],
                     IntegerRecommender(False))
             .define("y", Type.STRING, Importance.LOW, None)
             .define("x", Type.STRING, "", Importance.HIGH, None))
    definition = ConfigDef()
    definition.embed("child.", "Child", 10, child)
    keys = definition.config_keys()
    # Those without a group, a required one first among its like, then the group.
    assert [(key._name, key._order_in_group) for key in keys.values()] == [
        ("child.y", 10), ("child.x", 11), ("child.z", 12)]
    assert [key._group for key in keys.values()] == ["Child", "Child", "Child: group"]
    assert keys["child.z"]._dependents == ["child.y"]
    assert str(keys["child.z"]._validator) == "[1,...]"
    with pytest.raises(ConfigException,
                       match="^Invalid value 0 for configuration z: Value must be at least 1$"):
        definition.parse({"child.z": 0, "child.y": ""})


def test_an_embedded_recommender_knows_no_prefix() -> None:
    seen: list[tuple[str, dict[str, Any]]] = []

    class Recording(IntegerRecommender):
        def valid_values(self, name: str, parsed_config: Any) -> list[Any]:
            seen.append((name, parsed_config))
            return [1]

    child = ConfigDef().define("a", Type.INT, 1, Importance.LOW, None, "g", 0, Width.NONE, "A",
                               Recording(False))
    definition = ConfigDef().define("b", Type.INT, 2, Importance.LOW, None)
    definition.embed("child.", "Child", 0, child)
    assert definition.validate_all({})["child.a"].recommended_values() == [1]
    assert seen == [("a", {"a": 1})]


def test_sensitive_types() -> None:
    assert [type_ for type_ in Type if type_.is_sensitive()] == [Type.PASSWORD]


@given(st.integers(-2**31, 2**31 - 1), st.integers(-2**63, 2**63 - 1), st.floats(allow_nan=False),
       st.booleans(),
       st.lists(st.text("abc", min_size=1), min_size=1))
def test_what_is_converted_to_text_is_parsed_back(int_: int, long: int, double: float, boolean: bool,
                                                  list_: list[str]) -> None:
    for value, type_ in ((int_, Type.INT), (long, Type.LONG), (boolean, Type.BOOLEAN), (list_, Type.LIST)):
        assert ConfigDef.parse_type("n", ConfigDef.convert_to_string(value, type_), type_) == value
    if abs(double) != float("inf"):
        assert ConfigDef.parse_type("n", ConfigDef.convert_to_string(double, Type.DOUBLE),
                                    Type.DOUBLE) == double


def test_internal_config_doesnt_show_up_in_docs() -> None:
    definition = ConfigDef().define_internal("my.config", Type.STRING, "", Importance.LOW)
    definition.define_internal_validator("my.other.config", Type.STRING, "", None, Importance.LOW, None)
    assert definition.to_rst() == definition.to_enriched_rst() == ""


def test_to_rst() -> None:
    definition = (
        ConfigDef().define("opt1", Type.STRING, "a", ValidString.in_("a", "b", "c"), Importance.HIGH, "docs1")
        .define("opt2", Type.INT, Importance.MEDIUM, "docs2")
        .define("opt3", Type.LIST, ["a", "b"], Importance.LOW, "docs3")
        .define("opt4", Type.BOOLEAN, False, Importance.LOW, None))
    assert definition.to_rst() == """\
``opt2``
  docs2

  * Type: int
  * Importance: medium

``opt1``
  docs1

  * Type: string
  * Default: a
  * Valid Values: [a, b, c]
  * Importance: high

``opt3``
  docs3

  * Type: list
  * Default: a,b
  * Importance: low

``opt4``

  * Type: boolean
  * Default: false
  * Importance: low

"""


def test_to_enriched_rst() -> None:
    definition = (
        ConfigDef()
        .define("opt1.of.group1", Type.STRING, "a", ValidString.in_("a", "b", "c"), Importance.HIGH,
                "Doc doc.", "Group One", 0, Width.NONE, "..", [])
        .define("opt2.of.group1", Type.INT, ConfigDef.NO_DEFAULT_VALUE, Importance.MEDIUM, "Doc doc doc.",
                "Group One", 1, Width.NONE, "..", ["some.option1", "some.option2"])
        .define("opt2.of.group2", Type.BOOLEAN, False, Importance.HIGH, "Doc doc doc doc.",
                "Group Two", 1, Width.NONE, "..", [])
        .define("opt1.of.group2", Type.BOOLEAN, False, Importance.HIGH, "Doc doc doc doc doc.",
                "Group Two", 0, Width.NONE, "..", ["some.option"])
        .define("poor.opt", Type.STRING, "foo", Importance.HIGH, "Doc doc doc doc."))
    assert definition.to_enriched_rst() == """\
``poor.opt``
  Doc doc doc doc.

  * Type: string
  * Default: foo
  * Importance: high

Group One
^^^^^^^^^

``opt1.of.group1``
  Doc doc.

  * Type: string
  * Default: a
  * Valid Values: [a, b, c]
  * Importance: high

``opt2.of.group1``
  Doc doc doc.

  * Type: int
  * Importance: medium
  * Dependents: ``some.option1``, ``some.option2``

Group Two
^^^^^^^^^

``opt1.of.group2``
  Doc doc doc doc doc.

  * Type: boolean
  * Default: false
  * Importance: high
  * Dependents: ``some.option``

``opt2.of.group2``
  Doc doc doc doc.

  * Type: boolean
  * Default: false
  * Importance: high

"""


@pytest.mark.parametrize("count, text", [
    (0, ""), (1023, ""), (1024, " (1 kibibyte)"), (1025, ""), (2 << 10, " (2 kibibytes)"),
    (1 << 20, " (1 mebibyte)"), (2 << 20, " (2 mebibytes)"), (1 << 30, " (1 gibibyte)"),
    (2 << 30, " (2 gibibytes)"), (1 << 40, " (1 tebibyte)"), (2 << 40, " (2 tebibytes)"),
    (1 << 50, " (1024 tebibytes)"), (2 << 50, " (2048 tebibytes)"), (-1, "")])
def test_nice_memory_units(count: int, text: str) -> None:
    assert ConfigDef.nice_memory_units(count) == text


@pytest.mark.parametrize("millis, text", [
    (0, ""), (999, ""), (1000, " (1 second)"), (1001, ""), (2000, " (2 seconds)"), (60_000, " (1 minute)"),
    (120_000, " (2 minutes)"), (3_600_000, " (1 hour)"), (7_200_000, " (2 hours)"), (86_400_000, " (1 day)"),
    (2 * 86_400_000, " (2 days)"), (7 * 86_400_000, " (7 days)"), (365 * 86_400_000, " (365 days)")])
def test_nice_time_units(millis: int, text: str) -> None:
    assert ConfigDef.nice_time_units(millis) == text


def test_values_for_documents() -> None:
    definition = (
        ConfigDef().define("a.bytes", Type.LONG, 1 << 20, Importance.HIGH, "docs")
        .define("a.ms", Type.INT, 60_000, Range.at_least(0), Importance.LOW, "docs")
        .define("a", Type.STRING, "", Importance.LOW, "docs")
        .define("b", Type.STRING, None, Importance.LOW, ""))
    keys = definition.config_keys()
    assert definition.get_config_value(keys["a.bytes"], "Default") == "1048576 (1 mebibyte)"
    assert definition.get_config_value(keys["a.ms"], "Default") == "60000 (1 minute)"
    assert definition.get_config_value(keys["a"], "Default") == '""'
    assert definition.get_config_value(keys["b"], "Default") == "null"
    assert definition.get_config_value(keys["a.ms"], "Valid Values") == "[0,...]"
    assert definition.get_config_value(keys["a"], "Name") == "a"
    assert definition.get_config_value(keys["a"], "Description") == "docs"
    with pytest.raises(RuntimeError, match="Can't find value for header 'Nonsense' in a"):
        definition.get_config_value(keys["a"], "Nonsense")

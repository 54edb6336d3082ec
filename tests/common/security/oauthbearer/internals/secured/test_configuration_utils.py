# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of ConfigurationUtilsTest, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""URLs and files in properties."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.security.oauthbearer.internals.secured.configuration_utils import ConfigurationUtils
from kreactor.common.security.oauthbearer.internals.secured.verification_key_resolver_factory import (
    VerificationKeyResolverFactory,
)


def url(value: str | None) -> str:
    return ConfigurationUtils({"url": value}).validate_url("url").geturl()


def file(value: str | None) -> Path:
    return ConfigurationUtils({"url": value}).validate_file("url")


def test_url() -> None:
    assert url("http://www.example.com") == "http://www.example.com"


def test_url_with_superfluous_whitespace() -> None:
    assert url("  http://www.example.com  ") == "http://www.example.com"


def test_url_case_insensitivity() -> None:
    assert url("HTTPS://WWW.EXAMPLE.COM") == "https://WWW.EXAMPLE.COM"


def test_url_file() -> None:
    assert url("file:///tmp/foo.txt") == "file:///tmp/foo.txt"


def test_url_full_path() -> None:
    token = "https://myidp.example.com/oauth2/default/v1/token"
    assert url(token) == token


def test_url_missing_protocol() -> None:
    with pytest.raises(ConfigException, match="no protocol"):
        url("www.example.com")


def test_url_invalid_protocol() -> None:
    with pytest.raises(ConfigException, match="invalid protocol"):
        url("ftp://ftp.example.com")


def test_url_null() -> None:
    with pytest.raises(ConfigException, match="must be non-null"):
        url(None)


def test_url_empty_string() -> None:
    with pytest.raises(ConfigException, match="must not contain only whitespace"):
        url("")


def test_url_whitespace() -> None:
    with pytest.raises(ConfigException, match="must not contain only whitespace"):
        url("    ")


def test_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("some contents!")
    for form in (f"file:{tmp_path}/file", f"file://{tmp_path}/file"):
        assert file(form) == tmp_path / "file"


def test_file_with_superfluous_whitespace(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert file(f"  {(tmp_path / 'file').as_uri()}  ") == tmp_path / "file"


def test_file_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigException, match="that doesn't exist"):
        file((tmp_path / "none").as_uri())


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read every file")
def test_file_unreadable(tmp_path: Path) -> None:
    (tmp_path / "file").touch(0)
    with pytest.raises(ConfigException, match="that doesn't have read permission"):
        file((tmp_path / "file").as_uri())


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigException, match="references a directory"):
        file(tmp_path.as_uri())


@pytest.mark.parametrize("name", [
    *map("a{}b".format, ' "<>\\^`{|}[]\x01\x7f\u0080\u00a0'), "a%", "a%4"], ids=ascii)
def test_a_file_whose_url_has_an_illegal_character_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    with pytest.raises(ConfigException, match="that is malformed"):
        file(f"file://{tmp_path}/{name}")


def test_a_file_name_may_have_other_characters(tmp_path: Path) -> None:
    for name in ("a%20b", "a~!$&'()*+,;=:@-._b", "\u00e4\u6587"):
        (tmp_path / name).touch()
        assert file(f"file://{tmp_path}/{name}") == tmp_path / name


def test_file_null() -> None:
    with pytest.raises(ConfigException, match="must be non-null"):
        file(None)


def test_file_empty_string() -> None:
    with pytest.raises(ConfigException, match="must not contain only whitespace"):
        file("")


def test_file_whitespace() -> None:
    with pytest.raises(ConfigException, match="must not contain only whitespace"):
        file("    ")


def test_keys_over_http_are_refused() -> None:
    for scheme in ("http", "https"):
        with pytest.raises(ConfigException, match="kreactor reads keys from a file only"):
            VerificationKeyResolverFactory.create(
                {"sasl.oauthbearer.jwks.endpoint.url": f"{scheme}://localhost/keys"})


def test_a_mechanism_has_properties_of_its_own() -> None:
    configs = {"oauthbearer.name": "its", "name": "all", "other": "all"}
    utils = ConfigurationUtils(configs, " OAUTHBEARER ")
    assert (utils.get("name"), utils.get("other")) == ("its", "all")
    assert utils.validate_integer("none", False) is None
    with pytest.raises(ConfigException, match="must be non-null"):
        utils.validate_integer("none", True)


def test_required_numbers_and_their_minimum() -> None:
    utils = ConfigurationUtils({"set": 5})
    for validate in (utils.validate_integer, utils.validate_long):
        assert validate("set", True) == 5
        assert validate("none", False) is None
        with pytest.raises(ConfigException, match="none must be non-null"):
            validate("none", True)
    assert utils.validate_long("set", True, 5) == 5
    with pytest.raises(ConfigException, match="set value must be at least 6"):
        utils.validate_long("set", True, 6)
    with pytest.raises(ConfigException, match="must be non-null"):
        utils.validate_long("none")

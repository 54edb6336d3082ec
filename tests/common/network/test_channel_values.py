# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The small classes that say what a channel is: its listener, its state, its client, its cipher."""

from __future__ import annotations

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.errors import AuthenticationException
from kreactor.common.network import channel_state
from kreactor.common.network.channel_state import ChannelState
from kreactor.common.network.cipher_information import CipherInformation
from kreactor.common.network.client_information import ClientInformation
from kreactor.common.network.default_channel_metadata_registry import DefaultChannelMetadataRegistry
from kreactor.common.network.delayed_response_authentication_exception import (
    DelayedResponseAuthenticationException,
)
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.mode import Mode
from kreactor.common.network.selector import Selector
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from tests.common.network.docstring_tables import table


def test_a_listener_name_is_upper_case_once_normalised():
    assert ListenerName.normalised("external").value() == "EXTERNAL"
    assert ListenerName("external").value() == "external"
    assert ListenerName.for_security_protocol(SecurityProtocol.SASL_SSL) == ListenerName("SASL_SSL")


@pytest.mark.parametrize("name", ["", " ", "\t\n", "\0\x1f", None])
def test_a_listener_needs_a_name(name):
    with pytest.raises(ConfigException, match="listener name is null or empty"):
        ListenerName.normalised(name)


def test_a_listeners_settings_have_its_name_in_lower_case():
    name = ListenerName("EXTERNAL")
    assert name.config_prefix() == "listener.name.external."
    assert name.sasl_mechanism_config_prefix("SCRAM-SHA-256") == "listener.name.external.scram-sha-256."
    assert ListenerName.sasl_mechanism_prefix("PLAIN") == "plain."


def test_listener_names_are_keys():
    assert {ListenerName("A"): 1}[ListenerName("A")] == 1
    assert ListenerName("A") != ListenerName("B") and ListenerName("A") != "A"
    assert str(ListenerName("A")) == repr(ListenerName("A")) == "ListenerName(A)"


def test_the_table_of_channel_states_is_complete():
    rows = table(channel_state.__doc__, "state")
    assert {state for state, _, _ in rows} == set(ChannelState.State.__members__)


def test_a_channel_state_carries_its_cause():
    for name in ("NOT_CONNECTED", "AUTHENTICATE", "READY", "EXPIRED", "FAILED_SEND", "LOCAL_CLOSE"):
        state = getattr(ChannelState, name)
        assert state.state() is ChannelState.State[name]
        assert state.exception() is None and state.remote_address() is None
        assert repr(state) == f"ChannelState({name})"
    cause = AuthenticationException("refused")
    failed = ChannelState(ChannelState.State.AUTHENTICATION_FAILED, cause, "localhost/127.0.0.1:9092")
    assert failed.exception() is cause and failed.remote_address() == "localhost/127.0.0.1:9092"
    # Told apart by identity, as in the origin.
    assert ChannelState(ChannelState.State.READY) != ChannelState.READY


@pytest.mark.parametrize(("cls", "text"), [
    (CipherInformation, "CipherInformation(cipher={}, protocol={})"),
    (ClientInformation, "ClientInformation(softwareName={}, softwareVersion={})"),
])
def test_information_is_a_key_and_never_empty(cls, text):
    information = cls("A", "B")
    assert information == cls("A", "B") and hash(information) == hash(cls("A", "B"))
    assert information != cls("A", "C") and information != cls("C", "B") and information != ("A", "B")
    assert str(information) == text.format("A", "B")
    assert str(cls("", "B")) == text.format("unknown", "B")
    assert str(cls("A", "")) == text.format("A", "unknown")


def test_what_the_parts_of_an_information_are_called():
    assert (CipherInformation("A", "B").cipher(), CipherInformation("A", "B").protocol()) == ("A", "B")
    assert CipherInformation(None, None) == CipherInformation("unknown", "unknown")
    client = ClientInformation("A", "B")
    assert (client.software_name(), client.software_version()) == ("A", "B")
    assert ClientInformation.EMPTY == ClientInformation("", "")


def test_the_default_registry_keeps_a_client_and_no_first_cipher():
    registry = DefaultChannelMetadataRegistry()
    assert registry.client_information() is None and registry.cipher_information() is None
    registry.register_client_information(ClientInformation.EMPTY)
    assert registry.client_information() is ClientInformation.EMPTY
    registry.register_cipher_information(CipherInformation("A", "B"))
    assert registry.cipher_information() is None
    registry.close()
    assert registry.client_information() is None


def test_only_one_way_to_close_is_silent():
    assert [mode.name for mode in Selector.CloseMode if not mode.notify_disconnect] == ["DISCARD_NO_NOTIFY"]
    assert len(Selector.CloseMode) == 3 and len(Mode) == 2


def test_a_delayed_failure_wraps_the_real_one():
    cause = AuthenticationException("wrong password")
    assert DelayedResponseAuthenticationException(cause).__cause__ is cause

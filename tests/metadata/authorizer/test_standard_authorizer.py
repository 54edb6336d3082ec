# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.metadata.authorizer.StandardAuthorizerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The decisions of the authorizer, held against a slow, plain reading of the rules."""

from __future__ import annotations

import logging

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kreactor.common.acl.access_control_entry_filter import AccessControlEntryFilter
from kreactor.common.acl.acl_binding_filter import AclBindingFilter
from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.common.endpoint import Endpoint
from kreactor.common.errors import AuthorizerNotReadyException, TimeoutException
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_pattern_filter import ResourcePatternFilter
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.utils.log_context import TRACE
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.metadata.authorizer.acl_cache import AclCache
from kreactor.metadata.authorizer.standard_acl import StandardAcl
from kreactor.metadata.authorizer.standard_authorizer import StandardAuthorizer
from kreactor.metadata.authorizer.standard_authorizer_data import StandardAuthorizerData
from kreactor.server.authorizer.authorization_result import AuthorizationResult
from kreactor.server.authorizer.authorizer_server_info import AuthorizerServerInfo
from tests.metadata.authorizer.acls import add, new_action, new_authorizer, new_id, request_context

O = AclOperation  # noqa: E741
TOPIC, GROUP = ResourceType.TOPIC, ResourceType.GROUP
LITERAL, PREFIXED = PatternType.LITERAL, PatternType.PREFIXED
ALLOW, DENY = AclPermissionType.ALLOW, AclPermissionType.DENY
ALLOWED, DENIED = AuthorizationResult.ALLOWED, AuthorizationResult.DENIED
PLAINTEXT = Endpoint("PLAINTEXT", SecurityProtocol.PLAINTEXT, "127.0.0.1", 9020)
CONTROLLER = Endpoint("CONTROLLER", SecurityProtocol.PLAINTEXT, "127.0.0.1", 9020)
AUDIT_LOG = "kafka.authorizer.logger"

Asked = tuple[AclOperation, ResourceType, str]


def server_info(*endpoints: Endpoint) -> AuthorizerServerInfo:
    return AuthorizerServerInfo(
        cluster_id="r7mqHQrxTNmzbKvCvWZzLQ", broker_id=0, endpoints=endpoints,
        inter_broker_endpoint=endpoints[0], early_start_listeners={"CONTROLLER"})


def results(authorizer: StandardAuthorizer, principal: str, *asked: Asked,
            host: str = "127.0.0.1") -> list[AuthorizationResult]:
    return authorizer.authorize(request_context(principal, host), [new_action(*action) for action in asked])


def test_get_configured_super_users() -> None:
    def super_users(value: str | None) -> frozenset[str]:
        return StandardAuthorizer.get_configured_super_users({} if value is None else {"super.users": value})

    assert super_users(None) == super_users(" ") == frozenset()
    for value in ("User:bob;User:alice ", ";  User:bob  ;  User:alice "):
        assert super_users(value) == {"User:bob", "User:alice"}
    with pytest.raises(IllegalArgumentException) as e:
        super_users("bob;:alice")
    assert str(e.value) == "expected a string in format principalType:principalName but got bob"


def test_get_default_result() -> None:
    name = StandardAuthorizer.ALLOW_EVERYONE_IF_NO_ACL_IS_FOUND_CONFIG
    assert StandardAuthorizer.get_default_result({}) is DENIED
    assert StandardAuthorizer.get_default_result({name: "true"}) is ALLOWED
    assert StandardAuthorizer.get_default_result({name: "false"}) is DENIED


def test_allow_everyone_if_no_acl_found_config_enabled() -> None:
    authorizer = new_authorizer(
        StandardAcl(TOPIC, "topic1", LITERAL, "User:Alice", "*", O.READ, ALLOW),
        allow_everyone_if_no_acl_found="true")
    assert results(authorizer, "Bob", (O.READ, TOPIC, "topic1"), (O.READ, TOPIC, "topic2")) == [
        DENIED, ALLOWED]


def test_allow_everyone_if_no_acl_found_config_disabled() -> None:
    authorizer = new_authorizer(
        StandardAcl(TOPIC, "topic1", LITERAL, "User:Alice", "*", O.READ, ALLOW),
        allow_everyone_if_no_acl_found="false")
    assert results(authorizer, "Bob", (O.READ, TOPIC, "topic1"), (O.READ, TOPIC, "topic2")) == [
        DENIED, DENIED]


def test_configure() -> None:
    authorizer = new_authorizer(
        super_users="User:alice;User:chris", allow_everyone_if_no_acl_found="true")
    assert authorizer.super_users() == {"User:alice", "User:chris"}
    assert authorizer.default_result() is ALLOWED


def foo_acl(operation: AclOperation, permission: AclPermissionType) -> StandardAcl:
    return StandardAcl(TOPIC, "foo_", PREFIXED, "User:bob", "*", operation, permission)


def bar_acl(operation: AclOperation, permission: AclPermissionType) -> StandardAcl:
    return StandardAcl(GROUP, "bar", LITERAL, "User:*", "*", operation, permission)


def find_result(operation: AclOperation, principal: str, acl: StandardAcl) -> AuthorizationResult | None:
    return StandardAuthorizerData.find_result(operation, f"User:{principal}", "127.0.0.1", acl)


def test_find_result_implication() -> None:
    for operation in (O.DESCRIBE, O.READ, O.WRITE, O.DELETE, O.ALTER):
        assert find_result(O.DESCRIBE, "bob", foo_acl(operation, ALLOW)) is ALLOWED
    assert find_result(O.DESCRIBE, "bob", foo_acl(O.CREATE, ALLOW)) is None
    for operation in (O.READ, O.WRITE, O.DELETE, O.ALTER):
        assert find_result(O.DESCRIBE, "bob", foo_acl(operation, DENY)) is None
    assert find_result(O.DESCRIBE, "bob", foo_acl(O.DESCRIBE, DENY)) is DENIED
    for operation in (O.DESCRIBE_CONFIGS, O.ALTER_CONFIGS):
        assert find_result(O.DESCRIBE_CONFIGS, "bob", foo_acl(operation, ALLOW)) is ALLOWED
    assert find_result(O.DESCRIBE_CONFIGS, "bob", foo_acl(O.ALTER_CONFIGS, DENY)) is None
    assert find_result(O.ALTER_CONFIGS, "bob", foo_acl(O.ALTER_CONFIGS, DENY)) is DENIED


def test_find_result_principal_matching() -> None:
    assert find_result(O.READ, "bob", foo_acl(O.READ, ALLOW)) is ALLOWED
    assert find_result(O.READ, "alice", foo_acl(O.READ, ALLOW)) is None
    assert find_result(O.READ, "alice", bar_acl(O.READ, DENY)) is DENIED


def test_list_acls() -> None:
    authorizer = new_authorizer()
    foo_acls = [foo_acl(operation, ALLOW) for operation in (O.READ, O.WRITE)]
    bar_acls = [bar_acl(operation, DENY) for operation in (O.DESCRIBE_CONFIGS, O.ALTER_CONFIGS)]
    foo_ids = add(authorizer, foo_acls)
    add(authorizer, bar_acls)

    def listed(filter_: AclBindingFilter = AclBindingFilter.ANY) -> list[StandardAcl]:
        return [StandardAcl.from_acl_binding(acl) for acl in authorizer.acls(filter_)]

    assert listed() == foo_acls + bar_acls and authorizer.acl_count() == 4
    authorizer.remove_acl(foo_ids[1])
    assert listed() == foo_acls[:1] + bar_acls and authorizer.acl_count() == 3
    assert listed(AclBindingFilter(ResourcePatternFilter(TOPIC, None, PatternType.ANY),
                                   AccessControlEntryFilter.ANY)) == foo_acls[:1]


def test_simple_authorizations() -> None:
    authorizer = new_authorizer(foo_acl(O.READ, ALLOW), foo_acl(O.WRITE, ALLOW),
                                bar_acl(O.DESCRIBE_CONFIGS, ALLOW), bar_acl(O.ALTER_CONFIGS, ALLOW))
    assert results(authorizer, "bob", (O.READ, TOPIC, "foo_")) == [ALLOWED]
    assert results(authorizer, "fred", (O.ALTER_CONFIGS, GROUP, "bar")) == [ALLOWED]


def test_deny_precedence_with_operation_all() -> None:
    authorizer = new_authorizer(
        StandardAcl(TOPIC, "foo", LITERAL, "User:alice", "*", O.ALL, DENY),
        StandardAcl(TOPIC, "foo", PREFIXED, "User:alice", "*", O.READ, ALLOW),
        StandardAcl(TOPIC, "foo", LITERAL, "User:*", "*", O.ALL, DENY),
        StandardAcl(TOPIC, "foo", PREFIXED, "User:*", "*", O.DESCRIBE, ALLOW))
    assert results(authorizer, "alice", (O.WRITE, TOPIC, "foo"), (O.READ, TOPIC, "foo"),
                   (O.DESCRIBE, TOPIC, "foo"), (O.READ, TOPIC, "foobar")) == [DENIED, DENIED, DENIED, ALLOWED]
    assert results(authorizer, "bob", (O.DESCRIBE, TOPIC, "foo"), (O.READ, TOPIC, "foo"),
                   (O.WRITE, TOPIC, "foo"), (O.DESCRIBE, TOPIC, "foobaz"), (O.READ, TOPIC, "foobaz")) == [
        DENIED, DENIED, DENIED, ALLOWED, DENIED]


def test_topic_acl_with_operation_all() -> None:
    authorizer = new_authorizer(
        StandardAcl(TOPIC, "foo", LITERAL, "User:*", "*", O.ALL, ALLOW),
        StandardAcl(TOPIC, "bar", PREFIXED, "User:alice", "*", O.ALL, ALLOW),
        StandardAcl(TOPIC, "baz", LITERAL, "User:bob", "*", O.ALL, ALLOW))
    assert results(authorizer, "alice", (O.WRITE, TOPIC, "foo"), (O.DESCRIBE_CONFIGS, TOPIC, "bar"),
                   (O.DESCRIBE, TOPIC, "baz")) == [ALLOWED, ALLOWED, DENIED]
    assert results(authorizer, "bob", (O.WRITE, TOPIC, "foo"), (O.READ, TOPIC, "bar"),
                   (O.DESCRIBE, TOPIC, "baz")) == [ALLOWED, DENIED, ALLOWED]
    assert results(authorizer, "malory", (O.DESCRIBE, TOPIC, "foo"), (O.WRITE, TOPIC, "bar"),
                   (O.READ, TOPIC, "baz")) == [ALLOWED, DENIED, DENIED]


def test_host_address_acl_validation() -> None:
    here, host1, host2 = "127.0.0.1", "192.168.1.1", "192.168.1.2"
    authorizer = new_authorizer(
        StandardAcl(TOPIC, "foo", LITERAL, "User:alice", host1, O.READ, DENY),
        StandardAcl(TOPIC, "foo", LITERAL, "User:alice", "*", O.READ, ALLOW),
        StandardAcl(TOPIC, "bar", LITERAL, "User:bob", host2, O.READ, ALLOW),
        StandardAcl(TOPIC, "bar", LITERAL, "User:*", here, O.DESCRIBE, ALLOW))
    for principal, host, expected in (
            ("alice", here, [ALLOWED, DENIED, ALLOWED]), ("alice", host1, [DENIED, DENIED, DENIED]),
            ("alice", host2, [ALLOWED, DENIED, DENIED]), ("bob", here, [DENIED, DENIED, ALLOWED]),
            ("bob", host1, [DENIED, DENIED, DENIED]), ("bob", host2, [DENIED, ALLOWED, ALLOWED])):
        assert results(authorizer, principal, (O.READ, TOPIC, "foo"), (O.READ, TOPIC, "bar"),
                       (O.DESCRIBE, TOPIC, "bar"), host=host) == expected


def with_many_acls() -> StandardAuthorizer:
    return new_authorizer(
        StandardAcl(TOPIC, "green2", LITERAL, "User:*", "*", O.READ, ALLOW),
        StandardAcl(TOPIC, "green", PREFIXED, "User:bob", "*", O.READ, ALLOW),
        StandardAcl(TOPIC, "betamax4", LITERAL, "User:bob", "*", O.READ, ALLOW),
        StandardAcl(TOPIC, "betamax", LITERAL, "User:bob", "*", O.READ, ALLOW),
        StandardAcl(TOPIC, "beta", PREFIXED, "User:*", "*", O.READ, ALLOW),
        StandardAcl(TOPIC, "alpha", PREFIXED, "User:*", "*", O.READ, ALLOW),
        StandardAcl(TOPIC, "alp", PREFIXED, "User:bob", "*", O.READ, DENY),
        StandardAcl(GROUP, "*", LITERAL, "User:bob", "*", O.WRITE, ALLOW),
        StandardAcl(GROUP, "wheel", LITERAL, "User:*", "*", O.WRITE, DENY))


def test_authorization_with_many_acls() -> None:
    authorizer = with_many_acls()
    assert results(authorizer, "bob", (O.READ, TOPIC, "green1"), (O.WRITE, GROUP, "wheel")) == [
        ALLOWED, DENIED]
    assert results(authorizer, "bob", (O.READ, TOPIC, "alpha"), (O.WRITE, GROUP, "arbitrary"),
                   (O.READ, TOPIC, "ala")) == [DENIED, ALLOWED, DENIED]


@pytest.mark.parametrize("log_if_denied", [True, False])
def test_deny_audit_logging(log_if_denied: bool, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(TRACE, AUDIT_LOG)
    assert with_many_acls().authorize(request_context("bob"), [
        new_action(O.READ, TOPIC, "alpha", log_if_denied=log_if_denied)]) == [DENIED]
    record, = (record for record in caplog.records if record.name == AUDIT_LOG)
    assert record.levelno == (logging.INFO if log_if_denied else TRACE)
    assert record.getMessage() == (
        "User:bob at 127.0.0.1 may not READ Topic:LITERAL:alpha: request Fetch, named 1 time(s), rule "
        "MatchingAcl(acl=StandardAcl(resourceType=TOPIC, resourceName=alp, patternType=PREFIXED, "
        "principal=User:bob, host=*, operation=READ, permissionType=DENY))")


@pytest.mark.parametrize("log_if_allowed", [True, False])
def test_allow_audit_logging(log_if_allowed: bool, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(TRACE, AUDIT_LOG)
    assert with_many_acls().authorize(request_context("bob"), [
        new_action(O.READ, TOPIC, "green1", log_if_allowed=log_if_allowed)]) == [ALLOWED]
    record, = (record for record in caplog.records if record.name == AUDIT_LOG)
    assert record.levelno == (logging.DEBUG if log_if_allowed else TRACE)
    assert record.getMessage() == (
        "User:bob at 127.0.0.1 may READ Topic:LITERAL:green1: request Fetch, named 1 time(s), rule "
        "MatchingAcl(acl=StandardAcl(resourceType=TOPIC, resourceName=green, patternType=PREFIXED, "
        "principal=User:bob, host=*, operation=READ, permissionType=ALLOW))")


def test_start_with_early_start_listeners() -> None:
    futures = StandardAuthorizer().start(server_info(PLAINTEXT, CONTROLLER))
    assert {endpoint: future.is_done() for endpoint, future in futures.items()} == {
        PLAINTEXT: False, CONTROLLER: True}


def test_authorization_prior_to_complete_initial_load() -> None:
    authorizer = StandardAuthorizer()
    authorizer.configure({"super.users": "User:superman"})
    with pytest.raises(AuthorizerNotReadyException):
        results(authorizer, "bob", (O.READ, TOPIC, "green1"), (O.READ, TOPIC, "green2"))
    assert results(authorizer, "superman", (O.READ, TOPIC, "green1"), (O.WRITE, GROUP, "wheel")) == [
        ALLOWED, ALLOWED]


def test_complete_initial_load() -> None:
    authorizer = StandardAuthorizer()
    futures = authorizer.start(server_info(PLAINTEXT))
    assert futures.keys() == {PLAINTEXT} and not futures[PLAINTEXT].is_done()
    authorizer.complete_initial_load()
    assert futures[PLAINTEXT].is_done() and not futures[PLAINTEXT].is_completed_exceptionally()


def test_complete_initial_load_with_exception() -> None:
    authorizer = StandardAuthorizer()
    futures = authorizer.start(server_info(PLAINTEXT, CONTROLLER))
    assert not futures[PLAINTEXT].is_done() and futures[CONTROLLER].is_done()
    authorizer.complete_initial_load(TimeoutException("timed out"))
    assert futures[PLAINTEXT].is_completed_exceptionally()
    assert not futures[CONTROLLER].is_completed_exceptionally()


def test_prefix_acls() -> None:
    authorizer = new_authorizer(
        StandardAcl(TOPIC, "fooa", PREFIXED, "User:alice", "*", O.ALL, ALLOW),
        StandardAcl(TOPIC, "foobar", LITERAL, "User:bob", "*", O.ALL, ALLOW),
        StandardAcl(TOPIC, "f", PREFIXED, "User:bob", "*", O.ALL, ALLOW))
    assert results(authorizer, "bob", (O.WRITE, TOPIC, "foobarr"), (O.READ, TOPIC, "goobar"),
                   (O.READ, TOPIC, "fooa")) == [ALLOWED, DENIED, ALLOWED]
    assert results(authorizer, "alice", (O.DESCRIBE, TOPIC, "fooa"), (O.WRITE, TOPIC, "bar"),
                   (O.READ, TOPIC, "baz")) == [ALLOWED, DENIED, DENIED]


# Cases of our own.


@pytest.mark.deviation("D204")
def test_the_wildcard_applies_to_a_name_that_begins_with_an_asterisk() -> None:
    authorizer = new_authorizer(
        StandardAcl(TOPIC, "*", LITERAL, "User:alice", "*", O.READ, ALLOW),
        StandardAcl(TOPIC, "*", LITERAL, "User:bob", "*", O.READ, DENY),
        StandardAcl(TOPIC, "*a", LITERAL, "User:bob", "*", O.READ, ALLOW))
    assert results(authorizer, "alice", (O.READ, TOPIC, "*a"), (O.READ, TOPIC, "*")) == [ALLOWED, ALLOWED]
    assert results(authorizer, "bob", (O.READ, TOPIC, "*a"), (O.READ, TOPIC, "*")) == [DENIED, DENIED]


def test_a_name_is_no_line_of_the_audit_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, AUDIT_LOG)
    new_authorizer().authorize(request_context("bob", api_key=ApiKeys.JOIN_GROUP), [
        new_action(O.READ, GROUP, "a\nUser:bob may", log_if_denied=True)])
    record, = (record for record in caplog.records if record.name == AUDIT_LOG)
    assert record.getMessage() == ("User:bob at 127.0.0.1 may not READ Group:LITERAL:'a\\nUser:bob may': "
                                   "request JoinGroup, named 1 time(s), rule DefaultDeny")


def test_why_in_the_audit_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(TRACE, AUDIT_LOG)
    authorizer = new_authorizer(foo_acl(O.READ, ALLOW), allow_everyone_if_no_acl_found="true")
    results(authorizer, "superman", (O.READ, TOPIC, "foo_"))
    results(authorizer, "alice", (O.READ, TOPIC, "foo_"), (O.READ, TOPIC, "bar"))
    rules = [record.getMessage().rpartition("rule ")[2]
             for record in caplog.records if record.name == AUDIT_LOG]
    assert rules == ["SuperUser", "DefaultDeny", "DefaultAllow"]


def test_a_cache_never_changes() -> None:
    acl, id_ = foo_acl(O.READ, ALLOW), new_id()
    empty = AclCache()
    one = empty.add_acl(id_, acl)
    none = one.remove_acl(id_)
    assert [cache.count() for cache in (empty, one, none)] == [0, 1, 0]
    assert [list(cache.matching(TOPIC, "foo_1")) for cache in (empty, one, none)] == [[], [acl], []]
    with pytest.raises(RuntimeError, match="already exists"):
        one.add_acl(id_, bar_acl(O.READ, ALLOW))
    with pytest.raises(RuntimeError, match="Unable to add"):
        one.add_acl(new_id(), acl)
    with pytest.raises(RuntimeError, match="Unable to add"):
        AclCache({new_id(): acl, new_id(): foo_acl(O.READ, ALLOW)})
    with pytest.raises(RuntimeError, match="not found"):
        none.remove_acl(id_)


def test_the_permissions_of_a_request_come_and_go_with_one_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    acls = {new_id(): StandardAcl(TOPIC, f"{kind.name}-{i % 20}", kind, f"User:{i}", "*", O.READ, ALLOW)
            for i in range(40) for kind in (LITERAL, PREFIXED)}
    one_by_one = AclCache()
    for id_, acl in acls.items():
        one_by_one = one_by_one.add_acl(id_, acl)
    copies = []
    copy = AclCache._copy
    monkeypatch.setattr(AclCache, "_copy", lambda self: copies.append(self) or copy(self))
    authorizer = new_authorizer()
    authorizer.add_acls(acls)
    assert len(copies) == 1
    cache = authorizer._data.get_acl_cache()
    assert list(cache.acls_by_resource()) == list(one_by_one.acls_by_resource())
    with pytest.raises(RuntimeError, match="already exists"):
        authorizer.add_acls(acls)
    copies.clear()
    gone = list(acls)[:50]
    authorizer.remove_acls(gone)
    assert len(copies) == 1
    for id_ in gone:
        one_by_one = one_by_one.remove_acl(id_)
    cache = authorizer._data.get_acl_cache()
    assert list(cache.acls_by_resource()) == list(one_by_one.acls_by_resource())
    assert cache.count() == 30
    with pytest.raises(RuntimeError, match="not found"):
        authorizer.remove_acls(gone)
    assert authorizer._data.get_acl_cache() is cache


# A plain reading of the rules.

NAMES = st.sampled_from(("*", "*a", "a", "ab", "abc", "b", "ba", "", "!"))
OPERATIONS = st.sampled_from([operation for operation in AclOperation if operation.value > 1])
PRINCIPALS = st.sampled_from(("User:alice", "User:bob", "User:*", "Group:alice"))
HOSTS = st.sampled_from(("*", "10.0.0.1", "10.0.0.2"))
ACLS = st.lists(st.builds(
    StandardAcl, st.sampled_from((TOPIC, GROUP)), NAMES.filter(bool), st.sampled_from((LITERAL, PREFIXED)),
    PRINCIPALS, HOSTS, OPERATIONS, st.sampled_from((ALLOW, DENY))), unique=True, max_size=12)
IMPLY = {O.DESCRIBE: {O.READ, O.WRITE, O.DELETE, O.ALTER}, O.DESCRIBE_CONFIGS: {O.ALTER_CONFIGS}}


def plainly(acls: list[StandardAcl], asked: Asked, user: str, host: str,
            default: AuthorizationResult) -> AuthorizationResult:
    operation, resource_type, name = asked
    for_resource = [acl for acl in acls if acl.resource_type() is resource_type and (
        name.startswith(acl.resource_name()) if acl.pattern_type() is PREFIXED
        else acl.resource_name() in (name, "*"))]
    if not for_resource:
        return default
    for_client = [acl for acl in for_resource
                  if acl.principal() in (f"User:{user}", "User:*") and acl.host() in (host, "*")]
    if any(acl.permission_type() is DENY and acl.operation() in (operation, O.ALL) for acl in for_client):
        return DENIED
    allowing = {operation, O.ALL} | IMPLY.get(operation, set())
    if any(acl.permission_type() is ALLOW and acl.operation() in allowing for acl in for_client):
        return ALLOWED
    return DENIED


@settings(max_examples=300)
@given(acls=ACLS, gone=st.sets(st.integers(0, 11)), at_once=st.booleans(),
       operation=OPERATIONS.filter(lambda operation: operation is not O.ALL),
       resource_type=st.sampled_from((TOPIC, GROUP)), name=NAMES, user=st.sampled_from(("alice", "carol")),
       host=st.sampled_from(("10.0.0.1", "10.0.0.3")), default=st.sampled_from((ALLOWED, DENIED)))
def test_as_the_rules_are_plainly_read(
        acls: list[StandardAcl], gone: set[int], at_once: bool, operation: AclOperation,
        resource_type: ResourceType, name: str, user: str, host: str, default: AuthorizationResult) -> None:
    authorizer = new_authorizer(allow_everyone_if_no_acl_found=str(default is ALLOWED))
    if at_once:
        ids = [new_id() for _ in acls]
        authorizer.load_snapshot(dict(zip(ids, acls)))
    else:
        ids = add(authorizer, acls)
    for place in gone:
        if place < len(ids):
            authorizer.remove_acl(ids[place])
    left = [acl for place, acl in enumerate(acls) if place not in gone]
    asked = (operation, resource_type, name)
    assert results(authorizer, user, asked, host=host) == [plainly(left, asked, user, host, default)]
    listed = [StandardAcl.from_acl_binding(acl) for acl in authorizer.acls(AclBindingFilter.ANY)]
    assert listed == sorted(left)
    assert authorizer.acl_count() == len(left)

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Where kreactor gives up the types of its parameters, results and fields, and why.

``Any`` turns mypy off for its values: two classes of one name once passed for one another behind it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import kreactor

PACKAGE = Path(kreactor.__file__).parent

_SETTING = "the value of a setting has the type that its definition names"
_JSON = "a value of JSON"
_FIELD = "a field of a message has the type that its schema names"
_SPARK = "pyspark reaches Java's objects through py4j, which has no types"
_CALLER = "the caller knows the type, as behind Java's cast"

# Modules in which a parameter, a result or a field is Any.
REASONS = {
    "common/config/abstract_config.py": _SETTING,
    "common/config/config_def.py": _SETTING,
    "common/protocol/message.py": "the default of a field",
    "common/protocol/message_codec.py": "the function that it compiles",
    "common/protocol/message_json_converter.py": _FIELD,
    "common/security/oauthbearer/internals/secured/configuration_utils.py": _SETTING,
    "common/security/oauthbearer/internals/unsecured/o_auth_bearer_unsecured_jws.py": _JSON,
    "conformance/areas/contents.py": _JSON,
    "conformance/areas/groups.py": _FIELD,
    "conformance/areas/records.py": _FIELD,
    "conformance/codec.py": _FIELD,
    "conformance/samples.py": _FIELD,
    "conformance/schemas.py": _FIELD,
    "core/network/connection_quotas.py": _SETTING,
    "core/server/config_helper.py": _SETTING,
    "core/server/kafka_config.py": _SETTING,
    "metadata/kafka_config_schema.py": _SETTING,
    "editions/compare/processors.py": "the processors of editions have no common base",
    "editions/compare/rig.py": "the processors of editions have no common base",
    "editions/compare/script.py": "the fields of a step",
    "editions/edition_server.py": "the server of an edition stands where that of 3.8.0 does",
    "editions/v0_10_1/core/network/socket_server.py": "the selectors of editions have no common base",
    "editions/v2_2/common/network/kafka_channel.py": "authenticators of 3.8.0 take a receive of this release",
    "embedded/broker_server.py": _SETTING,
    "fast/api_version_manager.py": "what passes through to its base class",
    "fast/selector.py": "what passes through to its base class",
    "jdk/bounded_epoll_selector.py": "its base class has it",
    "jdk/clock.py": "functions of C, with types of their own",
    "jdk/jose.py": "PyJWT has no one type of all its keys",
    "jdk/loggers.py": "what passes through to logging",
    "jdk/nio_selector.py": _CALLER,
    "pipeline/cli.py": "click passes a command's options on",
    "pipeline/session.py": "a session of Spark Connect has a client, which its class for typing lacks",
    "pipeline/sources.py": _SPARK,
    "pipeline/store.py": _SPARK,
    "testing/__init__.py": "a module's attributes, loaded when they are asked for",
    "testing/control.py": _JSON,
    "testing/control_broker.py": _JSON,
    "testing/control_routes.py": _JSON,
    "testing/holds.py": "the arguments and the result of any method",
    "testing/instrumented_server.py": "what passes through to another object",
    "testing/pytest_plugin.py": "pytest collects nodes of many types",
    "testing/remote.py": _JSON,
    "testing/remote_cluster.py": _JSON,
}


def annotated(tree: ast.Module) -> Iterator[tuple[int, ast.expr | None]]:
    """Return all annotations with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign):
            yield node.lineno, node.annotation
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, node.returns


def untyped(text: str) -> list[int]:
    """Return the lines of a module in which an annotation is Any, and nothing more."""
    return sorted(
        line for line, annotation in annotated(ast.parse(text))
        if annotation is not None and ast.unparse(annotation).strip("'") in ("Any", "typing.Any"))


def test_what_is_any_has_a_reason() -> None:
    found = {path.relative_to(PACKAGE).as_posix(): lines for path in sorted(PACKAGE.rglob("*.py"))
             if "Any" in (text := path.read_text(encoding="utf-8")) and (lines := untyped(text))}
    assert {path: lines for path, lines in found.items() if path not in REASONS} == {}
    assert REASONS.keys() - found.keys() == set(), "there is no Any any more"


def test_any_is_found_wherever_it_stands() -> None:
    assert untyped("""
def f(a: Any, *b: "Any", c: int, **d: typing.Any) -> Any: ...
class C:
    e: Any
    def g(self, h: list[Any]) -> None:
        self.i: Any = None
""") == [2, 2, 2, 2, 4, 6]

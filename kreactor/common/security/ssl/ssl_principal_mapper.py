# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.ssl.SslPrincipalMapper of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Rules that map a certificate's distinguished name to a principal's name.

A rule is DEFAULT, which keeps the name, or RULE:pattern/replacement/, optionally followed by L or U for lower
or upper case. The first rule whose pattern matches the whole name applies.
"""

from __future__ import annotations

import re

from kreactor.common.config.internals.broker_security_configs import BrokerSecurityConfigs
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.regex import compile_trusted

_RULE_PATTERN = r"(DEFAULT)|RULE:((\\.|[^\\/])*)/((\\.|[^\\/])*)/([LU]?).*?|(.*?)"
_RULE_SPLITTER = re.compile(rf"\s*({_RULE_PATTERN})\s*(,\s*|$)")
_RULE_PARSER = re.compile(_RULE_PATTERN)


class SslPrincipalMapper:
    """The rules of one listener. Immutable.

    :origin: common.security.ssl.SslPrincipalMapper
    """

    def __init__(self, ssl_principal_mapping_rules: str | None) -> None:
        """Parse the rules. Raises IllegalArgumentException for an invalid rule.

        :origin: common.security.ssl.SslPrincipalMapper#SslPrincipalMapper(String)
        """
        self._rules = self._parse_rules(self._split_rules(ssl_principal_mapping_rules))

    @staticmethod
    def from_rules(ssl_principal_mapping_rules: str | None) -> SslPrincipalMapper:
        """Return a mapper for ``ssl_principal_mapping_rules``; None means DEFAULT.

        Raises IllegalArgumentException.

        :origin: common.security.ssl.SslPrincipalMapper#fromRules(String)
        """
        return SslPrincipalMapper(ssl_principal_mapping_rules)

    @staticmethod
    def _split_rules(ssl_principal_mapping_rules: str | None) -> list[str]:
        """:origin: common.security.ssl.SslPrincipalMapper#splitRules(String)"""
        if ssl_principal_mapping_rules is None:
            ssl_principal_mapping_rules = BrokerSecurityConfigs.DEFAULT_SSL_PRINCIPAL_MAPPING_RULES
        return [match.group(1) for match in _RULE_SPLITTER.finditer(ssl_principal_mapping_rules.strip())]

    @staticmethod
    def _parse_rules(rules: list[str]) -> list[Rule]:
        """:origin: common.security.ssl.SslPrincipalMapper#parseRules(List<String>)"""
        result = []
        for rule in rules:
            matcher = _RULE_PARSER.match(rule)
            if matcher is None:
                raise IllegalArgumentException(f"Invalid rule: {rule}")
            if len(rule) != matcher.end():
                raise IllegalArgumentException(
                    f"Invalid rule: `{rule}`, unmatched substring: `{rule[matcher.end():]}`")

            # Two adjacent commas enclose no rule.
            if matcher.group(1) is not None:
                result.append(Rule())
            elif matcher.group(2) is not None:
                result.append(Rule(matcher.group(2), matcher.group(4),
                                   matcher.group(6) == "L", matcher.group(6) == "U"))
        return result

    def get_name(self, distinguished_name: str) -> str:
        """Return the name of the principal. Raises NoMatchingRule.

        :origin: common.security.ssl.SslPrincipalMapper#getName(String)
        """
        for r in self._rules:
            principal_name = r.apply(distinguished_name)
            if principal_name is not None:
                return principal_name
        raise SslPrincipalMapper.NoMatchingRule(
            f"No rules apply to {distinguished_name}, rules {_text(self._rules)}")

    def __str__(self) -> str:
        """:origin: common.security.ssl.SslPrincipalMapper#toString()"""
        return f"SslPrincipalMapper(rules = {_text(self._rules)})"

    class NoMatchingRule(OSError):
        """No rule matches the name.

        :origin: common.security.ssl.SslPrincipalMapper.NoMatchingRule
        :origin: common.security.ssl.SslPrincipalMapper.NoMatchingRule#NoMatchingRule(String)
        """


class Rule:
    """One rule.

    :origin: common.security.ssl.SslPrincipalMapper.Rule
    """

    __slots__ = ("_is_default", "_pattern", "_replacement", "_to_lower_case", "_to_upper_case")

    def __init__(self, pattern: str | None = None, replacement: str = "", to_lower_case: bool = False,
                 to_upper_case: bool = False) -> None:
        """Make the rule. Without a pattern, the rule keeps every name. Raises PatternSyntaxException.

        :origin: common.security.ssl.SslPrincipalMapper.Rule#Rule()
        :origin: common.security.ssl.SslPrincipalMapper.Rule#Rule(String, String, boolean, boolean)
        """
        self._is_default = pattern is None
        self._pattern = compile_trusted(pattern or "")
        self._replacement = replacement
        self._to_lower_case = to_lower_case
        self._to_upper_case = to_upper_case

    def apply(self, distinguished_name: str) -> str | None:
        """Return the principal's name, or None if the pattern does not match.

        :origin: common.security.ssl.SslPrincipalMapper.Rule#apply(String)
        """
        if self._is_default:
            return distinguished_name

        result = None
        if self._pattern.fullmatch(distinguished_name):
            # Java's replaceAll replaces every match: the whole name, and for some patterns the empty text at
            # its end.
            result = self._pattern.sub(self._expand, distinguished_name)

        if result is not None and self._to_lower_case:
            result = result.lower()
        elif result is not None and self._to_upper_case:
            result = result.upper()
        return result

    def _expand(self, match: re.Match[str]) -> str:
        r"""Return the replacement for ``match``: a group for each $n, the character after each backslash.

        A group number that is too high loses last digits until a group exists. If no group exists, the text
        stays as it is.

        :origin: common.security.ssl.SslPrincipalMapper.Rule#escapeLiteralBackReferences(String, int)
        """
        groups = self._pattern.groups

        def piece(found: re.Match[str]) -> str:
            if found.group(1) is not None:
                return found.group(1)
            digits = found.group(2)
            kept = digits[:1]
            while len(kept) < len(digits) and int(digits[:len(kept) + 1]) <= groups:
                kept = digits[:len(kept) + 1]
            if int(kept) > groups:
                return f"${digits}"
            return (match.group(int(kept)) or "") + digits[len(kept):]

        return re.sub(r"\\(.)|\$(\d+)", piece, self._replacement)

    def __str__(self) -> str:
        """:origin: common.security.ssl.SslPrincipalMapper.Rule#toString()"""
        if self._is_default:
            return "DEFAULT"
        text = f"RULE:{self._pattern.pattern}/{self._replacement}"
        if self._to_lower_case:
            text += "/L"
        elif self._to_upper_case:
            text += "/U"
        return text


def _text(rules: list[Rule]) -> str:
    return f"[{', '.join(map(str, rules))}]"

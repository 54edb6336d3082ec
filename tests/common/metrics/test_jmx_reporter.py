# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Names of MBeans, and the filter of them. Kafka's JmxReporterTest looks at MBeans, and there are none."""

from __future__ import annotations

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.metric_name import MetricName
from kreactor.common.metrics.jmx_reporter import JmxReporter


def test_mbean_name() -> None:
    name = MetricName("ignored", "grp", "", {"client-id": "a:b", "empty": "", "": "nameless", "node": "1"})
    assert JmxReporter.get_mbean_name("kafka.server", name) == 'kafka.server:type=grp,client-id="a:b",node=1'
    assert JmxReporter.get_mbean_name("", MetricName("n", "grp", "", {})) == ":type=grp"


@pytest.mark.parametrize("configs, passing", [
    ({}, {"first", "second"}),
    ({"metrics.jmx.include": "fir.*"}, {"first"}),
    ({"metrics.jmx.include": "fir"}, set()),
    ({"metrics.jmx.exclude": "fir.*"}, {"second"}),
    ({"metrics.jmx.include": ".*", "metrics.jmx.exclude": ".*"}, set()),
    ({"metrics.jmx.whitelist": "fir.*"}, {"first"}),
    ({"metrics.jmx.include": "(?!fir).*"}, {"second"}),
    ({"metrics.jmx.include": "([a-z]+)+!"}, set()),
    ({"metrics.jmx.blacklist": "fir.*"}, {"second"}),
    ({"metrics.jmx.include": "sec.*", "metrics.jmx.whitelist": "fir.*"}, {"second"}),
    ({"metrics.jmx.include": None, "metrics.jmx.whitelist": "fir.*"}, {"first", "second"}),
])
def test_filter(configs: dict[str, object], passing: set[str]) -> None:
    predicate = JmxReporter.compile_predicate(configs)
    assert {name for name in ("first", "second") if predicate(name)} == passing


def test_broken_filter() -> None:
    with pytest.raises(ConfigException, match="is not a valid regular expression"):
        JmxReporter.compile_predicate({"metrics.jmx.exclude": "("})
    with pytest.raises(ConfigException, match="is not a valid regular expression"):
        JmxReporter.compile_predicate({"metrics.jmx.include": "a{99999999999999}"})

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The file of permissions."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.common.acl.access_control_entry import AccessControlEntry
from kreactor.common.acl.acl_binding import AclBinding
from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_pattern import ResourcePattern
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.uuid import Uuid
from kreactor.embedded.acls import AclStore

TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)
BINDINGS = st.builds(
    AclBinding,
    st.builds(ResourcePattern, st.sampled_from([type_ for type_ in ResourceType if type_.value > 1]), TEXTS,
              st.sampled_from((PatternType.LITERAL, PatternType.PREFIXED))),
    st.builds(AccessControlEntry, TEXTS, TEXTS,
              st.sampled_from([operation for operation in AclOperation if operation.value > 1]),
              st.sampled_from((AclPermissionType.ALLOW, AclPermissionType.DENY))))


@given(bindings=st.lists(BINDINGS, max_size=5))
def test_what_is_kept_is_read_again(bindings: list[AclBinding],
                                    tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("acls") / "acls.json"
    store = AclStore(str(path))
    assert store.acls() == {}
    acls = {Uuid(i, i): binding for i, binding in enumerate(bindings, 1)}
    store.replace(acls)
    assert store.acls() == AclStore(str(path)).acls() == acls
    assert list(AclStore(str(path)).acls()) == list(acls)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [
    "", "[]", "{}", '{"version": 2, "acls": []}', '{"version": 1, "acls": [{"id": "x"}]}',
    '{"version": 1, "acls": 1}'])
def test_a_file_that_is_not_understood(tmp_path: Path, content: str) -> None:
    path = tmp_path / "acls.json"
    path.write_text(content)
    with pytest.raises(KafkaException, match="acls.json"):
        AclStore(str(path))

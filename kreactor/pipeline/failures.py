# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Errors of Spark, as one sentence for the user of the command."""

from __future__ import annotations

import re


class PipelineFailure(Exception):
    """An error that the user can act upon."""


# Patterns of Spark's exceptions, of which the first match counts, and the sentence for the user. The group is
# the file.
_KNOWN = (
    (r"No space left on device|not enough space|DiskQuota|Disk quota exceeded",
     "no space left where the table is written; nothing of this ingest is in the table"),
    (r"Unexpected end of (?:ZLIB )?input stream|unexpected end of file|Premature EOF",
     "{file}: the compressed file ends early; bring it whole, or unpack what there is of it"),
    (r"not a gzip file|incorrect header check|Not in GZIP format|invalid block type|incorrect data check"
     r"|invalid (?:stored block|distance|code|literal|bit length)|unknown compression method",
     "{file}: its name says that it is compressed, its bytes do not"),
    (r"PATH_NOT_FOUND\] Path does not exist: (?P<path>\S+?)\.?(?:\s|$)", "{path}: there is no such file"),
    (r"Permission denied|AccessControlException", "{file}: permission denied"),
    (r"OutOfMemoryError|Java heap space",
     "Spark has not enough memory: give it more with --conf spark.driver.memory=4g"),
    (r"FileNotFoundException|FILE_NOT_EXIST", "{file}: it is gone, or was written anew while it was read"),
    (r"StatusCode\.UNAVAILABLE",
     "the server of Spark Connect answers no more: start it again, then this command"),
    (r"ModuleNotFoundError: No module named '(?P<path>[\w.]+)'",
     "the Python of Spark's tasks has no package {path}: install it there, or name another Python by "
     "PYSPARK_PYTHON"),
    (r"PYTHON_VERSION_MISMATCH",
     "the Python of Spark's tasks has another minor version than this one: name another by PYSPARK_PYTHON"),
    (r"No FileSystem for scheme \"?(?P<path>\w+)", "{path}: Spark here does not know this kind of path"),
)
_FILE = re.compile(r"(?:reading file|File) (?:file:)?(?P<file>/?\S+?)\.?\s")
_SQL = re.compile(r"^\[(?:UNRESOLVED|PARSE|DATATYPE|INVALID|UNKNOWN|UNSUPPORTED|CAST|WRONG)\S*\] *(.*)")


def sentence(error: BaseException) -> str | None:
    """Return the sentence for one of Spark's errors, or None for an unexpected error."""
    text = str(error)
    java = getattr(error, "java_exception", None)
    if java is not None:
        text += f"\n{java.toString()}"
        cause = java.getCause()
        for _ in range(10):
            if cause is None:
                break
            text += f"\n{cause.toString()}"
            cause = cause.getCause()
    for pattern, told in _KNOWN:
        match = re.search(pattern, text)
        if match:
            at = _FILE.search(text)
            file = at["file"] if at else "a file"
            groups = match.groupdict()
            return told.format(file=file, path=groups.get("path", file))
    match = _SQL.match(text)
    return match[1].strip() if match else None

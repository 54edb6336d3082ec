# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Imports the packages of codecs that Python lacks, on first use.

DEVIATION D57: Kafka includes all codecs. Here they are an extra. A broker that converts no batches does not
need them, because it stores and serves batches unchanged.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from kreactor.common.errors import UnsupportedCompressionTypeException
from kreactor.common.record.compression_type import CompressionType
from kreactor.jdk.extras import needs

# The module of each codec, and the name of its package for pip.
_PACKAGES = {
    CompressionType.SNAPPY: ("kreactor.jdk.snappy_blocks", "python-snappy"),
    CompressionType.LZ4: ("lz4.block", "lz4"),
    CompressionType.ZSTD: ("zstandard", "zstandard"),
}
_MODULES: dict[CompressionType, ModuleType] = {}


def codec(compression_type: CompressionType) -> ModuleType:
    """Return the module of the codec. Raises UnsupportedCompressionTypeException for a missing package."""
    module = _MODULES.get(compression_type)
    if module is None:
        name, package = _PACKAGES[compression_type]
        try:
            module = importlib.import_module(name)
        except ImportError as e:
            raise UnsupportedCompressionTypeException(
                needs(f"Compression type {compression_type}, by the package {package},", "compression"), e
            ) from e
        _MODULES[compression_type] = module
    return module

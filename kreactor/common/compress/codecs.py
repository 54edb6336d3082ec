# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The packages that compress and that Python does not bring, imported when one is needed and not before.

DEVIATION D57: Kafka's come with it. Here they are an extra, which a broker that converts nothing can do
without: it stores and serves batches as they are.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from kreactor.common.errors import UnsupportedCompressionTypeException
from kreactor.common.record.compression_type import CompressionType

# The module of each, and the name that pip knows it by.
_PACKAGES = {
    CompressionType.SNAPPY: ("kreactor.jdk.snappy_blocks", "python-snappy"),
    CompressionType.LZ4: ("lz4.block", "lz4"),
    CompressionType.ZSTD: ("zstandard", "zstandard"),
}
_MODULES: dict[CompressionType, ModuleType] = {}


def codec(compression_type: CompressionType) -> ModuleType:
    """Return the module that has the codec. Raises UnsupportedCompressionTypeException if there is none."""
    module = _MODULES.get(compression_type)
    if module is None:
        name, package = _PACKAGES[compression_type]
        try:
            module = importlib.import_module(name)
        except ImportError as e:
            raise UnsupportedCompressionTypeException(
                f"Compression type {compression_type} needs the package {package}, which is not installed: "
                "pip install 'kreactor[compression]'", e) from e
        _MODULES[compression_type] = module
    return module

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The parsers of Java and Scala, for the tools that make lists from Kafka's sources.

The import ends a tool that lacks the parsers: with its help if that is asked for, else with what to install.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

try:
    import tree_sitter_java
    import tree_sitter_scala
    from tree_sitter import Language, Node, Parser
except ImportError:
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(sys.modules["__main__"].__doc__)
        raise SystemExit(0) from None
    raise SystemExit(f"{Path(sys.argv[0]).name} needs the parsers of Java and Scala: "
                     "pip install tree-sitter tree-sitter-java tree-sitter-scala") from None

__all__ = ["PARSERS", "Node", "descendants", "parse", "text"]

# By the suffix of a file.
PARSERS = {".java": Parser(Language(tree_sitter_java.language())),
           ".scala": Parser(Language(tree_sitter_scala.language()))}


def parse(path: Path) -> Node:
    """Return the root of a file's tree."""
    return PARSERS[path.suffix].parse(path.read_bytes()).root_node


def descendants(node: Node) -> Iterator[Node]:
    """Return the named nodes below a node, each before those below it."""
    for child in node.named_children:
        yield child
        yield from descendants(child)


def text(node: Node | None) -> str:
    """Return the source of a node, "" for none."""
    return node.text.decode() if node is not None and node.text else ""

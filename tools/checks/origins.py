# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Compares the port's claims with lists of Kafka 3.8.0's members.

The lists in tools/checks/kafka-3.8.0/ hold names and places, no code. A ported member has its origin in its
docstring, ``:origin: common.network.Selector#poll(long)``; any other has a row with the reason in
tools/checks/omitted.tsv. A field or a constant is ported by an attribute of the name that follows from
Kafka's, in the class that is its class's port; if the name or the place differs, a comment has the origin:
``# :origin: common.network.Selector#keysWithBufferedRead``.

The editions are ports of older releases, each compared with the lists of its tag, such as
tools/checks/kafka-0.10.2.2/. Their origins begin with the tag: ``:origin: 0.10.2.2
common.network.Selector#poll(long)``.

The checked modules are not imported. They are read with ``ast``.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from fnmatch import fnmatchcase
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from tools.checks.reachable import effective, parse, weight

ROOT = Path(__file__).resolve().parents[2]
TAG = "3.8.0"
FACTS = ROOT / "tools" / "checks" / f"kafka-{TAG}"
UNPORTED = "tools/checks/kafka-3.8.0/not_ported.tsv"
FOLDERS = "tools/checks/kafka-3.8.0/folders.tsv"
OMITTED = "tools/checks/omitted.tsv"
ADAPTED = "tools/checks/adapted.tsv"
# The kinds of the reasons in omitted.tsv and adapted.tsv, and whether a place goes with each.
KINDS = {
    "python": True,       # the language, its library or a package has it, where the place needs it
    "otherwise": True,    # the place has the behaviour in another form; it is the module that would have it
    "elsewhere": True,    # the place, another module, has it
    "deviation": True,    # the place is the number of a registered deviation
    "release": True,      # the place is the release whose port an edition takes
    "jvm": False,         # a thing of the JVM or of Java's libraries
    "scope": False,       # a part of a part that kreactor does not have
    "unused": False,      # no ported code uses it
    "logging": False,     # for a log alone
    "docs": False,        # for Kafka's documentation alone
    "later": False,       # a later piece of work has it
}
# The start of the reason for a member that a later release ports.
LATER = "comes with "
# The start of the reason for a member that an edition takes from another edition's port.
SHARED = re.compile(r"as in ([\d.]+\d)")

TYPES = ("class", "interface", "enum", "object", "trait")
VALUES = ("field", "constant")

_ORIGIN = re.compile(
    r":origin:\s*(?:(\d+(?:\.\d+)+)\s+)?([\w.]+)(?:#\s*([\w*]+)(\((?:[^()]|\([^()]*\))*\))?)?")
# The members that Scala's compiler adds to a case class, and Java's to an enum.
_CASE = {"copy", "equals", "hashCode", "toString"}
_ENUM = {"values()", "valueOf(String)", "toString()"}
_SOURCES = re.compile(
    r"src/(?:main|test)/(?:java/org/apache/kafka|java|scala/(?:unit|integration)(?=/kafka)|scala)"
    r"/(.*)/[^/]+$")
# The packages of the classes that Kafka's generators write.
_GENERATED = {
    "clients/src/main/resources/common/message/": "common.message",
    "core/src/main/resources/common/message/": "kafka.internals.generated",
    "group-coordinator/src/main/resources/common/message/": "coordinator.group.generated",
    "generator/src/main/java/org/apache/kafka/message/": "common.message",
}


@cache
def package_of(file: str) -> str:
    """Return the package of one of Kafka's files in the form of origins, "" for none."""
    found = _SOURCES.search(file)
    for folder, package in _GENERATED.items():
        if file.startswith(folder):
            return package
    return found[1].replace("/", ".") if found else ""


class Problem(str):
    """A problem as a sentence; the key is the group or the file for which open.tsv may allow it."""

    key: str

    def __new__(cls, key: str, text: str) -> Problem:
        problem = super().__new__(cls, text)
        problem.key = key
        return problem


@dataclass(frozen=True)
class Unported:
    """A row of not_ported.tsv: Kafka's files without a ported member, and the reason."""

    pattern: str
    reason: str

    def matches(self, file: str) -> bool:
        """Return whether the row names the file."""
        return fnmatchcase(file, self.pattern)


def not_ported() -> list[Unported]:
    return [Unported(pattern, reason) for pattern, reason in rows(FACTS / "not_ported.tsv")]


def folders() -> dict[tuple[str, str], str]:
    """Return the reasons why modules are not in the folder of their ported package."""
    return {(file, package): reason for file, package, reason in rows(ROOT / FOLDERS)}


@dataclass(frozen=True)
class Omission:
    """A row of omitted.tsv: a member, suite or case of a release that the port does not have, and why."""

    release: str
    of: str            # member, suite or case
    origin: str
    kind: str          # one of KINDS
    place: str
    reason: str
    line: int = 0


def omissions(tag: str = TAG, root: Path = ROOT) -> list[Omission]:
    """Return the rows of omitted.tsv for a release; none if the tree has no such table."""
    return [row for row in read_omissions(root) if row.release == tag]


@cache
def read_omissions(root: Path = ROOT) -> tuple[Omission, ...]:
    """Return all rows of omitted.tsv."""
    return tuple(Omission(release, of, origin, kind, place, reason, number)
                 for number, (release, of, origin, kind, place, reason) in numbered_rows(root / OMITTED))


@dataclass(frozen=True)
class Adaptation:
    """A row of adapted.tsv: a function with few of its origin's statements, and what it has instead."""

    release: str
    origin: str
    kind: str          # one of KINDS
    place: str
    reason: str
    line: int = 0


@cache
def read_adaptations(root: Path = ROOT) -> tuple[Adaptation, ...]:
    """Return all rows of adapted.tsv; none if the tree has no such table."""
    return tuple(Adaptation(release, origin, kind, place, reason, number)
                 for number, (release, origin, kind, place, reason) in numbered_rows(root / ADAPTED))


def reason_problem(row: Omission | Adaptation, deviations: Collection[str], root: Path = ROOT) -> str:
    """Return what is wrong with the kind, the place or the words of a row, or ""."""
    file, _, name = row.place.partition(":")
    if row.kind not in KINDS:
        return f"{row.kind or 'nothing'} is no kind of reason: it is one of {', '.join(KINDS)}"
    if len(row.reason.split()) < 2:
        return f"{row.reason.strip() or 'nothing'} is no reason: say why in words"
    if bool(row.place) is not KINDS[row.kind]:
        return f"the kind {row.kind} has {'a' if KINDS[row.kind] else 'no'} place"
    if row.kind == "deviation":
        return "" if row.place in deviations else f"there is no deviation {row.place}"
    if row.kind == "release":
        return "" if facts(row.place).is_dir() else f"there is no release {row.place}"
    if row.place and not _exists(root / file, name):
        return f"there is no {row.place}"
    return ""


@cache
def _exists(path: Path, name: str) -> bool:
    """Return whether there is a file or folder, and in a file a class or function of that name."""
    return path.exists() and (not name or bool(re.search(
        rf"^\s*(class|def) {re.escape(name)}\b", path.read_text(encoding="utf-8"), re.MULTILINE)))


def unported(files: Iterable[str], rules: list[Unported]) -> dict[str, Unported]:
    """Return the row for each file that a row names; a row without a * comes first."""
    exact = {rule.pattern: rule for rule in rules if "*" not in rule.pattern}
    patterns = [rule for rule in rules if "*" in rule.pattern]
    found = {}
    for file in dict.fromkeys(files):
        rule = exact.get(file) or next((rule for rule in patterns if rule.matches(file)), None)
        if rule is not None:
            found[file] = rule
    return found


@dataclass(frozen=True)
class Member:
    """A member that Kafka declares."""

    group: str
    file: str
    line: int
    kind: str
    scope: str
    name: str
    signature: str
    statements: str = ""

    @property
    def number(self) -> int:
        """Return the number of members of the row: above one for a whole file."""
        return whole(self.signature) if self.kind == "file" else 1

    @property
    def package(self) -> str:
        return package_of(self.file)

    @property
    def scala(self) -> bool:
        return self.file.endswith(".scala")

    @cached_property
    def type(self) -> str:
        """Return this type, or the type that declares this member."""
        path = f"{self.scope}.{self.name}" if self.scope else self.name
        return f"{self.package}.{path if self.kind in TYPES else self.scope}"

    @cached_property
    def origin(self) -> str:
        """Return the origin that a docstring has to claim this member."""
        if self.kind in TYPES:
            return self.type
        if self.scala or self.kind in VALUES:
            return f"{self.type}#{self.name}"
        return f"{self.type}#{self.name}({', '.join(parameter_types(self.signature))})"


def parameter_types(signature: str) -> list[str]:
    """Return the types in a list of parameters, of Java ("long timeout") or of Scala ("timeout: Long")."""
    parts: list[str] = []
    depth, part = 0, ""
    signature = signature.removeprefix("(").removesuffix(")").replace(")(", ", ")
    signature = re.sub(r"\s*=>\s*", " to ", signature)
    for character in signature:
        depth += (character in "<[(") - (character in ">])")
        if character == "," and not depth:
            parts.append(part)
            part = ""
        else:
            part += character
    parts.append(part)
    types = []
    for part in filter(None, map(str.strip, parts)):
        name, colon, scala = part.partition(":")
        type_ = scala.split("=")[0] if colon else part if " to " in part else re.sub(r"\s+\w+$", "", part)
        types.append(type_.strip().removeprefix("to "))
    return [re.sub(r",\s+", ",", type_) for type_ in types]


def plain(type_: str) -> str:
    """Return a type without its outer type and its parameters, in which overloads do not differ."""
    without_parameters = re.sub(r"<.*>|\[\w.*\]", "", type_)
    return re.sub(r"^(\w+\.)+(?=\w)", "", without_parameters)


def whole(text: str) -> int:
    """Return the number in the row of a whole file, "(12 cases)"."""
    return int(text.strip("(").partition(" ")[0])


def facts(tag: str) -> Path:
    """Return the folder with the lists of a release."""
    return FACTS.with_name(f"kafka-{tag}")


def edition_folder(tag: str) -> str:
    """Return the folder that the port of an older release stands in: "v0_10_2" for 0.10.2.2."""
    return "v" + "_".join(tag.split(".")[:-1])


def edition_tags(root: Path = ROOT) -> list[str]:
    """Return the older releases that there are lists of and a port, the oldest first."""
    # A pattern with two stars finds nothing on PyPy 7.3.19, whose fullmatch knows no atomic groups.
    lists = (root / "tools" / "checks").glob("kafka-*")
    tags = [path.name.partition("-")[2] for path in lists if path.is_dir()]
    return sorted((tag for tag in tags if (root / "kreactor" / "editions" / edition_folder(tag)).is_dir()),
                  key=lambda tag: [int(part) for part in tag.split(".")])


def members(tag: str = TAG) -> list[Member]:
    """Return Kafka's members, in Kafka's order. A group of an older release begins with its tag."""
    return [Member(_group(tag, group), file, int(line), kind, scope, name, signature, statements)
            for group, file, line, kind, scope, name, signature, statements
            in rows(facts(tag) / "members.tsv")]


def test_cases(tag: str = TAG) -> list[tuple[str, str, str]]:
    """Return the group, file and name of Kafka's test cases."""
    return [(_group(tag, group), file, name) for group, file, name in rows(facts(tag) / "tests.tsv")]


def _group(tag: str, group: str) -> str:
    return group if tag == TAG else f"{tag} {group}"


def rows(path: Path) -> Iterator[list[str]]:
    """Return the cells of each row of a list, behind a comment and the line with the names of the columns."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return (line.split("\t") for line in lines[1:])


def numbered_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Return the rows of a list with the numbers of their lines; none if the tree has no such list."""
    return enumerate(rows(path), 3) if path.exists() else iter(())


class Body(Enum):
    """The weight of a body: empty, only a constant, or real code."""

    EMPTY = 0
    CONSTANT = 1
    WORKS = 2


def body_of(node: ast.FunctionDef) -> Body:
    """Return the weight of a function's body; one that only raises NotImplementedError is empty."""
    statements = effective(node)
    if not statements:
        return Body.EMPTY
    [only] = statements if len(statements) == 1 else [None]
    if isinstance(only, ast.Raise) and only.exc is not None and "NotImplementedError" in ast.dump(only.exc):
        return Body.EMPTY
    if not isinstance(only, ast.Return):
        return Body.WORKS
    if only.value is None or isinstance(only.value, ast.Constant) and only.value.value is None:
        return Body.EMPTY
    names = [inner for inner in ast.walk(only.value) if isinstance(inner, (ast.Name, ast.Call))]
    return Body.WORKS if names else Body.CONSTANT


@dataclass(frozen=True)
class Claim:
    """A claim that a member of Kafka is ported here, or is not, with the reason."""

    origin: str
    file: str
    line: int
    kind: str          # class, def, value; or omitted
    where: str         # the path of the class or function within its module
    reason: str = ""
    body: Body = Body.WORKS
    last: int = 0      # the last line of the class or function

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"

    @cached_property
    def type(self) -> str:
        return self.origin.partition("#")[0]

    @property
    def package(self) -> str:
        """Return the package: the part before the first capital letter."""
        return re.split(r"[.](?=[A-Z])", self.type)[0]

    @cached_property
    def name(self) -> str:
        """Return the name of the member, "" for a type."""
        return self.origin.partition("#")[2].partition("(")[0]

    def matches(self, member: Member) -> bool:
        """Return whether this may mean ``member``."""
        if self.type != member.type or (not self.name) is not (member.kind in TYPES):
            return False
        if self.name not in ("", member.name) and not (
                "*" in self.name and fnmatchcase(member.name, self.name)):
            return False
        _, parenthesis, signature = self.origin.partition("(")
        if not parenthesis:
            return member.scala or self.kind == "omitted" or member.kind != "method"
        claimed, declared = ([plain(type_) for type_ in parameter_types(text)]
                             for text in (signature, member.signature))
        return member.kind == "method" and claimed == declared


@dataclass(frozen=True)
class Definition:
    """A class or a function that is not inside a function."""

    where: str
    first: int
    last: int


@dataclass
class Module:
    """The claims of a module of the port."""

    file: str
    claims: list[Claim] = field(default_factory=list)
    # The attributes of each class and its instances, "" for the module, with their lines.
    attributes: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    definitions: list[Definition] = field(default_factory=list)
    deviations: dict[int, str] = field(default_factory=dict)
    # The functions by their names, without those inside functions.
    functions: dict[str, list[ast.FunctionDef]] = field(default_factory=lambda: defaultdict(list))
    problems: list[str] = field(default_factory=list)


def read_port(root: Path = ROOT, tag: str = TAG) -> list[Module]:
    """Return the modules that claim members of a release: of 3.8.0, or of an edition's."""
    editions = root / "kreactor" / "editions"
    if tag == TAG:
        older = [path for path in editions.glob("v*") if path.is_dir()]
        paths = [path for path in (root / "kreactor").rglob("*.py")
                 if not any(path.is_relative_to(folder) for folder in older)]
    else:
        paths = list((editions / edition_folder(tag)).rglob("*.py"))
    modules = []
    for path in sorted(paths):
        source = path.read_text(encoding="utf-8")
        if ":origin:" in source:
            modules.append(read_module(path.relative_to(root).as_posix(), source, tag))
    return modules


def read_module(file: str, source: str, tag: str = TAG) -> Module:
    """Return the claims of a module for a release, without the release's tag."""
    module, tree = Module(file), parse(source)
    _read_body(module, tree, "")
    if re.search(r"#.*:origin:", source):
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT and ":origin:" in token.string:
                module.claims += [_beside(module, origin, token.start[0])
                                  for origin in _origins(token.string)]
    for number, line in enumerate(source.splitlines(), 1):
        for mark in re.findall(r"DEVIATION (D\d+)", line):
            module.deviations[number] = mark
    module.claims = [claim for claim in (_of_release(module, claim, tag) for claim in module.claims)
                     if claim is not None]
    return module


def _of_release(module: Module, claim: Claim, tag: str) -> Claim | None:
    """Return the claim without the tag, or None and a problem if it is for another release."""
    first, _, rest = claim.origin.partition(" ")
    of, origin = (first, rest) if first[:1].isdigit() else (TAG, claim.origin)
    if of == tag:
        return replace(claim, origin=origin)
    begin = "have no tag" if tag == TAG else f'begin with "{tag} "'
    module.problems.append(f"{claim.place}: {claim.origin} is of {of}, and origins here {begin}: correct it.")
    return None


def _beside(module: Module, origin: str, line: int) -> Claim:
    """Return a comment's claim for the attribute in its own line or the next line."""
    places = [Claim(origin, module.file, at, "value", f"{where}.{name}".lstrip("."))
              for where, names in module.attributes.items()
              for name, at in names.items() if at in (line, line + 1)]
    return min(places, key=lambda claim: claim.line, default=Claim(origin, module.file, line, "value", ""))


def _read_body(module: Module, node: ast.Module | ast.ClassDef | ast.FunctionDef, where: str,
               local: bool = False) -> None:
    if not isinstance(node, ast.Module):
        kind = "class" if isinstance(node, ast.ClassDef) else "def"
        if not local:
            module.definitions.append(Definition(where, node.lineno, node.end_lineno or node.lineno))
            if isinstance(node, ast.FunctionDef):
                module.functions[node.name].append(node)
        claimed = _origins(ast.get_docstring(node) or "")
        body = body_of(node) if claimed and isinstance(node, ast.FunctionDef) else Body.WORKS
        module.claims += [Claim(origin, module.file, node.lineno, kind, where, "", body, node.end_lineno or 0)
                          for origin in claimed]
    if not isinstance(node, ast.FunctionDef):
        attributes = module.attributes[where]
        for statement in node.body:
            for name in _targets(statement):
                attributes.setdefault(name, statement.lineno)
        for inner in ast.walk(node) if isinstance(node, ast.ClassDef) else ():
            if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
                attributes.setdefault(inner.attr, inner.lineno)
    for statement in node.body:
        if isinstance(statement, (ast.ClassDef, ast.FunctionDef)):
            _read_body(module, statement, f"{where}.{statement.name}" if where else statement.name,
                       local or isinstance(node, ast.FunctionDef))


def _origins(text: str) -> list[str]:
    return [normal("".join((tag and f"{tag} ", type_, name and "#", name, signature)))
            for tag, type_, name, signature in _ORIGIN.findall(text)]


def normal(origin: str) -> str:
    """Return an origin with the white space of the lists."""
    name, parenthesis, signature = re.sub(r"\s+", " ", origin).partition("(")
    return f"{name}({', '.join(parameter_types(parenthesis + signature))})" if parenthesis else name


def _targets(statement: ast.stmt) -> list[str]:
    """Return the names to which a statement assigns a value or a type."""
    if isinstance(statement, ast.Assign):
        targets: list[ast.expr] = statement.targets
    elif isinstance(statement, (ast.AnnAssign, ast.AugAssign)):
        targets = [statement.target]
    elif isinstance(statement, ast.If):
        return [name for inner in (*statement.body, *statement.orelse) for name in _targets(inner)]
    else:
        return []
    return [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]


def constant(tree: ast.Module, name: str) -> Any:
    """Return the value of a module's constant of literals and other such constants, or None."""
    statements = [node for node in tree.body
                  if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None]
    wanted, needed = {name}, []
    for statement in reversed(statements):
        if wanted & set(_targets(statement)):
            needed.append(statement)
            wanted |= {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    namespace: dict[str, Any] = {"__builtins__": {"dict": dict}}
    code = ast.Module([*reversed(needed)], type_ignores=[])
    exec(compile(code, name, "exec"), namespace)  # noqa: S102
    return namespace.get(name)


def omitted_claims(rows: Iterable[Omission]) -> list[Claim]:
    """Return the claims of the rows about members."""
    return [Claim(row.origin, OMITTED, row.line, "omitted", "", row.reason)
            for row in rows if row.of == "member"]


@dataclass
class Account:
    """The claims of all modules, and their errors."""

    members: list[Member]
    port: list[Module]
    rules: list[Unported] = field(default_factory=list)
    tag: str = TAG
    omissions: Sequence[Omission] = ()
    claims: dict[Member, Claim] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._by_type: dict[str, list[Member]] = defaultdict(list)
        self._implied: dict[str, Claim] = {}
        self._kafka = "Kafka" if self.tag == TAG else f"Kafka {self.tag}"
        for member in self.members:
            self._by_type[member.type].append(member)
        everything = [claim for module in self.port for claim in module.claims]
        claims = [claim for claim in everything if claim.type in self._by_type]
        for module in self.port:
            self.problems += [Problem(module.file, problem) for problem in module.problems]
        for claim in everything:
            if claim.type not in self._by_type:
                self._say(claim, f"{self._kafka} has no type {claim.type}: correct the origin, or run "
                                 "tools/checks/list_members if its file is not listed.")
        for claim in claims:
            self._claim(claim)
        self._claim_attributes()
        # A single member comes before a pattern, and before the type that has the rest.
        for claim in sorted(omitted_claims(self.omissions), key=lambda claim: (
                not claim.name, "*" in claim.name, "(" not in claim.origin, -claim.origin.count("."))):
            self._omit(claim)
        self._leave_files_out()

    def _say(self, claim: Claim, problem: str) -> None:
        self.problems.append(Problem(claim.file, f"{claim.place}: {problem}"))

    def _leave_files_out(self) -> None:
        """Account for the members of files that a row of not_ported.tsv names."""
        begun = {member.file: claim for member, claim in self.claims.items()}
        by_file: dict[str, list[Member]] = defaultdict(list)
        for member in self.members:
            by_file[member.file].append(member)
        for file, rule in unported(by_file, self.rules).items():
            if file not in begun:
                self.claims |= {member: Claim(member.origin, UNPORTED, 0, "omitted", "", rule.reason)
                                for member in by_file[file]}
            elif "*" not in rule.pattern:
                self.problems.append(Problem(UNPORTED, (
                    f"{UNPORTED}: {file} is ported in part ({begun[file].place}): take its row out and run "
                    "tools/checks/list_members.")))

    def _claim(self, claim: Claim) -> None:
        found = [member for member in self._by_type[claim.type] if claim.matches(member)]
        # Scala may have a field and a method with the same name; a function ports the method.
        found.sort(key=lambda member: (member.kind == "method") is not (claim.kind == "def"))
        free = [member for member in found if member not in self.claims]
        implied = not found and self._is_implied(claim)
        ported = self._implied.setdefault(claim.origin, claim) if implied else \
            self.claims[found[0]] if found and not free else claim
        if not found and not implied:
            self._say(claim, f"{self._kafka} has no {claim.origin}: correct the origin.")
        elif ported is not claim:
            self._say(claim, f"{claim.origin} is ported at {ported.place} already: one of the two is another "
                             "member, or none of Kafka's.")
        elif free:
            self.claims[free[0]] = claim

    def _is_implied(self, claim: Claim) -> bool:
        """Return whether the claim is for a member that its type's line implies.

        These members are the primary constructor of a Scala class, and the compilers' members of case classes
        and enums.
        """
        implied: set[str] = set()
        for member in self._by_type[claim.type]:
            if member.kind == "class" and member.scala:
                implied |= {member.name} | (_CASE if member.signature == "case" else set())
            elif member.kind == "enum":
                implied |= _ENUM
        return claim.origin.partition("#")[2] in implied

    def _omit(self, claim: Claim) -> None:
        below = [claim.type] if claim.name else [
            type_ for type_ in self._by_type if f"{type_}.".startswith(f"{claim.type}.")]
        found = [member for type_ in below for member in self._by_type[type_]
                 if claim.matches(member) or not claim.name]
        free = [member for member in found if member not in self.claims]
        if not found:
            self._say(claim, f"{self._kafka} has no {claim.origin}: take the row out.")
        elif not free or (not claim.name and found[0] not in free):
            self._say(claim, f"{claim.origin} is omitted, but ported or omitted at "
                             f"{self.claims[found[0]].place} too: take one of the two out.")
        self.claims |= dict.fromkeys(free, claim)

    def _claim_attributes(self) -> None:
        """Account for fields and constants by the attributes of the class that ports their class."""
        ports: dict[str, list[Claim]] = defaultdict(list)
        modules = {module.file: module for module in self.port}
        for member, claim in self.claims.items():
            if member.kind in TYPES:
                ports[member.type].append(claim)
        for member in self.members:
            if member.kind not in VALUES or member in self.claims:
                continue
            for port in ports[member.type]:
                for where in (port.where, ""):
                    places = modules[port.file].attributes[where]
                    for name in filter(places.__contains__, spellings(member.name)):
                        self.claims.setdefault(member, Claim(
                            member.origin, port.file, places[name], "value", f"{where}.{name}".lstrip(".")))

    @cached_property
    def adapted(self) -> dict[Member, int]:
        """Return the functions with fewer than a third of their origin's statements, and how many each has.

        The statements of the module's own functions that a function calls are its own.
        """
        modules = {module.file: module for module in self.port}
        claimed = {(claim.file, claim.line) for claim in self.claims.values() if claim.kind == "def"}
        nodes = {(module.file, node.lineno): node for module in self.port
                 for functions in module.functions.values() for node in functions}
        found = {}
        for member, claim in self.claims.items():
            statements, node = int(member.statements or 0), nodes.get((claim.file, claim.line))
            # An empty body for up to three statements is a problem of its own.
            if statements < 4 or claim.kind != "def" or node is None \
                    or 3 * (own := weight(node)) >= statements:
                continue
            for called in _called(node, modules[claim.file], claimed):
                own += weight(called)
            if 3 * own < statements:
                found[member] = own
        return found

    def missing(self) -> list[Member]:
        """Return the members that are neither ported nor omitted."""
        return [member for member in self.members if member not in self.claims]


def _called(node: ast.FunctionDef, module: Module,
            claimed: set[tuple[str, int]]) -> list[ast.FunctionDef]:
    """Return the functions of a module, none of them a port, that a function calls, itself or by another."""
    found, todo = [node], [node]
    while todo:
        for inner in ast.walk(todo.pop()):
            name = inner.attr if isinstance(inner, ast.Attribute) else \
                inner.id if isinstance(inner, ast.Name) else ""
            for called in module.functions.get(name, ()):
                if called not in found and (module.file, called.lineno) not in claimed:
                    found.append(called)
                    todo.append(called)
    return found[1:]


def snake(name: str) -> str:
    """Return Kafka's name of a method or field in snake case."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return name.lower()


def spellings(name: str) -> list[str]:
    """Return the allowed names here for a field or constant of Kafka."""
    snaked = snake(name)
    return [prefix + word for word in dict.fromkeys((snaked, snaked.upper(), name)) for prefix in ("_", "")]

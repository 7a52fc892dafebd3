"""The shape of the source: who may import whom, and what no file may hold."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src"
FILES = sorted((SRC / "seamline").rglob("*.py"))
LONGEST = 600
"""Lines; a longer file has more than one subject."""

BASE, PROTOCOLS, MIDDLE, PIPELINE, API, EDGE = range(6)
LAYERS = {
    "types": BASE,
    "anchors": BASE,
    "facts": BASE,
    "errors": BASE,
    "formats": BASE,
    "records": BASE,
    "files": BASE,
    "native": BASE,
    "text": BASE,
    "filters": BASE,
    "recipe": BASE,
    "trust": BASE,
    "remote": BASE,
    "code_outline": BASE,
    "schema": BASE,
    "_native": BASE,
    "protocols": PROTOCOLS,
    "registry": BASE,
    "runtime": PROTOCOLS,
    "parse": MIDDLE,
    "tokens": MIDDLE,
    "cut": MIDDLE,
    "enrich": MIDDLE,
    "embed": MIDDLE,
    "store": MIDDLE,
    "search": MIDDLE,
    "evaluate": MIDDLE,
    "llm": MIDDLE,
    "index": PIPELINE,
    "pipeline": PIPELINE,
    "api": API,
    "plugins": API,
    "": EDGE,  # seamline itself: the public names, lazily loaded
    "__main__": EDGE,
    "cli": EDGE,
    "server": EDGE,
    "inspector": EDGE,
    "adapters": EDGE,
    "agents": EDGE,
    "scale": EDGE,
    "testing": EDGE,
}
"""Imports point from a higher layer to a lower one."""

SHARED = {"tokens"}
"""Parts of the middle that its other parts may import."""

BROAD_EXCEPT_ALLOWED = {
    "cli/main.py",
    "server/app.py",
    "server/workers.py",
    "parse/isolate/child.py",
    "tokens/custom.py",
    "tokens/bpe.py",
    "registry.py",
}
"""Where a process ends or a request does: the last place to turn a failure into a message. The reader of
tokenizer.json files raises bare `Exception`, and nothing else is called under that one. A plugin may raise
anything, and its package is named. A panic of splintr is a BaseException."""

PICKLES = {"pickle", "_pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve"}
RUNNERS = {"eval", "exec", "compile", "__import__"}
TRUSTING = {"trust_remote_code", "allow_pickle"}
IMPORTS_BY_NAME = {
    *("__init__.py", "native.py", "registry.py", "cli/main.py", "parse/parser_types.py", "parse/code/document.py"),
    *("enrich/facts.py", "enrich/entities/names.py"),
}
YAML_CLASSES = {"Loader", "FullLoader", "UnsafeLoader", "CLoader", "CFullLoader", "CUnsafeLoader"}
YAML_LOADERS = {"load", "load_all", "full_load", "full_load_all", "unsafe_load", "unsafe_load_all"}


def name_of(path: Path) -> str:
    """The path as people say it: cut/pack.py."""
    return path.relative_to(SRC / "seamline").as_posix()


def module_of(path: Path) -> str:
    """The dotted name of a file."""
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path) for path in FILES} | {"seamline"}
PACKAGES = {module_of(path) for path in FILES if path.name == "__init__.py"}


def imports(tree: ast.Module, module: str) -> Iterator[tuple[int, str]]:
    """Line and dotted name of every import of ours, wherever it stands in the file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = absolute(node, module)
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield node.lineno, inner if inner in MODULES else base
        elif isinstance(node, ast.Call) and called(node).removeprefix("importlib.") == "import_module":
            yield from ((node.lineno, str(arg.value)) for arg in node.args[:1] if isinstance(arg, ast.Constant))


def absolute(node: ast.ImportFrom, module: str) -> str:
    """The dotted name an import is from, relative dots resolved."""
    if not node.level:
        return node.module or ""
    package = module.split(".") if module in PACKAGES else module.split(".")[:-1]
    parts = package[: len(package) - node.level + 1]
    return ".".join([*parts, node.module] if node.module else parts)


def called(node: ast.Call) -> str:
    """The name a call goes by: eval, yaml.load."""
    match node.func:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=owner), attr=name):
            return f"{owner}.{name}"
    return ""


def part_of(module: str) -> str:
    """The part of seamline a module belongs to: cut for seamline.cut.pack."""
    return ".".join(module.split(".")[1:2])


def objection(importer: str, imported: str) -> str:
    """Why a module may not import another; empty when it may."""
    ours, theirs = part_of(importer), part_of(imported)
    for part in (ours, theirs):
        if part not in LAYERS:
            return f"`{part}` has no layer yet: give it one in tests/arch/test_imports.py"
    if ours == theirs or (theirs in SHARED and LAYERS[ours] >= MIDDLE):
        return ""
    if LAYERS[theirs] > LAYERS[ours]:
        return "points up"
    if LAYERS[ours] == LAYERS[theirs] == MIDDLE:
        return "siblings meet in pipeline.py"
    return ""


@pytest.fixture(params=FILES, ids=name_of)
def path(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


@pytest.fixture
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def test_imports_point_one_way(path: Path, tree: ast.Module) -> None:
    importer = module_of(path)
    wrong = [
        f"line {line}: {imported}: {why}"
        for line, imported in imports(tree, importer)
        if imported.split(".")[0] == "seamline" and (why := objection(importer, imported))
    ]
    assert not wrong


FOR_COMMANDS = (
    *("seamline.api", "seamline.cli", "seamline.types", "seamline.errors", "seamline.text", "seamline"),
    *("seamline.agents", "seamline.inspector", "seamline.scale", "seamline.server"),
)
"""What a command may import of Seamline: arguments in, functions of the API, text out; the doors that it opens, and
the engines that it runs on; of `seamline`, its version."""
BEFORE_ALL = {"seamline.trust.search_path"}
"""What the entry point imports beside: the search path is put right before anything else is imported."""


def test_commands_call_the_api_alone(path: Path, tree: ast.Module) -> None:
    if not name_of(path).startswith("cli/"):
        return
    allowed = BEFORE_ALL if name_of(path) == "cli/main.py" else set()
    wrong = [
        f"line {line}: {imported}"
        for line, imported in imports(tree, module_of(path))
        if imported.split(".")[0] == "seamline"
        and ".".join(imported.split(".")[:2]) not in FOR_COMMANDS
        and imported not in allowed
    ]
    assert not wrong


def test_no_broad_except(path: Path, tree: ast.Module) -> None:
    if name_of(path) in BROAD_EXCEPT_ALLOWED:
        return
    assert not [f"line {line}" for line in broad_excepts(tree)]


def broad_excepts(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler):
            kinds = [node.type] if not isinstance(node.type, ast.Tuple) else node.type.elts
            if any(kind is None or ast.unparse(kind) in {"Exception", "BaseException"} for kind in kinds):
                yield node.lineno


def test_no_kwargs_in_public_functions(tree: ast.Module) -> None:
    assert not [f"line {f.lineno}: {f.name}(**{f.args.kwarg.arg})" for f in public(tree.body) if f.args.kwarg]


def public(body: Sequence[ast.stmt]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions and methods that callers elsewhere can reach by a public name."""
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() if not private(node.name):
                yield node
            case ast.ClassDef() if not private(node.name):
                yield from public(node.body)
            case ast.If():
                yield from public([*node.body, *node.orelse])
            case ast.Try():
                rescued = [line for handler in node.handlers for line in handler.body]
                yield from public([*node.body, *rescued, *node.orelse, *node.finalbody])


def private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def test_nothing_runs_what_it_reads(tree: ast.Module) -> None:
    assert not [f"line {line}: {what}" for line, what in dangers(tree)]


def dangers(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Whatever could turn bytes of a document into running code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] in PICKLES:
                    yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            loaders = {alias.name for alias in node.names} & YAML_LOADERS if node.module == "yaml" else set()
            if (node.module or "").split(".")[0] in PICKLES or loaders:
                yield node.lineno, node.module or ""
        elif isinstance(node, ast.Constant) and node.value in YAML_CLASSES - {"Loader"}:
            yield node.lineno, str(node.value)
        elif isinstance(node, ast.Attribute) and called(ast.Call(node, [], [])).startswith("yaml."):
            if node.attr in YAML_CLASSES:
                yield node.lineno, f"yaml.{node.attr}"
        elif isinstance(node, ast.Call):
            owner, _, name = called(node).rpartition(".")
            if (owner in {"", "builtins"} and name in RUNNERS) or (owner == "yaml" and name in YAML_LOADERS):
                yield node.lineno, called(node)
            trusting = [one for one in node.keywords if one.arg in TRUSTING and ast.unparse(one.value) != "False"]
            yield from ((node.lineno, ast.unparse(one)) for one in trusting)


def test_modules_are_imported_by_name_only_where_that_is_known(path: Path, tree: ast.Module) -> None:
    """Each of these places takes the name from a table of ours, or from what an installed package registers."""
    calls = [called(node) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    found = [name for name in calls if name.rpartition(".")[2] in {"import_module", "spec_from_file_location"}]
    assert len(found) == (name_of(path) in IMPORTS_BY_NAME)


def test_every_module_says_what_it_is(tree: ast.Module) -> None:
    assert ast.get_docstring(tree)


@pytest.mark.parametrize(
    "file",
    [*FILES, *sorted((ROOT / "benchmarks").rglob("*.py"))],
    ids=lambda file: file.relative_to(ROOT).as_posix(),
)
def test_no_file_is_too_long(file: Path) -> None:
    assert len(file.read_text(encoding="utf-8").splitlines()) <= LONGEST


def test_the_public_names_are_exactly_those_listed() -> None:
    assert (SRC / "seamline/__init__.py").exists(), "seamline/__init__.py is missing"
    seamline = importlib.import_module("seamline")
    listed = seamline.__all__
    assert len(listed) == len(set(listed)), "listed twice"
    assert not [name for name in listed if not hasattr(seamline, name)], "listed, but not there"
    offered = {name for name in dir(seamline) if not name.startswith("_")}
    modules = {module.split(".")[1] for module in MODULES if "." in module}
    assert not offered - set(listed) - modules, "there, but not listed: is `__dir__` missing?"


@pytest.mark.parametrize(
    ("importer", "imported", "why"),
    [
        ("seamline.types", "seamline.protocols", "points up"),
        ("seamline.cut.fit", "seamline.pipeline", "points up"),
        ("seamline.pipeline", "seamline.api", "points up"),
        ("seamline.tokens.exact", "seamline.cut.fit", "siblings meet in pipeline.py"),
        ("seamline.cut.fit", "seamline.parse.markdown.commonmark", "siblings meet in pipeline.py"),
        ("seamline.cut.fit", "seamline.tokens", ""),
        ("seamline.cut.fit", "seamline.cut.atoms", ""),
        ("seamline.cli.main", "seamline.api", ""),
        ("seamline.api", "seamline", "points up"),
    ],
)
def test_the_rule_itself(importer: str, imported: str, why: str) -> None:
    assert objection(importer, imported) == why


@pytest.mark.parametrize(
    "code",
    [
        "try: f()\nexcept: g()",
        "try: f()\nexcept (OSError, Exception): g()",
        "try: f()\nexcept BaseException: g()",
    ],
)
def test_a_broad_except_is_seen(code: str) -> None:
    assert list(broad_excepts(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        "import pickle",
        "from marshal import loads",
        "eval(x)",
        "yaml.load(x, L)",
        "from yaml import load",
        "__import__(x)",
        "f(yaml.UnsafeLoader)",
        "getattr(yaml, 'CUnsafeLoader')",
        "np.load(x, allow_pickle=True)",
        "load(x, trust_remote_code=y)",
    ],
)
def test_a_danger_is_seen(code: str) -> None:
    assert list(dangers(ast.parse(code)))


def test_a_safe_loader_is_no_danger() -> None:
    assert not list(
        dangers(ast.parse("yaml.safe_load(x)\nre.compile(x)\nmodel.eval()\nnp.load(x, allow_pickle=False)"))
    )


PUBLIC_AND_PRIVATE = """
def a(): ...
def _b(): ...
class C:
    def __init__(self): ...
    def d(self):
        def nested(): ...
    def _e(self): ...
class _F:
    def g(self): ...
if x:
    def h(): ...
"""


def test_public_functions_are_found() -> None:
    assert [f.name for f in public(ast.parse(PUBLIC_AND_PRIVATE).body)] == ["a", "__init__", "d", "h"]


# --- names and folders -----------------------------------------------------------------------------------------------

MOST_FILES = 26
"""Modules in one folder that a reader can take in at a glance."""
MOST_AT_THE_TOP = 16


def test_a_public_class_name_means_one_thing() -> None:
    places: dict[str, list[str]] = {}
    for path in FILES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(name_of(path))
    assert len(places) > 100
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_folder_is_crowded() -> None:
    sizes: dict[Path, int] = {}
    for path in FILES:
        sizes[path.parent] = sizes.get(path.parent, 0) + 1
    assert {folder.name: size for folder, size in sizes.items() if size > MOST_FILES} == {}
    assert sizes[SRC / "seamline"] <= MOST_AT_THE_TOP

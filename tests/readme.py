"""The parts of README.md that can go stale, made from the code. `make docs` writes them, a test compares."""

from __future__ import annotations

import argparse
import ast
import dataclasses
import inspect
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"


def help_block() -> str:
    """One line a command and one an option: argparse's own layout differs between versions of Python."""
    from app import arguments, i18n

    i18n.use("en")
    try:
        parser = arguments._parser()
    finally:
        i18n.use(i18n.DEFAULT)
    (commands,) = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    shared = {option for action in parser._actions for option in action.option_strings}
    explained = {choice.dest: choice.help for choice in commands._choices_actions}
    lines = ["archiviste [--data DIR] [--lang fr|en] COMMAND"]
    for name, command in commands.choices.items():
        own = [a for a in command._actions if not shared.intersection(a.option_strings)]
        lines += ["", f"{name} {' '.join(_shape(a) for a in own)}".rstrip(), f"    {explained[name]}"]
        lines += [f"    {' '.join(a.option_strings) or a.metavar:<18} {a.help}" for a in own]
    return "\n".join(["```", *lines, "```"])


def _shape(action: argparse.Action) -> str:
    if not action.option_strings:
        return f"{action.metavar}…" if action.nargs == "+" else str(action.metavar)
    value = "" if action.nargs == 0 else " " + ("|".join(action.choices) if action.choices else action.metavar or "")
    return f"[{action.option_strings[0]}{value}]"


def settings_block() -> str:
    import app.settings
    import engine.settings

    lines = ["| setting | default | what it does |", "| --- | --- | --- |"]
    for section, cls in (("engine", engine.settings.Settings), ("app", app.settings.AppSettings)):
        texts = _field_docs(cls)
        for field in dataclasses.fields(cls):
            if field.name == "data":
                continue
            default = "" if field.default is None else f"`{field.default}`"
            lines.append(f"| `{section}.{field.name}` | {default} | {texts[field.name]} |")
    return "\n".join(lines)


def map_block() -> str:
    lines = ["```"]
    for top in ("engine", "app"):
        for path in sorted((ROOT / top).rglob("*.py"), key=lambda p: (p.parent, p.name != "__init__.py", p.name)):
            doc = (ast.get_docstring(ast.parse(path.read_text())) or "").splitlines()[0]
            depth = len(path.relative_to(ROOT).parts) - 1
            if path.name == "__init__.py":
                name = "  " * (depth - 1) + path.parent.name + "/"
            else:
                name = "  " * depth + path.name
            lines.append(f"{name:<28} {doc}")
    return "\n".join([*lines, "```"])


BLOCKS = {"help": help_block, "settings": settings_block, "map": map_block}


def rendered(text: str) -> str:
    """The README with every generated block made anew."""
    for name, make in BLOCKS.items():
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        assert pattern.search(text), name
        block = make()
        text = pattern.sub(lambda m, block=block: f"{m[1]}{block}\n{m[2]}", text)
    return text


def _field_docs(cls: type) -> dict[str, str]:
    """The string that follows each field in the class body."""
    (tree,) = ast.parse(inspect.getsource(cls)).body
    docs, last = {}, ""
    for node in tree.body:  # type: ignore[attr-defined]
        if isinstance(node, ast.AnnAssign):
            last = node.target.id  # type: ignore[union-attr]
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and last:
            docs[last] = " ".join(str(node.value.value).split())
    return docs


if __name__ == "__main__":
    before = README.read_text()
    README.write_text(rendered(before))
    sys.stdout.write("README.md is current\n" if README.read_text() == before else "README.md was updated\n")

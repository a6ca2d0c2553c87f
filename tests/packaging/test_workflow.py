"""The workflow that builds the bundles names only what is there."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = ROOT / ".github" / "workflows" / "package.yml"
JOBS = yaml.safe_load(WORKFLOW.read_text())["jobs"]
COMMANDS = [step["run"] for job in JOBS.values() for step in job["steps"] if "run" in step]


def test_every_target_of_make_is_one():
    makefile = (ROOT / "Makefile").read_text()
    asked = {name for command in COMMANDS for name in re.findall(r"^make ([\w-]+)", command, re.MULTILINE)}
    assert asked == {"package", "package-complet"}
    assert all(re.search(rf"^{name}:", makefile, re.MULTILINE) for name in asked)


def test_every_file_of_ours_is_there():
    named = {path for command in COMMANDS for path in re.findall(r"packaging[/\\][\w/\\.]+", command)}
    assert len(named) >= 3
    assert [path for path in named if not (ROOT / path.replace("\\", "/")).exists()] == []


def test_every_bundle_is_tried_where_it_was_built_and_kept_with_its_checksums():
    for name, job in JOBS.items():
        said = " ".join(step.get("run", "") for step in job["steps"])
        assert "make package" in said or "packaging/build.py" in said, name  # which fail when the self-test does
        kept = job["steps"][-1]["with"]["path"]
        assert "SHA256SUMS" in kept and ".json" in kept, name


def test_the_oldest_macos_is_the_same_for_what_is_compiled_and_for_what_is_said():
    spec = (ROOT / "packaging" / "archiviste.spec").read_text()
    assert f'"LSMinimumSystemVersion": "{JOBS["macos"]["env"]["MACOSX_DEPLOYMENT_TARGET"]}"' in spec

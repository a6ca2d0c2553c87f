"""The flavour with torch: its loaders run on tiny random models in an environment that has neither Python nor network."""

import json
import shutil
import subprocess
import sys

from tests.bge.tiny import CROSS_ENCODER, ENCODER
from tests.packaging.frozen.bundle import BUNDLE, COMPLETE, ROOT, alone, size

TORCH_PYTHON = ROOT / ".venv-complet" / "bin" / "python"  # which the bundle was made with, and has transformers


def test_both_flavours_stand_side_by_side_and_only_one_has_torch():
    print(f"standard {size(BUNDLE) / 1e6:.0f} MB, complet {size(COMPLETE) / 1e6:.0f} MB")
    assert not (BUNDLE / "_internal" / "torch").exists()
    assert (COMPLETE / "_internal" / "torch").exists()
    assert not [*COMPLETE.rglob("libcudart*")]


def test_the_encoder_and_the_reranker_run_in_an_empty_environment():
    def models(home):
        # Not by pytest's own folder: its parents are closed to others.
        subprocess.run([str(TORCH_PYTHON), "-m", "tests.bge.tiny", str(home)], check=True, cwd=ROOT, stdout=sys.stderr)
        return ["--bge", str(home / ENCODER), "--reranker", str(home / CROSS_ENCODER)]

    with alone(COMPLETE, models) as (done, home, _place):
        print(done.stdout, done.stderr)
        assert done.returncode == 0
        told = json.loads((home / "rapport.json").read_text())
        steps = {step["name"]: step for step in told["steps"]}
        assert told["passed"] and told["frozen"]
        assert {"encodeur", "reclassement"} <= set(steps)
        shutil.copy(home / "rapport.json", COMPLETE.parent / "selftest-alone.json")

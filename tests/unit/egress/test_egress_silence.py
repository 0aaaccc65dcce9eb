"""Telemetry of libraries is off in every process of the program, and in those that it starts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.egress.telemetry import SWITCHES, disable_telemetry


def test_every_telemetry_switch_is_set_regardless_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SWITCHES:
        monkeypatch.setenv(name, "0")
    disable_telemetry()

    assert {name: os.environ[name] for name in SWITCHES} == dict(SWITCHES)


def test_the_libraries_understand_the_switches() -> None:
    code = (
        "from workbench.egress.telemetry import disable_telemetry; disable_telemetry()\n"
        "from huggingface_hub import constants\n"
        "assert constants.HF_HUB_OFFLINE and constants.HF_HUB_DISABLE_TELEMETRY and constants.HF_HUB_DISABLE_XET\n"
        "assert constants.HF_HUB_DISABLE_IMPLICIT_TOKEN\n"
        "from huggingface_hub.utils import get_session\n"
        "import huggingface_hub.errors as errors\n"
        "try:\n"
        "    get_session().get('https://huggingface.co/api/models')\n"
        "except errors.OfflineModeIsEnabled:\n"
        "    print('offline')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "offline", done.stderr[-2000:]


def test_onnxruntime_reports_nothing_and_keeps_no_number_of_the_machine(tmp_path: Path) -> None:
    code = (
        "import os; os.environ.pop('ORT_DISABLE_TELEMETRY', None)\n"
        "import workbench, onnxruntime, onnx.helper as h\n"
        "node = h.make_node('Identity', ['x'], ['y'])\n"
        "values = [h.make_tensor_value_info(name, 1, [1]) for name in 'xy']\n"
        "model = h.make_model(h.make_graph([node], 'g', values[:1], values[1:]), ir_version=10,\n"
        "    opset_imports=[h.make_opsetid('', 17)])\n"
        "onnxruntime.InferenceSession(model.SerializeToString(), providers=['CPUExecutionProvider'])\n"
    )
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    assert [one.name for one in tmp_path.rglob("*") if "icrosoft" in one.name or "onnxruntime" in one.name] == []

"""What the libraries that we use would tell others of by themselves, switched off before any of them is loaded."""

import os
from collections.abc import Mapping

SWITCHES: Mapping[str, str] = {
    # huggingface_hub and what is built on it: no request at all, no report of use, no transfers by a client of its own,
    # and no key of the user's sent along.
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_XET": "1",
    "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
    # onnxruntime (workbench/__init__.py says so of itself, for scripts).
    "ORT_DISABLE_TELEMETRY": "1",
    # By convention: https://consoledonottrack.com
    "DO_NOT_TRACK": "1",
    # The SDK of MCP makes traces, which OpenTelemetry would send where the environment says.
    "OTEL_SDK_DISABLED": "true",
}


def disable_telemetry() -> None:
    """Switch it off for this process and for those that it starts; called first by every program of ours."""
    os.environ.update(SWITCHES)

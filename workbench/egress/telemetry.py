"""Environment variables that disable the telemetry of third-party libraries."""

import os
from collections.abc import Mapping

SWITCHES: Mapping[str, str] = {
    # huggingface_hub and libraries built on it: no requests, no usage reports, no transfers by its own client, and no
    # key of the user in requests.
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_XET": "1",
    "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
    # onnxruntime (also set by workbench/__init__.py, for scripts).
    "ORT_DISABLE_TELEMETRY": "1",
    # By convention: https://consoledonottrack.com
    "DO_NOT_TRACK": "1",
    # The MCP SDK creates traces, which OpenTelemetry would send to the endpoint in the environment.
    "OTEL_SDK_DISABLED": "true",
}


def disable_telemetry() -> None:
    """Disable telemetry for this process and its children; every entry point of the program calls this first."""
    os.environ.update(SWITCHES)

"""Where the usual model servers are found, so that nobody has to remember a port."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Preset:
    """A kind of server; leaves_machine says that questions and passages go over the network."""

    title: str
    name: str
    base_url: str
    model: str
    leaves_machine: bool = False


PRESETS: tuple[Preset, ...] = (
    Preset("Ollama", "ollama", "http://127.0.0.1:11434/v1", "llama3.2"),
    Preset("LM Studio", "lm-studio", "http://127.0.0.1:1234/v1", ""),
    Preset("llama.cpp server", "llama-cpp", "http://127.0.0.1:8080/v1", ""),
    Preset("vLLM", "vllm", "http://127.0.0.1:8000/v1", ""),
    Preset("OpenAI", "openai", "https://api.openai.com/v1", "", leaves_machine=True),
)
LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1", "0.0.0.0")


def privacy(base_url: str) -> str:
    """Return, in one sentence, what leaves the machine with a server at that address."""
    if not base_url.strip():
        return "Offline: nothing leaves this machine."
    if is_local(base_url):
        return "This server runs on this machine: nothing leaves it."
    return "Questions and the passages found for them are sent to this server; documents as a whole are not."


def is_local(base_url: str) -> bool:
    """Return whether an address is on this machine."""
    host = base_url.split("://", 1)[-1].split("/", 1)[0].rsplit("@", 1)[-1]
    bare = host[1:].split("]", 1)[0] if host.startswith("[") else host.split(":", 1)[0]
    return bare.casefold() in LOCAL_HOSTS

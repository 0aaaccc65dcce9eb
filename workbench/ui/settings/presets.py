"""Where the usual model servers are found, so that nobody has to remember a port."""

from dataclasses import dataclass

from workbench.language import mark, tr
from workbench.model.egress import is_here
from workbench.model.profile import LOCAL_SERVERS, FoundServer


@dataclass(frozen=True, slots=True)
class Preset:
    """A kind of server.

    Attributes:
        title: As its makers call it; marked where it is ours.
        about: What is to know of it, in a sentence.
        made_by: What it calls the owner of its models, where that tells it from others at the same port.
        leaves_machine: Questions and passages go over the network.
    """

    title: str
    name: str
    base_url: str
    model: str
    about: str
    made_by: str = ""
    leaves_machine: bool = False


_HERE = mark("Runs on this machine: nothing leaves it.")
PRESETS: tuple[Preset, ...] = (
    Preset("Ollama", "ollama", LOCAL_SERVERS["ollama"], "llama3.2", _HERE, "library"),
    Preset("LM Studio", "lm-studio", LOCAL_SERVERS["lm-studio"], "", _HERE, "organization_owner"),
    Preset("llama.cpp", "llama-cpp", LOCAL_SERVERS["llama-cpp"], "", _HERE, "llamacpp"),
    Preset("vLLM", "vllm", LOCAL_SERVERS["vllm"], "", _HERE, "vllm"),
    Preset(
        "OpenAI",
        "openai",
        "https://api.openai.com/v1",
        "",
        mark("Needs a key. Questions and the passages found for them are sent there."),
        leaves_machine=True,
    ),
    Preset(mark("Another server"), "model", "", "", mark("Any server that speaks as OpenAI's does.")),
)


def preset_of(server: FoundServer) -> Preset:
    """Return what a server that was found seems to be: by what it says of its models, else by its port."""
    by_owner = (one for one in PRESETS if one.made_by and one.made_by == server.made_by)
    by_address = (one for one in PRESETS if one.base_url == server.base_url)
    return next(by_owner, None) or next(by_address, None) or PRESETS[-1]


def privacy(base_url: str) -> str:
    """Return, in one sentence, what leaves the machine with a server at that address."""
    if not base_url.strip():
        return tr("Offline: nothing leaves this machine.")
    if is_local(base_url):
        return tr("This server runs on this machine: nothing leaves it.")
    return tr("Questions and the passages found for them are sent to this server; documents as a whole are not.")


def is_local(base_url: str) -> bool:
    """Return whether an address is on this machine."""
    host = base_url.split("://", 1)[-1].split("/", 1)[0].rsplit("@", 1)[-1]
    bare = host[1:].split("]", 1)[0] if host.startswith("[") else host.split(":", 1)[0]
    return is_here(bare)

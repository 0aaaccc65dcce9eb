"""Settings: what may leave this machine, and what tools may reach over the network."""

from workbench.model.setting import Setting

NETWORK: tuple[Setting, ...] = (
    Setting(
        "air_gap",
        str,
        "auto",
        "Air gap",
        "What may leave this machine. “auto”: nothing but what you set up, each to where it was set up for: a model profile, a tool server, a web search, reranking by a server, tools that use the network. “on”: nothing at all. “off”: whatever you ask for.",
        choices=("auto", "on", "off"),
    ),
    Setting(
        "model_hub",
        str,
        "https://huggingface.co",
        "Source of models",
        "Address from which embedding and reranking models are downloaded that are given by their name: Hugging Face, or a mirror of it.",
    ),
    Setting(
        "network_tools",
        str,
        "no",
        "Tools that use the network",
        "Whether a model may look up the weather, read web pages and search the web. What it asks for leaves this machine.",
        choices=("no", "yes"),
    ),
    Setting(
        "web_search_url",
        str,
        "",
        "Web search",
        "Address of the server that searches the web: your own SearXNG, or https://api.search.brave.com or https://api.tavily.com with a key. Empty means no web search.",
    ),
    Setting(
        "web_search_format",
        str,
        "searxng",
        "Format of the web search",
        "What the server speaks.",
        choices=("searxng", "brave", "tavily"),
    ),
    Setting(
        "web_search_results",
        int,
        3,
        "Results per web search",
        "How many results a web search hands to the model.",
        minimum=1,
        maximum=20,
    ),
    Setting(
        "web_search_key_env",
        str,
        "",
        "Key variable of the web search",
        "Name of the environment variable that holds the server's key; empty means the system's keyring, else no key.",
    ),
    Setting(
        "weather_url",
        str,
        "https://api.open-meteo.com",
        "Weather forecasts",
        "Address of an Open-Meteo server.",
    ),
    Setting(
        "geocoding_url",
        str,
        "https://geocoding-api.open-meteo.com",
        "Places of weather forecasts",
        "Address of the Open-Meteo server that knows where places are.",
    ),
)

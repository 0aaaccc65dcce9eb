"""Settings: how passages are found."""

from workbench.model.setting import Setting

SEARCH: tuple[Setting, ...] = (
    Setting(
        "search_results",
        int,
        10,
        "Passages per search",
        "How many passages a search hands to the answerer.",
        minimum=1,
        maximum=50,
    ),
    Setting(
        "reranking",
        str,
        "tokens",
        "Reranking",
        "Puts the passages that a search found into a better order. Built in: word by word through the embedding model, or by letters (faster); or a model or server of your own.",
        choices=("tokens", "letters", "model", "server", "none"),
    ),
    Setting(
        "token_codes",
        str,
        "yes",
        "Keep word vectors",
        "Word by word reranking then compares 60 passages in milliseconds, instead of embedding ten again for each question. They take about 3.5 KB a passage on disk, 21 MB for 6,000 passages; “no” deletes them.",
        choices=("yes", "no"),
    ),
    Setting(
        "rerank_model",
        str,
        "",
        "Reranking model",
        "Folder or hub name of a cross-encoder, for example BAAI/bge-reranker-v2-m3; only used where “Reranking” says so.",
    ),
    Setting(
        "rerank_url",
        str,
        "",
        "Reranking server",
        "Its address. Questions and passages are sent there, where “Reranking” says so.",
    ),
    Setting(
        "rerank_format",
        str,
        "jina",
        "Format of the server",
        "Cohere (/v2/rerank), Jina and most others (/v1/rerank), or Text Embeddings Inference (/rerank).",
        choices=("cohere", "jina", "tei"),
    ),
    Setting("rerank_name", str, "", "Model of the server", "Its name there; empty where the server has only one."),
    Setting(
        "rerank_key_env",
        str,
        "",
        "Key variable of the server",
        "Name of the environment variable that holds the server's key; empty means the system's keyring, else no key.",
    ),
    Setting(
        "rerank_patience",
        str,
        "no",
        "Wait for a busy server",
        "Whether a server that limits requests is asked again after 15, 30 and 60 seconds; else the passages stay in the order of the search.",
        choices=("no", "yes"),
    ),
    Setting(
        "evaluate_again",
        str,
        "yes",
        "Evaluate again by itself",
        "Golden questions that were evaluated before are asked again when documents or settings have changed, while nothing else is to be done.",
        choices=("yes", "no"),
    ),
)

"""Settings: one declaration for each, with key, type, default, bounds and texts; and their current values.

To add a setting: declare it in Settings here (personal=True if it holds in every library of the user), put its key on a
page in ui/settings/settings_pages.py, read it where it takes effect (the window follows changes in ui/wiring.py), and
collect its texts with `make translations`, which leaves the translation to you.
"""

from dataclasses import dataclass, field, fields
from typing import Any

from workbench.errors import SettingError
from workbench.language import LANGUAGES, mark
from workbench.model.reranker import RERANKERS
from workbench.model.setting import Setting


def setting(default: Any, title: str, help: str, **attributes: Any) -> Any:
    """Return the field of a setting; its name is the key, its type that of the value.

    Args:
        default: The value unless the user changes it.
        title: Name in the window.
        help: What it does, for users.
        attributes: Other attributes of Setting, such as minimum, choices or synonyms.
    """
    return field(default=default, metadata={"title": title, "help": help, **attributes})


@dataclass(frozen=True, slots=True)
class Settings:
    """Current values of all settings, and the declaration of each."""

    # Documents
    embedder: str = setting(
        "",
        "Embedding model",
        "Folder or Hugging Face name of a sentence-transformers model, or a server such as openai:http://127.0.0.1:11434/v1#nomic-embed-text. Leave empty for the built-in all-MiniLM-L6-v2. A new model is applied in the background; you can keep searching meanwhile.",
        synonyms="vectors sentence-transformers multilingual chinese huggingface 向量 嵌入 多语言 中文模型",
    )
    embedder_key_env: str = setting(
        "",
        "Key variable of the embedding server",
        "Environment variable that contains the key of the embedding server. Leave empty to use the key in the system's keyring.",
        synonyms="api key token environment 密钥",
    )
    embedding_backend: str = setting(
        "auto",
        "Embedding precision",
        "“auto” measures int8 and fp32 once on this computer and uses the faster one.",
        choices=("auto", "fp32", "int8"),
        synonyms="backend quantization speed cpu gpu cuda performance 量化 速度 显卡 性能",
    )
    vector_store: str = setting(
        "faiss",
        "Vector store",
        "Where vectors are stored and searched. “faiss” is built in; “lancedb”, “chroma”, “qdrant”, “milvus” and “pgvector” each need a package. “workbench store move” switches to another store; you can keep searching meanwhile.",
        synonyms="vector database index postgres postgresql faiss lancedb chroma qdrant milvus pgvector 向量库 向量数据库 索引 数据库",
    )
    vector_store_url: str = setting(
        "",
        "Vector store address",
        "Address of the server, such as postgresql://name@localhost/database or http://localhost:6333. Leave empty to keep the files in the library. Vectors of passages and questions are sent to it.",
        synonyms="url host server port 地址 服务器 端口",
    )
    vector_store_key_env: str = setting(
        "",
        "Key variable for the vector store",
        "Environment variable with the password or API key of the server. Leave empty to use the system keyring.",
        synonyms="api key password token secret 密钥 密码 环境变量",
    )
    chunk_tokens: int = setting(
        200,
        "Passage size",
        "Target size of a passage in tokens of the embedding model, at most what the model can read at once (256 for the built-in one).",
        needs_reindex=True,
        minimum=32,
        maximum=512,
        unit=mark("tokens"),
        synonyms="passage length split segment 分块 切分 片段 长度",
    )
    chunk_overlap: int = setting(
        0,
        "Passage overlap",
        "Number of sentences that each passage repeats from the previous one.",
        needs_reindex=True,
        minimum=0,
        maximum=5,
        synonyms="split segment 分块 重叠",
    )
    parser_seconds: int = setting(
        120,
        "Time limit per file",
        "Reading a file stops when it uses this much processor time without progress, such as another page read."
        " On a busy computer, up to ten times as long may pass.",
        minimum=1,
        maximum=3600,
        unit=mark("s"),
        synonyms="timeout import slow large stuck 超时 时限 导入 卡住 大文件",
    )
    parser_megabytes: int = setting(
        2048,
        "Memory limit per file",
        "Reading a file stops when it needs more memory than this.",
        minimum=128,
        maximum=65536,
        unit=mark("MB"),
        synonyms="ram import large maximum file size 内存 导入 大文件 文件大小 大小限制",
    )
    fetch_megabytes: int = setting(
        50,
        "Size limit per web page",
        "Larger web pages and linked documents are not downloaded.",
        minimum=1,
        maximum=1000,
        unit=mark("MB"),
        synonyms="download link url website 下载 链接 网址 网站",
    )
    fetch_seconds: int = setting(
        60,
        "Time limit per web page",
        "Downloading a page, or running its scripts, stops after this time.",
        minimum=1,
        maximum=3600,
        unit=mark("s"),
        synonyms="timeout download link url website 超时 下载 链接 网址 网站",
    )
    allow_private_addresses: str = setting(
        "no",
        "Allow local network addresses",
        "Whether links may lead to this computer or your local network (localhost, 192.168…). Web pages could redirect there.",
        choices=("no", "yes"),
        synonyms="lan intranet localhost private 内网 局域网 本机",
    )
    topic_url: str = setting(
        "https://en.wikipedia.org/wiki/Special:Search?go=Go&search={topic}",
        "Encyclopedia for topics",
        "Web address used to look up a topic; {topic} stands for the topic. It may be a search page that leads to the article.",
        holds="{topic}",
        synonyms="wikipedia wiki encyclopaedia 维基百科 百科",
    )
    query_rows: int = setting(
        10_000,
        "Rows per database query",
        "Maximum number of rows that a database query adds to the library.",
        minimum=1,
        maximum=1_000_000,
        synonyms="sql rows limit 数据库 行数",
    )
    follow_links: str = setting(
        "no",
        "Follow symbolic links",
        "Whether symbolic links to files are followed in folders that you add or link. They can lead anywhere on the disk. Links that you add yourself are always followed.",
        choices=("no", "yes"),
        synonyms="symlink folder 快捷方式 文件夹",
    )
    bin_days: int = setting(
        30,
        "Keep removed documents",
        "How long removed documents stay in the bin, from where you can restore them.",
        minimum=1,
        maximum=3650,
        unit=mark("days"),
        synonyms="trash recycle bin delete undo restore 回收站 删除 恢复",
    )
    ocr: str = setting(
        "auto",
        "Text recognition (OCR)",
        "“auto” reads images and pages without usable text; “always” also reads images next to text; “off” reads none.",
        choices=("auto", "always", "off"),
        needs_reindex=True,
        synonyms="scan scanned image picture photo 扫描 图片 照片 文字识别",
    )
    ocr_engine: str = setting(
        "rapidocr",
        "OCR engine",
        "RapidOCR is built in and reads English and Chinese. Tesseract reads more languages and must be installed separately.",
        choices=("rapidocr", "tesseract"),
        needs_reindex=True,
        synonyms="scan text recognition 扫描 文字识别 引擎",
    )
    ocr_languages: str = setting(
        "eng+chi_sim",
        "Tesseract languages",
        "Tesseract language codes joined by “+”: eng, deu, fra, chi_sim, chi_tra, jpn ...",
        needs_reindex=True,
        synonyms="ocr scan text recognition 扫描 文字识别 识别语言",
    )
    layout_model: str = setting(
        "auto",
        "Table recognition",
        "“auto” uses a layout model on PDF pages whose tables were read as plain lines; about half a second per page. “off” leaves them as they are.",
        choices=("auto", "off"),
        needs_reindex=True,
        synonyms="layout pdf columns cells 表格 版面 单元格",
    )

    # Search
    search_results: int = setting(
        10,
        "Passages per search",
        "How many passages each search passes on for the answer.",
        minimum=1,
        maximum=50,
        synonyms="top k number results hits 数量 结果 召回",
    )
    reranking: str = setting(
        "tokens",
        "Reranking",
        "Sorts the passages found by relevance. “tokens” compares word by word with the embedding model, “letters” compares spelling and is faster. Or use your own model or server.",
        choices=tuple(RERANKERS),
        synonyms="reranker rerank order relevance cross-encoder colbert 重排 排序 相关度",
    )
    token_codes: str = setting(
        "yes",
        "Keep word vectors",
        "Reranking word by word then compares 60 passages in milliseconds instead of embedding ten for each question. Takes about 3.5 KB of disk space per passage (21 MB for 6,000). “no” deletes them.",
        choices=("yes", "no"),
        synonyms="disk space cache speed 磁盘 空间 缓存 速度",
    )
    rerank_model: str = setting(
        "",
        "Reranking model",
        "Folder or Hugging Face name of a cross-encoder, such as BAAI/bge-reranker-v2-m3.",
        synonyms="reranker huggingface bge 重排 模型",
    )
    rerank_url: str = setting(
        "",
        "Reranking server",
        "Address of the server. Questions and passages are sent to it.",
        synonyms="url address host api 重排 地址 服务器",
    )
    rerank_format: str = setting(
        "jina",
        "API of the reranking server",
        "Cohere (/v2/rerank), Jina and most others (/v1/rerank), or Text Embeddings Inference (/rerank).",
        choices=("cohere", "jina", "tei"),
        synonyms="format protocol 接口 格式 协议",
    )
    rerank_name: str = setting(
        "",
        "Model on the reranking server",
        "Leave empty if the server has only one.",
        synonyms="name 名称 模型",
    )
    rerank_key_env: str = setting(
        "",
        "Key variable for the reranking server",
        "Environment variable with the API key of the server. Leave empty to use the system keyring.",
        synonyms="api key password token secret 密钥 密码 环境变量",
    )
    rerank_patience: str = setting(
        "no",
        "Retry when the server is busy",
        "Whether to retry after 15, 30 and 60 seconds if the reranking server limits requests. Otherwise the passages keep the order of the search.",
        choices=("no", "yes"),
        synonyms="rate limit wait 429 重试 限流 等待",
    )
    evaluate_again: str = setting(
        "yes",
        "Repeat evaluations automatically",
        "Runs evaluated questions again when documents or settings have changed and the program is idle.",
        choices=("yes", "no"),
        synonyms="golden questions quality test background 评测 后台 自动",
    )

    # Answers
    profile: str = setting(
        "offline",
        "Answer with",
        "The model that writes answers. The built-in one works offline: it quotes your documents.",
        synonyms="model llm chatgpt gpt openai ollama lm studio vllm deepseek qwen ai 模型 大模型 回答",
    )
    agent: str = setting(
        "default",
        "Agent",
        "The agent that answers unless you choose another one: its instructions, sources and tools.",
        synonyms="assistant prompt 助手 提示词 智能体",
    )
    context_tokens: int = setting(
        0,
        "Context length",
        "How many tokens the model can process at once, including the answer. Passages are shortened to fit. 0 asks the server, or uses 8192 if it does not say.",
        minimum=0,
        maximum=10_000_000,
        unit=mark("tokens"),
        synonyms="context window size num_ctx 上下文 窗口 长度",
    )
    answer_tokens: int = setting(
        1024,
        "Maximum answer length",
        "Part of the context reserved for the answer.",
        minimum=64,
        maximum=1_000_000,
        unit=mark("tokens"),
        synonyms="max tokens output short long 最大长度 输出 回答长度",
    )
    tool_calls: int = setting(
        20,
        "Tool calls per answer",
        "After this many tool calls, the model must answer.",
        minimum=1,
        maximum=200,
        synonyms="limit functions 工具 调用 次数",
    )
    rounds: int = setting(
        10,
        "Rounds per answer",
        "Maximum number of requests to the model for one answer.",
        minimum=1,
        maximum=100,
        synonyms="limit turns steps iterations 轮数 次数",
    )
    reading_calls: int = setting(
        2,
        "Parallel requests for “Read everything”",
        "How many requests “Read everything” sends to the model at the same time.",
        minimum=1,
        maximum=16,
        synonyms="concurrency threads parallel speed 并发 线程 并行 速度",
    )
    run_seconds: int = setting(
        300,
        "Time limit per answer",
        "An answer that takes longer than this is stopped.",
        minimum=5,
        maximum=7200,
        unit=mark("s"),
        synonyms="timeout slow stop 超时 时限 慢",
    )
    run_tokens: int = setting(
        500_000,
        "Tokens per answer",
        "Maximum number of tokens, sent and received, for one answer. Estimated if the server does not count them.",
        minimum=2_000,
        maximum=100_000_000,
        unit=mark("tokens"),
        synonyms="cost price limit budget 费用 成本 额度",
    )
    retriever_seconds: float = setting(
        10.0,
        "Time limit per retriever",
        "How long a custom retriever may take for a search; fractions such as 0.5 are allowed. Later results are ignored.",
        minimum=0.1,
        maximum=600,
        unit=mark("s"),
        synonyms="timeout plugin plug-in 超时 插件 检索器",
    )
    retriever_characters: int = setting(
        50_000,
        "Text from retrievers",
        "Maximum number of characters from all custom retrievers in one search. The rest is ignored.",
        minimum=100,
        maximum=10_000_000,
        unit=mark("characters"),
        synonyms="plugin plug-in limit 插件 检索器",
    )
    plugin_megabytes: int = setting(
        2048,
        "Memory limit per plug-in",
        "A plug-in that needs more memory than this is stopped.",
        minimum=128,
        maximum=65536,
        unit=mark("MB"),
        synonyms="plugin ram 插件 内存",
    )
    context_file_characters: int = setting(
        100_000,
        "Text per context file",
        "Maximum number of characters read from each file in an agent's context folder.",
        minimum=100,
        maximum=10_000_000,
        unit=mark("characters"),
        synonyms="agent limit 智能体 上下文文件",
    )
    context_characters: int = setting(
        400_000,
        "Text from all context files",
        "Maximum number of characters read from all context files of an agent.",
        minimum=100,
        maximum=100_000_000,
        unit=mark("characters"),
        synonyms="agent limit 智能体 上下文文件",
    )
    ask_before_tools: str = setting(
        "network",
        "Ask before using tools",
        "When you are asked to approve a tool call: “network” asks if the tool sends data or changes something outside the library; “always” asks every time.",
        choices=("never", "network", "always"),
        synonyms="permission approve confirm allow 权限 批准 确认 允许",
    )
    plan: str = setting(
        "asked",
        "Plan answers",
        "Whether the model writes a plan first and then works through its steps. “asked” plans only when you choose it next to the question. A plan takes at least four requests to the model.",
        choices=("never", "asked", "always"),
        synonyms="steps research reasoning 计划 步骤 推理",
    )
    plan_steps: int = setting(
        6,
        "Steps per plan",
        "Maximum number of steps. “Rounds per answer” can lower it: each step takes two rounds, and the rest of the plan two more.",
        minimum=2,
        maximum=30,
        synonyms="research reasoning 计划 步骤",
    )
    plan_review: str = setting(
        "no",
        "Review plans first",
        "Whether a plan waits for your approval. You can start it, edit it or skip it.",
        choices=("no", "yes"),
        synonyms="approve confirm 批准 确认 计划",
    )
    check_answers: str = setting(
        "text",
        "Check answers",
        "Compares each sentence of an answer with the passages it cites. “text” compares numbers, names, words and meaning on this computer; “model” also asks the model, which takes a second request.",
        choices=("off", "text", "model"),
        synonyms="verify hallucination facts citations 核对 验证 幻觉 引用",
    )
    memory: str = setting(
        "no",
        "Memory",
        "Whether the model keeps short notes about you, at most three after each answer, and uses them for later questions. “Memory…” in the menu shows the notes. Quoted answers keep none.",
        choices=("no", "yes"),
        synonyms="remember notes personal history 记忆 记住 笔记",
    )
    memory_days: int = setting(
        90,
        "Keep notes",
        "A note that does not come up again is deleted after this time. Answers use only notes from the last 30 days.",
        minimum=1,
        maximum=3650,
        unit=mark("days"),
        synonyms="memory remember forget delete 记忆 保留 删除",
    )

    # Network
    offline_mode: str = setting(
        "auto",
        "Offline mode",
        "What may leave this computer. “auto” allows only the services you set up, such as a model, a tool server, web search or a reranking server. “on” allows nothing. “off” allows whatever you ask for.",
        choices=("auto", "on", "off"),
        synonyms="offline mode internet online privacy firewall proxy block 离线 断网 联网 隐私 代理 防火墙",
    )
    model_hub: str = setting(
        "https://huggingface.co",
        "Model download server",
        "Hugging Face, or a mirror of it. Embedding and reranking models are downloaded from there.",
        synonyms="huggingface hub mirror proxy download 镜像 代理 下载 模型",
    )
    update_feed: str = setting(
        "",
        "Release feed",
        "Address of a JSON document that names the newest version of this program. Leave empty for no check. Otherwise it is fetched at most once a day; nothing is downloaded or installed.",
        synonyms="update version upgrade release check 更新 升级 版本 检查更新",
    )
    network_tools: str = setting(
        "no",
        "Let the model use the internet",
        "Whether the model may check the weather, read web pages and search the web. Its requests leave this computer.",
        choices=("no", "yes"),
        synonyms="online web browse tools 联网 上网 网络 工具",
    )
    web_search_url: str = setting(
        "",
        "Web search server",
        "Your own SearXNG, or https://api.search.brave.com or https://api.tavily.com with an API key. Leave empty for no web search.",
        synonyms="google bing internet url address 搜索引擎 联网 地址",
    )
    web_search_format: str = setting(
        "searxng",
        "API of the web search server",
        "Must match the server.",
        choices=("searxng", "brave", "tavily"),
        synonyms="format protocol 接口 格式 协议",
    )
    web_search_results: int = setting(
        3,
        "Results per web search",
        "How many results the model receives.",
        minimum=1,
        maximum=20,
        synonyms="number limit 数量 结果",
    )
    web_search_key_env: str = setting(
        "",
        "Key variable for the web search",
        "Environment variable with the API key of the server. Leave empty to use the system keyring.",
        synonyms="api key password token secret 密钥 密码 环境变量",
    )
    weather_url: str = setting(
        "https://api.open-meteo.com",
        "Weather server",
        "Address of an Open-Meteo server for forecasts.",
        synonyms="forecast url 天气 预报",
    )
    geocoding_url: str = setting(
        "https://geocoding-api.open-meteo.com",
        "Place name server",
        "Address of the Open-Meteo server that finds places for forecasts.",
        synonyms="weather geocoding location city url 天气 地点 城市",
    )

    # Window
    language: str = setting(
        "system",
        "Language",
        "Language of the window and of exports. Documents, questions and answers are not translated.",
        choices=("system", *LANGUAGES),
        personal=True,
        synonyms="english chinese interface ui locale translation 语言 中文 英文 界面",
    )
    theme: str = setting(
        "system",
        "Appearance",
        "Light, dark, or the same as the system.",
        choices=("system", "light", "dark"),
        personal=True,
        synonyms="theme dark mode night color colour 主题 深色模式 暗色 夜间模式 颜色",
    )
    text_percent: int = setting(
        100,
        "Text size",
        "Size of all text in the window.",
        minimum=80,
        maximum=200,
        unit="%",
        personal=True,
        synonyms="font zoom scale bigger larger smaller accessibility 字体 字号 放大 缩放 无障碍",
    )
    reduce_motion: str = setting(
        "no",
        "Reduce motion",
        "Turns off animations; progress is shown as text.",
        choices=("no", "yes"),
        personal=True,
        synonyms="animation accessibility spinner 动画 无障碍",
    )
    notifications: str = setting(
        "yes",
        "Notifications",
        "Tells you when a task that took more than half a minute finishes while another window is active. "
        "Notifications never contain text from your documents.",
        choices=("yes", "no"),
        personal=True,
        synonyms="alert message sound popup 通知 提醒 消息 声音",
    )
    log_detail: str = setting(
        "usual",
        "Log",
        "How much the program logs. Choose “more” while you look into a problem. The log never contains text from documents, questions or keys.",
        choices=("usual", "more"),
        personal=True,
        synonyms="debug logging problem bug diagnostics 日志 调试 故障 问题",
    )

    @classmethod
    def from_stored(cls, stored: dict[str, Any]) -> "Settings":
        """Return the settings of a stored mapping; unknown keys are ignored, invalid values become the default."""
        values = {}
        for declaration in DECLARATIONS:
            try:
                values[declaration.key] = declaration.check(stored.get(declaration.key, declaration.default))
            except SettingError:
                values[declaration.key] = declaration.default
        return cls(**values)


DECLARATIONS: tuple[Setting, ...] = tuple(
    Setting(one.name, type(one.default), one.default, **one.metadata) for one in fields(Settings)
)
PERSONAL = frozenset(one.key for one in DECLARATIONS if one.personal)
"""Keys of the settings that belong to the user and hold in every library; see preferences.py."""


_FORMER_KEYS = {"air_gap": "offline_mode"}
"""Keys of earlier versions, which scripts may still use, and the present ones."""


def declaration(key: str) -> Setting:
    """Return the declaration of a key, also of one that an earlier version used.

    Raises:
        SettingError: There is no such setting.
    """
    present = _FORMER_KEYS.get(key, key)
    for one in DECLARATIONS:
        if one.key == present:
            return one
    raise SettingError(
        f"There is no setting “{key}”.", f"The settings are {', '.join(one.key for one in DECLARATIONS)}."
    )

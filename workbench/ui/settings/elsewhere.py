"""Words that people search for in the settings although they are no setting, and the place of what they mean."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.language import mark, tr
from workbench.ui.actions import command, key_words
from workbench.ui.settings.settings_search import Words, finds


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Something that is not a setting.

    Attributes:
        text: Where it is found; {command} stands for the title and the key of the command.
        synonyms: Words by which people look for it; one of them must be in the search.
        context: Words that may be added to them.
        command: Name of the command that leads there; empty if there is none.
    """

    text: str
    synonyms: str
    context: str = ""
    command: str = ""


_ELSEWHERE = (
    Elsewhere(
        mark("Backups are made and restored in {command}."),
        "backup backups restore repair damage 备份 恢复备份 修复 损坏",
        "library database automatic 文档库 资料库 数据库 自动",
        "soundness",
    ),
    Elsewhere(
        mark("The keys cannot be changed; {command} lists them."),
        "shortcut shortcuts keyboard hotkey hotkeys key keys 快捷键 键盘 热键",
        "list bindings",
        "shortcuts",
    ),
    Elsewhere(
        mark("The folder and the format are chosen at each export, in {command}."),
        "export exports pdf word docx markdown print 导出 打印",
        "folder format file path save 文件夹 格式 文件 路径",
        "export",
    ),
    Elsewhere(
        mark("Everything is saved at once, so there is nothing to set."),
        "autosave save saving draft 自动保存 保存 草稿",
        "auto automatic automatically interval 自动 间隔",
    ),
    Elsewhere(
        mark("Instructions belong to an agent; {command} shows them."),
        "prompt prompts instructions persona role agent agents assistant 提示词 系统提示 指令 角色 智能体 助手",
        "system custom default 系统 自定义 默认",
        "agents",
    ),
    Elsewhere(
        mark("This program sends no telemetry. {command} lists what left this computer."),
        "telemetry tracking analytics statistics 遥测 跟踪 统计",
        "usage data send 使用 数据 发送",
        "focus_network",
    ),
    Elsewhere(
        mark("There are no accounts; {command} changes the user."),
        "user users account accounts login logout sign 用户 账号 账户 登录",
        "name switch in out 切换",
        "user",
    ),
    Elsewhere(
        mark("Each library is a folder; {command} opens or creates one in another place."),
        "library location storage data 文档库 资料库 位置 存储位置 数据目录",
        "folder path move directory 文件夹 路径 移动",
        "other_library",
    ),
    Elsewhere(
        mark("Sessions are removed and archived in the list of sessions; {command} leads there."),
        "history sessions session conversation conversations chat chats 历史 会话 对话 聊天记录",
        "clear delete remove archive old 清除 清空 删除 归档",
        "focus_sessions",
    ),
    Elsewhere(
        mark("Each changed setting has a button that resets it, and each page has one for the whole page."),
        "reset default defaults 重置 恢复默认 默认值",
        "restore settings all factory 恢复 设置 全部",
    ),
)


def found_elsewhere(words: Words) -> str:
    """Return where something is found that is not a setting, in the window's language; "" if it is not known."""
    for one in _ELSEWHERE:
        is_about = any(_is_about(word, one.synonyms) for word in words)
        if is_about and finds(words, (one.synonyms, one.context), parts=True):
            return _describe(one)
    return ""


def _is_about(word: str, synonyms: str) -> bool:
    """Return whether a word of a search is, begins or, without spaces as in Chinese, contains one of the synonyms."""
    if word.isascii():
        return finds((word,), (synonyms,))
    return any(synonym in word or word in synonym for synonym in synonyms.split() if not synonym.isascii())


def _describe(one: Elsewhere) -> str:
    if not one.command:
        return tr(one.text)
    known = command(one.command)
    key = f" ({key_words(known.key)})" if known.key else ""
    return tr(one.text, command=f"“{known.plain}”{key}")

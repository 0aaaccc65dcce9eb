"""Marks by which model servers tell who speaks, made harmless where they stand in a text.

A server joins the messages of a conversation with such marks and reads the whole: “<|im_end|>” in a document would end
the message that it stands in, and what follows would be heard as if another had said it. No text has a need for them.
"""

import re
from dataclasses import replace

from workbench.model.message import Message, ModelRequest

_MARKS = re.compile(
    r"<(?=\|[\w /-]{1,40}\|?>"  # ChatML, Llama 3, Phi, GPT: <|im_start|>, <|eot_id|>, <|endoftext|>
    r"|｜[^｜<>\n]{1,40}｜>"  # DeepSeek
    r"|(?:start|end)_of_(?:turn|image|sentence)>"  # Gemma
    r"|<?/?SYS>>|/?s>|/?think>|(?:bos|eos|unk|pad)>)"  # Llama 2 and others
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|ARGS|CALL_ID)\])",  # Mistral
    re.IGNORECASE,
)
_APART = "\u200b"
"""Has no width: the text looks as it did, and is no mark any more."""


def harmless(text: str) -> str:
    """Return a text in which no mark of a conversation stands; all else is as it was."""
    return _MARKS.sub(lambda found: found[0] + _APART, text)


def as_sent(request: ModelRequest) -> ModelRequest:
    """Return a request without such marks in any of its texts; what was found may stand in the prompt, too."""
    return replace(request, messages=tuple(map(_plain, request.messages)))


def _plain(message: Message) -> Message:
    text = harmless(message.text)
    return message if text == message.text else replace(message, text=text)

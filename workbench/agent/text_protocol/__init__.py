"""Tools for models without tool calling: calls are lines of the answer, results come back as a message.

finder.py        The text of a turn, piece by piece -> what is shown at once, and the calls in it, which never are
scanning.py      Where a call begins in a line, and where its parentheses end: half-width or full-width, nested, with
                 quoted text
quoted.py        Calls that are only a quotation: a line of a document that a model repeats calls nothing
arguments.py     What stands in a call's parentheses -> the JSON object that the tool is called with
conversation.py  Calls and results of earlier turns as text, for a model that knows only text
instructions.py  The section of the prompt that explains to a model how to call tools by text
"""

from workbench.agent.text_protocol.instructions import text_protocol_instructions

__all__ = ["text_protocol_instructions"]

"""Tools for models without tool calling: calls are lines of the answer, results come back as a message.

finder.py        the text of a turn, piece by piece -> what is shown, and the calls in it
scanning.py      where a call begins, and where its parentheses end
quoted.py        calls that are only a quotation of a document
arguments.py     what stands in the parentheses -> a JSON object
conversation.py  calls and results of earlier turns -> text
instructions.py  the section of the prompt that explains it
"""

from workbench.agent.text_protocol.instructions import text_protocol_instructions

__all__ = ["text_protocol_instructions"]

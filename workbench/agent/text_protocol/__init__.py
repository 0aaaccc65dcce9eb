"""Tools for models without tool calling: calls are lines of the answer, results come back as a message.

call_finder.py   Finds tool calls in streamed text: where they begin and end, their arguments, and calls that are only
                 quoted
instructions.py  The text tool protocol in the prompt: instructions for a model, and earlier calls and results as text
"""

from workbench.agent.text_protocol.instructions import tool_call_instructions

__all__ = ["tool_call_instructions"]

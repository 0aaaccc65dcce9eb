"""Targets: parsing of model output (markers, calls, plans, verdicts, memories), and splitting of passages."""

import json
from itertools import pairwise

from fakes import make_hit
from fuzz_markup import MARKUP
from fuzz_target import Target, text_of
from fuzz_texts import MARKDOWN
from hypothesis import strategies as st

from workbench.agent.citations import find_citations
from workbench.agent.claims.checks import apply_judgements
from workbench.agent.claims.claim_checker import statements
from workbench.agent.claims.quantities import numbers_in, values_in
from workbench.agent.exhaustive.model_reader import find_quote, read_answer
from workbench.agent.markers import blank_markers, find_markers, standing, without_markers
from workbench.agent.memory_recall import MOST, extracted
from workbench.agent.planning.plan_format import parsed_plan, plan_text
from workbench.agent.prompt import substitute_values
from workbench.agent.providers.wire_format import TurnText
from workbench.agent.references import parse_references, render_references
from workbench.agent.text_protocol import CallFinder, TextCall, as_text, found_calls
from workbench.chunking.sentences import sentence_spans
from workbench.language import SentenceTranslator, read_catalogue, translate
from workbench.model.agent import ReferencesFormat
from workbench.model.claim import Claim, Verdict
from workbench.model.hit import NumberedHit
from workbench.model.message import Message, ModelRequest, ReasoningDelta, Role, ToolCall, ToolSpec
from workbench.model.text_diff import DiffKind, text_diff
from workbench.retrieval.compression import pieces_of
from workbench.retrieval.markdown_stripping import strip_markdown
from workbench.retrieval.quotable_spans import quotables

_PASSAGE = (
    "The company was founded in **Oslo**. Revenue rose to 5,000 million kroner in 2024, “mainly in Asia”.\n"
    "| Region | Sales |\n|---|---|\n| North | 12 |\n\n```\nrun(1)\n```\nCosts fell by 3 %. 水泵保修两年！"
)
_HITS = {
    1: NumberedHit(1, make_hit(_PASSAGE, chunk=9, start=100)),
    2: NumberedHit(2, make_hit(MARKDOWN, chunk=10, start=0)),
}


def _pieces(text: str, parts: int = 7) -> list[str]:
    """Return a text in pieces, cut by its length."""
    size = max(1, len(text) // parts + len(text) % 3)
    return [text[at : at + size] for at in range(0, len(text), size)]


def _cite(data: bytes) -> None:
    answer = text_of(data)
    markers = find_markers(answer)
    assert len(blank_markers(answer)) == len(answer)
    assert len(without_markers(answer)) <= len(answer)
    citations = find_citations(answer, _HITS)
    assert len(citations) == len(markers)
    for citation in citations:
        assert 0 <= citation.answer_start < citation.answer_end <= len(answer)
        assert citation.valid == (citation.marker in _HITS)
        if citation.valid:
            chunk = _HITS[citation.marker].hit.chunk
            assert citation.quote == chunk.text[citation.start - chunk.start : citation.end - chunk.start]
            assert citation.quote


def _stand(data: bytes) -> None:
    """Parse the markers of a growing answer: the final ones equal those of the whole."""
    answer, place = text_of(data), 0
    whole = find_markers(answer)
    for part in range(1, 7):
        beginning = answer[: len(answer) * part // 6]
        now = standing(beginning, place)
        assert place <= now <= len(beginning)
        place = now
        assert [one for one in find_markers(beginning) if one.end <= place] == [
            one for one in whole if one.end <= place
        ]


def _state(data: bytes) -> None:
    answer = text_of(data)[:20_000]
    for one in statements(answer):
        assert 0 <= one.start < one.end <= len(answer)
    numbers_in(answer)
    values_in(answer)
    claims = [Claim(0, 1, "x", verdict) for verdict in Verdict]
    assert len(apply_judgements(claims, answer)) == len(claims)


def _spec(name: str, *required: str, **optional: str) -> ToolSpec:
    properties = {argument: {"type": "string"} for argument in required}
    properties |= {argument: {"type": kind} for argument, kind in optional.items()}
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return ToolSpec(name, f"Does {name}.", schema, aliases=("计算",) if name == "calculator" else ())


_TOOLS = (_spec("calculator", "expression"), _spec("weather", "place", days="integer"), _spec("ping"))


def _call(data: bytes) -> None:
    """Find the calls in a turn: no character is lost, and arguments are always an object."""
    text = text_of(data)
    finder = CallFinder(_TOOLS)
    parts = [part for piece in _pieces(text) for part in finder.feed(piece)]
    parts += finder.finish()
    assert "".join(part if isinstance(part, str) else part.raw for part in parts) == text
    calls = tuple(part for part in parts if isinstance(part, TextCall))
    assert calls == found_calls(text, _TOOLS)[1]
    for call in calls:
        assert isinstance(json.loads(call.arguments), dict)
    messages = (
        Message(Role.ASSISTANT, text, tuple(ToolCall(str(n), c.name, c.arguments) for n, c in enumerate(calls))),
        Message(Role.TOOL, text, tool_call_id="0"),
    )
    told = as_text(ModelRequest(messages)).messages[-1].text
    assert told.count("</tool_result>") == 1, "a document closed its own result"


def _turn(data: bytes) -> None:
    """Join a streamed turn: answer and reasoning do not depend on the split."""
    text = text_of(data)
    assert _told([text]) == _told(_pieces(text)) == _told(_pieces(text, 200))


def _told(pieces: list[str]) -> tuple[str, str]:
    turn = TurnText()
    deltas = [delta for piece in pieces for delta in turn.answer(piece)] + turn.finish()
    for delta in deltas:
        delta.text.encode("utf-8")
    return (
        "".join(delta.text for delta in deltas if isinstance(delta, ReasoningDelta)),
        "".join(delta.text for delta in deltas if not isinstance(delta, ReasoningDelta)),
    )


def _plan(data: bytes) -> None:
    plan = parsed_plan(text_of(data), 6)
    if plan is not None:
        assert 0 < len(plan.steps) <= 6
        assert all(step.strip() for step in plan.steps)
        parsed_plan(plan_text(plan), 6)


def _judge(data: bytes) -> None:
    text = text_of(data)
    assert set(read_answer(text, {1, 2, 3})) <= {1, 2, 3}
    quote, _, passage = text.partition("\n")
    span = find_quote(quote, passage or _PASSAGE)
    assert span is None or 0 <= span[0] < span[1] <= len(passage or _PASSAGE)


def _remember(data: bytes) -> None:
    found = extracted(text_of(data))
    assert len(found) <= MOST
    assert all(one.text for one in found)


def _hand_over(data: bytes) -> None:
    """Serialise hits for a model: they read back unchanged and close none of our blocks."""
    text = text_of(data)[:5000]
    results = [{"name": text[:40], "meta_data": {"n": 1, "heading": text[40:80]}, "content": text}, text]
    for form in ReferencesFormat:
        written = render_references(results, form)
        assert "</references" not in written
        if form is ReferencesFormat.JSON:
            assert parse_references(written) == results
        elif text.isprintable():
            # YAML cannot represent a lone surrogate or most control characters.
            assert parse_references(written) == results
    substitute_values(text, {"a": text})


def _cut(data: bytes) -> None:
    """Split a passage into quotable spans: correct offsets, in order, no visible text omitted."""
    text = text_of(data)[:20_000]
    position = 0
    for start, end in sentence_spans(text):
        assert position <= start < end <= len(text)
        assert not text[position:start].strip()
        position = end
    assert not text[position:].strip()
    position = 0
    for span in quotables(text):
        assert position <= span.start < span.end <= len(text)
        position = span.start
    for before, after in pairwise(pieces_of(text)):
        assert before.end <= after.start
        assert not text[before.end : after.start].strip()
    reading = strip_markdown(text)
    assert len(reading.text) == len(reading.origins)
    assert all(text[origin] == character for character, origin in zip(reading.text, reading.origins, strict=True))


_CHINESE = SentenceTranslator(read_catalogue("zh_CN"))


def _say(data: bytes) -> None:
    """Translate a sentence with any document name in it, and diff two texts."""
    text = text_of(data)[:1000]
    translate(text)
    _CHINESE.translated(text)
    _CHINESE.translated(f"The file is named “{text[:50]}” but is {text[50:90]}; it was read as that.")
    stretches = text_diff(text, text[::2])
    assert "".join(one.text for one in stretches if one.piece is not DiffKind.IN) == text
    assert "".join(one.text for one in stretches if one.piece is not DiffKind.OUT) == text[::2]


def _texts(*words: str, most: int = 40) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(words) | st.text(max_size=5), max_size=most).map("".join)


_ANSWER = (
    "Revenue rose to 5,000 million kroner [1]. “mainly in Asia” [1, 2], `a[1]` and 【2】 or [1-3] and [4].\n\n"
    "- Region: “North”; Sales: “12” [1]\n\n| Region | Sales |\n|---|---|\n| North [1] | 12 |\n\n```\n[1]\n```\n[2]\n"
)
_MARKS = (
    "[1]",
    "[1, 2]",
    "[1-3]",
    "【2】",
    "[2†x]",
    "[",
    "]",
    "(",
    "`",
    "```\n",
    "\n```",
    "$$",
    "“",
    "”",
    ". ",
    "\n",
    "|",
)
_CALLS = (
    "TOOL: ",
    "TOOL：",
    "calculator",
    "计算",
    "(",
    ")",
    "（",
    "）",
    '"',
    "'",
    "“",
    "”",
    "\\",
    "{",
    "}",
    ",",
    "=",
    "\n",
)
_CALL = (
    'Let me look.\nTOOL: weather("Paris", days=3)\nTOOL：计算（（1＋2）×3）\n'
    'TOOL: calculator({"expression": "1+1"})\nDone.'
)
_PLAN = "TASK: find it\nSTEP1: look\nSTEP2: compare\nmore\nFINISH: say so\n"
_STEPS = (
    "TASK: ",
    "STEP1: ",
    "STEP 2. ",
    "步骤3：",
    "第二步：",
    "FINISH: ",
    "完成：",
    "```\n",
    "1. ",
    "> ",
    "**",
    "\n",
    "任务：",
)
_VERDICTS = '{"passage": 1, "says": "yes", "finding": "It froze.", "quotes": ["froze in 1987"]}\n[2] no: not there\n'
_VERDICT_WORDS = (
    "<think>",
    "</think>",
    '{"1": {"says": "yes"}}',
    '"passage"',
    '"says"',
    "[",
    "{",
    "1: yes ",
    "2) nothing",
    "“q”",
)
_MEMORY = (
    'Here: [{"kind": "USER_PREFERENCE", "text": "Metric units."}, {"kind": "TASK_RECORD", "content": "A report."}]'
)
_MEMORY_WORDS = (
    '"kind"',
    '"text"',
    "USER_PREFERENCE",
    "[",
    "{",
    "]",
    "}",
    '{"memories": [',
    "\\u0000",
    "null",
    "sk-abc",
)
_THINK = "<think>Hm a < b </thin k></think>Five \ud83d\ude00 <think>no</think>."


def _target(name: str, run: object, sample: str, words: tuple[str, ...], *, slow: bool = False) -> Target:
    seed = sample.encode("utf-8", "surrogatepass")
    return Target(name, run, lambda: (seed,), words=words, grammar=_texts(*words), slow=slow)  # type: ignore[arg-type]


ANSWERS: tuple[Target, ...] = (
    *MARKUP,
    _target("citations", _cite, _ANSWER, _MARKS),
    _target("markers-standing", _stand, _ANSWER, _MARKS),
    _target("claims", _state, f"{_ANSWER}\n1: supported: yes\n2: partly: so\n3. **unsupported** - no\n", _MARKS),
    _target("text-protocol", _call, _CALL, _CALLS),
    _target("text-stream", _turn, _THINK, ("<think>", "</think>", "<thi", "nk>", "\ud83d", "\ude00", "<", "</", "\n")),
    _target("plan", _plan, _PLAN, _STEPS),
    _target("verdicts", _judge, _VERDICTS, _VERDICT_WORDS),
    _target("memories", _remember, _MEMORY, _MEMORY_WORDS),
    _target(
        "references-format", _hand_over, _ANSWER, ("</references>", "<\\/", ": ", "- ", "|", "\n", '"', "#", "? ", "{}")
    ),
    _target(
        "quotables", _cut, f"{_PASSAGE}\n{MARKDOWN}", (*_MARKS, "# ", "> ", "1.2 A 3", "...... 4", "。", "e.g. ", "?")
    ),
    _target(
        "sentences-said",
        _say,
        "The file is named “.pdf” but is a picture; it was read as that.",
        ("“", "”", ". ", "{0}"),
    ),
)

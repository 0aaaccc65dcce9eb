"""What a model is told of think and analyze, and two examples of their use."""

from workbench.agent.tools.reasoning import ANALYZE, THINK
from workbench.agent.tools.search import SEARCH_KNOWLEDGE_BASE

REASONING = f"""<reasoning_instructions>
You can think on paper with two tools. What you write there is shown to the person as a step and is not your answer.

1. {THINK}: use it before anything else, to break the question down and to plan what to search for.
2. {ANALYZE}: use it after results came in, to judge what they show and what is missing. Set next_action:
   - continue: more steps are needed
   - validate: check the result against another search
   - final_answer: there is enough to answer

Guidelines:
- Begin with {THINK}, then search, then {ANALYZE}; repeat as long as it helps. A simple question needs one round.
- Several tools may be called in one turn.
- Keep your thoughts in these tools, and the answer free of them.
- When you are done, stop calling tools and write the answer.
</reasoning_instructions>"""

EXAMPLES = f"""<reasoning_examples>
One fact. Question: When does the lease of the warehouse end?
- {THINK}(title="Find the lease", thought="The date stands in the lease of the warehouse, or in an addendum to it.",
  action="Search for the end of the lease", confidence=0.9)
- {SEARCH_KNOWLEDGE_BASE}(query="warehouse lease end date")
- {ANALYZE}(title="Date found", result="Result 1 says 30 June 2027.", analysis="It is the lease itself, and no result
  changes it.", next_action="final_answer", confidence=0.95)
- Answer: The lease ends on 30 June 2027 [1].

Several steps. Question: Did the repairs of the pumps cost more than their replacement would have?
- {THINK}(title="Two figures", thought="I need what the repairs cost and what a replacement was offered for.",
  action="Search for both at once", confidence=0.8)
- In one turn: {SEARCH_KNOWLEDGE_BASE}(query="cost of pump repairs") and
  {SEARCH_KNOWLEDGE_BASE}(query="offer for replacing the pumps")
- {ANALYZE}(title="Repairs incomplete", result="Results 1 and 3 give the repairs of two years, result 4 the offer.",
  analysis="The repairs of the third year are missing.", next_action="validate", confidence=0.6)
- {SEARCH_KNOWLEDGE_BASE}(query="pump repairs third year invoice")
- {ANALYZE}(title="All figures", result="Result 6 gives the third year.", analysis="The three years add up to more than
  the offer.", next_action="final_answer", confidence=0.9)
- Answer: the sum of the three years [1][3][6] beside the offer [4], and which is more.
</reasoning_examples>"""

"""The chat pane: question -> TimedEvents of a run -> steps, a streaming answer, citations that open their passage.

transcript.py          Transcript of a run, built from its events or its stored record, and the transcripts of a
                       session on demand
run_wording.py         A run and its citations -> the sentences, groups and footnotes that are shown and copied; knows
                       no Qt
presenter.py           Presenter of the chat: asks, stops, collects events of runs; texts and checks of tool approvals
answer_view.py         Rich text view of one answer: Markdown, citation chips that can be pressed, and underlined
                       unsupported sentences
answer_document.py     The text document of an answer: incremental updates, citation chips, plain text without a view,
                       copying
citation_preview.py    Preview card of a citation: position on screen, picture of the page or rows of a sheet, quote
                       and scores
steps_panel.py         The steps of a run: live list that folds when the answer begins, with meters of the budget used
step_row.py            One step of a run as a line with its details, and the card of a tool call that waits for
                       approval
run_progress.py        State of a run derived from its events: budget used, plan progress, citations while it streams;
                       without Qt
plan_list.py           A plan among the steps of an answer: checklist, row of one plan step, and the card on which a
                       plan is approved
plan_toggle.py         The small button beside the question: is it to be answered by a plan?
curation_card.py       Selection of search results before they are passed to the model
source_list.py         The sources of an answer grouped by document, with buttons that mark them right or wrong for
                       the question
prompt_dialog.py       The prompt inspector: every part of what was sent to the model for an answer, with its size in
                       tokens
run_card.py            Card of one question and its answer: question bubble, steps, answer, sources, outcome, asking
                       again in its place
answer_replay.py       Replay of one answer: slider over its events, and the dialog that continues the run from
                       another tool result
answer_footer.py       What stands below an answer: outcome banner, list of unsupported sentences, and footer with
                       status and actions
conversation_find.py   Finding words in the conversation that is shown: its questions and its answers, the newest
                       place first
answer_announcer.py    A streamed answer for a screen reader: said sentence by sentence as it comes, and that it has
                       ended
run_cards.py           The cards of the session that is shown: those near the reader, made in small steps when nothing
                       else is to do
timeline.py            Scrolling column of answer cards that follows the newest text, its row heights
flow_layout.py         A layout that puts its items side by side and goes on in a new line where the width ends
empty_state.py         Empty states: the base widget of all panes, the welcome of the chat before the first question,
                       and its texts
composer.py            The field in which a question is written; Enter sends, Shift+Enter breaks the line, Up recalls,
                       Esc stops
mention_completion.py  Typing @ or # in a question: documents and tags are offered, and those that are named restrict
                       what is searched
filter_bar.py          The line above the question in which one says what is to be searched: typed with completion,
                       checked as one types
answer_components.py   Components of the chat pane that are needed for answers only: filter, answering profile,
                       continuation notice
pane.py                The chat pane: the conversation above, the question field below
answerer.py            Who answers the next question, and what leaves the machine with it; knows no Qt
"""

"""Chat pane: questions, the steps and the streaming answers of their runs, and citations that open their passage.

transcript.py          Transcript of a run, built from its events or its stored record, and the transcripts of a
                       session on demand
run_wording.py         Texts about a run and its citations: sentences, groups and footnotes that are shown and copied;
                       without Qt
presenter.py           Presenter of the chat: asks, stops, collects events of runs; text and validation of tool
                       approvals
answer_view.py         Rich text view of one answer: Markdown, citation chips that can be pressed, and underlined
                       unsupported sentences
answer_document.py     The text document of an answer: incremental updates, citation chips, plain text without a view,
                       copying
citation_preview.py    Preview card of a citation: position on screen, picture of the page or rows of a sheet,
                       and quote
steps_panel.py         Steps of a run: live list that folds when the answer begins, with meters of the budget used
step_row.py            Row of one step of a run with its details, and the card of a tool call that waits for approval
run_progress.py        State of a run derived from its events: budget used, plan progress, citations while it streams;
                       without Qt
plan_list.py           Plan among the steps of an answer: checklist, row of one plan step, and the card on which a plan
                       is approved
curation_card.py       Selection of search results before they are passed to the model
source_list.py         Sources of an answer grouped by document, whose numbers can be rated right or wrong for the
                       question
prompt_dialog.py       The prompt inspector: every part of what was sent to the model for an answer, with its size in
                       tokens
run_card.py            Card of one question and its answer: question bubble, steps, answer, sources, outcome, asking
                       again in its place
answer_replay.py       Replay of one answer: slider over its events, and the dialog that continues the run from
                       another tool result
answer_footer.py       Area below an answer: outcome banner, list of unsupported sentences, and footer with status and
                       actions
conversation_find.py   Search for words in the questions and answers of the conversation that is shown, the newest
                       match first
answer_announcer.py    Announcement of a streamed answer for screen readers: each completed sentence, and the end of
                       the answer
run_cards.py           Cards of the session that is shown: those near the visible area, created in small steps while
                       the window is idle
timeline.py            Scrolling column of answer cards that follows the newest text, its row heights
flow_layout.py         Layout that arranges items in rows and wraps to a new row at the available width
empty_state.py         Empty states: the base widget of all panes, the welcome of the chat before the first question,
                       and its texts
composer.py            Question field and its buttons; Enter sends, Shift+Enter breaks the line, Up recalls, Esc stops
question_options.py    Menu of options for the next question, and a chip for each option that is in force
plan_option.py         Option of the question field that selects an answer by a plan
mention_completion.py  Completion of @ and # in a question: offers documents and tags, and restricts the search to
                       those mentioned
filter_bar.py          Filter line above the question that restricts the search, with completion and validation while
                       typing
answer_components.py   Components of the chat pane that are needed for answers only: filter, answering profile,
                       continuation notice
pane.py                The chat pane: the conversation above, the question field below
answerer.py            Description of the answerer of the next question, and of the data that leaves the machine with
                       it; without Qt
"""

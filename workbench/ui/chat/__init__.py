"""The chat pane: question -> TimedEvents of a run -> steps, a streaming answer, citations that open their passage.

transcript.py     events of a run -> what is to be shown of it; knows no Qt
invitation.py     documents and profile -> what is said before a question; knows no Qt
wording.py        run and citations -> the sentences, suggestions and footnotes shown; knows no Qt
conversation.py   asks, stops, collects events, tells the pane at most every 30 ms
chips.py          a citation's number -> a rounded picture inside the text
answer_view.py    Markdown and citations -> the text of one answer, as high as its content
claim_marks.py    where an answer's doubtful sentences stand, and how they are underlined
claim_list.py     how many are borne out by their sources, and which are not
preview.py        a citation under the pointer -> its quote in a small card
steps_panel.py    steps -> live list that folds away
step_row.py       one step as a line with its details
approval_card.py  a tool call that waits for the person; approval_words.py: what is said and checked, knows no Qt
source_list.py    citations -> sources grouped by document; marked_source.py: a number with its tick and cross
source_marks.py   which sources are right for the question, and marking them
outcome_banner.py how a run ended, where that is not simply well
prompt_dialog.py  what the model was told, part by part; prompt_parts.py: which parts, knows no Qt
run_card.py       one question with all that came of it; scrubber.py: going through its events again
result_dialog.py  another result for a tool, from which an answer goes on
run_cards.py      the cards of a session, made when they are needed
timeline.py       cards below one another; follows the newest unless the reader scrolled away
flow_layout.py    chips side by side, in as many lines as they need
empty_state.py    what is said before the first question
composer.py       keys -> question
filter_bar.py     keys -> filter, with completion; question_filter.py: the filter in force, and how much it lets through
surroundings.py   library -> whether there are documents, and which profile answers
answers.py        all that only answers need, made after the window's first paint
pane.py           all of it together
"""

"""The chat pane: question -> TimedEvents of a run -> steps, a streaming answer, citations that open their passage.

transcript.py     events of a run -> what is to be shown of it; knows no Qt
transcripts.py   the runs of a session -> their transcripts, each when it is asked for; knows no Qt
streamed_citations.py  the citations of an answer while it streams; knows no Qt
plain_words.py    a passage of a document -> its words on one line; knows no Qt
invitation.py     documents and profile -> what is said before a question; knows no Qt
wording.py        run and citations -> the sentences, suggestions and footnotes shown; knows no Qt
conversation.py   asks, stops, collects events, tells the pane at most every 30 ms
chips.py          a citation's number -> a rounded picture inside the text
answer_view.py    Markdown and citations -> the text of one answer, as high as its content
answer_text.py    an answer in parts, each shown in a moment; its text without a view
answer_document.py  pieces of an answer -> its text document, in which only what changed is put in anew
selected_text.py    what is selected in an answer -> text
claim_marks.py    where an answer's doubtful sentences stand, and how they are underlined
claim_list.py     how many are borne out by their sources, and which are not
preview.py        a citation -> a small card beside it: its quote, its place on the page (place_pictures.py) or the rows
                  of its sheet (sheet_rows.py), its scores
card_place.py     where a card goes beside what it is about
steps_panel.py    steps -> live list that folds away
step_row.py       one step as a line with its details
spending_meters.py  how much an answer took of what it may take; spending.py: adds it up, knows no Qt
approval_card.py  a tool call that waits for the person; approval_words.py: what is said and checked, knows no Qt
plan_list.py      a plan as a checklist (plan_row.py: one step of it; plan_progress.py: what is shown, knows no Qt)
plan_card.py      a plan that waits for the person; plan_toggle.py: is the next question answered by one?
curation_card.py  what a search found, to be chosen from (curation_list.py: as a list; curation_place.py: where)
source_list.py    citations -> sources grouped by document; marked_source.py: a number with its tick and cross
source_marks.py   which sources are right for the question, and marking them
outcome_banner.py how a run ended, where that is not simply well
prompt_dialog.py  what the model was told, part by part; prompt_parts.py: which parts, knows no Qt
run_card.py       one question with all that came of it
replay.py         going through its events again (scrubber.py)
question_bubble.py  the question; card_foot.py: who answered, and what can be done with the answer
going_on.py       that the next question goes on from one of several answers
another_question.py  another question in the place of one that was asked
result_dialog.py  another result for a tool, from which an answer goes on
find.py           words found in the conversation; spoken_answer.py: an answer said sentence by sentence
run_cards.py      the cards of a session: those near the reader, made in small steps
timeline.py       cards below one another; follows the newest unless the reader scrolled away (jump_button.py)
rows.py           how high each answer is, measured or guessed, and so where it stands; knows no Qt
flow_layout.py    chips side by side, in as many lines as they need
empty_state.py    what is said where there is nothing yet; welcome.py: before the first question
composer.py       keys -> question
mentioning.py     @document and #tag, offered as one types
filter_bar.py     keys -> filter, with completion; question_filter.py: the filter in force, and how much it lets through
surroundings.py   library -> whether there are documents, and which profile answers
answers.py        all that only answers need, made after the window's first paint
pane.py           all of it together
"""

"""The chat pane: question -> TimedEvents of a run -> steps, a streaming answer, citations that open their passage.

transcript.py          What is to be shown of a run, built from its events while it goes on, or from the run as it is
                       kept
transcripts.py         The runs of a session as they are kept -> their transcripts, each made when it is asked for
streamed_citations.py  The citations of an answer while it streams: its markers, checked against what was found so
                       far; knows no Qt
plain_words.py         A passage of a document as it reads on one line: without the marks of Markdown; knows no Qt
invitation.py          What the chat says before there is an answer; knows no Qt
wording.py             A run and its citations -> the sentences, groups and footnotes that are shown and copied; knows
                       no Qt
conversation.py        Asks, stops, collects the events of the runs under way; what the pane shows, without its
                       widgets
chips.py               A citation's number -> a rounded picture inside the text, in the colours of the theme
answer_view.py         The text of one answer: Markdown and citations, as high as its content, with chips that can be
                       pressed
answer_text.py         The text of an answer as its view shows it, worked out without a view, and part by part
answer_document.py     The pieces of an answer -> a text document; only what changed since the last time is put in
                       anew
selected_text.py       What is selected in an answer -> text: "[3]" for the picture of a chip, tabs between cells,
                       code in one piece
claim_marks.py         Where an answer's doubtful sentences stand in the text that is shown, and how they are marked
                       there
claim_list.py          Under an answer: how many of its sentences are borne out by their sources, and, unfolded, which
                       are not and why
preview.py             A citation under the pointer or the keyboard -> a card beside it: its place on the page, its
                       quote, its scores
place_pictures.py      A citation -> the picture of its place on the page; keeps the last few, draws one at a time,
                       the last one wanted
sheet_rows.py          A citation of a sheet -> the rows around it as a small table; knows no Qt but the rich text
                       that it is shown as
card_place.py          Where a card goes beside what it is about: never over it, and inside the screen
steps_panel.py         The steps of a run: a live list while it works, folded to one line when the answer begins
step_row.py            One step as a line: icon, title, what it found, how long it took; its details below on pressing
                       it
spending_meters.py     What an answer has taken of what it may take, as small meters among its steps
spending.py            What an answer has taken of what it may take: events -> figures, and figures -> words; knows no
                       Qt
approval_card.py       A tool call that waits for the person: what it would do, its arguments to be changed, and the
                       three words to say
approval_words.py      What a person who is asked before a tool call is told, and whether what they typed can be
                       called; knows no Qt
plan_list.py           A plan as a checklist among the steps of an answer: what is done, what is under way, what is
                       still to come
plan_row.py            One step of a plan: how it stands, what is to be done, what it came to; the tool calls that
                       belong to it below
plan_progress.py       What is to be shown of a plan: how it stands, and which steps of the run belong to which of its
                       own; knows no Qt
plan_card.py           A plan that waits for the person: its steps to be changed as text, and the words to say
plan_toggle.py         The small button beside the question: is it to be answered by a plan?
curation_card.py       What a search found, before the answerer is handed it: a person ticks, orders, pins and widens,
                       and lets it go on
curation_list.py       What a search found as a list to choose from: ticked, ordered, pinned, widened
curation_place.py      Where a search that waits is shown among the parts of an answer: nothing, or the card to choose
                       from
source_list.py         The sources of an answer: one line a document, with its cited pages and a chip for each number
marked_source.py       A citation's number with a tick and a cross: is it right for the question?
source_marks.py        Which sources of an answer are right for its question, shown and changed beside them and in the
                       answer's text
outcome_banner.py      How a run ended, where that is not simply well: nothing found, failed, stopped, or a source
                       that does not exist
prompt_dialog.py       The prompt inspector: exactly what the model was told for an answer, part by part
prompt_parts.py        What a model was told -> a list of its parts, each with what it takes; knows no Qt
run_card.py            One question with all that came of it: bubble, steps, answer, sources, how it ended, what can
                       be done with it
replay.py              The replay of one answer: its scrubber, the moment that is shown, and another result from which
                       it goes on
scrubber.py            Going back and forth through the events of an answer, or playing them at the pace at which they
                       happened
question_bubble.py     The bubble that holds a question, as wide as its words
card_foot.py           The foot of an answer's card: who answered and how it went, and what can be done with the
                       answer
going_on.py            Beside the question: that it goes on from one of several answers in one another's place, until
                       that is taken back
another_question.py    Another question in the place of one that was asked: the same agent, after what was said before
                       it
result_dialog.py       Another result for a tool of an answer: the answer is made anew from there
find.py                Finding words in the conversation that is shown: its questions and its answers, the newest
                       place first
spoken_answer.py       A streamed answer for a screen reader: said sentence by sentence as it comes, and that it has
                       ended
run_cards.py           The cards of the session that is shown: those near the reader, made in small steps when nothing
                       else is to do
timeline.py            The cards of a session below one another; follows the newest text unless the reader has
                       scrolled away from it
jump_button.py         The button that leads back to the newest answer, above the lower edge of the conversation
rows.py                Where each answer of a session stands in the column: heights, measured or guessed; knows no Qt
flow_layout.py         A layout that puts its items side by side and goes on in a new line where the width ends
empty_state.py         What the chat says before the first question
welcome.py             The chat before the first question: a welcome and the sample documents, or an invitation to
                       ask, with examples
composer.py            The field in which a question is written; Enter sends, Shift+Enter breaks the line, Up recalls,
                       Esc stops
mentioning.py          Typing @ or # in a question: documents and tags are offered, and those that are named restrict
                       what is searched
filter_bar.py          The line above the question in which one says what is to be searched: typed with completion,
                       checked as one types
question_filter.py     The filter of the questions that are asked next: what it can be made of, and how much it lets
                       through
surroundings.py        What the chat has to know of the library: whether there is anything to ask about, and who
                       answers
answers.py             What the chat pane needs only for answers: the questions under way and the cards that show them
pane.py                The chat pane: the conversation above, the question field below
answerer.py            Who answers the next question, and what leaves the machine with it; knows no Qt
"""

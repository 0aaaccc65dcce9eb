"""The verbs: every operation of the program, free of Qt, each a function of a JobContext.

library.py                One open library: its stores, its index, its embedder, and the executors that work for it
models.py                 What a library is searched with: its embedder, its index, its retriever, loaded when first
                          needed
importing.py              One import: files get their rows at once, and are read and embedded by tasks that run side
                          by side
sources.py                From what the user gave (files, folders) to the files to add, or the reason why not
choice.py                 Which files of what the user gave are wanted: patterns to include and to exclude, and
                          whether links are followed
archives.py               ZIP archives, and files too long for one document: each is a folder of files, unpacked one
                          at a time to be read
long_file.py              A file too long for one document as an archive of its parts: each is written out when it is
                          read
file_kinds.py             Which files could become documents: by the ending of the name, and by what they hold where
                          the name has none
collecting.py             Everything that is to be added: the files that were named, those of folders and archives,
                          the parts of long files
enrolling.py              Rows for many files at once, before any of them is read: each gets its task, or the verdict
                          on it
reading_task.py           One file on its way through an import: the task of reading it, or the verdict on it
identifying.py            What one file holds, found out when its turn has come: its bytes are hashed, and looked for
                          in the library
original_copies.py        The library's own copies of source files, by the hash of what is in them: made one at a time
                          or many together
reading.py                Files that are read: one at a time, or many small ones together; the part of an import that
                          ends with their text
prepare.py                One file -> its text and its chunks, in a child process: neither crashes nor long work touch
                          the program itself
passwords.py              Passwords of encrypted files: tried in turn, and kept in the system's keyring where the user
                          wants that
reader_rights.py          What the processes that read documents may see of the disk: where documents lie, and never
                          the library's database
reading_parts.py          What was read is stored: of a long file in parts while the reading goes on, of small files
                          together
deepening.py              The second, slow step of reading, after a document is stored: some of its pages are read
                          again, with more effort
page_reading.py           Pages of a stored document read again, one after the other, in a child of their own: by OCR,
                          or for their tables
table_reading.py          Pages on which the fast reading lost a table: looked at by the layout model, and the
                          document read again with it
stored.py                 A stored document as it was parsed, and what was read of it later put in its place; blocking
embedding.py              Chunks without a vector -> vectors: batches gathered over documents, written to the store,
                          then to the index
first_vectors.py          First vectors: chunks are found by meaning, roughly
outcomes.py               What becomes of the files of one import: told to the listener, counted, and left in the
                          library as it is
open_files.py             The files of one import that are on their way: their state in the library, and how each of
                          them ends
ties.py                   Files of one import that wait for another of its files, because both hold the same
queue.py                  What all imports of a library obey: a pause, what is to go first, what is not wanted any
                          more
steering.py               Steering the imports under way: pause and go on, what goes first, what is not wanted, locked
                          files
estimate.py               How far an import is, and how long it will take: files that wait to be read count by others
                          of their kind
web_pages.py              Pages of the web as documents: fetched once because the user asked, and again when the user
                          asks again
topics.py                 Topics as documents: the article that an encyclopaedia has under a name, fetched like any
                          other page of the web
queries.py                Queries on databases as documents: read-only, every row a record that a citation names, run
                          again when asked
notes.py                  Notes: text that was typed or pasted becomes a document; its identity is its text
refetch.py                Documents that came from elsewhere, brought up to date because the user asked
other_sources.py          What was fetched, asked of a database or typed becomes documents: rows first, then content,
                          read like any file
staging.py                Where something stands on its way into the library: a folder of its own, gone when it is in
documents.py              The documents of a library: add, list, show, remove, re-index
knowledge_bases.py        Knowledge bases: describe, add, rename, remove, restore; move and copy documents between
                          them
metadata.py               What the user writes of documents: metadata fields, tags and keys of their own, each change
                          with its way back
file_metadata.py          Metadata that stand beside a file: in a sidecar file of its own, or in a table of its folder
chunk_edits.py            Chunks changed by hand: edit, merge, split, disable, tag, reset; each undone and redone
chunk_changes.py          What a verb makes of chunks: another text, one in the place of two, two in the place of one;
                          nothing is stored
chunk_looks.py            What is looked at about chunks: how long a text is, where they stand on a page, which
                          answers cited them
diagnosis.py              The ingestion doctor: what was found in a document and lost, and what can be done about it
remedies.py               What the check of a document offers with one click: some of its pages read again, whatever
                          the settings say
review.py                 What a drop holds before anything is added: files of which kind, what cannot be read, what
                          is there already
embedder_change.py        A change of the embedder without an outage: new vectors beside the old, then a swap, and a
                          way back
linking.py                Linked folders: link, unlink, list, and check: look twice, plan, then do what the plan says
folder_look.py            One look at a folder: its files with their stamps; only of those without an ending the first
                          bytes are read
folder_plan.py            From what a folder holds and what the library knows: what is to be done, decided without
                          doing it
watching.py               Follow the linked folders as long as the library is open: the system tells of a change, or
                          they are looked at
linked_archives.py        ZIP archives in linked folders: their members follow the archive as files follow their
                          folder
bin.py                    The bin: what was removed, brought back or deleted for good
reranking.py              Settings -> the reranker that they ask for; and a trial of it
token_store.py            Compressed token vectors of a library, and the codec that reads them; light to import, as
                          the window needs
token_codes.py            Token vectors of the chunks, kept compressed beside their vectors for late interaction
phrase_vectors.py         Vectors of the phrases that documents write for the terms of a question
                          (retrieval/expansion.py)
made_files.py             What is made once a model and machine and kept in the cache beside the models: a missing
                          file is made again
search.py                 Question -> hits
coverage.py               How much of the library a search could see
surroundings.py           A passage -> what stands around it
explain.py                Question and a place in a document -> why the search found the passage there, or where it
                          was lost
golden.py                 Golden questions: listed, read from files and written to them, put and removed; every change
                          can be undone
marking.py                Passages of answers marked as right or wrong: golden questions as they come up
evaluation.py             Golden questions -> how well a way of searching finds what they ask for; runs kept, listed,
                          compared
examination.py            One run over golden questions: each located, asked, judged, in one way or in several side by
                          side
evaluation_records.py     What a run over golden questions rests on, and the run kept with what changed since the one
                          before
idle_evaluation.py        Evaluations made again by themselves, when nothing else is to be done
promotion.py              Ways of searching: kept under a name, and promoted to how a knowledge base is searched
configurations.py         “mode=dense,reranking=none”, “default” or a kept name -> a search configuration
filters.py                What can be filtered by in this library, and how much a filter lets through
exhaustive.py             A question asked of every passage that a filter lets through: begun, and gone on with where
                          it stopped
exhaustive_run.py         One reading on its way: batches read side by side, kept as they come, told live; then the
                          conclusion
exhaustive_reader.py      A model profile -> who reads passages, and how much goes into one call
exhaustive_conclusion.py  What was read -> the conclusion: by the model of the findings alone; offline, or without
                          findings, in set words
exhaustive_estimate.py    The estimate of a reading, before anything is read; and its offer below an answer. No server
                          is asked
exhaustive_records.py     Readings as they are kept: listed, opened with their table, renamed, removed, restored
exhaustive_export.py      A reading -> file
ask.py                    Question -> run: every step an event as it happens, all of it kept
recorder.py               What keeps a run: its events go to the listener at once and to the store in batches
agent_run.py              One run of an agent: its search, its tools, its prompt and its limits, put together from
                          what it is as data
agent_scope.py            What a run may search: what its agent allows, and within that what the user asks for
model_provider.py         A model profile -> who answers for it, with the library's means
planning.py               Whether a question is answered by a plan: what was said beside it, the agent, the settings,
                          and who answers
claim_check.py            Who checks a model's answer against what its run has found, with the library's means
agents.py                 Agents: list, change, copy, remove, restore
memories.py               What is remembered of conversations: listed, written, changed, removed, restored; each
                          user's apart
remembering.py            What is remembered for a question, and what is found worth remembering behind an answer;
                          where it is switched on
afterwards.py             Work behind an answer: begun when no answer is under way, and broken off for the next one:
                          none waits for it
approvals.py              Tool calls that wait for a person: the word that lets them go on, or not
waiting_calls.py          The calls of a library's runs that wait for a person, each as a future; only the worker's
                          thread touches them
curation.py               What a search found, chosen from by a person before the answerer is handed it
waiting_choices.py        The searches of a library's runs that wait for a person to choose; only the worker's thread
                          touches them
runs.py                   Runs as they were kept: listed, opened, compared
forking.py                Going on from a step of a kept run, with another result or question: a new run, the old one
                          stays
retrieving.py             An agent's retrievers -> the search that its run is given in place of the library's; and how
                          each of them stands
plugins.py                Plug-in files of a library: listed, allowed and forbidden. None runs before somebody has
                          looked at it and said so
workspaces.py             A folder of agents -> agents of the library, and what is wrong with them. Reading it again
                          brings them up to date
tools.py                  The tools of one run: made of the library, and ended with it; and which there are to be
                          named
tool_documents.py         The documents that tools may read: those within a run's knowledge base and filter, and of
                          these no more
tool_notes.py             Notes that a model adds: marked as its own, so that nobody takes them for a document of the
                          user's
tool_web.py               The one way out of this machine for tools: through the fetching room, with its limits and
                          its checks of addresses
server_tools.py           The tools of MCP servers for one run: the servers that its agent names, as far as the user
                          allows them
tool_servers.py           MCP servers whose tools agents may use: set up, allowed, checked, removed
tool_consents.py          Which tool servers this user allows: kept for the user, not in the library, which may come
                          from somebody else
passed_changes.py         Changes that one program has another one make, which holds the library
change.py                 What a change is that one program may have another one make (passed_changes.py), which holds
                          the library
document_changes.py       Changes of documents that one program may have another one make: added, read again, tagged,
                          cut, removed
library_changes.py        Changes of what a library has besides documents, that one program may have another one make
mcp_server.py             The library as an MCP server: other programs search and read it, with what they need to cite
                          it
mcp_resources.py          Documents as resources of the MCP server: listed, and read page by page, for programs whose
                          user picks them
mcp_access.py             Who may ask the library's MCP server over HTTP: programs of this machine that send its token
sessions.py               Sessions of who asks: list, find, open, rename, pin, archive, remove, restore; what is typed
                          there and not asked
export.py                 Sessions -> files
export_job.py             One export under way: draws the cited pages, then has a child process write the file
cited_documents.py        The documents to which a session refers, and their files
whole_file.py             Writes a file that is there whole or not at all
unfinished.py             What a kill would leave outside the library: noted there before it is made, deleted by the
                          next start
session_import.py         A bundle, or a JSON export -> a new session: checked in a child process, then put into the
                          library whole
foreign_documents.py      Documents that an imported session cites and this library may not hold
kept_pages.py             Pictures of pages that came with an imported session: what is shown of a document that is
                          not here
kept_originals.py         Files of documents that came in a bundle and are not here: kept with the imported session
                          until they are wanted
pages.py                  A citation or chunk -> a picture of its page with the passage marked
place_pictures.py         A citation -> a picture of its place: the part of the page around the passage, with the
                          passage marked
egress.py                 The network: whether anything may leave this machine, and what did, request by request
air_gap.py                What the air gap lets through: what the setting says, and what was set up that needs the
                          network
sent_passages.py          What went with a request to the network: its passages, as they stand in the library now
model_download.py         Models of the hub, downloaded ahead of their use because the user asked for that very one
home.py                   Whether a library is at home here: made by this user in this place, or let use the network
                          by them since
user_config.py            Where it is kept what a user allows: not in a library, which may come from somebody else
profiles.py               Model profiles: list, add, remove, try what their servers can do, find servers of this
                          machine
keys.py                   Keys and passwords: in the system's keyring, or in an environment variable that a profile
                          names, and nowhere else
settings.py               Settings: read, change, reset
map.py                    The map of a library: looked at, drawn, and asked where something stands on it
map_drawing.py            A map on its way: vectors -> landmarks -> layout -> every chunk placed -> regions named ->
                          kept
map_chart.py              The chart behind the map: kept beside the search index, brought into step with the library;
                          blocking
warm_up.py                Load what the first question, its answer, the first click and the first file would wait for
upkeep.py                 What can wait until nothing else is to be done: files checked, searches made faster, room
                          given back
tidying.py                What a kill leaves in the library's folder, and how the next start gets rid of it
held_copies.py            Copies of files that imports rely on before a document says so: a sweep that meets them
                          leaves them
soundness.py              A library looked through, part by part: whether it is sound, and what repair would do where
                          it is not
idle_check.py             The library looked through by itself when nobody does anything: once a week, and after an
                          end that was none
repair.py                 A library put in order again: backed up, mended as far as it can be, with what was lost said
                          by name
aside.py                  What a repair sets aside: files, and rows of the database as JSON lines, in a folder of
                          their own
file_repair.py            The library's copies of files, put in order: copied again, or set aside
backups.py                Backups of the library's database: made by hand, listed, deleted, put in use again
doctor.py                 What this machine and this library look like: for a person, or to attach to a report
circumstances.py          Which program this is and what it runs on, for a report: versions only, nothing by which a
                          machine is known
problem_report.py         A report to attach to an issue: what this program, machine and library are like, and the
                          last lines of the log

The way of a file, one step a module; importing.py goes it for many files side by side:

What does not come as a file:

The rest:

Rooms above import from here: ``from workbench import operations`` and ``operations.add_documents(library, paths)``.
"""

from workbench.operations.agents import (
    agent_choices,
    agent_shelf,
    copy_agent,
    get_agent,
    list_agents,
    missing_of_agent,
    problems_of_agents,
    put_agent,
    remove_agent,
    restore_agent,
)
from workbench.operations.approvals import decide_call, in_person
from workbench.operations.ask import ask
from workbench.operations.backups import create_backup, list_backups, remove_backup, restore_backup
from workbench.operations.bin import empty_bin, list_bin, restore_documents
from workbench.operations.chunk_edits import (
    disable_chunk,
    dismiss_lost_edits,
    edit_chunk,
    list_chunk_edits,
    merge_chunks,
    redo_chunk_edit,
    reset_chunk,
    split_chunk,
    tag_chunk,
    undo_chunk_edit,
)
from workbench.operations.chunk_looks import chunk_neighbours, cited_in, page_outlines, text_size
from workbench.operations.curation import choose_passages, chosen_in_person, passages_around
from workbench.operations.diagnosis import diagnose, diagnose_library
from workbench.operations.doctor import examine
from workbench.operations.documents import (
    add_documents,
    document_text,
    has_room,
    list_chunks,
    list_documents,
    list_knowledge_bases,
    reindex_documents,
    remove_documents,
    resume_import,
    show_document,
)
from workbench.operations.egress import (
    air_gap,
    air_gap_state,
    chunks_sent,
    clear_network_requests,
    export_network_requests,
    list_network_requests,
    network_hosts,
    put_air_gap,
    watch_network,
)
from workbench.operations.embedder_change import (
    change_embedder,
    confirm_embedder,
    embedder_state,
    recut_documents,
    revert_embedder,
)
from workbench.operations.evaluation import (
    compare_evaluations,
    evaluate,
    evaluate_again,
    evaluate_both,
    evaluation_changes,
    list_evaluations,
    open_evaluation,
    outdated_evaluations,
    remove_evaluation,
)
from workbench.operations.exhaustive import continue_reading, read_all
from workbench.operations.exhaustive_estimate import estimate_reading, offer_reading
from workbench.operations.exhaustive_export import export_reading
from workbench.operations.exhaustive_records import (
    list_readings,
    open_reading,
    remove_reading,
    rename_reading,
    restore_reading,
)
from workbench.operations.explain import explain, explained_document
from workbench.operations.export import export_inventory, export_session, export_sessions
from workbench.operations.filters import filter_extent, filter_values
from workbench.operations.forking import fork_run
from workbench.operations.golden import (
    golden_questions,
    golden_sets,
    put_question,
    put_questions,
    read_questions,
    remove_question,
    remove_set,
    write_questions,
)
from workbench.operations.idle_check import check_when_idle
from workbench.operations.idle_evaluation import evaluate_when_idle
from workbench.operations.kept_originals import add_kept_originals, kept_original
from workbench.operations.knowledge_bases import (
    add_knowledge_base,
    describe_knowledge_bases,
    move_back,
    move_documents,
    remove_knowledge_base,
    rename_knowledge_base,
    restore_knowledge_base,
)
from workbench.operations.library import Library
from workbench.operations.linking import (
    check_linked_folders,
    link_folder,
    linked_folder,
    list_linked_folders,
    put_folder_metadata,
    unlink_folder,
)
from workbench.operations.map import draw_map, library_map, passage_on_map, place_on_map
from workbench.operations.marking import mark_passage, marks_of, remove_mark, unmark_passage
from workbench.operations.memories import (
    clear_memories,
    edit_memory,
    list_memories,
    put_memory,
    remove_memory,
    restore_memories,
)
from workbench.operations.metadata import (
    edit_metadata,
    give_metadata,
    import_metadata,
    list_metadata_keys,
    list_tags,
    put_metadata,
    put_tags,
    tag_documents,
    undo_edit,
)
from workbench.operations.model_download import download_model
from workbench.operations.notes import add_note, edit_note, note_text
from workbench.operations.pages import (
    PageImage,
    PagePicture,
    document_pages,
    page_at,
    page_image,
    page_marks,
    page_picture,
)
from workbench.operations.place_pictures import place_picture
from workbench.operations.plugins import allow_plugin, forbid_plugin, list_plugins, read_plugin
from workbench.operations.problem_report import problem_report
from workbench.operations.profiles import (
    examine_profile,
    find_model_servers,
    list_profiles,
    list_server_models,
    put_profile,
    remove_profile,
)
from workbench.operations.promotion import (
    keep_configuration,
    list_configurations,
    promote,
    remove_configuration,
    search_settings,
)
from workbench.operations.queries import add_query
from workbench.operations.refetch import refetch
from workbench.operations.remedies import ocr_pages, read_tables
from workbench.operations.repair import repair_library
from workbench.operations.reranking import check_reranker, put_rerank_key, word_vector_size
from workbench.operations.retrieving import list_retrievers
from workbench.operations.review import review
from workbench.operations.runs import compare_texts, diff_runs, list_runs, open_run
from workbench.operations.search import search
from workbench.operations.sent_passages import passages_sent
from workbench.operations.session_import import import_session
from workbench.operations.sessions import (
    archive_session,
    find_sessions,
    keep_draft,
    list_sessions,
    list_users,
    open_session,
    pin_session,
    remove_session,
    rename_session,
    restore_session,
    session_draft,
)
from workbench.operations.settings import load_settings, put_setting, reset_setting
from workbench.operations.soundness import check_folder, check_library
from workbench.operations.steering import (
    cancel_documents,
    imports_paused,
    pause_imports,
    prioritise,
    unlock_documents,
)
from workbench.operations.surroundings import neighbours, section, section_at
from workbench.operations.tool_servers import (
    allow_tool_server,
    check_tool_server,
    forbid_tool_server,
    list_tool_servers,
    put_tool_server,
    put_tool_server_token,
    remove_tool_server,
)
from workbench.operations.tool_web import put_web_search_key
from workbench.operations.tools import list_tools
from workbench.operations.topics import add_topics, topic_host
from workbench.operations.warm_up import warm_up
from workbench.operations.watching import watch_linked_folders
from workbench.operations.web_pages import add_urls
from workbench.operations.workspaces import import_agents, list_workspaces, open_workspace, workspace_problems

__all__ = [
    "Library",
    "PageImage",
    "PagePicture",
    "add_documents",
    "add_kept_originals",
    "add_knowledge_base",
    "add_note",
    "add_query",
    "add_topics",
    "add_urls",
    "agent_choices",
    "agent_shelf",
    "air_gap",
    "air_gap_state",
    "allow_plugin",
    "allow_tool_server",
    "archive_session",
    "ask",
    "cancel_documents",
    "change_embedder",
    "check_folder",
    "check_library",
    "check_linked_folders",
    "check_reranker",
    "check_tool_server",
    "check_when_idle",
    "choose_passages",
    "chosen_in_person",
    "chunk_neighbours",
    "chunks_sent",
    "cited_in",
    "clear_memories",
    "clear_network_requests",
    "compare_evaluations",
    "compare_texts",
    "confirm_embedder",
    "continue_reading",
    "copy_agent",
    "create_backup",
    "decide_call",
    "describe_knowledge_bases",
    "diagnose",
    "diagnose_library",
    "diff_runs",
    "disable_chunk",
    "dismiss_lost_edits",
    "document_pages",
    "document_text",
    "download_model",
    "draw_map",
    "edit_chunk",
    "edit_memory",
    "edit_metadata",
    "edit_note",
    "embedder_state",
    "empty_bin",
    "estimate_reading",
    "evaluate",
    "evaluate_again",
    "evaluate_both",
    "evaluate_when_idle",
    "evaluation_changes",
    "examine",
    "examine_profile",
    "explain",
    "explained_document",
    "export_inventory",
    "export_network_requests",
    "export_reading",
    "export_session",
    "export_sessions",
    "filter_extent",
    "filter_values",
    "find_model_servers",
    "find_sessions",
    "forbid_plugin",
    "forbid_tool_server",
    "fork_run",
    "get_agent",
    "give_metadata",
    "golden_questions",
    "golden_sets",
    "has_room",
    "import_agents",
    "import_metadata",
    "import_session",
    "imports_paused",
    "in_person",
    "keep_configuration",
    "keep_draft",
    "kept_original",
    "library_map",
    "link_folder",
    "linked_folder",
    "list_agents",
    "list_backups",
    "list_bin",
    "list_chunk_edits",
    "list_chunks",
    "list_configurations",
    "list_documents",
    "list_evaluations",
    "list_knowledge_bases",
    "list_linked_folders",
    "list_memories",
    "list_metadata_keys",
    "list_network_requests",
    "list_plugins",
    "list_profiles",
    "list_readings",
    "list_retrievers",
    "list_runs",
    "list_server_models",
    "list_sessions",
    "list_tags",
    "list_tool_servers",
    "list_tools",
    "list_users",
    "list_workspaces",
    "load_settings",
    "mark_passage",
    "marks_of",
    "merge_chunks",
    "missing_of_agent",
    "move_back",
    "move_documents",
    "neighbours",
    "network_hosts",
    "note_text",
    "ocr_pages",
    "offer_reading",
    "open_evaluation",
    "open_reading",
    "open_run",
    "open_session",
    "open_workspace",
    "outdated_evaluations",
    "page_at",
    "page_image",
    "page_marks",
    "page_outlines",
    "page_picture",
    "passage_on_map",
    "passages_around",
    "passages_sent",
    "pause_imports",
    "pin_session",
    "place_on_map",
    "place_picture",
    "prioritise",
    "problem_report",
    "problems_of_agents",
    "promote",
    "put_agent",
    "put_air_gap",
    "put_folder_metadata",
    "put_memory",
    "put_metadata",
    "put_profile",
    "put_question",
    "put_questions",
    "put_rerank_key",
    "put_setting",
    "put_tags",
    "put_tool_server",
    "put_tool_server_token",
    "put_web_search_key",
    "read_all",
    "read_plugin",
    "read_questions",
    "read_tables",
    "recut_documents",
    "redo_chunk_edit",
    "refetch",
    "reindex_documents",
    "remove_agent",
    "remove_backup",
    "remove_configuration",
    "remove_documents",
    "remove_evaluation",
    "remove_knowledge_base",
    "remove_mark",
    "remove_memory",
    "remove_profile",
    "remove_question",
    "remove_reading",
    "remove_session",
    "remove_set",
    "remove_tool_server",
    "rename_knowledge_base",
    "rename_reading",
    "rename_session",
    "repair_library",
    "reset_chunk",
    "reset_setting",
    "restore_agent",
    "restore_backup",
    "restore_documents",
    "restore_knowledge_base",
    "restore_memories",
    "restore_reading",
    "restore_session",
    "resume_import",
    "revert_embedder",
    "review",
    "search",
    "search_settings",
    "section",
    "section_at",
    "session_draft",
    "show_document",
    "split_chunk",
    "tag_chunk",
    "tag_documents",
    "text_size",
    "topic_host",
    "undo_chunk_edit",
    "undo_edit",
    "unlink_folder",
    "unlock_documents",
    "unmark_passage",
    "warm_up",
    "watch_linked_folders",
    "watch_network",
    "word_vector_size",
    "workspace_problems",
    "write_questions",
]

"""The verbs: every operation of the program, free of Qt, each a function of a JobContext.

    library.py    one open library: its stores, index, embedder, executors (models.py: what it is searched with)

The way of a file, one step a module; importing.py goes it for many files side by side:

    sources.py      what the user named -> the files below it; choice.py: which of them are wanted
    archives.py     ZIP archives: members listed, and lent one at a time
    long_file.py    the same of a file too long for one document: its parts
    file_kinds.py   which files become documents, by name and content
    collecting.py   all of these together -> everything that is to be added
    enrolling.py    many files -> rows in the library at once, none of them read (reading_task.py: a file from here on)
    identifying.py  one file -> the hash of its bytes; does the library hold them already?
    original_copies.py  the library's own copies of files
    reading.py      one file at a time, or small ones together, from its hash to its text in the library
    prepare.py      -> text and chunks, in a child process; passwords.py: those of encrypted files
                    (reader_rights.py: what such a child may see of the disk)
    reading_parts.py  what was read is stored: a long file in parts, small files together
    deepening.py    the second step, page by page (page_reading.py): pages without usable text, by OCR; lost tables, by
                    the layout model (table_reading.py); stored.py: the document as it was parsed, and put back
    embedding.py    chunks without a vector -> vectors, in batches over documents
    first_vectors.py  approximate vectors of chunks that wait for the embedder
    outcomes.py     how it ended, told and kept

    open_files.py   the files under way; ties.py: those that wait for another of the same content
    queue.py        what all imports obey (steering.py: pause, cancel, what goes first, unlock); estimate.py: how far

What does not come as a file:

    web_pages.py    links -> documents; topics.py, queries.py, notes.py likewise; refetch.py: up to date
    other_sources.py  what these share: rows, then content as it comes; staging.py: where it stands until it is in

The rest:

    documents.py  add, list, remove, restore, re-index; chunks and text of a document
    knowledge_bases.py  add, rename, remove, restore; move and copy documents between them
    metadata.py   fields, tags and keys of their own that the user writes (file_metadata.py: those beside a file)
    chunk_edits.py  chunks changed by hand, with the way back (chunk_changes.py: what a verb makes of them)
    chunk_looks.py  tokens of a text, chunks on a page, answers that cited them
    diagnosis.py  what was found in a document and lost, and what can be done about it
    remedies.py   the second step for pages of one document, asked for by hand
    review.py     what a drop holds before it is added
    embedder_change.py  other vectors made beside those in use, then swapped; the way back
    linking.py    linked folders: link, unlink, check (folder_look.py, folder_plan.py); watching.py follows them
                  linked_archives.py: their archives
    bin.py        what was removed: list, restore, delete for good
    reranking.py  settings -> reranker; a trial of it; token_store.py, token_codes.py: its token vectors
    phrase_vectors.py  vectors of what documents write for terms; made_files.py: what is made once a model and machine
    search.py     question -> hits; coverage.py: how much of the library they were searched in
    surroundings.py  a passage -> its neighbours, its whole section
    explain.py    question and a place in a document -> why it was found, or where it was lost
    golden.py     golden questions: listed, read, written, put, removed; marking.py: passages of answers marked
    evaluation.py golden questions -> how well a way of searching does, kept and compared (examination.py,
                  evaluation_records.py, idle_evaluation.py)
    promotion.py  ways of searching kept by name, and promoted to a knowledge base's own (configurations.py: as text)
    filters.py    what can be filtered by, and how much a filter lets through
    exhaustive.py a question asked of every passage (exhaustive_run.py, exhaustive_reader.py, exhaustive_conclusion.py,
                  exhaustive_estimate.py, exhaustive_records.py, exhaustive_export.py)
    ask.py        question -> run, every step an event, all of it kept (recorder.py); agent_run.py: an agent -> its
                  search, tools and prompt; agent_scope.py: what it may search; model_provider.py: who answers
    planning.py   whether a question is answered by a plan
    claim_check.py  who checks a model's answer against what it cites
    agents.py     agents: list, change, copy, remove, restore
    memories.py   what is remembered of conversations: list, change, remove (remembering.py; afterwards.py)
    approvals.py  the word on a tool call that waits for one (waiting_calls.py)
    curation.py   what a search hands over, chosen by a person (waiting_choices.py)
    runs.py       runs as they were kept: list, compare; forking.py: go on from a step with another result
    retrieving.py an agent's custom retrievers -> its search; plugins.py: plug-in files allowed and forbidden
    workspaces.py agents read from a folder as Agent Gateway lays it out
    tools.py      the tools of one run: tool_documents.py: what they may read; tool_notes.py: what they may add;
                  tool_web.py: what they ask of the web; server_tools.py: those of MCP servers, which tool_servers.py
                  sets up and allows (tool_consents.py)
    passed_changes.py  changes that a command has the window make: what may be asked for, as messages (change.py;
                  document_changes.py, library_changes.py: each of them)
    mcp_server.py the library as an MCP server, for other programs; mcp_resources.py: its documents as resources
    mcp_access.py who may ask it over HTTP: the token, Host and Origin
    sessions.py   list, find, open, rename, pin, archive, remove, restore
    export.py     sessions -> files (export_job.py: one of them; cited_documents.py: what it refers to; whole_file.py:
                  there whole or not at all; unfinished.py: where it lies until then)
    session_import.py  bundle -> session; foreign_documents.py: documents that are not here; kept_pages.py: their pages;
                  kept_originals.py: their files, until they are added
    pages.py      citation -> picture of its page with the passage marked; place_pictures.py: the part around a passage
    egress.py     what was asked of the network: the air gap switched, the ledger listed, exported, cleared (air_gap.py:
                  whether it is on, and why; sent_passages.py: what went with a request, as passages)
    model_download.py  a model of the hub, fetched ahead of its use
    home.py       whether the user made this library here (user_config.py: where what they allow is kept)
    profiles.py   model profiles, connection test; keys.py: their keys in the system's keyring
    settings.py   read and change settings
    map.py        the library's vectors as a picture: drawn (map_drawing.py), kept in step (map_chart.py)
    warm_up.py    load what the first question would wait for
    upkeep.py     what can wait until nothing else is to be done: the index made faster, the keyword index merged
    tidying.py    what a kill left is cleared away; held_copies.py: copies that imports need before a document has them
    soundness.py  a library looked through for damage; idle_check.py: by itself, once a week
    repair.py     put in order: what was damaged made anew, what was lost said (aside.py: what is set aside;
                  file_repair.py: the copies of files)
    backups.py    backups of the database made, listed, put in use again
    doctor.py     what this machine and library look like (circumstances.py: versions; problem_report.py: for an issue)

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

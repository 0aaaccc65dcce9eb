"""The verbs: every operation of the program, free of Qt, each a function of a JobContext.

library.py                One open library: its stores, its index, its embedder, and the executors that work for it
models.py                 Search models of a library: embedder, index and retriever, loaded on demand
importing.py              The importer: registers, reads and embeds files side by side; and its control: pause,
                          priority, cancel, unlock
source_files.py           Source files: paths and folders resolved to files, their digests and copies, and which kinds
                          can be documents
archives.py               Archives: ZIP files, and files too long for one document, unpacked one member or part at a
                          time
path_expansion.py         Path expansion: named files, folders, archives and long files to the files to add, under
                          file patterns
register_files.py         Registration of files: rows for many at once, then the hash of each and the search for
                          duplicates
original_copies.py        The library's own copies of source files, by the hash of what is in them: made one at a time
                          or many together
file_reading.py           File reading: one file or many small ones from the hash to stored text, long files in parts
reader_process.py         Reader processes: parse and chunk a file in a child, what such a child may see, and
                          passwords of encrypted files
second_pass.py            The second, slow step of reading, after a document is stored: some of its pages are read
                          again, with more effort
page_reading.py           Pages of a stored document read again in a child process, by OCR or for lost tables, and the
                          result put back
embedding.py              Chunks without a vector -> vectors: batches gathered over documents, written to the store,
                          then to the index
derived_vectors.py        Derived vectors: approximate first vectors of chunks that wait for the embedder, and vectors
                          of phrases
import_state.py           State of an import: its reading tasks, files under way, files that wait for a duplicate, and
                          outcomes
import_queue.py           The import queue of a library (pause, priority, cancellation) and the estimate of the time
                          that is left
web_pages.py              Web pages and encyclopaedia topics as documents: fetched on request, and fetched again on
                          request
queries.py                Queries on databases as documents: read-only, every row a record that a citation names, run
                          again when asked
notes.py                  Notes: text typed by the user or added by a model becomes a document
non_file_sources.py       What was fetched, asked of a database or typed becomes documents: rows first, then content,
                          read like any file
temp_files.py             Temporary files: staging folders, orphans and the start-up clean-up, reference counts of
                          copies
documents.py              Documents of a library: add, list, show, remove, restore, reindex, refetch; and look at
                          their chunks
knowledge_bases.py        Knowledge bases: describe, add, rename, remove, restore; move and copy documents between
                          them
metadata_edits.py         What the user writes of documents: metadata fields, tags and keys of their own, each change
                          with its way back
file_metadata.py          Metadata that stand beside a file: in a sidecar file of its own, or in a table of its folder
chunk_edits.py            Chunk edits: edit, merge, split, disable, tag, reset, undo and redo; and the chunks that
                          each makes
document_diagnosis.py     Diagnosis of documents: findings of the ingestion, and remedies that read some of the pages
                          again
index_stores.py           The vector store of a library: which one is in use, where its files are, and how it is
                          opened
vector_stores.py          A move of a library to another vector store, while it is searched in the old one; the way
                          back, and server keys
embedder_change.py        A change of the embedder without an outage: new vectors beside the old, then a swap, and a
                          way back
folder_linking.py         Linked folders: link, unlink, list, and check: look twice, plan, then do what the plan says
folder_scan.py            Folder scan: the files of a linked folder with their stamps, and the plan of what changed
                          since the last scan
folder_watching.py        Follow the linked folders as long as the library is open: the system tells of a change, or
                          they are looked at
linked_archives.py        ZIP archives in linked folders: their members follow the archive as files follow their
                          folder
reranking.py              Rerankers: built from the settings and tested; and the stored token vectors that late
                          interaction reads
token_codes.py            Token vectors of the chunks, kept compressed beside their vectors for late interaction
library_search.py         Search: hits of a question and its coverage, filter values, surrounding text, explanation of
                          a result
golden.py                 Golden questions: list, import, export, edit, remove; and passages of answers marked as
                          right or wrong
evaluation.py             Evaluations over golden questions: run, list, compare, remove; and repeated when idle if
                          outdated
evaluation_run.py         One evaluation run: golden questions located, searched and judged, and the run stored with
                          its circumstances
search_configurations.py  Search configurations: parsed, saved under a name, and promoted to a knowledge base
exhaustive.py             Exhaustive reading: start and continue a question asked of every passage; its estimate and
                          its offer
exhaustive_run.py         Run of an exhaustive reading: the reader of a model profile, batches side by side, the
                          conclusion
exhaustive_records.py     Stored exhaustive readings: list, open, rename, remove, restore, export to a file
ask.py                    Ask: a question to a run with events as they happen, forks of runs, and decisions that a
                          person makes meanwhile
run_persister.py          What keeps a run: its events go to the listener at once and to the store in batches
agent_session.py          Agent session: search scope, tools, prompt, limits, planning and claim check of one run,
                          wired from its agent
agents.py                 Agents: list, change, copy, remove, restore; and agents imported from workspace folders
memories.py               Memories of conversations: list, edit, remove, restore; recalled for a question and
                          extracted behind an answer
background_jobs.py        Work behind an answer: begun when no answer is under way, and broken off for the next one:
                          none waits for it
pending_decisions.py      Pending decisions of runs: tool calls and searches that wait for a person, each as a future
plugin_files.py           Plug-in files listed, allowed and forbidden; and the custom retrievers of an agent
run_tools.py              Tools of one run: opened from the library, from MCP servers, and for web requests through
                          the fetcher
tool_documents.py         The documents that tools may read: those within a run's knowledge base and filter, and of
                          these no more
tool_servers.py           MCP servers whose tools agents may use: set up, allowed, checked, removed
change_messages.py        Changes that one program has another one make, which holds the library
document_changes.py       Change requests for documents that one program sends to another: added, read again, tagged,
                          edited, removed
library_changes.py        Changes of what a library has besides documents, that one program may have another one make
mcp_server.py             MCP server of the library: search and read tools for other programs, and documents as
                          resources
mcp_access.py             Who may ask the library's MCP server over HTTP: programs of this machine that send its token
sessions.py               Sessions and their stored runs: list, find, open, rename, pin, archive, remove, restore,
                          compare
session_export.py         Export of sessions to files: the job with its child process and page images, and the cited
                          documents
atomic_write.py           Writes a file that is there whole or not at all
session_import.py         Import of a session from a bundle or JSON: checked, stored, its documents mapped, its
                          original files kept
imported_page_images.py   Pictures of pages that came with an imported session: what is shown of a document that is
                          not here
page_images.py            Page images: the page of a citation or chunk with the passage marked, or only the part
                          around it
egress.py                 Network operations: offline mode, the ledger of requests and their passages, and downloads
                          of models
trust.py                  Trust: whether a library is trusted on this machine, which tool servers the user consented
                          to
profiles.py               Model profiles: list, add, remove, test, find servers of this machine; and the provider that
                          a profile stands for
credentials.py            Keys and passwords: in the system's keyring, or in an environment variable that a profile
                          names, and nowhere else
settings.py               Settings: read, change, reset
map.py                    The map of a library: looked at, drawn, and asked where something stands on it
map_chart.py              Map chart: drawn from vectors, stored beside the index, updated with the library; blocking
warm_up.py                Load what the first question, its answer, the first click and the first file would wait for
upkeep.py                 What can wait until nothing else is to be done: files checked, searches made faster, room
                          given back
integrity_and_backups.py  Integrity check of a library, on demand and weekly when idle, and backups of its database
idle_check.py             The library looked through by itself when nobody does anything: once a week, and after an
                          end that was none
repair.py                 Repair of a library: backed up, mended, lost items reported, and removed files and rows
                          moved to quarantine
system_report.py          System reports: versions, machine and library, for a person or to attach to an issue

Rooms above import from here: ``from workbench import operations`` and ``operations.add_documents(library, paths)``.
"""

from workbench.operations.agents import (
    agent_choices,
    agent_shelf,
    copy_agent,
    get_agent,
    import_agents,
    list_agents,
    list_workspaces,
    missing_of_agent,
    open_workspace,
    problems_of_agents,
    put_agent,
    remove_agent,
    restore_agent,
    workspace_problems,
)
from workbench.operations.ask import (
    ask,
    choose_passages,
    chosen_in_person,
    decide_call,
    fork_run,
    in_person,
    passages_around,
)
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
from workbench.operations.document_diagnosis import diagnose, diagnose_library, ocr_pages, read_tables
from workbench.operations.documents import (
    add_documents,
    chunk_neighbours,
    cited_in,
    document_text,
    empty_bin,
    has_room,
    list_bin,
    list_chunks,
    list_documents,
    list_knowledge_bases,
    page_outlines,
    refetch,
    reindex_documents,
    remove_documents,
    restore_documents,
    resume_import,
    show_document,
    text_size,
)
from workbench.operations.egress import (
    air_gap,
    air_gap_state,
    chunks_sent,
    clear_network_requests,
    download_model,
    export_network_requests,
    list_network_requests,
    network_hosts,
    passages_sent,
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
    evaluate_when_idle,
    evaluation_changes,
    list_evaluations,
    open_evaluation,
    outdated_evaluations,
    remove_evaluation,
)
from workbench.operations.exhaustive import continue_reading, estimate_reading, offer_reading, read_all
from workbench.operations.exhaustive_records import (
    export_reading,
    list_readings,
    open_reading,
    remove_reading,
    rename_reading,
    restore_reading,
)
from workbench.operations.folder_linking import (
    check_linked_folders,
    link_folder,
    linked_folder,
    list_linked_folders,
    put_folder_metadata,
    unlink_folder,
)
from workbench.operations.folder_watching import watch_linked_folders
from workbench.operations.golden import (
    golden_questions,
    golden_sets,
    mark_passage,
    marks_of,
    put_question,
    put_questions,
    read_questions,
    remove_mark,
    remove_question,
    remove_set,
    unmark_passage,
    write_questions,
)
from workbench.operations.idle_check import check_when_idle
from workbench.operations.importing import (
    cancel_documents,
    imports_paused,
    pause_imports,
    prioritise,
    unlock_documents,
)
from workbench.operations.integrity_and_backups import (
    check_folder,
    check_library,
    create_backup,
    list_backups,
    remove_backup,
    restore_backup,
)
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
from workbench.operations.library_search import (
    explain,
    explained_document,
    filter_extent,
    filter_values,
    neighbours,
    search,
    section,
    section_at,
)
from workbench.operations.map import draw_map, library_map, passage_on_map, place_on_map
from workbench.operations.memories import (
    clear_memories,
    edit_memory,
    list_memories,
    put_memory,
    remove_memory,
    restore_memories,
)
from workbench.operations.metadata_edits import (
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
from workbench.operations.notes import add_note, edit_note, note_text
from workbench.operations.page_images import (
    PageImage,
    PagePicture,
    document_pages,
    page_at,
    page_image,
    page_marks,
    page_picture,
    place_picture,
)
from workbench.operations.path_expansion import review
from workbench.operations.plugin_files import allow_plugin, forbid_plugin, list_plugins, list_retrievers, read_plugin
from workbench.operations.profiles import (
    examine_profile,
    find_model_servers,
    list_profiles,
    list_server_models,
    put_profile,
    remove_profile,
)
from workbench.operations.queries import add_query
from workbench.operations.repair import repair_library
from workbench.operations.reranking import check_reranker, put_rerank_key, word_vector_size
from workbench.operations.run_tools import list_tools, put_web_search_key
from workbench.operations.search_configurations import (
    keep_configuration,
    list_configurations,
    promote,
    remove_configuration,
    search_settings,
)
from workbench.operations.session_export import export_inventory, export_session, export_sessions
from workbench.operations.session_import import add_kept_originals, import_session, kept_original
from workbench.operations.sessions import (
    archive_session,
    compare_texts,
    diff_runs,
    find_sessions,
    keep_draft,
    list_runs,
    list_sessions,
    list_users,
    open_run,
    open_session,
    pin_session,
    remove_session,
    rename_session,
    restore_session,
    session_draft,
)
from workbench.operations.settings import load_settings, put_setting, reset_setting
from workbench.operations.system_report import examine, problem_report
from workbench.operations.tool_servers import (
    allow_tool_server,
    check_tool_server,
    forbid_tool_server,
    list_tool_servers,
    put_tool_server,
    put_tool_server_token,
    remove_tool_server,
)
from workbench.operations.vector_stores import (
    delete_other_stores,
    move_vector_store,
    put_vector_store_key,
    vector_store_state,
)
from workbench.operations.warm_up import warm_up
from workbench.operations.web_pages import add_topics, add_urls, topic_host

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
    "delete_other_stores",
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
    "move_vector_store",
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
    "put_vector_store_key",
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
    "vector_store_state",
    "warm_up",
    "watch_linked_folders",
    "watch_network",
    "word_vector_size",
    "workspace_problems",
    "write_questions",
]

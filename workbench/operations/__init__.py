"""Operations of the program, free of Qt: each function returns a coroutine function that takes a JobContext.

library/             An open library: its stores, models, settings, network rules, and change requests of other programs
documents/           Documents of a library: list, edit, diagnose, draw their pages, and edit their chunks
imports/             Import: paths -> files -> text and chunks in the store -> vectors; web pages, queries and notes
folders/             Linked folders: watch them, scan them, and import their changes
questions/           Questions: search, agents with their tools and memories, and the run that answers
mcp/                 The library as an MCP server for other programs
sessions/            Sessions and their runs: list, edit, export and import
shared/              Shared libraries: connected, searched beside the personal one, and served by workers
exhaustive_reading/  Exhaustive reading: ask one question of every passage
evaluation/          Golden questions and the evaluations of search configurations over them
integrity/           Integrity checks, backups, repair and system reports of a library

Higher layers use this package: ``from workbench import operations``, then ``operations.add_documents(library, paths)``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.operations.documents.chunk_editing import disable_chunk as disable_chunk
    from workbench.operations.documents.chunk_editing import dismiss_lost_edits as dismiss_lost_edits
    from workbench.operations.documents.chunk_editing import edit_chunk as edit_chunk
    from workbench.operations.documents.chunk_editing import list_chunk_edits as list_chunk_edits
    from workbench.operations.documents.chunk_editing import merge_chunks as merge_chunks
    from workbench.operations.documents.chunk_editing import redo_chunk_edit as redo_chunk_edit
    from workbench.operations.documents.chunk_editing import reset_chunk as reset_chunk
    from workbench.operations.documents.chunk_editing import split_chunk as split_chunk
    from workbench.operations.documents.chunk_editing import tag_chunk as tag_chunk
    from workbench.operations.documents.chunk_editing import undo_chunk_edit as undo_chunk_edit
    from workbench.operations.documents.document_diagnosis import diagnose as diagnose
    from workbench.operations.documents.document_diagnosis import diagnose_library as diagnose_library
    from workbench.operations.documents.document_diagnosis import ocr_pages as ocr_pages
    from workbench.operations.documents.document_diagnosis import read_tables as read_tables
    from workbench.operations.documents.document_management import add_documents as add_documents
    from workbench.operations.documents.document_management import chunk_neighbours as chunk_neighbours
    from workbench.operations.documents.document_management import cited_in as cited_in
    from workbench.operations.documents.document_management import document_text as document_text
    from workbench.operations.documents.document_management import empty_bin as empty_bin
    from workbench.operations.documents.document_management import has_room as has_room
    from workbench.operations.documents.document_management import list_bin as list_bin
    from workbench.operations.documents.document_management import list_chunks as list_chunks
    from workbench.operations.documents.document_management import list_documents as list_documents
    from workbench.operations.documents.document_management import list_knowledge_bases as list_knowledge_bases
    from workbench.operations.documents.document_management import page_outlines as page_outlines
    from workbench.operations.documents.document_management import refetch as refetch
    from workbench.operations.documents.document_management import reindex_documents as reindex_documents
    from workbench.operations.documents.document_management import remove_documents as remove_documents
    from workbench.operations.documents.document_management import restore_documents as restore_documents
    from workbench.operations.documents.document_management import resume_import as resume_import
    from workbench.operations.documents.document_management import show_document as show_document
    from workbench.operations.documents.document_management import text_size as text_size
    from workbench.operations.documents.metadata_edits import edit_metadata as edit_metadata
    from workbench.operations.documents.metadata_edits import give_metadata as give_metadata
    from workbench.operations.documents.metadata_edits import import_metadata as import_metadata
    from workbench.operations.documents.metadata_edits import list_metadata_keys as list_metadata_keys
    from workbench.operations.documents.metadata_edits import list_tags as list_tags
    from workbench.operations.documents.metadata_edits import put_metadata as put_metadata
    from workbench.operations.documents.metadata_edits import put_tags as put_tags
    from workbench.operations.documents.metadata_edits import tag_documents as tag_documents
    from workbench.operations.documents.metadata_edits import undo_edit as undo_edit
    from workbench.operations.documents.page_images import PageImage as PageImage
    from workbench.operations.documents.page_images import PagePicture as PagePicture
    from workbench.operations.documents.page_images import document_pages as document_pages
    from workbench.operations.documents.page_images import page_at as page_at
    from workbench.operations.documents.page_images import page_image as page_image
    from workbench.operations.documents.page_images import page_marks as page_marks
    from workbench.operations.documents.page_images import page_picture as page_picture
    from workbench.operations.documents.page_images import place_picture as place_picture
    from workbench.operations.documents.unread_documents import prioritise_unread as prioritise_unread
    from workbench.operations.documents.unread_documents import read_unread as read_unread
    from workbench.operations.evaluation.evaluation_runs import compare_evaluations as compare_evaluations
    from workbench.operations.evaluation.evaluation_runs import evaluate as evaluate
    from workbench.operations.evaluation.evaluation_runs import evaluate_again as evaluate_again
    from workbench.operations.evaluation.evaluation_runs import evaluate_both as evaluate_both
    from workbench.operations.evaluation.evaluation_runs import evaluate_when_idle as evaluate_when_idle
    from workbench.operations.evaluation.evaluation_runs import evaluation_changes as evaluation_changes
    from workbench.operations.evaluation.evaluation_runs import list_evaluations as list_evaluations
    from workbench.operations.evaluation.evaluation_runs import open_evaluation as open_evaluation
    from workbench.operations.evaluation.evaluation_runs import outdated_evaluations as outdated_evaluations
    from workbench.operations.evaluation.evaluation_runs import remove_evaluation as remove_evaluation
    from workbench.operations.evaluation.golden import golden_questions as golden_questions
    from workbench.operations.evaluation.golden import golden_sets as golden_sets
    from workbench.operations.evaluation.golden import mark_passage as mark_passage
    from workbench.operations.evaluation.golden import marks_of as marks_of
    from workbench.operations.evaluation.golden import put_question as put_question
    from workbench.operations.evaluation.golden import put_questions as put_questions
    from workbench.operations.evaluation.golden import read_questions as read_questions
    from workbench.operations.evaluation.golden import remove_mark as remove_mark
    from workbench.operations.evaluation.golden import remove_question as remove_question
    from workbench.operations.evaluation.golden import remove_set as remove_set
    from workbench.operations.evaluation.golden import unmark_passage as unmark_passage
    from workbench.operations.evaluation.golden import write_questions as write_questions
    from workbench.operations.evaluation.search_configurations import keep_configuration as keep_configuration
    from workbench.operations.evaluation.search_configurations import list_configurations as list_configurations
    from workbench.operations.evaluation.search_configurations import promote as promote
    from workbench.operations.evaluation.search_configurations import remove_configuration as remove_configuration
    from workbench.operations.evaluation.search_configurations import search_settings as search_settings
    from workbench.operations.exhaustive_reading.exhaustive_records import export_reading as export_reading
    from workbench.operations.exhaustive_reading.exhaustive_records import list_readings as list_readings
    from workbench.operations.exhaustive_reading.exhaustive_records import open_reading as open_reading
    from workbench.operations.exhaustive_reading.exhaustive_records import remove_reading as remove_reading
    from workbench.operations.exhaustive_reading.exhaustive_records import rename_reading as rename_reading
    from workbench.operations.exhaustive_reading.exhaustive_records import restore_reading as restore_reading
    from workbench.operations.exhaustive_reading.exhaustive_start import continue_reading as continue_reading
    from workbench.operations.exhaustive_reading.exhaustive_start import estimate_reading as estimate_reading
    from workbench.operations.exhaustive_reading.exhaustive_start import offer_reading as offer_reading
    from workbench.operations.exhaustive_reading.exhaustive_start import read_all as read_all
    from workbench.operations.folders.folder_linking import check_linked_folders as check_linked_folders
    from workbench.operations.folders.folder_linking import link_folder as link_folder
    from workbench.operations.folders.folder_linking import linked_folder as linked_folder
    from workbench.operations.folders.folder_linking import list_linked_folders as list_linked_folders
    from workbench.operations.folders.folder_linking import put_folder_metadata as put_folder_metadata
    from workbench.operations.folders.folder_linking import unlink_folder as unlink_folder
    from workbench.operations.folders.folder_watching import watch_linked_folders as watch_linked_folders
    from workbench.operations.imports.importing import cancel_documents as cancel_documents
    from workbench.operations.imports.importing import imports_paused as imports_paused
    from workbench.operations.imports.importing import pause_imports as pause_imports
    from workbench.operations.imports.importing import prioritise as prioritise
    from workbench.operations.imports.importing import unlock_documents as unlock_documents
    from workbench.operations.imports.notes import add_note as add_note
    from workbench.operations.imports.notes import edit_note as edit_note
    from workbench.operations.imports.notes import note_text as note_text
    from workbench.operations.imports.path_expansion import review as review
    from workbench.operations.imports.queries import add_query as add_query
    from workbench.operations.imports.web_pages import add_topics as add_topics
    from workbench.operations.imports.web_pages import add_urls as add_urls
    from workbench.operations.imports.web_pages import topic_host as topic_host
    from workbench.operations.integrity.integrity_and_backups import check_folder as check_folder
    from workbench.operations.integrity.integrity_and_backups import check_library as check_library
    from workbench.operations.integrity.integrity_and_backups import check_when_idle as check_when_idle
    from workbench.operations.integrity.integrity_and_backups import create_backup as create_backup
    from workbench.operations.integrity.integrity_and_backups import list_backups as list_backups
    from workbench.operations.integrity.integrity_and_backups import remove_backup as remove_backup
    from workbench.operations.integrity.integrity_and_backups import restore_backup as restore_backup
    from workbench.operations.integrity.release_check import announce_release as announce_release
    from workbench.operations.integrity.release_check import check_release as check_release
    from workbench.operations.integrity.release_check import require_program as require_program
    from workbench.operations.integrity.release_check import whats_new as whats_new
    from workbench.operations.integrity.repair import repair_library as repair_library
    from workbench.operations.integrity.surroundings import look_around as look_around
    from workbench.operations.integrity.system_report import examine as examine
    from workbench.operations.integrity.system_report import problem_report as problem_report
    from workbench.operations.library.embedder_change import change_embedder as change_embedder
    from workbench.operations.library.embedder_change import confirm_embedder as confirm_embedder
    from workbench.operations.library.embedder_change import embedder_state as embedder_state
    from workbench.operations.library.embedder_change import recut_documents as recut_documents
    from workbench.operations.library.embedder_change import revert_embedder as revert_embedder
    from workbench.operations.library.embedding_servers import allow_embedding_server as allow_embedding_server
    from workbench.operations.library.embedding_servers import plan_embedding_server as plan_embedding_server
    from workbench.operations.library.embedding_servers import put_embedding_server_key as put_embedding_server_key
    from workbench.operations.library.embedding_servers import try_embedding_server as try_embedding_server
    from workbench.operations.library.embedding_servers import wait_for_embedding_server as wait_for_embedding_server
    from workbench.operations.library.knowledge_base_management import add_knowledge_base as add_knowledge_base
    from workbench.operations.library.knowledge_base_management import (
        describe_knowledge_bases as describe_knowledge_bases,
    )
    from workbench.operations.library.knowledge_base_management import move_back as move_back
    from workbench.operations.library.knowledge_base_management import move_documents as move_documents
    from workbench.operations.library.knowledge_base_management import remove_knowledge_base as remove_knowledge_base
    from workbench.operations.library.knowledge_base_management import rename_knowledge_base as rename_knowledge_base
    from workbench.operations.library.knowledge_base_management import restore_knowledge_base as restore_knowledge_base
    from workbench.operations.library.library import Library as Library
    from workbench.operations.library.library_map import draw_map as draw_map
    from workbench.operations.library.library_map import library_map as library_map
    from workbench.operations.library.library_map import passage_on_map as passage_on_map
    from workbench.operations.library.library_map import place_on_map as place_on_map
    from workbench.operations.library.network_access import chunks_sent as chunks_sent
    from workbench.operations.library.network_access import clear_network_requests as clear_network_requests
    from workbench.operations.library.network_access import download_model as download_model
    from workbench.operations.library.network_access import export_network_requests as export_network_requests
    from workbench.operations.library.network_access import list_network_requests as list_network_requests
    from workbench.operations.library.network_access import network_hosts as network_hosts
    from workbench.operations.library.network_access import offline_mode as offline_mode
    from workbench.operations.library.network_access import offline_mode_state as offline_mode_state
    from workbench.operations.library.network_access import passages_sent as passages_sent
    from workbench.operations.library.network_access import put_offline_mode as put_offline_mode
    from workbench.operations.library.network_access import watch_network as watch_network
    from workbench.operations.library.package_installation import install_model_packages as install_model_packages
    from workbench.operations.library.package_installation import model_packages as model_packages
    from workbench.operations.library.profiles import examine_profile as examine_profile
    from workbench.operations.library.profiles import find_model_servers as find_model_servers
    from workbench.operations.library.profiles import list_profiles as list_profiles
    from workbench.operations.library.profiles import list_server_models as list_server_models
    from workbench.operations.library.profiles import put_profile as put_profile
    from workbench.operations.library.profiles import remove_profile as remove_profile
    from workbench.operations.library.settings import load_settings as load_settings
    from workbench.operations.library.settings import put_setting as put_setting
    from workbench.operations.library.settings import reset_setting as reset_setting
    from workbench.operations.library.vector_stores import delete_other_stores as delete_other_stores
    from workbench.operations.library.vector_stores import move_base_to_store as move_base_to_store
    from workbench.operations.library.vector_stores import move_vector_store as move_vector_store
    from workbench.operations.library.vector_stores import put_vector_store_key as put_vector_store_key
    from workbench.operations.library.vector_stores import vector_store_state as vector_store_state
    from workbench.operations.library.warm_up import warm_up as warm_up
    from workbench.operations.questions.agents import agent_choices as agent_choices
    from workbench.operations.questions.agents import agent_shelf as agent_shelf
    from workbench.operations.questions.agents import copy_agent as copy_agent
    from workbench.operations.questions.agents import get_agent as get_agent
    from workbench.operations.questions.agents import import_agents as import_agents
    from workbench.operations.questions.agents import list_agents as list_agents
    from workbench.operations.questions.agents import list_workspaces as list_workspaces
    from workbench.operations.questions.agents import missing_of_agent as missing_of_agent
    from workbench.operations.questions.agents import open_workspace as open_workspace
    from workbench.operations.questions.agents import problems_of_agents as problems_of_agents
    from workbench.operations.questions.agents import put_agent as put_agent
    from workbench.operations.questions.agents import remove_agent as remove_agent
    from workbench.operations.questions.agents import restore_agent as restore_agent
    from workbench.operations.questions.agents import workspace_problems as workspace_problems
    from workbench.operations.questions.ask import ask as ask
    from workbench.operations.questions.ask import choose_passages as choose_passages
    from workbench.operations.questions.ask import chosen_in_person as chosen_in_person
    from workbench.operations.questions.ask import decide_call as decide_call
    from workbench.operations.questions.ask import fork_run as fork_run
    from workbench.operations.questions.ask import in_person as in_person
    from workbench.operations.questions.ask import passages_around as passages_around
    from workbench.operations.questions.library_search import explain as explain
    from workbench.operations.questions.library_search import explained_document as explained_document
    from workbench.operations.questions.library_search import filter_extent as filter_extent
    from workbench.operations.questions.library_search import filter_values as filter_values
    from workbench.operations.questions.library_search import neighbours as neighbours
    from workbench.operations.questions.library_search import search as search
    from workbench.operations.questions.library_search import section as section
    from workbench.operations.questions.library_search import section_at as section_at
    from workbench.operations.questions.memory_management import clear_memories as clear_memories
    from workbench.operations.questions.memory_management import edit_memory as edit_memory
    from workbench.operations.questions.memory_management import list_memories as list_memories
    from workbench.operations.questions.memory_management import put_memory as put_memory
    from workbench.operations.questions.memory_management import remove_memory as remove_memory
    from workbench.operations.questions.memory_management import restore_memories as restore_memories
    from workbench.operations.questions.plugin_files import allow_plugin as allow_plugin
    from workbench.operations.questions.plugin_files import forbid_plugin as forbid_plugin
    from workbench.operations.questions.plugin_files import list_plugins as list_plugins
    from workbench.operations.questions.plugin_files import list_retrievers as list_retrievers
    from workbench.operations.questions.plugin_files import read_plugin as read_plugin
    from workbench.operations.questions.reranking import check_reranker as check_reranker
    from workbench.operations.questions.reranking import put_rerank_key as put_rerank_key
    from workbench.operations.questions.reranking import word_vector_size as word_vector_size
    from workbench.operations.questions.run_tools import list_tools as list_tools
    from workbench.operations.questions.run_tools import put_web_search_key as put_web_search_key
    from workbench.operations.questions.stopped_answers import check_stopped_answer as check_stopped_answer
    from workbench.operations.questions.tool_servers import allow_tool_server as allow_tool_server
    from workbench.operations.questions.tool_servers import check_tool_server as check_tool_server
    from workbench.operations.questions.tool_servers import forbid_tool_server as forbid_tool_server
    from workbench.operations.questions.tool_servers import list_tool_servers as list_tool_servers
    from workbench.operations.questions.tool_servers import put_tool_server as put_tool_server
    from workbench.operations.questions.tool_servers import put_tool_server_token as put_tool_server_token
    from workbench.operations.questions.tool_servers import remove_tool_server as remove_tool_server
    from workbench.operations.sessions.session_export import export_inventory as export_inventory
    from workbench.operations.sessions.session_export import export_session as export_session
    from workbench.operations.sessions.session_export import export_sessions as export_sessions
    from workbench.operations.sessions.session_import import add_kept_originals as add_kept_originals
    from workbench.operations.sessions.session_import import import_session as import_session
    from workbench.operations.sessions.session_import import kept_original as kept_original
    from workbench.operations.sessions.session_management import archive_session as archive_session
    from workbench.operations.sessions.session_management import compare_texts as compare_texts
    from workbench.operations.sessions.session_management import diff_runs as diff_runs
    from workbench.operations.sessions.session_management import find_sessions as find_sessions
    from workbench.operations.sessions.session_management import keep_draft as keep_draft
    from workbench.operations.sessions.session_management import list_runs as list_runs
    from workbench.operations.sessions.session_management import list_sessions as list_sessions
    from workbench.operations.sessions.session_management import list_users as list_users
    from workbench.operations.sessions.session_management import open_run as open_run
    from workbench.operations.sessions.session_management import open_session as open_session
    from workbench.operations.sessions.session_management import pin_session as pin_session
    from workbench.operations.sessions.session_management import remove_session as remove_session
    from workbench.operations.sessions.session_management import rename_session as rename_session
    from workbench.operations.sessions.session_management import restore_session as restore_session
    from workbench.operations.sessions.session_management import session_draft as session_draft
    from workbench.operations.shared.sharing import add_shared_base as add_shared_base
    from workbench.operations.shared.sharing import connect_shared_library as connect_shared_library
    from workbench.operations.shared.sharing import create_shared_library as create_shared_library
    from workbench.operations.shared.sharing import disconnect_shared_library as disconnect_shared_library
    from workbench.operations.shared.sharing import list_shared_libraries as list_shared_libraries
    from workbench.operations.shared.sharing import list_shared_members as list_shared_members
    from workbench.operations.shared.sharing import put_shared_key as put_shared_key
    from workbench.operations.shared.sharing import put_shared_member as put_shared_member
    from workbench.operations.shared.sharing import read_shared_documents as read_shared_documents
    from workbench.operations.shared.sharing import watch_shared_libraries as watch_shared_libraries

_NAMES_BY_MODULE = {
    "documents.chunk_editing": (
        "disable_chunk dismiss_lost_edits edit_chunk list_chunk_edits merge_chunks redo_chunk_edit reset_chunk "
        "split_chunk tag_chunk undo_chunk_edit"
    ),
    "documents.document_diagnosis": "diagnose diagnose_library ocr_pages read_tables",
    "documents.document_management": (
        "add_documents chunk_neighbours cited_in document_text empty_bin has_room list_bin list_chunks list_documents "
        "list_knowledge_bases page_outlines refetch reindex_documents remove_documents restore_documents "
        "resume_import show_document text_size"
    ),
    "documents.metadata_edits": (
        "edit_metadata give_metadata import_metadata list_metadata_keys list_tags put_metadata put_tags tag_documents "
        "undo_edit"
    ),
    "documents.page_images": (
        "PageImage PagePicture document_pages page_at page_image page_marks page_picture place_picture"
    ),
    "documents.unread_documents": "prioritise_unread read_unread",
    "evaluation.evaluation_runs": (
        "compare_evaluations evaluate evaluate_again evaluate_both evaluate_when_idle evaluation_changes "
        "list_evaluations open_evaluation outdated_evaluations remove_evaluation"
    ),
    "evaluation.golden": (
        "golden_questions golden_sets mark_passage marks_of put_question put_questions read_questions remove_mark "
        "remove_question remove_set unmark_passage write_questions"
    ),
    "evaluation.search_configurations": (
        "keep_configuration list_configurations promote remove_configuration search_settings"
    ),
    "folders.folder_linking": (
        "check_linked_folders link_folder linked_folder list_linked_folders put_folder_metadata unlink_folder"
    ),
    "folders.folder_watching": "watch_linked_folders",
    "imports.importing": "cancel_documents imports_paused pause_imports prioritise unlock_documents",
    "imports.notes": "add_note edit_note note_text",
    "imports.path_expansion": "review",
    "imports.queries": "add_query",
    "imports.web_pages": "add_topics add_urls topic_host",
    "integrity.integrity_and_backups": (
        "check_folder check_library check_when_idle create_backup list_backups remove_backup restore_backup"
    ),
    "integrity.release_check": "announce_release check_release require_program whats_new",
    "integrity.repair": "repair_library",
    "integrity.surroundings": "look_around",
    "integrity.system_report": "examine problem_report",
    "library.network_access": (
        "offline_mode offline_mode_state chunks_sent clear_network_requests download_model export_network_requests "
        "list_network_requests network_hosts passages_sent put_offline_mode watch_network"
    ),
    "library.embedder_change": "change_embedder confirm_embedder embedder_state recut_documents revert_embedder",
    "library.embedding_servers": (
        "allow_embedding_server plan_embedding_server put_embedding_server_key try_embedding_server "
        "wait_for_embedding_server"
    ),
    "library.knowledge_base_management": (
        "add_knowledge_base describe_knowledge_bases move_back move_documents remove_knowledge_base "
        "rename_knowledge_base restore_knowledge_base"
    ),
    "library.library": "Library",
    "library.library_map": "draw_map library_map passage_on_map place_on_map",
    "library.package_installation": "install_model_packages model_packages",
    "library.profiles": (
        "examine_profile find_model_servers list_profiles list_server_models put_profile remove_profile"
    ),
    "library.settings": "load_settings put_setting reset_setting",
    "library.vector_stores": (
        "delete_other_stores move_base_to_store move_vector_store put_vector_store_key vector_store_state"
    ),
    "library.warm_up": "warm_up",
    "questions.agents": (
        "agent_choices agent_shelf copy_agent get_agent import_agents list_agents list_workspaces missing_of_agent "
        "open_workspace problems_of_agents put_agent remove_agent restore_agent workspace_problems"
    ),
    "questions.ask": "ask choose_passages chosen_in_person decide_call fork_run in_person passages_around",
    "questions.library_search": (
        "explain explained_document filter_extent filter_values neighbours search section section_at"
    ),
    "questions.memory_management": "clear_memories edit_memory list_memories put_memory remove_memory restore_memories",
    "questions.plugin_files": "allow_plugin forbid_plugin list_plugins list_retrievers read_plugin",
    "questions.reranking": "check_reranker put_rerank_key word_vector_size",
    "questions.run_tools": "list_tools put_web_search_key",
    "questions.stopped_answers": "check_stopped_answer",
    "questions.tool_servers": (
        "allow_tool_server check_tool_server forbid_tool_server list_tool_servers put_tool_server "
        "put_tool_server_token remove_tool_server"
    ),
    "exhaustive_reading.exhaustive_start": "continue_reading estimate_reading offer_reading read_all",
    "exhaustive_reading.exhaustive_records": (
        "export_reading list_readings open_reading remove_reading rename_reading restore_reading"
    ),
    "sessions.session_export": "export_inventory export_session export_sessions",
    "sessions.session_import": "add_kept_originals import_session kept_original",
    "sessions.session_management": (
        "archive_session compare_texts diff_runs find_sessions keep_draft list_runs list_sessions list_users open_run "
        "open_session pin_session remove_session rename_session restore_session session_draft"
    ),
    "shared.sharing": (
        "add_shared_base connect_shared_library create_shared_library disconnect_shared_library list_shared_libraries "
        "list_shared_members put_shared_key put_shared_member read_shared_documents watch_shared_libraries"
    ),
}
"""Operations by the module that defines them."""


def __getattr__(name: str) -> Any:
    """Import an operation on first access: all of them take 1.1 s of processor time, the library alone 0.5."""
    for module, names in _NAMES_BY_MODULE.items():
        if name in names.split():
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the names of the operations."""
    return " ".join(_NAMES_BY_MODULE.values()).split()


def load_all() -> None:
    """Import every operation; blocking. The window calls it on the worker, so that a click waits for no import."""
    for module in _NAMES_BY_MODULE:
        import_module(f"{__name__}.{module}")

"""Python API of the workbench: `import workbench`. Names in workbench/__init__.py are stable; all others may change.

    with workbench.open_library("my-library") as library:
        library.add("documents")
        print(library.ask("What do the jackets cost?").answer)

There are two libraries with the same methods: those of Library block until they are done, those of AsyncLibrary are
awaited. Related methods are grouped on attributes: library.sessions.list(), library.settings.set("search_results", 5).

    library       add, search, ask, explain, read_all, documents, document, remove, tag, tags, set_metadata,
                  metadata_keys, import_metadata, edit_document, edit_note, reindex, refetch, unlock, pause, resume,
                  is_paused; use_tool, use_retriever; knowledge(name): one knowledge base; passages: chunks, neighbours,
                  section, edit_chunk, merge_chunks, split_chunk, disable_chunk, tag_chunk, reset_chunk,
                  undo_chunk_edit, redo_chunk_edit, chunk_edits
    .folders      list, link, unlink, check
    .bin          list, restore, empty
    .knowledge_bases  list, create, rename, delete, restore, move
    .sessions     list, find, open, rename, delete, restore, export, import_file
    .runs         list, open, diff, fork
    .readings     list, open, estimate, offer, resume, rename, delete, restore, export
    .memories     list, add, edit, delete, clear
    .evaluation   run, compare, runs, open, delete, compare_runs, changes, rerun_outdated; sets, questions,
                  put_questions, read_file, write_file; mark, unmark, marks; configurations, keep_configuration,
                  delete_configuration, search_settings, promote
    .map          get, place, passage
    .integrity    check, document, documents, examine, report, backups, create_backup, delete_backup
    .settings     all, get, set, reset, describe, keys
    .profiles     list, put, delete, check, find_servers
    .agents       list, get, put, delete, import_workspace, problems, workspace_problems
    .embedder     state, change, plan, try_server, set_key, revert, confirm, recut
    .vector_store state, move, set_key, delete_others
    .shared_libraries  list, create, connect, disconnect, set_password, add_knowledge_base, members, set_member,
                  read_documents
    .network      offline_mode, set_offline_mode, requests, hosts, chunks_sent, export, clear
    .plugins      list, retrievers, read, allow, forbid
    .tools        list, set_web_search_key
    .tool_servers list, put, allow, forbid, set_token, check, delete

Functions for a library that is not open, which take its folder: check_library, repair_library, list_backups,
restore_backup; their awaitable versions are check_library_async and so on.

Events are the frozen dataclasses in AskEvent, ImportEvent, FolderEvent and ReadingEvent. Failures raise a
WorkbenchError, whose message describes what happened and whose hint describes what to do. Invalid arguments raise a
ValueError or TypeError that names the values allowed. A document that cannot be read and an answer that fails raise
nothing: FileFinished and Run report them.

Equivalents in other libraries:

    agno                                                     here
    Knowledge(name, vector_db, max_results)                  library.knowledge(name, max_results=10)
    insert(path=, url=, text_content=, topics=, name=)       insert(path=, url=, text=, topics=, name=)
    insert(include=, exclude=, auth=, metadata=)             insert(include=, exclude=, password=, metadata=)
    insert(upsert=, skip_if_exists=)                         always: changed sources replaced, unchanged ones skipped
    insert_many(paths, urls, text_contents, topics)          insert_many(paths, urls=, texts=, topics=)
    ainsert, asearch                                         insert and search of AsyncLibrary.knowledge(name)
    Knowledge.search(query, max_results, filters)            the same, in a knowledge base
    VectorDb.search(query, limit, filters)                   library.search(question, k, filter).hits
    Knowledge in Agent(knowledge=)                           knowledge(name).ask(question), Agent(knowledge_bases=name)
    search_type=SearchType.vector, keyword, hybrid           mode="dense", "keyword", "hybrid"
    remove_content_by_id, delete_by_name, delete_by_id       remove(document)
    get_content                                              documents()
    create, exists, drop                                     knowledge_bases.create, list, delete
    Agent(model=, tools=[function])                          Agent(profile=, tools="name"), library.use_tool(function)
    Agent(knowledge=, num_documents=, references_format=)    Agent(knowledge_bases=, num_documents=, references_format=)
    Agent.run(input, session_id=, stream_events=True)        library.ask(question, session=, on_event=)

    LangChain                                                here
    VectorStore.add_documents, add_texts                     library.add(paths), library.add(text=)
    similarity_search(query, k, filter)                      library.search(question, k, filter).hits
    Document.page_content, Document.metadata                 hit.chunk.text; hit.document_name, hit.place
    delete(ids)                                              library.remove(numbers)
    as_retriever, RetrievalQA                                library.ask(question), with citations

async_library.py        Open library for programs with their own asyncio event loop
library.py              Open library for scripts: each method blocks until its work is done
waiting.py              Blocking versions of asynchronous methods, run on a worker thread and cancelled when the library
                        closes
knowledge.py            Knowledge base of an open library as an object, asynchronous and blocking
library_collections.py  Collections of a library: folders, bin, knowledge bases, sessions, memories, map
runs_and_readings.py    Stored answers and exhaustive readings: library.runs and library.readings
search_evaluation.py    Evaluation of searches: golden questions, marks, runs, comparisons
integrity.py            Integrity checks, repair and backups of a library, open or closed
library_setup.py        Configuration of a library: settings, model profiles, agents, vector store, embedding model
shared_libraries.py     Shared libraries in PostgreSQL: connections, members, reading the documents that wait
permissions.py          Permissions: network access, plug-in files, tools, tool servers
arguments.py            Conversion of the arguments that scripts pass to those that operations take
"""

"""The program as a library: `import workbench`. The names in workbench/__init__.py stay; all others may change.

    with workbench.open_library("my-library") as library:
        library.add("documents")
        print(library.ask("What do the jackets cost?").answer)

Two libraries with the same verbs: Library waits for each, AsyncLibrary is awaited. What belongs together stands on one
of their attributes: library.sessions.list(), library.settings.set("search_results", 5).

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
    .embedder     state, change, revert, confirm, recut
    .vector_store state, move, set_key, delete_others
    .network      air_gap, set_air_gap, requests, hosts, chunks_sent, export, clear
    .plugins      list, retrievers, read, allow, forbid
    .tools        list, set_web_search_key
    .tool_servers list, put, allow, forbid, set_token, check, delete

Of a library that is not open, by its folder: check_library, repair_library, list_backups, restore_backup; to be awaited
as check_library_async and so on.

Events are the frozen dataclasses of AskEvent, ImportEvent, FolderEvent and ReadingEvent. What goes wrong is a
WorkbenchError, whose message says what happened and whose hint says what to do; what is written wrong is a ValueError
or TypeError that names what could stand there. A document that cannot be read, or an answer that fails, raises nothing:
FileFinished and Run say so.

What others call it, and what it is called here:

    agno                                                     here
    Knowledge(name, vector_db, max_results)                  library.knowledge(name, max_results=10)
    insert(path=, url=, text_content=, topics=, name=)       insert(path=, url=, text=, topics=, name=)
    insert(include=, exclude=, auth=, metadata=)             insert(include=, exclude=, password=, metadata=)
    insert(upsert=, skip_if_exists=)                         always: what changed is replaced, what did not is left
    insert_many(paths, urls, text_contents, topics)          insert_many(paths, urls=, texts=, topics=)
    ainsert, asearch                                         insert and search of AsyncLibrary.knowledge(name)
    Knowledge.search(query, max_results, filters)            the same, in a knowledge base
    VectorDb.search(query, limit, filters)                   library.search(question, k, filter).hits
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

async_library.py        An open library for programs that have an asyncio loop of their own; Library has the same
                        verbs and waits
documents.py            Documents and passages of an open library, and the map of them: listed, changed, tagged,
                        removed
library.py              An open library for scripts
waiting.py              Awaited verbs for scripts that wait for each, run on one thread, and cancelled where the
                        library is closed
knowledge.py            One knowledge base of an open library, as a thing of its own. Awaited, and waited for
library_collections.py  What a library keeps beside its documents: folders, bin, knowledge bases, sessions, memories.
                        Awaited, waited for
runs_and_readings.py    Answers and exhaustive readings as they were kept; library.runs, library.readings. Awaited,
                        and waited for
search_evaluation.py    How well searches find what they should: golden questions, marks, runs, comparisons. Awaited,
                        and waited for
integrity.py            Whether a library is sound, its repair and its backups: of an open one, and of one that is not
                        open
library_setup.py        How a library is set up: settings, profiles, agents, vector store, embedding model. Awaited, and
                        waited for
permissions.py          What may leave this machine or run on it: network, plug-in files, tools, tool servers.
                        Awaited, and waited for
arguments.py            Coercion of what scripts write to what operations take
"""

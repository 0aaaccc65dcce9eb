"""Extension points: typed registries for installed packages, and custom retrievers.

registry.py           Typed registry of factories by name, with entry points of installed packages
custom_retriever.py   Protocols of custom retrievers, adapters from objects to callables, and the retriever that runs in
                      this process
threads.py            Execution of foreign code on daemon threads with a time limit
plugin_file.py        Loading and calling of a plug-in file in its own process, and its environment variables
plugin_consent.py     Consents of the user to plug-in files, by path and sha256
retriever_results.py  Conversion of a retriever's results to bounded passages, and of exceptions to type and line

A custom retriever answers a search in place of the library. There are three ways to provide one:

*A plug-in file.* Put a Python file into the folder `plugins` of your library, say one called `minutes`:

    def retrieve(query, num_documents=None):
        found = [...]                                   # query any source
        return [{"name": "Minutes of May", "content": "The harbour froze on 3 May.", "meta_data": {"page": 2}}]

`workbench plugins list` lists it, `workbench plugins allow minutes` permits it to run, and agents use it under the name
of the file, `minutes`: `workbench agents put clerk --set 'retrievers=["minutes"]'`. It runs in its own process with
limits on time and memory; errors are reported with their line. After you change the file, it needs consent again and is
reloaded. It can import any installed package, but not files next to it. Environment variables that look like keys or
passwords are removed unless the file lists them, `ENVIRONMENT = ["MINUTES_KEY"]`. While offline mode is on, it has no
network.

*An installed package.* In its pyproject.toml, the entry point names the function, class or object itself:

    [project.entry-points."workbench.retrievers"]
    minutes = "my_package.minutes:retrieve"

*In code.* `with workbench.open_library(folder) as library: library.use_retriever("minutes", retrieve)`.

Arguments, always by keyword: `query`; `num_documents`, which may be None; and, only if a parameter has that name,
`agent`, `filters`, `run_context`, `dependencies`, `user_id`, `agent_id`. The function may be `async`. Instead of a
function, it may be a class with `initialize()`, `retrieve(query, agent_id)` and `close()`. A file with several
retrievers defines `RETRIEVERS = {"minutes": retrieve, "letters": Letters}`.

Return value: None, a text, a dict with the text under "content" (and optionally "name", "meta_data", "url"), any object
with such an attribute, or any number of these. All other items of the dict are passed to the model as well.
"""

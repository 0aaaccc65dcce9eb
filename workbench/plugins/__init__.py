"""What others can add: parts under names in typed registries, and retrievers that need no more than to be callable.

registry.py           A typed registry: names to makers, ours first, then those of installed packages
custom_retriever.py   The protocols of a custom retriever, and how a registered object is recognised as one of them
threads.py            Somebody else's code in threads of its own: whatever it does, nobody waits for it longer than
                      they meant to
code_retriever.py     A retriever that lives in this process: registered in code, by an installed package, or handed
                      to an agent
plugin_file.py        A plug-in file: the environment variables it asks for, and how its own process loads, inspects
                      and asks it
plugin_consent.py     Which plug-in files may run: consent to a file and the hash of its bytes, kept for the user, not
                      in the library
retriever_results.py  What a retriever returned or raised, made safe: passages of bounded size, and the type and line
                      of an error

A custom retriever answers a search in place of the library. How to write one, in three ways:

*A plug-in file.* Put a Python file into the folder `plugins` of your library, say one called `minutes`:

    def retrieve(query, num_documents=None):
        found = [...]                                   # ask whatever you like
        return [{"name": "Minutes of May", "content": "The harbour froze on 3 May.", "meta_data": {"page": 2}}]

`workbench plugins list` shows it, `workbench plugins allow minutes` lets it run, and it can be asked as `minutes`, the
name of the file: `workbench agents put clerk --set 'retrievers=["minutes"]'`. It runs in a process of its own with
limits on time and memory; a fault is told with its line. When you save the file again, it is asked about again, and
runs anew. It stands alone: it may import any installed package, but not its neighbours. Variables of the environment
that look like keys or passwords are kept from it unless it names them, `ENVIRONMENT = ["MINUTES_KEY"]`; and while the
air gap is on it has no network.

*An installed package.* In its pyproject.toml, the entry point names the function, class or object itself:

    [project.entry-points."workbench.retrievers"]
    minutes = "my_package.minutes:retrieve"

*In code.* `with workbench.open_library(folder) as library: library.use_retriever("minutes", retrieve)`.

What it is given, always by keyword: `query`; `num_documents`, which may be None; and, each only if a parameter has that
very name, `agent`, `filters`, `run_context`, `dependencies`, `user_id`, `agent_id`. It may be `async`. In place of a
function it may be a class with `initialize()`, `retrieve(query, agent_id)` and `close()`. A file with several says
`RETRIEVERS = {"minutes": retrieve, "letters": Letters}`.

What it may give: None, a text, a dict with the text under "content" (and "name", "meta_data", "url" if it likes), any
object with such an attribute, or any number of these. Everything else in the dict is handed to the model with it.
"""

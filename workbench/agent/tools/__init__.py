"""Arguments from a model -> a text for the model and events for the user.

toolbox.py            Toolbox: all tools, those of one run in declared order, and the stand-in for network tools in
                      offline mode
offer.py              Declaration of a tool (ToolOffer), its context in one run (ToolContext)
access.py             Access of tools to documents, notes and the network, and the lookup of a document by what a
                      model calls it
function_tool.py      A Python function -> a tool: its name, its docstring and its parameters are what a model is told
reasoning.py          think and analyze: a model's reasoning as steps that are shown to the user and kept out of the
                      answer
search.py             search_knowledge_base: passages of the documents, under the numbers by which they are cited
list_documents.py     list_documents: what there is to read, a page of it at a time
documents.py          read_document: pages, a section or a stretch of a document, as passages that can be cited
find_in_document.py   find_in_document: where words stand in a document, each place with its passage to cite
find_words.py         find_in_documents: in how many documents words stand, how often, and where, each place to cite
document_overview.py  document_overview: what documents are about, from their structure: outline and opening
                      sentences, each to cite
find_table.py         find_table: the table or list that a request wants whole ("list all priorities with their
                      cost"), row by row
tool_results.py       Shared parts of tools: numbered passages as references, outside results, room for a result, and
                      whole numbers
add_to_knowledge.py   add_to_knowledge: what a model found out becomes a note of the library, where the user lets it
calculator.py         calculator: the arithmetic tool, and the text of its results
date_and_time.py      date_and_time: what time it is somewhere, what day of the week a date is, and how far two dates
                      are apart
weather.py            weather: conditions now and a forecast, from Open-Meteo
web.py                web_page: the main text of one page or document of the web, in passages that can be cited
web_search.py         web_search: what a search engine finds, by SearXNG or a service that answers alike
"""

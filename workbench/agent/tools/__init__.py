"""Arguments from a model -> a text for the model and events for the user.

toolbox.py            The tools that there are, and those of one run, in the order in which they are declared to the
                      model
offer.py              What a tool says of itself before it is made, and what it is made of for one run
access.py             What tools may reach: the documents that the run may see, notes beside them, and the one way out
                      of this machine
function_tool.py      A Python function -> a tool: its name, its docstring and its parameters are what a model is told
reasoning.py          think and analyze: a model's reasoning as steps that are shown to the user and kept out of the
                      answer
search.py             search_knowledge_base: passages of the documents, under the numbers by which they are cited
list_documents.py     list_documents: what there is to read, a page of it at a time
read_document.py      read_document: pages, a section or a stretch of a document, as passages that can be cited
find_in_document.py   find_in_document: where words stand in a document, each place with its passage to cite
find_in_documents.py  find_in_documents: in how many documents words stand, how often, and where, each place to cite
document_overview.py  document_overview: what documents are about, from their structure: outline and opening
                      sentences, each to cite
find_table.py         find_table: the table or list that a request wants whole ("list all priorities with their
                      cost"), row by row
document_tool.py      What the tools share that read one document
which_document.py     What a model calls a document -> the document, among those that it may see
passages.py           Passages that a tool read -> numbered references, and the objects in which a model is given them
room.py               How much a tool may hand to the model: whole pieces, as many as there is room for
add_to_knowledge.py   add_to_knowledge: what a model found out becomes a note of the library, where the user lets it
calculator.py         calculator: arithmetic, exact where it can be
date_and_time.py      date_and_time: what time it is somewhere, what day of the week a date is, and how far two dates
                      are apart
whole_number.py       A whole number among a tool's arguments: models write them as text, too
network_off.py        What stands in for a tool that uses the network while such tools are switched off
weather.py            weather: conditions now and a forecast, from Open-Meteo
web_page.py           web_page: the main text of one page or document of the web, in passages that can be cited
web_search.py         web_search: what a search engine finds, by SearXNG or a service that answers alike
outside.py            What a tool brought from outside of the library -> references that can be cited, marked as not
                      from a document

Of the documents that the run may see, never of more; what is read can be cited:

Into the library, only for an agent that names it:

Without documents:

Out of this machine, only where the user allows it (network_off.py: what is said where not), through the fetching room:
"""

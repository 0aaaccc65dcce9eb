"""Arguments from a model -> a text for the model and events for the user.

toolbox.py    the tools that there are, by name, and those of one run
offer.py      what a tool says of itself, and what it is made of; access.py: what it may reach
function_tool.py  a Python function as a tool, for scripts
reasoning.py  think and analyze: steps that are shown and kept out of the answer
search.py     search_knowledge_base: passages of the documents under numbers to cite

Of the documents that the run may see, never of more; what is read can be cited:

list_documents.py    which there are
read_document.py     pages, a section, a stretch of one
find_in_document.py  where words stand in one
find_in_documents.py in how many documents words stand, and where
document_overview.py what documents are about: outline and opening sentences
find_table.py        the table or list whose rows are asked for, whole
document_tool.py     what the two share; which_document.py: what a model calls a document -> the document
passages.py          what was read -> numbered references; room.py: as many as the model has room for

Into the library, only for an agent that names it:

add_to_knowledge.py  a note of the model's own

Without documents:

calculator.py     arithmetic, by agent/calculation
date_and_time.py  zones, days of the week, distances
whole_number.py   a whole number among arguments

Out of this machine, only where the user allows it (network_off.py: what is said where not), through the fetching room:

weather.py     Open-Meteo
web_page.py    the main text of one page
web_search.py  SearXNG and services like it
outside.py     what they brought -> references marked as not from the library
"""

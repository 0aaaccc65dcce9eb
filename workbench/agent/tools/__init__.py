"""Built-in tools: arguments from a model become a text for the model and events for the user.

toolbox.py            Toolbox: all tools, those of one run in declared order, and the placeholder for network tools in
                      offline mode
offer.py              Declaration of a tool (ToolOffer), its context in one run (ToolContext), and the base of tools
                      that read
access.py             Access of tools to documents, notes and the network, and the lookup of a document by name
function_tool.py      Tools made from Python functions; the name, docstring and parameters are declared to the model
reasoning.py          think and analyze: a model's reasoning as steps, shown to the user but not part of the answer
search.py             search_knowledge_base: numbered passages from the documents, for citation
list_documents.py     list_documents: the available documents, one page at a time
read_document.py      read_document: pages, a section or a range of a document, as passages for citation
find_in_document.py   find_in_document: occurrences of words in a document, each with its passage for citation
find_words.py         find_in_documents: number of documents that contain words, with counts and occurrences for
                      citation
document_overview.py  document_overview: structure of documents, with outline and opening sentences for citation
find_table.py         find_table: the complete table or list for a request ("list all priorities with their cost")
tool_results.py       Shared parts of tools: numbered passages as references, outside results, space for a result, and
                      whole numbers
add_to_knowledge.py   add_to_knowledge: adds a note to the library, with the user's permission
calculator.py         calculator: the arithmetic tool, and the text of its results
date_and_time.py      date_and_time: time in a time zone, day of the week of a date, distance of two dates
weather.py            weather: current conditions and a forecast, from Open-Meteo
web.py                web_page: main text of a page or document on the web, as passages for citation
web_search.py         web_search: results of a search engine: SearXNG, Brave or Tavily
"""

"""Agents: who is asked, and what each of them is.

presenter.py      The agents of the open library and which of them is asked, and the button that chooses one
agent_fields.py   What of an agent can be edited: each field declared once, with the words for it; knows no Qt
agent_form.py     Form that edits an agent, and the editor of each kind of field
agents_dialog.py  The agents of the library: a list at the left, the chosen one at the right
"""

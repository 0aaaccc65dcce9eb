"""Agents: selection and editing.

presenter.py      Presenter of the library's agents, and the button that selects the agent to ask
agent_fields.py   Editable fields of an agent, each declared once with its texts; independent of Qt
agent_form.py     Form that edits an agent, and the editor of each kind of field
agents_dialog.py  Dialog of the agents: a list at the left, the selected one at the right
"""

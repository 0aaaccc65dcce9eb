"""Agents: who is asked, and what each of them is.

presenter.py   the agents of the library, and which one is asked
fields.py      what of an agent can be edited, and in which words; knows no Qt
editors.py     one field of an agent as a control
form.py        an agent as a form, made from these
dialog.py      the agents at the left, the chosen one at the right
picker.py      the one that is asked, in the composer
"""

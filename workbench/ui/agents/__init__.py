"""Agents: who is asked, and what each of them is.

presenter.py  The agents of the open library, and which of them is asked
fields.py     What of an agent can be edited: each field declared once, with the words for it; knows no Qt
editors.py    One field of an agent as a control that shows a value and gives it back
form.py       An agent as a form, made from the fields that are declared
dialog.py     The agents of the library: a list at the left, the chosen one at the right
picker.py     Which agent is asked: a small button in the composer, there as soon as there are several
"""

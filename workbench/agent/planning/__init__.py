"""A question that needs several steps: a plan of the model's own, each step of it carried out, the answer made of them.

parser.py     TASK / STEP1 ... / FINISH -> a plan, and back
wording.py    what the model is told: to make a plan, to carry out a step, to conclude
review.py     where a plan waits for a person: carried out as it is, changed, or left
carrying_out.py  the run of a plan; model/plan_standing.py: how it stands, as its events tell
"""

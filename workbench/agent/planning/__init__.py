"""A question that needs several steps: a plan of the model's own, each step of it carried out, the answer made of them.

parser.py        What a model, or a person, wrote as TASK / STEP1 ... STEPn / FINISH -> a plan
wording.py       What a model is told behind the question
review.py        A plan that waits for a person's word: as JSON it is the arguments of a call, and is approved,
                 changed or left
carrying_out.py  The run of a plan: it is made, perhaps looked at by a person, its steps are carried out, and an
                 answer is made
"""

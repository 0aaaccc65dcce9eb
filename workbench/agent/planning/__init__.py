"""A question that needs several steps: a plan of the model's own, each step of it carried out, the answer made of them.

plan_format.py  Plans as text (TASK / STEP / FINISH) and as JSON for review: parsers and writers
plan_runner.py  Plan runner: makes a plan, has it reviewed, runs its steps and concludes, with the prompt of each step
"""

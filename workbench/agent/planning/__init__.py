"""Plans for questions that need several steps: the model writes the plan, and answers from the results of its steps.

plan_format.py  Plans as text (TASK / STEP / FINISH) and as JSON for review: parsers and writers
plan_runner.py  Plan runner: makes a plan, has it reviewed, runs its steps and concludes, with the prompt of each step
"""

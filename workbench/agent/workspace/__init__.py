"""A folder of agents, as Agent Gateway lays it out -> agents of ours, and a list of what is wrong in it.

fence.py      Reads files of a workspace, and nothing that is not in it
front.py      AGENT.md -> its head, which is YAML between two lines of dashes, and its body, which is the prompt
context.py    The files that are in every prompt of an agent: those in its context folder, and those that its head
              names
gateway.py    gateway.yaml -> the limits of retrieval; variables of the environment in it, and in place of it
reading.py    A folder -> the workspace in it. Never raises for what stands in there: whatever is wrong is in its
              problems
as_agents.py  A workspace -> agents of ours, that a model is told in the same order
"""

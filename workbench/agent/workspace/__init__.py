"""A folder of agents, as Agent Gateway lays it out -> agents of ours, and a list of what is wrong in it.

workspace_reader.py  Reader for a workspace folder in Agent Gateway layout: AGENT.md, context files and gateway.yaml,
                     confined to it
workspace_agents.py  A workspace -> agents of ours, that a model is told in the same order
"""

"""Reader of an Agent Gateway folder of agents, with a list of the problems in it.

workspace_reader.py  Reader for a workspace folder in Agent Gateway layout: AGENT.md, context files and gateway.yaml,
                     confined to it
workspace_agents.py  Conversion of a workspace to agents of the program, with the texts of a prompt in the same order
"""

"""A folder of agents, as Agent Gateway lays it out -> agents of ours, and a list of what is wrong in it.

    workspace/gateway.yaml
    workspace/agents/AGENTS.md, BEHAVIOR.md        for all agents
    workspace/agents/support/AGENT.md, BEHAVIOR.md, context/*.md

fence.py     reads files of the workspace and nothing outside of it
front.py     AGENT.md -> its head (YAML) and its body
context.py   the files that are in every prompt of an agent
gateway.py   gateway.yaml -> limits
reading.py   all of these -> the workspace
as_agents.py the workspace -> values of model/agent.py
"""

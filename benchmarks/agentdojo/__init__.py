"""AgentDojo replayed with a fully obedient agent, unguarded and behind the default gates of the guard.

The agent has no model. It makes the calls of the user task's ground truth. As soon as the payload of the attack is in a
tool result as the agent receives it, it makes the calls of the injected goal too, then continues. So the unguarded
figure is near 100 % by construction, and what the guard lets through is carried out. Nothing is sent anywhere.

The benchmark has an environment of its own. From the root of the repository::

    python -m venv benchmarks/.peers/agentdojo
    benchmarks/.peers/agentdojo/bin/pip install -r benchmarks/agentdojo/requirements.txt
    benchmarks/.peers/agentdojo/bin/python -m benchmarks.agentdojo --journal out/agentdojo.jsonl --output out/tables.md

The journal has one JSON line per replay. The same command continues a journal that was interrupted. The order of the
pairs is drawn with ``--seed``, so an incomplete journal is a random sample; ``--sample N`` takes N pairs of each suite.

==================  ====================================================================================
``payload``         whether a goal can still be read in a text
``checkpoints``     the four points of the guard, and the same without a guard
``obedient_agent``  the pipeline element: user task, injected goal, what happened
``outcome``         what a replay comes to, judged by its effect
``workspace_goals`` calls for the eight goals of AgentDojo that have no ground truth
``replay``          suites, attacks, environments: the only module that imports ``agentdojo``
``journal``         JSON lines, resumable
``tables``          counts, intervals, Markdown
==================  ====================================================================================
"""

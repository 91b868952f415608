"""Questions about a moment: answered with the engine by a worker of their own, so that nobody else waits for them.

The web process puts a question into the broker (`asking`) and waits a little; the worker brings up the simulation as it
was at the moment (`moments`), looks the question up (`table`), and leaves the answer in the broker. A question changes
nothing: the simulation is one of its own, and the cluster's is not touched. See docs/questions.md.
"""

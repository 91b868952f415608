"""Questions about a cluster at a point in time, answered by the engine in a worker of their own.

1. The web process puts a question into the broker and waits (`ask_worker`).
2. The worker loads the simulation as it was at that time (`moments`).
3. It calls the question's function (`playground/question_worker/question_table.py`).
4. It stores the answer in the broker.

A question changes nothing, because it has a simulation of its own. The worker has one process: the last simulations
stay in memory, and long searches run in time slices, so that users take turns.

To add a question, write a function of the Moment and its arguments, and add it to
`playground.question_worker.question_table`. The
view calls `ask_question(request.user.pk, name, cluster.pk, number, **arguments)`.
"""

"""Lines of text for explanations."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from simulator.explain.node_ranges import format_ranges

Answer = Mapping[str, Any]


def decoded_lines(result: Answer) -> Iterator[str]:
    """Yield the lines of a decoded text, a result of `decoder.decode`."""
    if result["text"]:
        yield result["text"]
        yield ""
    for part in result["parts"]:
        yield from _part(part)
    for part in result["postFilter"]:
        yield from _part(part)
    if result["preemption"] is not None:
        yield "Preemption:"
        for part in result["preemption"]["parts"]:
            yield from _part(part)
    for note in result["notes"]:
        yield f"({note['text']})"


def _part(part: Answer) -> Iterator[str]:
    count = "all nodes" if part["count"] is None else f"{part['count']} node{'' if part['count'] == 1 else 's'}"
    who = f"  [{part['plugin']}]" if part["plugin"] else ""
    yield f"- {count}: {part['reason'] or '(no text)'}{who}"
    if part["meaning"] is None:
        yield "    not a known message of kube-scheduler"
        return
    yield f"    {part['meaning']['text']}"
    if "wellKnown" in part["details"]:
        yield f"    {part['details']['wellKnown']['text']}"
    if part["versions"]:
        yield f"    printed by kube-scheduler {part['versions']}"
    for look in part["look"]:
        yield f"    look at {look['what']['text']}" + (f":  {look['command']}" if look["command"] else "")


def glossary_lines(entries: Sequence[Answer]) -> Iterator[str]:
    """Yield the lines of glossary entries."""
    for entry in entries:
        # The UI and the documents call a lane a queue.
        yield f"{entry['name']} ({'queue' if entry['kind'] == 'lane' else entry['kind']})"
        yield f"    {entry['text']['text']}"
        yield f"    {entry['url']}"


def explanation_lines(answer: Answer) -> Iterator[str]:
    """Yield the lines of the explain command's JSON."""
    tree = answer["tree"]
    yield f"{answer['pod']}: {tree['text']['text']}"
    if tree["message"]:
        yield f"  {tree['message']}"
    yield from _branches(tree["children"], "")
    preemption = answer["preemption"]
    if preemption is not None and preemption["candidates"]:
        yield ""
        yield from _preemption(preemption)
    if answer["spread"]["origin"] == "pod" and answer["spread"]["constraints"]:
        yield ""
        yield from _spread(answer["spread"])
    if "domain" in answer:
        yield ""
        yield from _domain(answer["domain"])
    if answer["ledger"] is not None:
        yield ""
        yield from _ledger(answer["ledger"])
    if "node" in answer:
        yield ""
        yield from _node(answer["node"])
        if answer["node"]["state"] == "feasible":
            yield from _ledger(answer["nodeLedger"])
        if answer["compare"] is not None:
            yield from _compare(answer["compare"])


def _branches(branches: Sequence[Answer], indent: str) -> Iterator[str]:
    for i, branch in enumerate(branches):
        last = i == len(branches) - 1
        yield f"{indent}{'└' if last else '├'} {_label(branch)}"
        below = indent + ("  " if last else "│ ")
        if branch.get("meaning"):
            yield f"{below}  {branch['meaning']['text']}"
        yield from _branches(branch.get("children", ()), below)


def _label(branch: Answer) -> str:
    if branch["kind"] == "reason":
        text = f"{branch['count']:,} {branch['reason']}" if branch["count"] else branch["reason"]
        helped = branch.get("evicting")
        if isinstance(helped, Mapping):
            text += "" if not helped["could"] else f" (evicting pods could help on {helped['could']:,})"
    else:
        text = branch["text"]["text"]
    nodes = branch.get("nodes")
    return f"{text}: {format_ranges(nodes)}" if nodes is not None and nodes["count"] else text


def _preemption(preemption: Answer) -> Iterator[str]:
    yield preemption["why"]["text"]
    for candidate in preemption["candidates"]:
        mark = "◆" if candidate["chosen"] else "·"
        victims = ", ".join(pod["pod"] for pod in candidate["victims"])
        spared = ", ".join(pod["pod"] for pod in candidate["reprieved"]) or "none"
        lost = f"; lost by {candidate['outBy']}" if candidate["outBy"] else ""
        broken = candidate["pdbViolations"]
        budgets = f"; {broken} {'eviction violates' if broken == 1 else 'evictions violate'} a PDB" if broken else ""
        yield f"{mark} {candidate['node']}: evicts {victims}; spares {spared}{budgets}{lost}"


def _spread(spread: Answer) -> Iterator[str]:
    for constraint in spread["constraints"]:
        unless = "DoNotSchedule" if constraint["hard"] else "ScheduleAnyway"
        rule = f"maxSkew {constraint['maxSkew']}, {unless}: {constraint['selector']}"
        yield f"spread over {constraint['topologyKey']}, {rule}"
        for row in constraint["domains"]:
            fits = f", skew {row['skew']}, {'fits' if row['fits'] else 'exceeds maxSkew'}" if constraint["hard"] else ""
            yield f"  {row['domain']}: {row['pods']} of its pods count{fits}"
        if constraint["omitted"]:
            yield f"  {constraint['omitted']} more domains are not listed"


def _domain(domain: Answer) -> Iterator[str]:
    for constraint in domain["constraints"]:
        yield f"pods in {constraint['topologyKey']}={domain['domain']} that the selector matches"
        for pod in constraint["pods"]:
            yield f"  {'✓' if pod['counts'] else '✕'} {pod['pod']} on {pod['node']}: {pod['why']['text']}"
        if not constraint["pods"]:
            yield "  none"


def _ledger(ledger: Answer) -> Iterator[str]:
    yield ledger["why"]["text"]
    if not ledger["scored"]:
        return
    for score in ledger["plugins"]:
        strategy = f" ({score['strategy']})" if score.get("strategy") else ""
        yield f"  {score['plugin']}{strategy}"
        for calculation in (score["raw"], score["normalized"]):
            yield from _lines(calculation)
        yield f"    × weight: {score['weighted']['formula']} = {score['weighted']['value']}"
    for extender in ledger["extenders"]:
        yield f"  {extender['extender']} = {extender['value']}"
    yield f"  total: {ledger['total']['formula']} = {ledger['total']['value']}"


def _lines(calculation: Answer | None) -> Iterator[str]:
    for line in calculation["lines"] if calculation is not None else ():
        subject = f"{line['of']}: " if line["of"] else ""
        if line["value"] is None:
            yield f"    {subject}{line['what']['text']}"
            continue
        value = f"{line['value']:.6g}" if isinstance(line["value"], float) else str(line["value"])
        formula = "" if line["formula"] == value else f"{line['formula']} = "
        yield f"    {subject}{formula}{value}  — {line['what']['text']}"


def _node(node: Answer) -> Iterator[str]:
    evicting = f"; {node['evicting']['text']}" if node["evicting"] is not None else ""
    yield f"{node['why']['text']}{evicting}"
    if node["nominated"]:
        yield f"  including the pods nominated there: {', '.join(node['nominated'])}"
    for answer in node["plugins"]:
        mark = {"Success": "✓"}.get(answer["code"], "✕")
        silent = "" if answer["ran"] else "  (not run by the scheduler)"
        reasons = f": {', '.join(answer['reasons'])}" if answer["reasons"] else ""
        yield f"  {mark} {answer['plugin']}{reasons}{silent}"
        for fact in answer["facts"]:
            subject = f"{fact['of']}: " if fact["of"] else ""
            yield f"      {'✕' if fact['fails'] else '·'} {subject}{fact['what']['text']}"


def _compare(comparison: Answer) -> Iterator[str]:
    yield comparison["why"]["text"]
    for row in comparison["plugins"]:
        if row["difference"]:
            a, b = row["a"]["weighted"], row["b"]["weighted"]
            yield f"  {row['plugin']}: {a} against {b}, {row['difference']:+}"

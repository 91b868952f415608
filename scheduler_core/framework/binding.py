"""Run the Reserve, Permit, PreBind, Bind and PostBind plugins of a profile for the chosen node.

Source: pkg/scheduler/framework/runtime/framework.go.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from kube_objects.pod import Pod
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.interface import ExtensionPoint, PermitResult, Plugin
from scheduler_core.framework.profile import ProfileFramework
from scheduler_core.framework.status import SUCCESS, Code, PluginError, Status
from scheduler_core.framework.trace import Trace
from scheduler_core.framework.waiting import MAX_TIMEOUT, PreBindWaitingPod, WaitingPod

P = TypeVar("P", bound=Plugin)


def _run(point: ExtensionPoint, plugins: list[P], call: Callable[[P], Status], trace: Trace | None) -> Status:
    """Call the plugins in order until one doesn't succeed; return its status."""
    for plugin in plugins:
        try:
            status = call(plugin)
        except PluginError as error:
            status = Status.error(str(error))
        if trace is not None:
            trace.add(point, plugin.name, status)
        if not status.is_success:
            return _outcome(point, plugin, status)
    return SUCCESS


def _outcome(point: ExtensionPoint, plugin: Plugin, status: Status) -> Status:
    """Attribute a status to its plugin; an internal error gets upstream's prefix."""
    if status.is_rejected or status.is_success or status.is_wait:
        return status.with_plugin(plugin.name)
    return Status(Code.ERROR, (f'running {point.value} plugin "{plugin.name}": {status.message}',), plugin.name)


def run_reserve(framework: ProfileFramework, state: CycleState, pod: Pod, node: str, trace: Trace | None) -> Status:
    return _run(ExtensionPoint.RESERVE, framework.reserve, lambda plugin: plugin.reserve(state, pod, node), trace)


def run_unreserve(framework: ProfileFramework, state: CycleState, pod: Pod, node: str, trace: Trace | None) -> None:
    """Call the Reserve plugins' Unreserve in reverse order."""
    for plugin in reversed(framework.reserve):
        plugin.unreserve(state, pod, node)
        if trace is not None:
            trace.add(ExtensionPoint.UNRESERVE, plugin.name)


def run_permit(
    framework: ProfileFramework, state: CycleState, pod: Pod, node: str, trace: Trace | None
) -> tuple[Status, WaitingPod | None]:
    """Return a status, and the waiting pod if a plugin asked to wait and none rejected."""
    now = framework.handle.now
    deadlines: dict[str, tuple[float, float]] = {}
    reasons_to_wait: tuple[str, ...] = ()
    for plugin in framework.permit:
        try:
            result = plugin.permit(state, pod, node)
        except PluginError as error:
            result = PermitResult(Status.error(str(error)))
        status, timeout = result.status, min(result.timeout, MAX_TIMEOUT)
        if trace is not None:
            trace.add(ExtensionPoint.PERMIT, plugin.name, status, data={"timeout": timeout} if status.is_wait else None)
        if status.is_rejected:
            return status.with_plugin(plugin.name), None
        if status.is_wait:
            deadlines[plugin.name] = (now + timeout, timeout)
            reasons_to_wait = status.reasons
        elif not status.is_success:
            text = f'running Permit plugin "{plugin.name}": {status.message}'
            return Status(Code.ERROR, (text,), plugin.name), None
    if not deadlines:
        return SUCCESS, None
    text = "one or more plugins asked to wait and no plugin rejected pod"
    reasons = (*reasons_to_wait, text) if framework.traits.permit_texts else (f'{text} "{pod.name}"',)
    return Status(Code.WAIT, reasons), WaitingPod(pod, deadlines)


def run_pre_bind(
    framework: ProfileFramework, state: CycleState, pod: Pod, node: str, trace: Trace | None, after: str = ""
) -> tuple[Status, PreBindWaitingPod | None]:
    """Return a status, and the waiting pod if a plugin waits.

    `after` names a plugin that waited: run those behind it.
    """
    plugins, handle = framework.pre_bind, framework.handle
    if after:
        plugins = plugins[[plugin.name for plugin in plugins].index(after) + 1 :]
    status = _run(ExtensionPoint.PRE_BIND, plugins, lambda plugin: plugin.pre_bind(state, pod, node), trace)
    if not status.is_wait:
        return status, None
    waiting = next(plugin for plugin in plugins if plugin.name == status.plugin)
    poll = partial(waiting.poll, state, pod)
    return status, PreBindWaitingPod(
        pod, waiting.name, waiting.poll_timeout, lambda: handle.now, poll, waiting.timeout_status
    )


def end_pre_bind(plugin: str, status: Status, trace: Trace | None) -> Status:
    """Return the pod's status for the final status of the PreBind plugin that waited."""
    if trace is not None:
        trace.add(ExtensionPoint.PRE_BIND, plugin, status)
    if status.is_success:
        return SUCCESS
    return Status(Code.ERROR, (f'running {ExtensionPoint.PRE_BIND.value} plugin "{plugin}": {status.message}',), plugin)


def run_bind(framework: ProfileFramework, state: CycleState, pod: Pod, node: str, trace: Trace | None) -> Status:
    """Call the Bind plugins until one doesn't skip; return its status."""
    for plugin in framework.bind:
        try:
            status = plugin.bind(state, pod, node)
        except PluginError as error:
            status = Status.error(str(error))
        if trace is not None:
            trace.add(ExtensionPoint.BIND, plugin.name, status)
        if not status.is_skip:
            return _outcome(ExtensionPoint.BIND, plugin, status)
    return Status(Code.SKIP)


def run_post_bind(framework: ProfileFramework, state: CycleState, pod: Pod, node: str, trace: Trace | None) -> None:
    for plugin in framework.post_bind:
        plugin.post_bind(state, pod, node)
        if trace is not None:
            trace.add(ExtensionPoint.POST_BIND, plugin.name)

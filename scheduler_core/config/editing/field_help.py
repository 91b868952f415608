"""Help for the fields of a configuration: a sentence, and the valid values.

Types, names and defaults are in the dataclasses; help for plugin args is in the plugin's `args_rules`. A test compares
the limits with validation.
"""

from collections.abc import Mapping
from typing import Any

from scheduler_core.config.help import HIDDEN, FieldHelp, Help
from scheduler_core.config.types import (
    ClientConnection,
    ExtenderConfig,
    ExtenderManagedResource,
    ExtenderTLSConfig,
    LeaderElection,
    SchedulerConfiguration,
)

_LEASE = "Only a real kube-scheduler elects a leader; here it is kept for the export."

FIELD_HELP: Mapping[type[Any], FieldHelp] = {
    SchedulerConfiguration: {
        "kind": HIDDEN,
        "apiVersion": HIDDEN,
        "parallelism": Help(
            "How many nodes kube-scheduler looks at in parallel. It changes how long a cycle takes, not what it "
            "decides.",
            least=1,
        ),
        "leaderElection": Help(_LEASE, inert=True),
        "clientConnection": Help("How a real kube-scheduler talks to its API server.", inert=True),
        "enableProfiling": Help("Serve profiling data of the program over HTTP.", inert=True),
        "enableContentionProfiling": Help("Profile locks, too; follows enableProfiling.", inert=True),
        "percentageOfNodesToScore": Help(
            "When this share of all nodes has been found to fit, the search ends and these are scored. 0 is adaptive: "
            "50 % at 100 nodes, less in larger clusters, at least 5 %; never fewer than 100 nodes.",
            least=0,
            most=100,
        ),
        "podInitialBackoffSeconds": Help("How long a pod waits after its first failed attempt; doubled each time.", 1),
        "podMaxBackoffSeconds": Help("The longest that a pod waits between two attempts.", least=1),
        "profiles": HIDDEN,
        "extenders": HIDDEN,
        "delayCacheUntilActive": Help("Fill the caches only when elected leader.", inert=True),
    },
    LeaderElection: {
        "leaderElect": Help("Elect a leader before scheduling.", inert=True),
        "leaseDuration": Help("After this time without renewal another one may take the lease.", inert=True),
        "renewDeadline": Help("The leader gives up when it could not renew for this long.", inert=True),
        "retryPeriod": Help("Time between two tries.", inert=True),
        "resourceLock": Help("The kind of object that is the lock.", choices=("leases",), inert=True),
        "resourceName": Help("Name of the lock; a second scheduler needs one of its own.", inert=True),
        "resourceNamespace": Help("Namespace of the lock.", inert=True),
    },
    ClientConnection: {
        "kubeconfig": Help("Path of the file that says where the API server is.", inert=True),
        "acceptContentTypes": Help("Content types asked for.", inert=True),
        "contentType": Help("Content type sent.", inert=True),
        "qps": Help("Requests a second.", inert=True),
        "burst": Help("Requests that may exceed qps for a moment.", least=0, inert=True),
    },
    ExtenderConfig: {
        "urlPrefix": Help("Where the webhook is: https://host/path. Verbs are appended to it."),
        "filterVerb": Help("Path of the filter call; empty: not called."),
        "preemptVerb": Help("Path of the preempt call; empty: not called."),
        "prioritizeVerb": Help("Path of the prioritize call; empty: not called."),
        "weight": Help("Factor for the extender's scores; needed with prioritizeVerb.", least=0),
        "bindVerb": Help("Path of the bind call; only one extender may have one."),
        "enableHTTPS": Help("Use HTTPS."),
        "tlsConfig": Help("Certificates; the playground reads no files, they are kept for the export.", inert=True),
        "httpTimeout": Help("A filter call that takes longer fails the cycle; 0s means five seconds."),
        "nodeCacheCapable": Help("The extender knows the nodes: it is sent names only."),
        "managedResources": Help("Asked only about pods that request one of these; none: about all pods."),
        "ignorable": Help("Go on without it when it does not answer."),
    },
    ExtenderManagedResource: {
        "name": Help("An extended resource, such as example.com/gpu."),
        "ignoredByScheduler": Help("NodeResourcesFit leaves this resource to the extender."),
    },
    ExtenderTLSConfig: {
        "insecure": Help("Trust any certificate.", inert=True),
        "serverName": Help("Name that the certificate must have.", inert=True),
        "certFile": Help("Path of the client's certificate.", inert=True),
        "keyFile": Help("Path of the client's key.", inert=True),
        "caFile": Help("Path of the trusted certificates.", inert=True),
        "certData": Help("The client's certificate, in base64.", inert=True),
        "keyData": Help("The client's key, in base64.", inert=True),
        "caData": Help("The trusted certificates, in base64.", inert=True),
    },
}

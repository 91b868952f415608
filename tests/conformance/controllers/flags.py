"""The flags of all commands of kubectl v1.34, and their syntax."""

# They stand alone.
_ALONE = """
    A R all all-containers all-namespaces all-pods allow-missing-template-keys append-hash arguments-only
    as-current-user attach cached client command create-annotation delete-emptydir-data delete-local-data
    disable-compression
    disable-eviction edit enable-alpha-plugins enable-helm expose follow force force-conflicts global-default
    helm-debug i ignore-daemonsets ignore-errors ignore-not-found insecure-skip-tls-verify
    insecure-skip-tls-verify-backend interactive it keep-annotations keep-init-containers keep-labels
    keep-liveness keep-readiness keep-startup leave-stdin-open list local match-server-version namespaced
    network no-headers no-preserve now openapi-patch output-patch output-watch-events overwrite previous
    privileged prune q quiet recursive replace resolve rm same-node server-print server-side share-processes
    show-capacity show-events show-kind show-labels show-managed-fields show-swap skip-wait-for-delete-timeout
    stdin sum t ti timestamps tty use-protocol-buffers w warnings-as-errors watch watch-only
    windows-line-endings
"""
# They stand alone, or have a value after `=`.
_OPTIONAL = """
    cascade dry-run record save-config validate wait
"""
# They take a value, with `=` or as the next word.
_VALUED = """
    L address aggregation-rule annotation annotations api-group api-version as as-group as-uid c cache-dir
    categories certificate-authority chunk-size class client-certificate client-key cluster cluster-ip clusterip
    clusterrole concurrency container containers context copy-to cpu cpu-percent current-replicas custom default-backend
    description e env external-ip f field-manager field-selector filename for from from-env-file from-file
    from-literal grace-period group hard helm-api-versions helm-command helm-kube-version image
    image-pull-policy k keys kubeconfig kuberc kustomize l label-columns labels limit-bytes limits
    load-balancer-ip load-restrictor log-flush-frequency max max-log-requests max-unavailable memory min
    min-available mount n name namespace network-name node-port non-resource-url o output override-type
    overrides p password patch patch-file pod-running-timeout pod-selector port preemption-policy prefix profile
    profile-output protocol prune-allowlist r raw replicas request-timeout requests resource resource-name
    resource-version restart retries revision role rule s schedule scopes selector server serviceaccount
    session-affinity set-image since since-time sort-by subresource tail target target-port tcp template timeout
    tls-server-name to-revision token type types user username v value verb verbs vmodule
"""
ALONE, OPTIONAL, VALUED = (frozenset(one.split()) for one in (_ALONE, _OPTIONAL, _VALUED))
KNOWN = ALONE | OPTIONAL | VALUED

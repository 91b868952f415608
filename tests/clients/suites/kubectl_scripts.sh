#!/usr/bin/env bash
# Run upstream's kubectl scripts: kubectl_scripts.sh CLONE SERVER TOKEN REPORT
# Writes a line for each assertion to REPORT: PASS or FAIL, the case, the place in the scripts, and what was printed.
set -o errexit -o nounset -o pipefail
cd "$1"
server=$2 token=$3 report=$4
KUBE_ROOT=$PWD
source hack/lib/init.sh
source hack/lib/test.sh

# The playground is the server, so there is nothing to build and no etcd.
make() { :; }
kube::etcd::start() { :; }
kube::etcd::cleanup() { :; }

# Give the function $1 another body, which reports how the old one ended.
report_function() {
  local original="original_${1//[:-]/_}"
  eval "${original} $(declare -f "$1" | tail -n +1 | sed 1d | sed '1s/^/() /')"
  eval "$1() { report_assertion ${original} \"\$@\"; }"
}

report_assertion() {
  local code=0 output
  # One assertion may use another.
  if [[ -n "${IN_ASSERTION:-}" ]]; then
    "$@"
    return
  fi
  output=$(IN_ASSERTION=1 "$@" 2>&1) || code=$?
  echo "${output}"
  local state=PASS
  ((code)) && state=FAIL
  printf '%s\t%s\t%s:%s\t%s\n' "${state}" "${CASE:-}" "$(basename "${BASH_SOURCE[2]}")" "${BASH_LINENO[1]}" \
    "$( ((code)) && tail -n 12 <<<"${output}" | tr -cd '[:print:]\n' | tr '\n' ' ' | cut -c1-400)" >>"${report}"
  return 0
}

for name in $(declare -F | sed -n 's/^declare -f \(kube::test::.*\(assert\|_string\|_order\|::diff\)\)$/\1/p'); do
  report_function "${name}"
done
source test/cmd/legacy-script.sh
report_function check-curl-proxy-code
report_function wait-for-pods-with-label

record_command() {
  echo "=== $1"
  set +o errexit +o nounset
  local code=0
  (
    trap - ERR
    CASE=$1
    "$@"
  ) || code=$?
  # A case may also end with an error of its own.
  ((code)) && printf 'FAIL\t%s\tend\t%s\n' "$1" "exit code ${code}" >>"${report}"
  return 0
}

setup
kubectl config set-credentials test-admin --token "${token}"
kubectl config set-cluster local --server "${server}"
kubectl create -f - <<'END'
{"kind": "Node", "apiVersion": "v1", "metadata": {"name": "127.0.0.1", "annotations": {"save-managers": "true"}},
 "status": {"capacity": {"memory": "1Gi"}}}
END
# Upstream's server has the authorization mode AlwaysAllow.
kubectl create clusterrolebinding always-allow --clusterrole=cluster-admin \
  --group=system:authenticated --group=system:unauthenticated
export SUPPORTED_RESOURCES=("*")
runTests

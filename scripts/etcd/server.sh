#!/usr/bin/env bash
# Runs `bowsprit apiserver` on an etcd in the foreground, as the recordings' runner asks for it: server.sh ETCD PORT DIR PKI [more flags]
set -euo pipefail
etcd=$1 port=$2 dir=$3 pki=$4; shift 4
root=$(cd "$(dirname "$0")/../.." && pwd)
exec "$root/node_modules/.bin/node" --disable-warning=ExperimentalWarning "$root/src/cli/main.ts" apiserver \
  --etcd-servers="$etcd" --secure-port="$port" --bind-address=127.0.0.1 --advertise-address=127.0.0.1 --cert-dir="$dir" \
  --tls-cert-file="$pki/server.crt" --tls-private-key-file="$pki/server.key" --client-ca-file="$pki/ca.crt" --token-auth-file="$pki/tokens.csv" --authorization-mode=Node,RBAC \
  --service-account-issuer=https://kubernetes.default.svc --service-account-key-file="$pki/sa.key" --service-account-signing-key-file="$pki/sa.key" --service-cluster-ip-range=10.0.0.0/24 \
  --requestheader-client-ca-file="$pki/ca.crt" --requestheader-allowed-names=front-proxy --requestheader-extra-headers-prefix=X-Remote-Extra- --requestheader-group-headers=X-Remote-Group \
  --requestheader-username-headers=X-Remote-User --proxy-client-cert-file="$pki/proxy.crt" --proxy-client-key-file="$pki/proxy.key" "$@"

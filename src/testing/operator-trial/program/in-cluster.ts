import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { KubeObject } from '../../../machinery/object.ts'
import type { OperatorProgram } from './operator-process.ts'

/** What a program in a pod finds. */
export interface PodSurroundings {
  /** A folder of its own. */
  readonly folder: string
  /** The API server, and its certificate authority (PEM). */
  readonly server: { readonly address: string; readonly ca: string }
  readonly kubeconfig: string
  readonly namespace: string
}

/** The name of the operator's pod, and of its service account. */
export const OPERATOR_POD = 'operator'

/** The pod in which the operator is said to run. No taint removes it: the nodes of a copied cluster may be gone. */
export function operatorPod(namespace: string): KubeObject[] {
  const metadata = { name: OPERATOR_POD, namespace }
  const spec = {
    serviceAccountName: OPERATOR_POD,
    tolerations: [{ operator: 'Exists' }],
    containers: [{ name: 'operator', image: 'pause' }],
  }
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: 'v1', kind: 'Pod', metadata, spec },
  ]
}

/**
 * Makes the program run as in a pod: without a kubeconfig, with the files of its service account, the address of the API server, and the
 * names of its pod and namespace. Linux alone has namespaces of mounts, in which the files are where every client looks for them.
 */
export function inCluster(program: OperatorProgram, { folder, server, kubeconfig, namespace }: PodSurroundings): OperatorProgram {
  const run = path.join(folder, 'run')
  const account = path.join(run, 'secrets', 'kubernetes.io', 'serviceaccount')
  mkdirSync(account, { recursive: true })
  for (const [name, text] of Object.entries({ token: 'operator', namespace, 'ca.crt': server.ca }))
    writeFileSync(path.join(account, name), text)
  const { hostname, port } = new URL(server.address)
  const env = {
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
    POD_NAME: OPERATOR_POD,
    POD_NAMESPACE: namespace,
    OPERATOR_NAMESPACE: namespace,
    // By this its processes are known.
    OPERATOR_TRIAL: kubeconfig,
    ...program.env,
  }
  return { ...program, env, command: [...IN_NAMESPACE, SCRIPT, 'sh', run, ...program.command] }
}

const IN_NAMESPACE = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-e', '-c']

/** Mounts the folder over /var/run, with all that there was in it. */
const SCRIPT = `
own=$1; shift
run=$(readlink -f /var/run)
for entry in "$run"/*; do
  [ -e "$entry" ] && [ ! -e "$own/\${entry##*/}" ] || continue
  if [ -d "$entry" ]; then mkdir "$own/\${entry##*/}"; else : > "$own/\${entry##*/}"; fi
  mount --rbind "$entry" "$own/\${entry##*/}" 2>/dev/null || true
done
mount --rbind "$own" "$run"
unset KUBECONFIG
exec "$@"
`

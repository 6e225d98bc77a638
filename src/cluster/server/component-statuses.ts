import type { KubeObject } from '../../machinery/object.ts'
import type { Part } from '../config.ts'

/** What runs under the names by which Kubernetes lists its components; nothing of it is stored. */
export function componentStatuses(parts: ReadonlySet<Part>): KubeObject[] {
  const part = (name: string, runs: boolean): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ComponentStatus',
    metadata: { name },
    conditions: [
      runs
        ? { type: 'Healthy', status: 'True', message: 'ok' }
        : { type: 'Healthy', status: 'False', message: 'this cluster was started without it' },
    ],
  })
  return [part('scheduler', parts.has('scheduler')), part('controller-manager', parts.has('controllers')), part('etcd-0', true)]
}

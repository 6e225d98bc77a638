import type { ComponentStatus } from '../../resources/types/core.ts'
import type { Part } from '../cluster-options.ts'

/** The cluster's parts under the names of Kubernetes' components. They are computed and never stored. */
export function componentStatuses(parts: ReadonlySet<Part>): ComponentStatus[] {
  const part = (name: string, runs: boolean): ComponentStatus => ({
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

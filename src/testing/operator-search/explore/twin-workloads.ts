import type { KubeObject } from '../../../machinery/object.ts'
import type { WorkStep } from '../work-step.ts'

/** A namespace that is there only for a twin. */
const OTHER = 'trial-other'

/**
 * Workloads in which a second object of the same kind comes and goes, which must not touch the first one: one whose name begins with the
 * name of the first, and one of the same name in another namespace.
 */
export function twinWorkloads(samples: readonly KubeObject[]): WorkStep[][] {
  return samples.flatMap((sample) => {
    const { name = '', namespace } = sample.metadata
    const beside = { ...sample, metadata: { ...sample.metadata, name: `${name}-twin` } }
    const elsewhere = { ...sample, metadata: { ...sample.metadata, namespace: OTHER } }
    const other: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OTHER } }
    const workload = (twin: KubeObject, what: string, before: readonly KubeObject[]): WorkStep[] => [
      { name: 'create', apply: [...before, ...samples] },
      { name: `create ${what}`, apply: [twin] },
      { name: `delete ${what}`, remove: [twin] },
    ]
    return [
      workload(beside, `${name}-twin`, []),
      ...(namespace === undefined ? [] : [workload(elsewhere, `${name} in another namespace`, [other])]),
    ]
  })
}

import type { KubeObject } from '../../machinery/object.ts'
import type { LabelSelector } from '../../machinery/validation/label-selector.ts'
import { selectorText } from '../cells.ts'
import type { ColumnInit } from '../define.ts'
import type { PodTemplateSpec } from './types.ts'

/** The wide columns of workloads: containers and images of the template. */
export function templateColumns<T extends KubeObject>(template: (object: T) => PodTemplateSpec | undefined, priority = 1): ColumnInit<T>[] {
  const containers = (object: T) => template(object)?.spec?.containers ?? []
  return [
    {
      name: 'Containers',
      priority,
      description: 'The containers of the template, by name.',
      cell: (o) =>
        containers(o)
          .map((c) => c.name ?? '')
          .join(','),
    },
    {
      name: 'Images',
      priority,
      description: 'The images that they run.',
      cell: (o) =>
        containers(o)
          .map((c) => c.image ?? '')
          .join(','),
    },
  ]
}

/** The wide column of the selector. */
export const SELECTOR: ColumnInit<KubeObject<{ selector?: LabelSelector }>> = {
  name: 'Selector',
  priority: 1,
  describes: 'spec.selector',
  cell: (o) => selectorText(o.spec?.selector),
}

type Replicated = KubeObject<{ replicas?: number }, { replicas?: number; readyReplicas?: number }>

/** The desired, current and ready number of pods. */
export const REPLICA_COLUMNS: readonly ColumnInit<Replicated>[] = [
  { name: 'Desired', type: 'integer', describes: 'spec.replicas', cell: (o) => o.spec?.replicas ?? 0 },
  { name: 'Current', type: 'integer', describes: 'status.replicas', cell: (o) => o.status?.replicas ?? 0 },
  { name: 'Ready', type: 'integer', describes: 'status.readyReplicas', cell: (o) => o.status?.readyReplicas ?? 0 },
]

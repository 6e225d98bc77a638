import { define, NAME } from '../define.ts'
import type * as core from '../types/core.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'

type ComponentStatus = UncheckedObject<core.ComponentStatus>
type ComponentCondition = Unchecked<core.ComponentCondition>

/** Deprecated: the health of the components that this process started. */
export const componentStatuses = define<ComponentStatus>({
  group: '',
  kind: 'ComponentStatus',
  plural: 'componentstatuses',
  singular: 'componentstatus',
  nameInErrors: 'componentstatus',
  shortNames: ['cs'],
  scope: 'Cluster',
  verbs: ['get', 'list'],
  deprecationWarning: 'v1 ComponentStatus is deprecated in v1.19+',
  columns: [
    NAME,
    { name: 'Status', description: 'Status of the component conditions', cell: (o) => health(o.conditions ?? []) },
    { name: 'Message', description: 'Message of the component conditions', cell: (o) => healthy(o.conditions ?? [])?.message ?? '' },
    { name: 'Error', description: 'Error of the component conditions', cell: (o) => healthy(o.conditions ?? [])?.error ?? '' },
  ],
})

const healthy = (conditions: readonly ComponentCondition[]) => conditions.find((c) => c.type === 'Healthy')

function health(conditions: readonly ComponentCondition[]): string {
  const condition = healthy(conditions)
  if (!condition) return 'Unknown'
  return condition.status === 'True' ? 'Healthy' : 'Unhealthy'
}

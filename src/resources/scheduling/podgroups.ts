import { semanticEqual } from '../../machinery/equal.ts'
import { child, type FieldError, invalid, required } from '../../machinery/field-error.ts'
import { longName, shortName } from '../../machinery/names.ts'
import { validateConditions } from '../../machinery/validation/conditions.ts'
import { invalidEach } from '../checks.ts'
import { AGE, define, NAME } from '../define.ts'
import { metadataKept } from '../status-meta.ts'
import type * as scheduling from '../types/scheduling-v1alpha2.ts'
import type { UncheckedObject } from '../unchecked.ts'

type PodGroup = UncheckedObject<scheduling.PodGroup>
type Spec = NonNullable<PodGroup['spec']>

const POLICY = child('spec', 'schedulingPolicy')
const TEMPLATE = child('spec', 'podGroupTemplateRef')

/** `scheduling.k8s.io/v1alpha2`: off by default. A server has it with the feature gate GenericWorkload. */
export const podGroups = define<PodGroup>({
  group: 'scheduling.k8s.io',
  versions: ['v1alpha2'],
  kind: 'PodGroup',
  plural: 'podgroups',
  singular: 'podgroup',
  columns: [
    NAME,
    { name: 'Policy', describes: 'spec.schedulingPolicy', cell: (o) => (o.spec?.schedulingPolicy?.gang ? 'Gang' : 'Basic') },
    {
      name: 'Workload',
      description: 'Name of the referenced Workload object',
      cell: (o) => o.spec?.podGroupTemplateRef?.workload?.workloadName ?? '<none>',
    },
    { name: 'Status', description: 'Status of the PodGroup', cell: statusText },
    AGE,
  ],
  rules: {
    defaults: (draft) => {
      if (draft.spec) draft.spec.disruptionMode ??= 'Pod'
    },
    prepareForCreate: (draft) => {
      draft.status = {}
      dropGatedFields(draft)
    },
    validateCreate: ({ spec }) => specFaults(spec ?? {}),
    prepareForUpdate: (draft, old) => {
      draft.status = old.status ?? {}
      dropGatedFields(draft)
    },
    validateUpdate: ({ spec = {} }, old) => [
      ...immutable(spec.podGroupTemplateRef, old.spec?.podGroupTemplateRef, TEMPLATE),
      ...immutable(spec.schedulingPolicy, old.spec?.schedulingPolicy, POLICY),
    ],
  },
  subresources: {
    status: {
      kind: 'status',
      rules: { ...metadataKept, validateUpdate: ({ status }) => validateConditions(status?.conditions, child('status', 'conditions')) },
    },
  },
})

/** The gates TopologyAwareWorkloadScheduling, DRAWorkloadResourceClaims and WorkloadAwarePreemption are off. */
function dropGatedFields(draft: PodGroup): void {
  draft.spec ??= {}
  const { spec } = draft
  delete spec.schedulingConstraints
  delete spec.resourceClaims
  delete spec.priorityClassName
  delete spec.priority
  spec.disruptionMode = 'Pod'
}

function specFaults({ podGroupTemplateRef, schedulingPolicy: { basic, gang } = {} }: Spec): FieldError[] {
  return [
    ...(podGroupTemplateRef ? templateFaults(podGroupTemplateRef) : []),
    ...exactlyOne({ basic, gang }, POLICY),
    ...(gang ? minCountFaults(gang.minCount ?? 0, child(POLICY, 'gang', 'minCount')) : []),
  ]
}

function templateFaults({ workload }: NonNullable<Spec['podGroupTemplateRef']>): FieldError[] {
  if (!workload) return exactlyOne({ workload }, TEMPLATE)
  const at = (field: string) => child(TEMPLATE, 'workload', field)
  return [
    ...named(workload.workloadName, at('workloadName'), longName),
    ...named(workload.podGroupTemplateName, at('podGroupTemplateName'), shortName),
  ]
}

const named = (name: string | undefined, path: string, faultsOf: (name: string) => string[]): FieldError[] =>
  name ? invalidEach(path, name, faultsOf(name)) : [required(path)]

function minCountFaults(count: number, path: string): FieldError[] {
  if (count === 0) return [required(path)]
  return count < 1 ? [invalid(path, count, 'must be greater than or equal to 1')] : []
}

/** The fault of a union of fields of which not exactly one is set. */
function exactlyOne(members: Readonly<Record<string, unknown>>, path: string): FieldError[] {
  const all = Object.keys(members)
    .map((name) => `\`${name}\``)
    .join(', ')
  const given = Object.keys(members).filter((name) => members[name] !== undefined && members[name] !== null)
  if (given.length === 0) return [invalid(path, '', `must specify one of: ${all}`)]
  return given.length === 1 ? [] : [invalid(path, `{${given.join(', ')}}`, `must specify exactly one of: ${all}`)]
}

const immutable = (value: unknown, old: unknown, path: string): FieldError[] =>
  semanticEqual(value, old) ? [] : [invalid(path, null, 'field is immutable')]

function statusText({ status }: PodGroup): string {
  const condition = (type: string) => status?.conditions?.find((c) => c.type === type)
  const disrupted = condition('DisruptionTarget')
  if (disrupted) return disrupted.reason ?? ''
  const scheduled = condition('PodGroupScheduled')
  if (!scheduled) return 'Pending'
  return scheduled.status === 'True' ? 'Scheduled' : 'Unschedulable'
}

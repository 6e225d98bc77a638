import { semanticEqual } from '../../machinery/equal.ts'
import { child, type FieldError, forbidden, index, invalid, invalidNamed, notSupported, required } from '../../machinery/field-error.ts'
import { dns1123Label } from '../../machinery/names.ts'
import type { RulesContext } from '../../machinery/resource/definition.ts'
import { alsoEmpty } from '../../machinery/schema/given-empty.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { validateAnnotations, validateLabels } from '../../machinery/validation/object-meta.ts'
import { labelName } from '../../machinery/validation/object-name.ts'
import { invalidEach, validateNonNegative } from '../checks.ts'
import { claimWarnings } from '../core/volumes/claim-spec.ts'
import { AGE, define, NAME } from '../define.ts'
import { defaultTemplate } from '../pod/defaults.ts'
import { templateColumns } from '../pod/template-columns.ts'
import type { PodTemplateSpec } from '../pod/types.ts'
import { validateClaimSpec, validateSourceGroups } from '../pod/validation/validate-claim-spec.ts'
import { isNewGeneration, templateWarnings } from '../pod/warnings.ts'
import { SCALE } from '../scale.ts'
import { validateCounts } from '../status-counts.ts'
import type * as apps from '../types/apps.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'
import { validateCollisions, validateSelectedTemplate } from './selected-template-rules.ts'

type StatefulSet = UncheckedObject<apps.StatefulSet>
type StatefulSetSpec = Unchecked<apps.StatefulSetSpec>

const PARTS = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas']
const COUNTS = [
  'replicas',
  'readyReplicas',
  'currentReplicas',
  'updatedReplicas',
  'availableReplicas',
  'observedGeneration',
  'collisionCount',
]

export const statefulSets = define<StatefulSet>({
  group: 'apps',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  singular: 'statefulset',
  shortNames: ['sts'],
  categories: ['all'],
  internalZero: { spec: { replicas: 0 } },
  columns: [
    NAME,
    {
      name: 'Ready',
      description: 'Pods that are ready, of all that are wanted.',
      cell: (o) => `${o.status?.readyReplicas ?? 0}/${o.spec?.replicas ?? 0}`,
    },
    AGE,
    ...templateColumns((o: StatefulSet) => o.spec?.template),
  ],
  metadataChecks: 'as-update',
  podSpec: (o) => o.spec?.template?.spec,
  rules: {
    generation: 'spec',
    validateName: labelName,
    defaults: defaultStatefulSet,
    prepareForCreate: (draft) => {
      draft.status = { replicas: 0, availableReplicas: 0 }
      dropDisabled(draft)
    },
    prepareForUpdate: (draft, old) => {
      if (old.spec?.updateStrategy?.rollingUpdate?.maxUnavailable === undefined) dropDisabled(draft)
    },
    validateCreate: (o, context) => [
      ...validateSpec(o.spec ?? {}, 'spec', context),
      ...validateServiceName(o.spec ?? {}),
      ...validateClaims(o.spec ?? {}, 'spec.volumeClaimTemplates'),
    ],
    validateUpdate: (o, old, context) => [
      ...validateSpec(o.spec ?? {}, 'spec', context),
      ...validateSpecUpdate(o.spec ?? {}, old.spec ?? {}),
    ],
    warnings: (o, old) => (old && semanticEqual(o.spec, old.spec) ? [] : warnings(o, old)),
  },
  subresources: {
    status: {
      kind: 'status',
      rules: {
        validateUpdate: (o, old) => [
          ...validateCounts(o.status ?? {}, COUNTS, PARTS, 'status.readyReplicas'),
          ...validateCollisions(o, old),
        ],
        warnings: () => [],
      },
    },
    scale: SCALE,
  },
})

/** The feature gate MaxUnavailableStatefulSet is off in 1.36: the field stays only where it is stored already. */
function dropDisabled({ spec }: StatefulSet): void {
  if (spec?.updateStrategy?.rollingUpdate) delete spec.updateStrategy.rollingUpdate.maxUnavailable
}

function defaultStatefulSet(draft: StatefulSet): void {
  draft.spec ??= {}
  const spec: StatefulSetSpec = draft.spec
  spec.podManagementPolicy ||= 'OrderedReady'
  spec.updateStrategy ??= {}
  const strategy = spec.updateStrategy
  if (!strategy.type) {
    strategy.type = 'RollingUpdate'
    strategy.rollingUpdate ??= {}
    strategy.rollingUpdate.partition ??= 0
  }
  if (strategy.type === 'RollingUpdate' && strategy.rollingUpdate) strategy.rollingUpdate.partition ??= 0
  spec.persistentVolumeClaimRetentionPolicy ??= {}
  spec.persistentVolumeClaimRetentionPolicy.whenDeleted ||= 'Retain'
  spec.persistentVolumeClaimRetentionPolicy.whenScaled ||= 'Retain'
  spec.replicas ??= 1
  spec.revisionHistoryLimit ??= 10
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.apiVersion = 'v1'
    claim.kind = 'PersistentVolumeClaim'
    claim.spec ??= {}
    claim.spec.volumeMode ??= 'Filesystem'
    claim.status ??= {}
    claim.status.phase ||= 'Pending'
  }
  spec.template ??= {}
  defaultTemplate(spec.template)
  draft.status ??= {}
  draft.status.replicas ??= 0
  draft.status.availableReplicas ??= 0
}

const PVC_POLICIES = ['Retain', 'Delete']

/** Validated at creation only: it is immutable. */
const validateServiceName = ({ serviceName }: StatefulSetSpec): FieldError[] =>
  serviceName ? invalidEach(child('spec', 'serviceName'), serviceName, dns1123Label(serviceName)) : []

function validateSpec(spec: StatefulSetSpec, path: string, context: RulesContext): FieldError[] {
  const faults: FieldError[] = []
  const management = spec.podManagementPolicy ?? ''
  if (management === '') faults.push(required(child(path, 'podManagementPolicy')))
  else if (management !== 'OrderedReady' && management !== 'Parallel')
    faults.push(invalidNamed(child(path, 'podManagementPolicy'), management, "must be 'OrderedReady' or 'Parallel'"))
  faults.push(...validateStrategy(spec.updateStrategy ?? {}, child(path, 'updateStrategy')))
  const retention = child(path, 'persistentVolumeClaimRetentionPolicy')
  for (const field of ['whenDeleted', 'whenScaled'] as const) {
    const policy = spec.persistentVolumeClaimRetentionPolicy?.[field] ?? ''
    if (!PVC_POLICIES.includes(policy)) faults.push(notSupported(child(retention, field), policy, PVC_POLICIES))
  }
  faults.push(...validateNonNegative(spec.replicas, child(path, 'replicas')))
  faults.push(...validateNonNegative(spec.minReadySeconds, child(path, 'minReadySeconds')))
  faults.push(...validateNonNegative(spec.ordinals?.start, child(path, 'ordinals', 'start')))
  return [
    ...faults,
    ...validateSelectedTemplate(spec, path, {
      kind: 'StatefulSet',
      word: 'statefulset',
      broken: '',
      context,
      whole: templateOfPods(spec),
      // Kubernetes reports these twice.
      beside: (template, at) => [
        ...validateLabels(template.metadata?.labels, child(at, 'labels')),
        ...validateAnnotations(template.metadata?.annotations, child(at, 'annotations')),
      ],
    }),
  ]
}

function validateClaims(spec: StatefulSetSpec, path: string): FieldError[] {
  return faultsOfEach(spec.volumeClaimTemplates, ({ spec: claim = {} }, i) => {
    const at = child(index(path, i), 'spec')
    return [...validateClaimSpec(claim, at), ...validateSourceGroups(claim, at)]
  })
}

/** The template as it is validated: with the volumes of the pods' claims, and without names, which the set gives to its pods. */
function templateOfPods(spec: StatefulSetSpec): PodTemplateSpec {
  const claims = spec.volumeClaimTemplates ?? []
  const template = spec.template ?? {}
  if (template.spec === undefined && claims.length === 0) return template
  const { hostname: _h, subdomain: _s, ...pod } = template.spec ?? {}
  if (claims.length === 0) return { ...template, spec: alsoEmpty(pod, template.spec ?? {}) }
  const names = new Set(claims.map((c) => c.metadata?.name ?? ''))
  const others = (pod.volumes ?? []).filter((v) => !names.has(v.name ?? ''))
  const claimed = [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }))
  return { ...template, spec: { ...pod, volumes: [...claimed, ...others] } }
}

function validateStrategy(strategy: NonNullable<StatefulSetSpec['updateStrategy']>, path: string): FieldError[] {
  const rolling = strategy.rollingUpdate
  const at = child(path, 'rollingUpdate')
  const internal = rolling ? { Partition: rolling.partition ?? 0, MaxUnavailable: null } : null
  if (!strategy.type) return [required(path)]
  if (strategy.type === 'OnDelete') return rolling ? [invalid(at, internal, "only allowed for updateStrategy 'RollingUpdate'")] : []
  if (strategy.type !== 'RollingUpdate')
    return [invalid(path, { Type: strategy.type, RollingUpdate: internal }, "must be 'RollingUpdate' or 'OnDelete'")]
  if (!rolling) return []
  return validateNonNegative(rolling.partition, child(at, 'partition'))
}

const CHANGEABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const

function validateSpecUpdate(spec: StatefulSetSpec, old: StatefulSetSpec): FieldError[] {
  const a: StatefulSetSpec = { ...spec }
  const b: StatefulSetSpec = { ...old }
  for (const field of CHANGEABLE) {
    delete a[field]
    delete b[field]
  }
  if (semanticEqual(a, b)) return []
  const list = CHANGEABLE.map((field) => `'${field}'`)
  return [
    forbidden('spec', `updates to statefulset spec for fields other than ${list.slice(0, -1).join(', ')} and ${list.at(-1)} are forbidden`),
  ]
}

function warnings(o: StatefulSet, old: StatefulSet | undefined): string[] {
  const spec: StatefulSetSpec = o.spec ?? {}
  const out = isNewGeneration(o, old) ? templateWarnings(spec.template, 'spec.template') : []
  for (const [i, claim] of (spec.volumeClaimTemplates ?? []).entries()) {
    const at = index('spec.volumeClaimTemplates', i)
    out.push(...claimWarnings(claim.spec ?? {}, old === undefined ? at : child(at, 'Spec')))
  }
  if ((spec.revisionHistoryLimit ?? 0) < 0)
    out.push('spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended')
  return out
}

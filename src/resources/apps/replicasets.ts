import { child, type FieldError } from '../../machinery/field-error.ts'
import type { RulesContext } from '../../machinery/resource/definition.ts'
import { validateNonNegative } from '../checks.ts'
import { AGE, define, NAME } from '../define.ts'
import { defaultTemplate } from '../pod/defaults.ts'
import { REPLICA_COLUMNS, SELECTOR, templateColumns } from '../pod/template-columns.ts'
import { controllerWarnings } from '../pod/warnings.ts'
import { SCALE } from '../scale.ts'
import { validateCounts } from '../status-counts.ts'
import type * as apps from '../types/apps.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'
import { selectedTemplateRules, validateSelectedTemplate } from './selected-template-rules.ts'

type ReplicaSet = UncheckedObject<apps.ReplicaSet>
type ReplicaSetSpec = Unchecked<apps.ReplicaSetSpec>

const COUNTS = ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'terminatingReplicas', 'observedGeneration']

export const replicaSets = define<ReplicaSet>({
  group: 'apps',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  singular: 'replicaset',
  shortNames: ['rs'],
  categories: ['all'],
  internalZero: { spec: { replicas: 0 } },
  columns: [NAME, ...REPLICA_COLUMNS, AGE, ...templateColumns((o: ReplicaSet) => o.spec?.template), SELECTOR],
  metadataChecks: 'as-update',
  podSpec: (o) => o.spec?.template?.spec,
  rules: {
    ...selectedTemplateRules<ReplicaSetSpec>(validateSpec),
    defaults: (draft) => {
      draft.spec ??= {}
      draft.spec.replicas ??= 1
      draft.spec.template ??= {}
      defaultTemplate(draft.spec.template)
      draft.status ??= {}
      draft.status.replicas ??= 0
    },
    prepareForCreate: (draft) => {
      draft.status = { replicas: 0 }
    },
    warnings: controllerWarnings,
  },
  subresources: {
    status: { kind: 'status', rules: { validateUpdate: validateStatus, warnings: () => [] } },
    scale: SCALE,
  },
})

function validateSpec(spec: ReplicaSetSpec, path: string, context: RulesContext): FieldError[] {
  return [
    ...validateNonNegative(spec.replicas, child(path, 'replicas')),
    ...validateNonNegative(spec.minReadySeconds, child(path, 'minReadySeconds')),
    ...validateSelectedTemplate(spec, path, { kind: 'ReplicaSet', word: 'deployment', broken: 'invalid label selector', context }),
  ]
}

function validateStatus(o: ReplicaSet): FieldError[] {
  return validateCounts(o.status ?? {}, COUNTS, ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'])
}

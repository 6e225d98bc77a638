import { child, type FieldError, invalid } from '../../machinery/field-error.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { RulesContext } from '../../machinery/resource/definition.ts'
import type { LabelSelector } from '../../machinery/validation/label-selector.ts'
import { validateNonNegative } from '../checks.ts'
import { podRules } from '../core/pod-rules.ts'
import { AGE, define, NAME } from '../define.ts'
import { defaultTemplate } from '../pod/defaults.ts'
import {
  isBrokenSelector,
  shownSelector,
  validateLastingTemplate,
  validateNeededSelector,
  validateSelectorKept,
  validateTemplateMatches,
} from '../pod/selected-template.ts'
import { REPLICA_COLUMNS, SELECTOR, templateColumns } from '../pod/template-columns.ts'
import type { PodTemplateSpec } from '../pod/types.ts'
import { controllerWarnings } from '../pod/warnings.ts'
import { SCALE } from '../scale.ts'
import { validateCounts } from './status-counts.ts'

interface ReplicaSetSpec {
  replicas?: number
  minReadySeconds?: number
  selector?: LabelSelector
  template?: PodTemplateSpec
}

const COUNTS = ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'terminatingReplicas', 'observedGeneration']

export const replicaSets = define({
  group: 'apps',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  singular: 'replicaset',
  shortNames: ['rs'],
  categories: ['all'],
  columns: [NAME, ...REPLICA_COLUMNS, AGE, ...templateColumns((o) => o.spec?.template), SELECTOR],
  metadataChecks: 1,
  rules: {
    generation: 'spec',
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
    validateCreate: (o, context) => validateSpec(o.spec ?? {}, 'spec', context),
    validateUpdate: (o, old, context) => [
      ...validateSpec(o.spec ?? {}, 'spec', context),
      ...validateSelectorKept(o.spec?.selector, old.spec?.selector, 'spec.selector'),
    ],
    warnings: controllerWarnings,
  },
  subresources: {
    status: { kind: 'status', rules: { validateUpdate: validateStatus, warnings: () => [] } },
    scale: SCALE,
  },
})

function validateSpec(spec: ReplicaSetSpec, path: string, context: RulesContext): FieldError[] {
  const at = child(path, 'selector')
  const templatePath = child(path, 'template')
  const faults = [
    ...validateNonNegative(spec.replicas, child(path, 'replicas')),
    ...validateNonNegative(spec.minReadySeconds, child(path, 'minReadySeconds')),
    ...validateNeededSelector(spec.selector, 'deployment', at),
  ]
  const template = spec.template ?? {}
  if (spec.selector && isBrokenSelector(spec.selector))
    return [...faults, invalid(at, shownSelector(spec.selector), 'invalid label selector')]
  faults.push(...validateTemplateMatches(template, spec.selector, templatePath))
  return [
    ...faults,
    ...validateLastingTemplate(template, templatePath, { kind: 'ReplicaSet', rules: podRules(context), replicas: spec.replicas ?? 0 }),
  ]
}

function validateStatus(o: KubeObject): FieldError[] {
  return validateCounts(o.status ?? {}, COUNTS, ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'])
}

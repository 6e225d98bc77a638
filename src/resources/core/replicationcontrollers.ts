import { child, type FieldError, invalid, required } from '../../machinery/field-error.ts'
import { longName } from '../../machinery/names.ts'
import type { RulesContext } from '../../machinery/resource/definition.ts'
import { givenEmpty } from '../../machinery/schema/given-empty.ts'
import { labelText } from '../cells.ts'
import { validateNonNegative } from '../checks.ts'
import { AGE, define, NAME } from '../define.ts'
import { defaultTemplate } from '../pod/defaults.ts'
import { validateLastingTemplate } from '../pod/selected-template.ts'
import { REPLICA_COLUMNS, templateColumns } from '../pod/template-columns.ts'
import { controllerWarnings, isNewGeneration, templateWarnings } from '../pod/warnings.ts'
import { SCALE } from '../scale.ts'
import { validateCounts } from '../status-counts.ts'
import type * as core from '../types/core.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'
import { podRules } from './pods/pod-rules.ts'

type ReplicationController = UncheckedObject<core.ReplicationController>
type ReplicationControllerSpec = Unchecked<core.ReplicationControllerSpec>

const COUNTS = ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration']

export const replicationControllers = define<ReplicationController>({
  group: '',
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
  singular: 'replicationcontroller',
  shortNames: ['rc'],
  categories: ['all'],
  columns: [
    NAME,
    ...REPLICA_COLUMNS,
    AGE,
    ...templateColumns((o: ReplicationController) => o.spec?.template),
    { name: 'Selector', priority: 1, describes: 'spec.selector', cell: (o) => labelText(o.spec?.selector) },
  ],
  selectableFields: { 'status.replicas': (o) => String(o.status?.replicas ?? 0) },
  metadataChecks: 'as-update',
  podSpec: (o) => o.spec?.template?.spec,
  readBack: defaultLabels,
  rules: {
    generation: 'spec',
    validateName: (name, generated) => (generated ? [] : longName(name)),
    defaults: defaultController,
    prepareForCreate: (draft) => {
      draft.status = { replicas: 0 }
    },
    validateCreate: (o, context) => validateSpec(o.spec ?? {}, 'spec', context),
    validateUpdate: (o, _old, context) => validateSpec(o.spec ?? {}, 'spec', context),
    // Of a changed one Kubernetes looks at the old template.
    warnings: (o, old) =>
      old === undefined
        ? controllerWarnings(o, undefined)
        : isNewGeneration(o, old)
          ? templateWarnings(old.spec?.template, 'spec.template')
          : [],
    defaultPropagation: 'Orphan',
  },
  subresources: {
    status: {
      kind: 'status',
      rules: {
        validateUpdate: (o) => validateCounts(o.status ?? {}, COUNTS, ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas']),
        warnings: () => [],
      },
    },
    scale: SCALE,
  },
})

/** The controller's labels and selector default to the template's labels. */
function defaultController(draft: ReplicationController): void {
  draft.spec ??= {}
  const spec: ReplicationControllerSpec = draft.spec
  const labels = spec.template?.metadata?.labels
  if (labels && Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels }
  defaultLabels(draft)
  spec.replicas ??= 1
  defaultTemplate(spec.template)
  draft.status ??= {}
  draft.status.replicas ??= 0
}

function defaultLabels({ metadata, spec }: ReplicationController): void {
  const labels = spec?.template?.metadata?.labels
  if (labels && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels }
}

function validateSpec(spec: ReplicationControllerSpec, path: string, context: RulesContext): FieldError[] {
  const faults = [
    ...validateNonNegative(spec.minReadySeconds, child(path, 'minReadySeconds')),
    ...(Object.keys(spec.selector ?? {}).length === 0 ? [required(child(path, 'selector'))] : []),
    ...validateNonNegative(spec.replicas, child(path, 'replicas')),
  ]
  const at = child(path, 'template')
  if (!spec.template) return [...faults, required(at)]
  const labels = spec.template.metadata?.labels ?? {}
  if (Object.entries(spec.selector ?? {}).some(([name, value]) => labels[name] !== value))
    faults.push(
      invalid(
        child(at, 'metadata', 'labels'),
        spec.template.metadata?.labels ?? givenEmpty(spec.template.metadata, 'labels') ?? null,
        '`selector` does not match template `labels`',
      ),
    )
  const how = { kind: 'ReplicationController', rules: podRules(context) }
  return [...faults, ...validateLastingTemplate(spec.template, at, how)]
}

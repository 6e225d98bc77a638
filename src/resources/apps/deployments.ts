import { semanticEqual } from '../../machinery/equal.ts'
import { child, type FieldError, forbidden, invalid, notSupported, required } from '../../machinery/field-error.ts'
import { nextGeneration } from '../../machinery/object.ts'
import type { RulesContext } from '../../machinery/resource/definition.ts'
import { selectorText } from '../cells.ts'
import { validateNonNegative } from '../checks.ts'
import { AGE, define, metadataWithout, NAME } from '../define.ts'
import { enumOf } from '../enumerations.ts'
import { plainValue, validateIntOrPercent, validateNotMoreThanAll } from '../int-or-percent.ts'
import { defaultTemplate } from '../pod/defaults.ts'
import { SELECTOR, templateColumns } from '../pod/template-columns.ts'
import { controllerWarnings } from '../pod/warnings.ts'
import { SCALE } from '../scale.ts'
import { validateCounts } from '../status-counts.ts'
import type * as apps from '../types/apps.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'
import { selectedTemplateRules, validateCollisions, validateSelectedTemplate } from './selected-template-rules.ts'

type Deployment = UncheckedObject<apps.Deployment>
type DeploymentSpec = Unchecked<apps.DeploymentSpec>

const status = (o: Deployment, field: Exclude<keyof apps.DeploymentStatus, 'conditions'>): number => o.status?.[field] ?? 0

export const deployments = define<Deployment>({
  group: 'apps',
  kind: 'Deployment',
  plural: 'deployments',
  singular: 'deployment',
  shortNames: ['deploy'],
  categories: ['all'],
  internalZero: { spec: { replicas: 0 } },
  columns: [
    NAME,
    {
      name: 'Ready',
      description: 'Pods that are ready, of all that are wanted.',
      cell: (o) => `${status(o, 'readyReplicas')}/${o.spec?.replicas ?? 0}`,
    },
    { name: 'Up-to-date', describes: 'status.updatedReplicas', cell: (o) => status(o, 'updatedReplicas') },
    { name: 'Available', describes: 'status.availableReplicas', cell: (o) => status(o, 'availableReplicas') },
    AGE,
    ...templateColumns((o: Deployment) => o.spec?.template),
    { ...SELECTOR, cell: (o) => (o.spec?.selector ? selectorText(o.spec.selector) : '') },
  ],
  internalMetadata: metadataWithout('deprecated.deployment.rollback.to'),
  metadataChecks: 'as-update',
  podSpec: (o) => o.spec?.template?.spec,
  rules: {
    ...selectedTemplateRules<DeploymentSpec>(validateSpec),
    defaults: defaultDeployment,
    prepareForCreate: (draft) => {
      draft.status = {}
    },
    // A change of annotations increments the generation, because they are copied to the ReplicaSet.
    prepareForUpdate: (draft, old) => {
      if (!semanticEqual(draft.metadata.annotations ?? {}, old.metadata.annotations ?? {}))
        draft.metadata.generation = nextGeneration(old.metadata)
    },
    warnings: controllerWarnings,
  },
  subresources: {
    status: {
      kind: 'status',
      rules: {
        prepareForUpdate: keepLabels,
        resetFields: { status: [['spec'], ['metadata', 'labels']] },
        validateUpdate: validateStatus,
        warnings: () => [],
      },
    },
    scale: SCALE,
  },
})

function defaultDeployment(draft: Deployment): void {
  draft.spec ??= {}
  const spec: DeploymentSpec = draft.spec
  spec.replicas ??= 1
  spec.strategy ??= {}
  const { strategy } = spec
  strategy.type ||= 'RollingUpdate'
  if (strategy.type === 'RollingUpdate') {
    strategy.rollingUpdate ??= {}
    strategy.rollingUpdate.maxUnavailable ??= '25%'
    strategy.rollingUpdate.maxSurge ??= '25%'
  }
  spec.revisionHistoryLimit ??= 10
  spec.progressDeadlineSeconds ??= 600
  spec.template ??= {}
  defaultTemplate(spec.template)
}

function validateSpec(spec: DeploymentSpec, path: string, context: RulesContext): FieldError[] {
  const faults = validateNonNegative(spec.replicas, child(path, 'replicas'))
  const checks = { kind: 'ReplicaSet', word: 'deployment', broken: 'invalid label selector', context }
  faults.push(...validateSelectedTemplate(spec, path, checks))
  faults.push(...validateStrategy(spec.strategy ?? {}, child(path, 'strategy')))
  faults.push(...validateNonNegative(spec.minReadySeconds, child(path, 'minReadySeconds')))
  faults.push(...validateNonNegative(spec.revisionHistoryLimit, child(path, 'revisionHistoryLimit')))
  const deadline = spec.progressDeadlineSeconds
  if (deadline === undefined) return faults
  faults.push(...validateNonNegative(deadline, child(path, 'progressDeadlineSeconds')))
  if (deadline <= (spec.minReadySeconds ?? 0))
    faults.push(invalid(child(path, 'progressDeadlineSeconds'), deadline, 'must be greater than minReadySeconds'))
  return faults
}

function validateStrategy(strategy: NonNullable<DeploymentSpec['strategy']>, path: string): FieldError[] {
  const rolling = strategy.rollingUpdate
  const at = child(path, 'rollingUpdate')
  if (strategy.type === 'Recreate') return rolling ? [forbidden(at, "may not be specified when strategy `type` is 'Recreate'")] : []
  if (strategy.type !== 'RollingUpdate') {
    const internal = {
      Type: strategy.type ?? '',
      RollingUpdate: rolling ? { MaxUnavailable: rolling.maxUnavailable ?? 0, MaxSurge: rolling.maxSurge ?? 0 } : null,
    }
    return [notSupported(path, internal, enumOf('apps_v1.DeploymentStrategyType'))]
  }
  if (!rolling) return [required(at, 'this should be defaulted and never be nil')]
  const faults = [
    ...validateIntOrPercent(rolling.maxUnavailable, child(at, 'maxUnavailable')),
    ...validateIntOrPercent(rolling.maxSurge, child(at, 'maxSurge')),
  ]
  if (plainValue(rolling.maxUnavailable) === 0 && plainValue(rolling.maxSurge) === 0)
    faults.push(invalid(child(at, 'maxUnavailable'), rolling.maxUnavailable, 'may not be 0 when `maxSurge` is 0'))
  return [...faults, ...validateNotMoreThanAll(rolling.maxUnavailable, child(at, 'maxUnavailable'))]
}

const COUNTS = [
  'observedGeneration',
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'terminatingReplicas',
  'collisionCount',
]

function validateStatus(o: Deployment, old: Deployment): FieldError[] {
  const faults = validateCounts(o.status ?? {}, COUNTS, ['updatedReplicas', 'readyReplicas', 'availableReplicas'])
  return [...faults, ...validateCollisions(o, old)]
}

/** Writes of the status do not change labels. */
function keepLabels(draft: Deployment, old: Deployment): void {
  if (old.metadata.labels) draft.metadata.labels = old.metadata.labels
  else delete draft.metadata.labels
}

import { semanticEqual } from '../../machinery/equal.ts'
import { child, type FieldError, invalid, notSupported, required } from '../../machinery/field-error.ts'
import type { RulesContext } from '../../machinery/resource/definition.ts'
import { validateLabelSelector } from '../../machinery/validation/label-selector.ts'
import { labelText } from '../cells.ts'
import { validateNonNegative } from '../checks.ts'
import { podRules } from '../core/pods/pod-rules.ts'
import { AGE, type ColumnInit, define, metadataWithout, NAME } from '../define.ts'
import { plainValue, validateIntOrPercent, validateNotMoreThanAll } from '../int-or-percent.ts'
import { defaultTemplate } from '../pod/defaults.ts'
import {
  isEmptySelector,
  ofSoundSelector,
  shownSelector,
  validateLastingTemplate,
  validateSelectorKept,
  validateTemplateMatches,
} from '../pod/selected-template.ts'
import { SELECTOR, templateColumns } from '../pod/template-columns.ts'
import { templateWarnings } from '../pod/warnings.ts'
import type * as apps from '../types/apps.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'
import { selectedTemplateRules, validateCollisions } from './selected-template-rules.ts'

type DaemonSet = UncheckedObject<apps.DaemonSet>
type DaemonSetSpec = Unchecked<apps.DaemonSetSpec>
type Count = Exclude<keyof apps.DaemonSetStatus, 'conditions'>

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation'

const count = (name: string, field: Count): ColumnInit<DaemonSet> => ({
  name,
  type: 'integer',
  describes: `status.${field}`,
  cell: (o) => o.status?.[field] ?? 0,
})

export const daemonSets = define<DaemonSet>({
  group: 'apps',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  singular: 'daemonset',
  shortNames: ['ds'],
  categories: ['all'],
  columns: [
    NAME,
    count('Desired', 'desiredNumberScheduled'),
    count('Current', 'currentNumberScheduled'),
    count('Ready', 'numberReady'),
    count('Up-to-date', 'updatedNumberScheduled'),
    count('Available', 'numberAvailable'),
    { name: 'Node Selector', describes: 'spec.template.spec.nodeSelector', cell: (o) => labelText(o.spec?.template?.spec?.nodeSelector) },
    AGE,
    ...templateColumns((o: DaemonSet) => o.spec?.template),
    SELECTOR,
  ],
  internalMetadata: metadataWithout(TEMPLATE_GENERATION),
  internalZero: { metadata: { annotations: { [TEMPLATE_GENERATION]: '0' } } },
  metadataChecks: 'as-update',
  podSpec: (o) => o.spec?.template?.spec,
  rules: {
    ...selectedTemplateRules<DaemonSetSpec>(validateSpec),
    defaults: defaultDaemonSet,
    prepareForCreate: (draft) => {
      draft.status = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 }
      numberTemplate(draft, Math.max(templateGeneration(draft), 1))
    },
    prepareForUpdate: (draft, old) => {
      const before = templateGeneration(old)
      numberTemplate(draft, semanticEqual(draft.spec?.template, old.spec?.template) ? before : before + 1)
    },
    validateUpdate: (o, old, context) => [
      ...validateSelectorKept(o.spec?.selector, old.spec?.selector, 'spec.selector'),
      ...validateSpec(o.spec ?? {}, 'spec', context),
    ],
    warnings: (o, old) =>
      old && semanticEqual(o.spec?.template, old.spec?.template) ? [] : templateWarnings(o.spec?.template, 'spec.template'),
  },
  subresources: {
    status: {
      kind: 'status',
      rules: {
        prepareForUpdate: (draft, old) => numberTemplate(draft, templateGeneration(old)),
        validateUpdate: validateStatus,
        warnings: () => [],
      },
    },
  },
})

/** The number of template changes, which an annotation still records. */
const templateGeneration = ({ metadata }: DaemonSet): number => Number(metadata.annotations?.[TEMPLATE_GENERATION] ?? 0)

function numberTemplate(draft: DaemonSet, generation: number): void {
  draft.metadata.annotations = { ...draft.metadata.annotations, [TEMPLATE_GENERATION]: String(generation) }
}

function defaultDaemonSet(draft: DaemonSet): void {
  // Kubernetes makes the annotation from a field of its internal type: every object has it, and leaving it out writes 0.
  if (draft.metadata.annotations?.[TEMPLATE_GENERATION] === undefined) numberTemplate(draft, 0)
  draft.spec ??= {}
  const spec: DaemonSetSpec = draft.spec
  spec.updateStrategy ??= {}
  const strategy = spec.updateStrategy
  strategy.type ||= 'RollingUpdate'
  if (strategy.type === 'RollingUpdate') {
    strategy.rollingUpdate ??= {}
    strategy.rollingUpdate.maxUnavailable ??= 1
    strategy.rollingUpdate.maxSurge ??= 0
  }
  spec.revisionHistoryLimit ??= 10
  spec.template ??= {}
  defaultTemplate(spec.template)
}

function validateSpec(spec: DaemonSetSpec, path: string, context: RulesContext): FieldError[] {
  const at = child(path, 'selector')
  const templatePath = child(path, 'template')
  const template = spec.template ?? {}
  const faults = validateLabelSelector(spec.selector, at)
  faults.push(...ofSoundSelector(spec.selector, () => validateTemplateMatches(template, spec.selector, templatePath)))
  if (spec.selector && isEmptySelector(spec.selector))
    faults.push(invalid(at, shownSelector(spec.selector), 'empty selector is invalid for daemonset'))
  return [
    ...faults,
    ...validateLastingTemplate(template, templatePath, { kind: 'DaemonSet', rules: podRules(context) }),
    ...validateNonNegative(spec.minReadySeconds, child(path, 'minReadySeconds')),
    ...validateStrategy(spec.updateStrategy ?? {}, child(path, 'updateStrategy')),
    ...validateNonNegative(spec.revisionHistoryLimit, child(path, 'revisionHistoryLimit')),
  ]
}

function validateStrategy(strategy: NonNullable<DaemonSetSpec['updateStrategy']>, path: string): FieldError[] {
  const rolling = strategy.rollingUpdate
  const at = child(path, 'rollingUpdate')
  if (strategy.type === 'OnDelete') return []
  if (strategy.type !== 'RollingUpdate') {
    const internal = {
      Type: strategy.type ?? '',
      RollingUpdate: rolling ? { MaxUnavailable: rolling.maxUnavailable ?? 0, MaxSurge: rolling.maxSurge ?? 0 } : null,
    }
    return [notSupported(path, internal, ['RollingUpdate', 'OnDelete'])]
  }
  if (!rolling) return [required(at)]
  const { maxUnavailable, maxSurge } = rolling
  const faults = [
    ...validateIntOrPercent(maxUnavailable, child(at, 'maxUnavailable')),
    ...validateIntOrPercent(maxSurge, child(at, 'maxSurge')),
    ...validateNotMoreThanAll(maxUnavailable, child(at, 'maxUnavailable')),
    ...validateNotMoreThanAll(maxSurge, child(at, 'maxSurge')),
  ]
  const down = plainValue(maxUnavailable) !== 0
  const more = plainValue(maxSurge) !== 0
  if (down && more) faults.push(invalid(child(at, 'maxSurge'), maxSurge, 'may not be set when maxUnavailable is non-zero'))
  if (!down && !more) faults.push(required(child(at, 'maxUnavailable'), 'cannot be 0 when maxSurge is 0'))
  return faults
}

const COUNTS: readonly Count[] = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
]

function validateStatus(o: DaemonSet, old: DaemonSet): FieldError[] {
  const faults = COUNTS.flatMap((field) => validateNonNegative(o.status?.[field], child('status', field)))
  return [...faults, ...validateCollisions(o, old)]
}

import { child, type FieldError, invalid } from '../../machinery/field-error.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceRules, RulesContext } from '../../machinery/resource/definition.ts'
import { faultsThen } from '../../machinery/validation/faults-of-each.ts'
import { type LabelSelector, validateLabelSelector } from '../../machinery/validation/label-selector.ts'
import { podRules } from '../core/pods/pod-rules.ts'
import {
  shownSelector,
  validateLastingTemplate,
  validateNeededSelector,
  validateSelectorKept,
  validateTemplateMatches,
} from '../pod/selected-template.ts'
import type { PodTemplateSpec } from '../pod/types.ts'

/** The common parts of workloads: a template, and the selector of its pods. */
export interface SelectedTemplate {
  readonly replicas?: number
  readonly selector?: LabelSelector
  readonly template?: PodTemplateSpec
}

export interface SelectedTemplateChecks {
  /** The kind in messages about the template; Kubernetes uses ReplicaSet for deployments, too. */
  readonly kind: string
  /** The kind in messages about the selector. */
  readonly word: string
  /** Additional message for an invalid selector. */
  readonly broken: string
  readonly context: RulesContext
  /** The complete template of the pods, if it differs from the one in the spec. */
  readonly whole?: PodTemplateSpec
  /** Further faults of the template in the spec. */
  beside?(template: PodTemplateSpec, path: string): FieldError[]
}

/** Validates the selector, whether it matches the template's labels, and the template: in Kubernetes' order. */
export function validateSelectedTemplate(spec: SelectedTemplate, path: string, checks: SelectedTemplateChecks): FieldError[] {
  const at = child(path, 'selector')
  const templatePath = child(path, 'template')
  const template = spec.template ?? {}
  const how = { kind: checks.kind, rules: podRules(checks.context) }
  const rest = faultsThen(validateLabelSelector(spec.selector, ''), (faults) => {
    if (faults.length > 0) return [invalid(at, shownSelector(spec.selector), checks.broken)]
    return [
      ...validateTemplateMatches(template, spec.selector, templatePath),
      ...(checks.beside?.(template, templatePath) ?? []),
      ...validateLastingTemplate(checks.whole ?? template, templatePath, how),
    ]
  })
  return [...validateNeededSelector(spec.selector, checks.word, at), ...rest]
}

type Frame<S> = Required<Pick<ResourceRules<KubeObject<S>>, 'generation' | 'validateCreate' | 'validateUpdate'>>

/** Rules of a workload with an immutable selector: the whole spec is validated at creation and at each update. */
export function selectedTemplateRules<S extends SelectedTemplate>(
  validate: (spec: Partial<S>, path: string, context: RulesContext) => FieldError[],
): Frame<S> {
  const whole = (o: KubeObject<S>, context: RulesContext) => validate(o.spec ?? {}, 'spec', context)
  return {
    generation: 'spec',
    validateCreate: whole,
    validateUpdate: (o, old, context) => [
      ...whole(o, context),
      ...validateSelectorKept(o.spec?.selector, old.spec?.selector, 'spec.selector'),
    ],
  }
}

type Colliding = KubeObject<unknown, { collisionCount?: number }>

/** The count of name collisions never decreases. */
export function validateCollisions(o: Colliding, old: Colliding): FieldError[] {
  const now = o.status?.collisionCount
  const before = old.status?.collisionCount
  return before !== undefined && (now === undefined || now < before)
    ? [invalid('status.collisionCount', now ?? 0, 'cannot be decremented')]
    : []
}

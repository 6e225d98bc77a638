import { child, type FieldError, invalid } from '../../machinery/field-error.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceRules, RulesContext } from '../../machinery/resource/definition.ts'
import type { LabelSelector } from '../../machinery/validation/label-selector.ts'
import { podRules } from '../core/pods/pod-rules.ts'
import {
  isBrokenSelector,
  shownSelector,
  validateLastingTemplate,
  validateNeededSelector,
  validateSelectorKept,
  validateTemplateMatches,
} from '../pod/selected-template.ts'
import type { PodTemplateSpec } from '../pod/types.ts'

/** What controllers of pods have in common: a template, and the selector that finds what is made of it. */
export interface SelectedTemplate {
  readonly replicas?: number
  readonly selector?: LabelSelector
  readonly template?: PodTemplateSpec
}

export interface SelectedTemplateChecks {
  /** The kind that messages about the template name; Kubernetes says ReplicaSet of deployments too. */
  readonly kind: string
  /** Its word in messages about the selector. */
  readonly word: string
  /** What is said of a selector that cannot be read, beyond its own faults. */
  readonly broken: string
  readonly context: RulesContext
  /** More than one makes disks that are shared a fault. Default: as the spec says. */
  readonly replicas?: number
  /** The template as its pods will have it, when that is more than what is written. */
  readonly whole?: PodTemplateSpec
  /** What else is wrong with the template as it is written. */
  beside?(template: PodTemplateSpec, path: string): FieldError[]
}

/** The selector, whether it finds the template's pods, and the template: in Kubernetes' order. */
export function validateSelectedTemplate(spec: SelectedTemplate, path: string, checks: SelectedTemplateChecks): FieldError[] {
  const at = child(path, 'selector')
  const templatePath = child(path, 'template')
  const template = spec.template ?? {}
  const faults = validateNeededSelector(spec.selector, checks.word, at)
  if (spec.selector && isBrokenSelector(spec.selector)) return [...faults, invalid(at, shownSelector(spec.selector), checks.broken)]
  const how = { kind: checks.kind, rules: podRules(checks.context), replicas: checks.replicas ?? spec.replicas ?? 0 }
  return [
    ...faults,
    ...validateTemplateMatches(template, spec.selector, templatePath),
    ...(checks.beside?.(template, templatePath) ?? []),
    ...validateLastingTemplate(checks.whole ?? template, templatePath, how),
  ]
}

type Frame<S> = Required<Pick<ResourceRules<KubeObject<S>>, 'generation' | 'validateCreate' | 'validateUpdate'>>

/** The rules of a controller whose selector stays: its specification is judged whole, at creation and at each update. */
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

/** How often names collided is never taken back. */
export function validateCollisions(o: Colliding, old: Colliding): FieldError[] {
  const now = o.status?.collisionCount
  const before = old.status?.collisionCount
  return before !== undefined && (now === undefined || now < before)
    ? [invalid('status.collisionCount', now ?? 0, 'cannot be decremented')]
    : []
}

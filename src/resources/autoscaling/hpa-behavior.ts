import { isObject, type Json } from '../../machinery/object.ts'
import type { HpaSpec, ScalingRules } from './hpa-types.ts'

type Behavior = NonNullable<HpaSpec['behavior']>

/** The behavior in an annotation of `autoscaling/v1`. Go writes its internal type there: fields under their Go names, also empty ones. */
export function behaviorText({ scaleUp, scaleDown }: Behavior): string {
  return JSON.stringify({ ScaleUp: rulesText(scaleUp), ScaleDown: rulesText(scaleDown) })
}

function rulesText(rules: ScalingRules | undefined) {
  if (rules === undefined) return null
  const { stabilizationWindowSeconds = null, selectPolicy = null, policies, tolerance = null } = rules
  return {
    StabilizationWindowSeconds: stabilizationWindowSeconds,
    SelectPolicy: selectPolicy,
    Policies: policies?.map(({ type, value, periodSeconds }) => ({ Type: type, Value: value, PeriodSeconds: periodSeconds })) ?? null,
    Tolerance: tolerance,
  }
}

/** Reads such an annotation, whatever the case of the first letters. */
export function readBehavior(value: unknown): Behavior | undefined {
  return isObject(value as Json) ? (inOurNames(value as Json) as Behavior) : undefined
}

function inOurNames(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => inOurNames(item) ?? null)
  if (!isObject(value ?? null)) return value
  const fields = Object.entries(value as object).filter(([, field]) => field !== null)
  return Object.fromEntries(fields.map(([name, field]) => [name.charAt(0).toLowerCase() + name.slice(1), inOurNames(field)]))
}

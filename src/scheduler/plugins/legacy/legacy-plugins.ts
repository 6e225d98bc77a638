import type { JsonObject } from '../../../machinery/object.ts'
import type { PluginFactory } from '../../framework/plugin.ts'
import { nodeResourcesFit } from '../node-resources-fit.ts'
import { builtinPlugin } from '../registry.ts'
import { allPredicates } from './all-predicates.ts'
import { labelPreference, labelsPresence } from './node-labels.ts'
import { preferAvoidPods } from './prefer-avoid-pods.ts'
import { resourceLimits } from './resource-limits.ts'
import { selectorSpread } from './selector-spread.ts'
import { serviceAffinity, serviceAntiAffinity } from './service-affinity.ts'

/** What predicates and priorities did that no plugin of today does, by the argument that describes it. */
const BY_ARGUMENT: Readonly<Record<string, (name: string, argument: JsonObject) => ReturnType<PluginFactory>>> = {
  labelsPresence,
  labelPreference,
  serviceAffinity,
  serviceAntiAffinity,
  selectorSpread,
  preferAvoidPods,
  resourceLimits,
  /** A second strategy beside that of NodeResourcesFit: its scores alone. */
  resourceStrategy(name, scoringStrategy) {
    const { filter: _, hints: __, ...score } = nodeResourcesFit({ scoringStrategy }, { random: { int: () => 0, uuid: () => '' } })
    return { ...score, name }
  },
}

/** The factory of what the argument of a policy describes, under its own name; undefined when the arguments are no such thing. */
export function legacyPlugin(name: string, args: unknown): PluginFactory | undefined {
  if (typeof args !== 'object' || args === null) return undefined
  if ('allPredicates' in args)
    return (own, context) => allPredicates(name, own, context, (one, its) => legacyPlugin(one, its) ?? builtinPlugin(one)?.create)
  const [kind, ...more] = Object.keys(args)
  const make = kind !== undefined && more.length === 0 && Object.hasOwn(BY_ARGUMENT, kind) ? BY_ARGUMENT[kind] : undefined
  return make && ((own) => make(name, (own[kind ?? ''] ?? {}) as JsonObject))
}

import type { KubeObject } from '../../machinery/object.ts'
import { Quantity } from '../../machinery/quantity.ts'
import { inScope } from '../../resources/quota/scopes.ts'
import { evaluatorOf } from '../../resources/quota/usage.ts'

/** The objects of one collection in the quota's namespace. */
export interface Counted {
  readonly group: string
  readonly resource: string
  readonly objects: readonly KubeObject[]
}

/** Whether the quota has a limit that is about such objects. */
export function concerns(quota: KubeObject, group: string, resource: string): boolean {
  const { counts } = evaluatorOf(group, resource)
  return Object.keys(quota.spec?.hard ?? {}).some(counts)
}

/** What of the quota is used: every limit that somebody counts, zero included. Pure. */
export function quotaStatus(
  quota: KubeObject,
  collections: readonly Counted[],
): { hard: Record<string, string>; used: Record<string, string> } {
  const hard: Record<string, string> = { ...quota.spec?.hard }
  const used = new Map<string, Quantity>()
  for (const { group, resource, objects } of collections) {
    const evaluator = evaluatorOf(group, resource)
    const names = Object.keys(hard).filter(evaluator.counts)
    for (const name of names) used.set(name, used.get(name) ?? Quantity.zero)
    for (const object of objects) {
      if (!inScope(quota, group, resource, object)) continue
      const usage = evaluator.usage(object)
      for (const name of names) {
        const amount = usage.get(name)
        if (amount !== undefined) used.set(name, (used.get(name) ?? Quantity.zero).add(amount))
      }
    }
  }
  return { hard, used: Object.fromEntries([...used].map(([name, amount]) => [name, amount.toString()])) }
}

import type { KubeObject } from '../../machinery/object.ts'
import { Quantity } from '../../machinery/quantity.ts'
import { readPath } from '../../machinery/resource/definition.ts'
import { inScope } from '../../resources/quota/scopes.ts'
import { evaluatorOf } from '../../resources/quota/usage.ts'
import type { ResourceQuota, ResourceQuotaStatus } from '../../resources/types/core.ts'

/** The objects of one collection in the quota's namespace. */
export interface Counted {
  readonly group: string
  readonly resource: string
  readonly objects: readonly KubeObject[]
}

/** Whether the quota has a limit that is about such objects. */
export function concerns(quota: ResourceQuota, group: string, resource: string): boolean {
  const { counts } = evaluatorOf(group, resource)
  return Object.keys(quota.spec?.hard ?? {}).some(counts)
}

const FINISHED: ReadonlySet<unknown> = new Set(['Succeeded', 'Failed'])

const CLAIM_SIZES = [
  ['spec', 'resources', 'requests', 'storage'],
  ['status', 'allocatedResources', 'storage'],
]

/** What changes how an object counts although admission did not see it, or makes it count for less. Pure. */
export function countsAs({ group, resource }: Pick<Counted, 'group' | 'resource'>, object: KubeObject): string {
  switch (`${group}/${resource}`) {
    case '/pods':
      return `${FINISHED.has(readPath(object, ['status', 'phase']))} ${object.metadata.deletionTimestamp !== undefined} ${object.metadata.generation}`
    case '/services':
      return String(readPath(object, ['spec', 'type']))
    case '/persistentvolumeclaims':
      return CLAIM_SIZES.map((path) => readPath(object, path)).join(' ')
    default:
      return ''
  }
}

/** How much of the quota is used: of every limit that is counted, zero included. Pure. */
export function quotaStatus(quota: ResourceQuota, collections: readonly Counted[]): ResourceQuotaStatus {
  const hard = { ...quota.spec?.hard }
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

import { equalJson } from '../../machinery/equal.ts'
import { copyOwn, getOwn, type KubeObject, nextGeneration } from '../../machinery/object.ts'
import { type ResourceRules, type Subresource, subresourcesOf } from '../../machinery/resource/definition.ts'
import { hasGivenEmpty } from '../../machinery/schema/given-empty.ts'
import { compared } from './compared.ts'
import type { Write } from './write.ts'

/** The rules of writes by this path: the subresource's rules override the resource's. */
export function effectiveRules(write: Pick<Write, 'served' | 'subresource'>): ResourceRules {
  const { rules } = write.served.definition
  const { subresource } = write
  if (subresource?.kind !== 'status' && subresource?.kind !== 'part') return rules
  return subresource.rules === undefined ? rules : joined(rules, subresource.rules)
}

/** The combined rules, cached. */
const joint = new WeakMap<ResourceRules, { readonly before: Partial<ResourceRules>; readonly rules: ResourceRules }[]>()

function joined(rules: ResourceRules, before: Partial<ResourceRules>): ResourceRules {
  const known = joint.get(rules) ?? []
  const found = known.find((one) => one.before === before)
  if (found !== undefined) return found.rules
  const made = { ...rules, ...before }
  joint.set(rules, [...known, { before, rules: made }])
  return made
}

/** The top-level fields that only the status subresource writes. */
export function statusFields(write: Pick<Write, 'served'>): readonly string[] {
  const { definition, version } = write.served
  const hasStatus = Object.values(subresourcesOf(definition, version)).some((s: Subresource) => s.kind === 'status')
  return definition.rules.statusFields ?? (hasStatus ? ['status'] : [])
}

/** Restores what this path may not write: the resource path must not change the status, the status path nothing else. */
export function keepForeignFields(write: Pick<Write, 'served' | 'subresource'>, draft: KubeObject, old: KubeObject): void {
  const owned = statusFields(write)
  if (write.subresource === undefined || write.subresource.kind === 'scale') for (const field of owned) copyOwn(draft, old, field)
  else if (write.subresource.kind === 'status') {
    const foreign = (field: string) => field !== 'apiVersion' && field !== 'kind' && field !== 'metadata' && !owned.includes(field)
    for (const field of Object.keys(draft)) if (foreign(field)) copyOwn(draft, old, field)
    for (const field of Object.keys(old)) if (foreign(field)) copyOwn(draft, old, field)
  }
}

/** Increments the generation if the specification changed: anything but metadata and status. */
export function countGeneration(write: Pick<Write, 'served' | 'subresource' | 'prunedFields'>, draft: KubeObject, old: KubeObject): void {
  const { generation, generationCountsEmpty = false } = write.served.definition.rules
  if (generation !== 'spec') return
  const owned = statusFields(write)
  const changed = (field: string, state: KubeObject) => {
    if (field === 'apiVersion' || field === 'kind' || field === 'metadata') return false
    const [now, before] = [getOwn(draft, field), getOwn(state, field)]
    if (owned.includes(field)) return false
    if (now === before) return false
    return !equalJson(now, before) || (generationCountsEmpty && hasGivenEmpty(now))
  }
  const differsFrom = (state: KubeObject) =>
    Object.keys(draft).some((field) => changed(field, state)) ||
    Object.keys(state).some((field) => !Object.hasOwn(draft, field) && changed(field, state))
  // Kubernetes compares before it prunes what was applied, or added by a policy.
  const isPruned = write.subresource === undefined && [...(write.prunedFields ?? [])].some((field) => !owned.includes(field))
  if (isPruned || (differsFrom(old) && differsFrom(compared(write, old, draft)))) draft.metadata.generation = nextGeneration(old.metadata)
}

import type { Node } from '../../resources/types/core.ts'
import { amountOf, isExtendedResource, requestsOf } from '../cache/amounts.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import { classBehind, mayBeDevices } from '../devices/extended-resources.ts'
import type { Listers } from '../framework/listers.ts'
import type { Plugin, PluginFactory } from '../framework/plugin.ts'
import type { PluginContext } from '../framework/prepared.ts'
import { unresolvable, unschedulable, type Verdict } from '../framework/verdict.ts'
import { scoringStrategy } from './scoring-strategy.ts'

const NAME = 'NodeResourcesFit'

/**
 * Whether the node has what the pod requests; scores by how full the node would be. Extended resources that a node lacks and a device class
 * offers are left to DynamicResources.
 */
export const nodeResourcesFit: PluginFactory = (args) => {
  const ignored = new Set(strings(args.ignoredResources))
  const ignoredGroups = new Set(strings(args.ignoredResourceGroups))
  const counts = (name: string) => !(isExtendedResource(name) && (ignored.has(name) || ignoredGroups.has(name.split('/')[0] ?? '')))
  const strategy = scoringStrategy(args.scoringStrategy)
  const wanted = (pod: PodInfo) => pod.requests.filter((r) => r.name !== 'pods' && counts(r.name))
  return {
    name: NAME,
    scope: 'node',
    epoch: ({ listers }) => listers.version('deviceclasses'),
    filter: (pod, context) => ({ check: fitCheck(wanted(pod), context) }),
    score: (pod, { table }) => ({ of: strategy(requestsOf(pod.pod, { nonMissing: true }), pod, table) }),
    hints: {
      'pod-updated': () => true,
      'assigned-pod-deleted': () => true,
      'assigned-pod-updated': (pod, { pod: now, oldPod: before }) => {
        if (now === undefined || before === undefined) return true
        const after = requestsOf(now)
        return [...requestsOf(before)].some(
          ([name, amount]) => amount > (after.get(name) ?? 0) && pod.requests.some((r) => r.name === name),
        )
      },
      'node-added': (pod, { node }, { listers }) => node !== undefined && couldHold(wanted(pod), node, listers),
      'node-updated': (pod, { node, oldNode }, { listers }) =>
        node !== undefined && couldHold(wanted(pod), node, listers) && (oldNode === undefined || offersMore(wanted(pod), node, oldNode)),
      'changed/deviceclasses': (pod, _event, { listers }) => wanted(pod).some((r) => isDevices(r.name, listers)),
    },
  } satisfies Plugin
}

type Wanted = readonly { readonly name: string; readonly amount: number }[]

const isDevices = (resource: string, listers: Listers) =>
  mayBeDevices(resource) && classBehind(resource, listers.list('deviceclasses', '')) !== undefined

function fitCheck(wanted: Wanted, { table, listers }: PluginContext): (row: number) => Verdict | undefined {
  const { allowedPods, podCount } = table
  const columns = wanted.map(({ name, amount }) => {
    const id = table.resourceId(name)
    return {
      name,
      amount,
      allocatable: id === undefined ? undefined : table.allocatable[id],
      used: id === undefined ? undefined : table.used[id],
      /** Of a node that offers none of it, devices may serve. */
      devices: isDevices(name, listers),
    }
  })
  const made = new Map<number, Verdict>()
  // What is short on a node, as bits: a verdict is made once for each combination.
  const explain = (row: number): Verdict => {
    let bits = (podCount[row] ?? 0) >= (allowedPods[row] ?? 0) ? 1 : 0
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i]
      const all = column?.allocatable?.[row] ?? 0
      if (column === undefined || (column.devices && all === 0) || column.amount <= all - (column.used?.[row] ?? 0)) continue
      bits += column.amount > all ? 2 * 3 ** i * 2 : 2 * 3 ** i
    }
    let verdict = made.get(bits)
    if (verdict === undefined) {
      verdict = fitVerdict(bits, columns)
      made.set(bits, verdict)
    }
    return verdict
  }
  const [first, second] = columns
  if (columns.length === 2 && first?.allocatable && first.used && second?.allocatable && second.used && !first.devices && !second.devices) {
    // The common case, cpu and memory, without a loop.
    const { allocatable: allA, used: usedA, amount: amountA } = first
    const { allocatable: allB, used: usedB, amount: amountB } = second
    return (row) => {
      const room = (podCount[row] ?? 0) < (allowedPods[row] ?? 0)
      if (room && amountA <= (allA[row] ?? 0) - (usedA[row] ?? 0) && amountB <= (allB[row] ?? 0) - (usedB[row] ?? 0)) return undefined
      return explain(row)
    }
  }
  return (row) => {
    let fits = (podCount[row] ?? 0) < (allowedPods[row] ?? 0)
    for (let i = 0; i < columns.length && fits; i++) {
      const column = columns[i]
      if (column === undefined) continue
      const all = column.allocatable?.[row] ?? 0
      fits = (column.devices && all === 0) || (column.allocatable !== undefined && column.amount <= all - (column.used?.[row] ?? 0))
    }
    return fits ? undefined : explain(row)
  }
}

const offered = (node: Readonly<Node>, name: string) => amountOf(name, node.status?.allocatable?.[name] ?? 0)

const couldHold = (wanted: Wanted, node: Readonly<Node>, listers: Listers) =>
  wanted.every((r) => r.amount <= offered(node, r.name) || (offered(node, r.name) === 0 && isDevices(r.name, listers)))

const offersMore = (wanted: Wanted, node: Readonly<Node>, old: Readonly<Node>) =>
  ['pods', ...wanted.map((r) => r.name)].some((name) => offered(node, name) > offered(old, name))

/** Bit 0: too many pods; then a digit to the base of three a resource: enough, short, more than the node has. */
function fitVerdict(bits: number, columns: readonly { readonly name: string }[]): Verdict {
  const reasons = bits % 2 === 1 ? ['Too many pods'] : []
  let digits = Math.trunc(bits / 2)
  let hopeless = false
  for (const { name } of columns) {
    if (digits % 3 > 0) reasons.push(`Insufficient ${name}`)
    if (digits % 3 === 2) hopeless = true
    digits = Math.trunc(digits / 3)
  }
  return (hopeless ? unresolvable : unschedulable)(NAME, ...reasons)
}

const strings = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter((v) => typeof v === 'string') : [])

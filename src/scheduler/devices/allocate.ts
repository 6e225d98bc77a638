import { parseQuantity, Quantity } from '../../machinery/quantity.ts'
import type { NodeSelector, NodeSelectorTerm } from '../objects.ts'
import { tolerates } from '../plugins/taint-toleration.ts'
import type {
  Allocation,
  DeviceAttribute,
  DeviceClass,
  DeviceConstraint,
  DeviceResult,
  DeviceSelector,
  ExactRequest,
  ResourceClaim,
} from './device.ts'
import { selects } from './device-selector.ts'
import type { Pool, PoolDevice } from './pools.ts'

export interface AllocatorInput {
  /** Those that have no allocation yet. */
  readonly claims: readonly Readonly<ResourceClaim>[]
  readonly pools: readonly Pool[]
  readonly classes: (name: string) => Readonly<DeviceClass> | undefined
  /** `driver/pool/device` of what is allocated already. */
  readonly taken: ReadonlySet<string>
}

/** `invalid`: the pools within reach are in disorder. */
export type Allocated =
  | { readonly kind: 'allocated'; readonly allocations: readonly Allocation[] }
  | { readonly kind: 'none' }
  | { readonly kind: 'invalid' }

export const deviceId = (d: { readonly driver: string; readonly pool: string; readonly device: string }) =>
  `${d.driver}/${d.pool}/${d.device}`
const idOf = ({ driver, pool, device }: PoolDevice) => `${driver}/${pool}/${device.name}`

/**
 * Finds devices for all claims on one node, or says that there are none: a search with backtracking over requests in their order, their alternatives
 * in order of preference, and devices in the order of their pools. Pure: the first solution is always the same.
 * @throws {Error} when an expression fails; the text is what Kubernetes says
 */
export function allocate(input: AllocatorInput): Allocated {
  if (input.pools.some((p) => p.invalid)) return { kind: 'invalid' }
  const search = new Search(input)
  const found = search.run()
  return found === undefined ? { kind: 'none' } : { kind: 'allocated', allocations: found }
}

/** One device to be found: for which request of which claim. */
interface Slot {
  readonly claim: number
  /** `request`, or `request/alternative`. */
  readonly name: string
  readonly request: ExactRequest
  /** With mode All: this device and no other. */
  readonly only?: PoolDevice
}

interface Pick {
  readonly slot: Slot
  readonly device: PoolDevice
}

class Search {
  readonly #input: AllocatorInput
  readonly #devices: readonly PoolDevice[]
  readonly #matches = new Map<string, boolean>()
  readonly #used = new Set<string>()
  readonly #picks: Pick[] = []
  readonly #pools: ReadonlyMap<string, Pool>

  constructor(input: AllocatorInput) {
    this.#input = input
    this.#devices = input.pools.flatMap((p) => p.devices)
    this.#pools = new Map(input.pools.map((p) => [`${p.driver}/${p.name}`, p]))
  }

  run(): readonly Allocation[] | undefined {
    return this.#request(0, 0) ? this.#input.claims.map((_, i) => this.#allocationOf(i)) : undefined
  }

  /** Tries the alternatives of one request, and everything behind it. */
  #request(claim: number, at: number): boolean {
    const of = this.#input.claims[claim]
    if (of === undefined) return true
    const request = of.spec.devices?.requests?.[at]
    if (request === undefined) return this.#request(claim + 1, 0)
    const alternatives: readonly { readonly name: string; readonly request: ExactRequest }[] =
      request.exactly !== undefined
        ? [{ name: request.name, request: request.exactly }]
        : (request.firstAvailable ?? []).map((r) => ({ name: `${request.name}/${r.name}`, request: r }))
    return alternatives.some(({ name, request: exact }) => {
      const slots = this.#slots(claim, name, exact)
      return slots !== undefined && this.#fill(slots, 0, () => this.#request(claim, at + 1))
    })
  }

  #slots(claim: number, name: string, request: ExactRequest): readonly Slot[] | undefined {
    if (request.allocationMode !== 'All') return Array.from({ length: request.count ?? 1 }, () => ({ claim, name, request }))
    const updating = this.#input.pools.find((p) => p.incomplete)
    if (updating !== undefined) {
      throw new Error(
        `${this.#titleOf(claim)}, request ${name}: asks for all devices, but resource pool ${updating.driver}/${updating.name} is currently being updated`,
      )
    }
    const all = this.#devices.filter((device) => this.#suits(claim, request, device))
    return all.length === 0 ? undefined : all.map((only) => ({ claim, name, request, only }))
  }

  #fill(slots: readonly Slot[], at: number, rest: () => boolean): boolean {
    const slot = slots[at]
    if (slot === undefined) return rest()
    for (const device of slot.only === undefined ? this.#devices : [slot.only]) {
      if (!this.#take(slot, device)) continue
      if (this.#fill(slots, at + 1, rest)) return true
      this.#giveBack(slot, device)
    }
    return false
  }

  #take(slot: Slot, device: PoolDevice): boolean {
    const admin = slot.request.adminAccess === true
    const id = idOf(device)
    if (!admin && (this.#used.has(id) || this.#input.taken.has(id))) return false
    if (slot.only === undefined && !this.#suits(slot.claim, slot.request, device)) return false
    if (!this.#bears(slot.request, device) || !this.#keepsConstraints(slot, device) || !(admin || this.#hasCounters(device))) return false
    if (!admin) this.#used.add(id)
    this.#picks.push({ slot, device })
    return true
  }

  #giveBack(slot: Slot, device: PoolDevice): void {
    this.#picks.pop()
    if (slot.request.adminAccess !== true) this.#used.delete(idOf(device))
  }

  /** Whether the selectors of class and request take the device. */
  #suits(claim: number, request: ExactRequest, device: PoolDevice): boolean {
    const key = `${claim} ${JSON.stringify([request.deviceClassName, request.selectors])} ${idOf(device)}`
    let known = this.#matches.get(key)
    if (known === undefined) {
      const ofClass = this.#input.classes(request.deviceClassName)?.spec.selectors ?? []
      known = all(ofClass, device, `class ${request.deviceClassName}`) && all(request.selectors ?? [], device, this.#titleOf(claim))
      this.#matches.set(key, known)
    }
    return known
  }

  #titleOf(claim: number): string {
    const { namespace, name } = this.#input.claims[claim]?.metadata ?? {}
    return `claim ${namespace}/${name}`
  }

  #bears({ tolerations = [] }: ExactRequest, { device }: PoolDevice): boolean {
    return (device.taints ?? []).every((taint) => taint.effect === 'None' || tolerations.some((t) => tolerates(t, taint)))
  }

  #keepsConstraints(slot: Slot, device: PoolDevice): boolean {
    const constraints = this.#input.claims[slot.claim]?.spec.devices?.constraints ?? []
    return constraints.every((constraint) => {
      if (!concerns(constraint, slot.name)) return true
      const others = this.#picks.filter((p) => p.slot.claim === slot.claim && concerns(constraint, p.slot.name))
      const attribute = constraint.matchAttribute ?? constraint.distinctAttribute ?? ''
      const own = attributeOf(device, attribute)
      if (own === undefined) return false
      const values = others.map((p) => attributeOf(p.device, attribute))
      return constraint.matchAttribute !== undefined ? values.every((v) => v === own) : !values.includes(own)
    })
  }

  /** Whether what the device takes of the counters of its pool is left by those that are taken, here and elsewhere. */
  #hasCounters(device: PoolDevice): boolean {
    const wanted = device.device.consumesCounters ?? []
    if (wanted.length === 0) return true
    const pool = this.#pools.get(`${device.driver}/${device.pool}`)
    if (pool === undefined) return false
    const taken = pool.devices.filter((d) => this.#used.has(idOf(d)) || this.#input.taken.has(idOf(d)))
    return wanted.every(({ counterSet, counters }) => {
      const set = pool.counters.get(counterSet)
      return Object.entries(counters).every(([name, { value }]) => {
        const limit = set?.[name]
        if (limit === undefined) return false
        let left = parseQuantity(limit.value).sub(parseQuantity(value))
        for (const other of taken)
          for (const c of other.device.consumesCounters ?? [])
            if (c.counterSet === counterSet && c.counters[name] !== undefined) left = left.sub(parseQuantity(c.counters[name].value))
        return left.compare(Quantity.zero) >= 0
      })
    })
  }

  #allocationOf(claim: number): Allocation {
    const picks = this.#picks.filter((p) => p.slot.claim === claim)
    const results = picks.map(({ slot, device }): DeviceResult => {
      const { adminAccess, tolerations } = slot.request
      return {
        request: slot.name,
        driver: device.driver,
        pool: device.pool,
        device: device.device.name,
        ...(adminAccess === undefined ? {} : { adminAccess }),
        ...(tolerations === undefined || tolerations.length === 0 ? {} : { tolerations }),
      }
    })
    const config = this.#configOf(claim, picks)
    const nodeSelector = combined(picks.flatMap((p) => p.device.nodeSelector ?? []))
    return { devices: { results, ...(config.length === 0 ? {} : { config }) }, ...(nodeSelector === undefined ? {} : { nodeSelector }) }
  }

  /** The configuration of the classes, by the requests that use them, then that of the claim. */
  #configOf(claim: number, picks: readonly Pick[]): readonly object[] {
    const byClass = new Map<string, Set<string>>()
    for (const { slot } of picks) {
      const names = byClass.get(slot.request.deviceClassName) ?? new Set()
      byClass.set(slot.request.deviceClassName, names.add(slot.name))
    }
    const config: object[] = []
    for (const [name, requests] of byClass)
      for (const { opaque } of this.#input.classes(name)?.spec.config ?? [])
        config.push({ source: 'FromClass', requests: [...requests], opaque })
    const used = new Set(picks.flatMap(({ slot }) => [slot.name, slot.name.split('/')[0] ?? '']))
    for (const { requests, opaque } of this.#input.claims[claim]?.spec.devices?.config ?? []) {
      const own = (requests ?? []).filter((r) => used.has(r))
      if ((requests ?? []).length > 0 && own.length === 0) continue
      config.push({ source: 'FromClaim', ...((requests ?? []).length === 0 ? {} : { requests: own }), opaque })
    }
    return config
  }
}

function all(selectors: readonly DeviceSelector[], { driver, device }: PoolDevice, whose: string): boolean {
  return selectors.every(({ cel }, i) => {
    try {
      return cel === undefined || selects(cel.expression, { driver, device })
    } catch (error) {
      throw new Error(`${whose}: selector #${i}: ${error instanceof Error ? error.message : String(error)}`)
    }
  })
}

/** A constraint without requests is about all of them; one that names a request is about its alternatives too. */
const concerns = ({ requests = [] }: DeviceConstraint, name: string) =>
  requests.length === 0 || requests.includes(name) || requests.includes(name.split('/')[0] ?? '')

function attributeOf({ driver, device }: PoolDevice, name: string): string | undefined {
  const own = name.startsWith(`${driver}/`) ? name.slice(driver.length + 1) : undefined
  const found: DeviceAttribute | undefined = device.attributes?.[name] ?? (own === undefined ? undefined : device.attributes?.[own])
  return found === undefined ? undefined : JSON.stringify(found, (_, v) => (typeof v === 'bigint' ? String(v) : v))
}

/** The nodes from which all devices can be reached: every requirement of each, each once. */
function combined(selectors: readonly NodeSelector[]): NodeSelector | undefined {
  const fields = new Map<string, NonNullable<NodeSelectorTerm['matchFields']>[number]>()
  const expressions = new Map<string, NonNullable<NodeSelectorTerm['matchExpressions']>[number]>()
  for (const { nodeSelectorTerms = [] } of selectors) {
    for (const term of nodeSelectorTerms) {
      for (const field of term.matchFields ?? []) fields.set(JSON.stringify(field), field)
      for (const expression of term.matchExpressions ?? []) expressions.set(JSON.stringify(expression), expression)
    }
  }
  if (fields.size + expressions.size === 0) return undefined
  const term: NodeSelectorTerm = {
    ...(expressions.size === 0 ? {} : { matchExpressions: [...expressions.values()] }),
    ...(fields.size === 0 ? {} : { matchFields: [...fields.values()] }),
  }
  return { nodeSelectorTerms: [term] }
}

import { parseQuantity } from '../../../machinery/quantity.ts'
import type { Container, Pod } from '../../pod/pod-types.ts'
import type { ContainerAdditions } from '../../runtime/container-spec.ts'
import type { ProviderHints, TopologyHint } from '../hint.ts'
import { containersOf, type HintProvider, isPlainInit } from '../hint-provider.ts'
import type { Machine } from '../machine.ts'
import { countOf, isNarrower, masksOf, type NodeMask, nodesOf } from '../node-mask.ts'
import { getsItsOwn } from '../pod-quality.ts'

/** Of one NUMA node and one kind of memory: bytes. */
export interface MemoryAmounts {
  readonly total: number
  readonly systemReserved: number
  readonly allocatable: number
  reserved: number
  free: number
}

/** One NUMA node: what it has, and with which others it serves containers. */
export interface MemoryNode {
  /** How many blocks lie on it. */
  assignments: number
  readonly amounts: ReadonlyMap<string, MemoryAmounts>
  /** The nodes that serve together; a node that serves alone serves nobody across nodes. */
  group: NodeMask
}

/** What a container holds: the kubelet's checkpoint has it so. */
export interface MemoryBlock {
  readonly nodes: NodeMask
  readonly type: string
  size: number
}

/** What is held on each NUMA node, and by whom: the kubelet's checkpoint has it so. */
export interface MemoryLedger {
  readonly nodes: ReadonlyMap<number, MemoryNode>
  /** By the pod's uid and the container's name. */
  readonly blocks: ReadonlyMap<string, ReadonlyMap<string, readonly MemoryBlock[]>>
}

/** The state that another agent left does not fit; the message is the kubelet's. */
export class MemoryStateError extends Error {
  override readonly name = 'MemoryStateError'
  readonly code = 'bad-state'
}

/** A configuration with which the kubelet does not start. */
export class MemoryConfigError extends Error {
  override readonly name = 'MemoryConfigError'
}

/** `reservedMemory`: of a NUMA node, what containers do not get. */
export interface ReservedMemory {
  readonly numaNode: number
  readonly limits: Readonly<Record<string, string>>
}

/**
 * The kubelet's `Static` memory manager: containers of Guaranteed pods get their memory and huge pages from as few NUMA nodes as can be.
 * `nodeReserved` is what the node keeps altogether (kube, system and eviction): `reservedMemory` has to add up to it.
 */
export class MemoryManager implements HintProvider {
  readonly name = 'memory'
  readonly fixed = { resource: 'memory', policy: 'Memory Manager policy "Static"' }
  /** How often containers asked for memory of their own, and how often they did not get it. */
  readonly pins = { requests: 0, errors: 0 }
  readonly #nodes: ReadonlyMap<number, MemoryNode>
  readonly #blocks = new Map<string, Map<string, MemoryBlock[]>>()
  /** What a pod's init containers held, by nodes and kind. */
  #reusable: { readonly uid: string; readonly bytes: Map<string, number> } | undefined

  /** Pods that have ended: what they held is taken back when the next one asks, as the kubelet does it. */
  readonly #ended = new Set<string>()

  constructor(machine: Machine, reserved: readonly ReservedMemory[], nodeReserved: Readonly<Record<string, number>>, held?: MemoryLedger) {
    checkReserved(machine, reserved, nodeReserved)
    this.#nodes = new Map(
      machine.layout.nodes.map((node) => {
        const has = machine.memory.get(node) ?? {}
        const amounts = Object.entries(has).map(([type, total]): [string, MemoryAmounts] => {
          const systemReserved = reserved
            .filter((r) => r.numaNode === node)
            .reduce((sum, r) => sum + (r.limits[type] === undefined ? 0 : parseQuantity(r.limits[type]).value()), 0)
          const allocatable = total - systemReserved - (type === 'memory' ? hugePages(has) : 0)
          return [type, { total, systemReserved, allocatable, reserved: 0, free: allocatable }]
        })
        return [node, { assignments: 0, amounts: new Map(amounts), group: 1 << node }]
      }),
    )
    if (held !== undefined) this.#restore(held)
  }

  /** Takes up what another agent left. @throws {MemoryStateError} where that does not fit this machine */
  #restore({ nodes, blocks }: MemoryLedger): void {
    if (nodes.size === 0 && blocks.size === 0) return
    if (nodes.size === 0) throw new MemoryStateError('[memorymanager] machine state can not be empty when it has memory assignments')
    for (const [uid, containers] of blocks)
      for (const [container, list] of containers)
        for (const block of list) {
          const who = `[memorymanager] (pod: ${uid}, container: ${container})`
          for (const id of nodesOf(block.nodes)) {
            const node = this.#nodes.get(id)
            if (node === undefined) throw new MemoryStateError(`${who} the memory assignment uses the NUMA that does not exist`)
            if (!node.amounts.has(block.type))
              throw new MemoryStateError(`${who} the memory assignment uses memory resource that does not exist`)
          }
          this.#take(block.nodes, block.type, block.size)
        }
    if (!this.#standsAs(nodes)) throw new MemoryStateError('[memorymanager] the expected machine state is different from the real one')
    for (const [id, { amounts: left }] of nodes)
      for (const [type, { reserved, free }] of left) Object.assign(this.#nodes.get(id)?.amounts.get(type) ?? {}, { reserved, free })
    for (const [uid, containers] of blocks)
      this.#blocks.set(uid, new Map([...containers].map(([name, list]) => [name, list.map((b) => ({ ...b }))])))
  }

  /** Whether what was left is what its blocks come to. Nodes that serve together are compared together: who of them gives what does not stand in the blocks. */
  #standsAs(left: ReadonlyMap<number, MemoryNode>): boolean {
    if (left.size !== this.#nodes.size) return false
    const sum = (of: ReadonlyMap<number, MemoryNode>, group: NodeMask, type: string, what: 'free' | 'reserved') =>
      nodesOf(group).reduce((total, id) => total + (of.get(id)?.amounts.get(type)?.[what] ?? 0), 0)
    return [...left].every(([id, { assignments, group, amounts }]) => {
      const own = this.#nodes.get(id)
      if (own?.assignments !== assignments || own.group !== group || own.amounts.size !== amounts.size) return false
      return [...amounts].every(([type, { total, systemReserved, allocatable }]) => {
        const has = own.amounts.get(type)
        if (has?.total !== total || has.systemReserved !== systemReserved || has.allocatable !== allocatable) return false
        return (['free', 'reserved'] as const).every((what) => sum(left, group, type, what) === sum(this.#nodes, group, type, what))
      })
    })
  }

  get ledger(): MemoryLedger {
    return { nodes: this.#nodes, blocks: this.#blocks }
  }

  get nodes(): ReadonlyMap<number, MemoryNode> {
    return this.#nodes
  }

  /** How many bytes of a node a pod holds, where its blocks are filled from the first of their nodes on. */
  takenFrom(uid: string, node: number, type: string): number {
    const filled = new Map<number, number>()
    for (const block of [...(this.#blocks.get(uid)?.values() ?? [])].flat()) {
      if (block.type !== type) continue
      let left = block.size
      for (const id of nodesOf(block.nodes)) {
        const before = filled.get(id) ?? 0
        const bytes = Math.min(left, (this.#nodes.get(id)?.amounts.get(type)?.reserved ?? 0) - before)
        filled.set(id, before + bytes)
        left -= bytes
      }
    }
    return filled.get(node) ?? 0
  }

  blocks(uid: string, container: string): readonly MemoryBlock[] {
    return this.#blocks.get(uid)?.get(container) ?? []
  }

  containerHints(pod: Pod, container: Container): ProviderHints {
    this.sweep()
    const wanted = wantedMemory(pod, container)
    const held = this.blocks(uidOf(pod), container.name)
    return held.length === 0 ? this.#hints(pod, wanted) : sameAgain(held, wanted)
  }

  podHints(pod: Pod): ProviderHints {
    this.sweep()
    const wanted = wantedByPod(pod)
    for (const container of containersOf(pod)) {
      const held = this.blocks(uidOf(pod), container.name)
      if (held.length > 0) return sameAgain(held, wanted)
    }
    return this.#hints(pod, wanted)
  }

  allocate(pod: Pod, container: Container, hint: TopologyHint): void {
    this.sweep()
    if (wantedMemory(pod, container).size === 0) return
    this.pins.requests++
    try {
      this.#allocate(pod, container, hint)
    } catch (error) {
      this.pins.errors++
      throw error
    }
  }

  #allocate(pod: Pod, container: Container, hint: TopologyHint): void {
    const wanted = wantedMemory(pod, container)
    const uid = uidOf(pod)
    const held = this.blocks(uid, container.name)
    if (held.length > 0) {
      this.#keepForReuse(pod, container, held)
      return
    }
    const nodes = this.#choose(pod, wanted, hint)
    const blocks = [...wanted].map(([type, size]): MemoryBlock => ({ nodes, type, size }))
    for (const { type, size } of blocks) this.#take(nodes, type, Math.max(0, size - this.#reusableOf(pod, nodes, type)))
    this.#keepForReuse(pod, container, blocks)
    const containers = this.#blocks.get(uid) ?? new Map<string, MemoryBlock[]>()
    this.#blocks.set(uid, containers.set(container.name, blocks))
    this.#shrinkInits(pod, container, blocks)
  }

  release(pod: Pod): void {
    if (this.#blocks.has(uidOf(pod))) this.#ended.add(uidOf(pod))
  }

  retain(podUids: ReadonlySet<string>): void {
    for (const uid of this.#blocks.keys()) if (!podUids.has(uid)) this.#ended.add(uid)
  }

  /** Takes back what pods that have ended held. */
  sweep(): void {
    for (const uid of this.#ended) this.#releaseUid(uid)
    this.#ended.clear()
  }

  #releaseUid(uid: string): void {
    for (const block of [...(this.#blocks.get(uid)?.values() ?? [])].flat()) this.#giveBack(block)
    this.#blocks.delete(uid)
    if (this.#reusable?.uid === uid) this.#reusable = undefined
  }

  additions(pod: Pod, container: Container): ContainerAdditions | undefined {
    const [block] = this.blocks(uidOf(pod), container.name)
    return block && { resources: { memoryNodes: nodesOf(block.nodes).join(',') } }
  }

  /** The nodes that the hint names, or those with which they can serve it. */
  #choose(pod: Pod, wanted: ReadonlyMap<string, number>, hint: TopologyHint): NodeMask {
    let nodes = hint.nodes
    let preferred = hint.preferred
    if (nodes === undefined) {
      const usual = narrowest(this.#hints(pod, wanted).memory ?? [])
      if (usual === undefined)
        throw new Error('[memorymanager] failed to get the default NUMA affinity, no NUMA nodes with enough memory is available')
      if (!usual.preferred && preferred) throw new Error('[memorymanager] failed to find the default preferred hint')
      ;({ nodes = 0, preferred } = usual)
    }
    if (!this.#serves(nodes, wanted)) {
      const inside = nodes
      const extended = narrowest((this.#hints(pod, wanted).memory ?? []).filter((h) => ((h.nodes ?? 0) & inside) === inside))
      if (extended === undefined) throw new Error('[memorymanager] failed to find NUMA nodes to extend the current topology hint')
      if (!extended.preferred && preferred) throw new Error('[memorymanager] failed to find the extended preferred hint')
      nodes = extended.nodes ?? 0
    }
    // Of a single node nothing is asked here.
    if (countOf(nodes) > 1 && this.#mixesGroups(nodes)) throw new Error('[memorymanager] preferred hint violates NUMA node allocation')
    return nodes
  }

  #serves(nodes: NodeMask, wanted: ReadonlyMap<string, number>): boolean {
    return [...wanted].every(([type, size]) => this.#sum(nodes, type, 'free') >= size)
  }

  #sum(nodes: NodeMask, type: string, what: 'free' | 'allocatable'): number {
    return nodesOf(nodes).reduce((sum, node) => sum + (this.#nodes.get(node)?.amounts.get(type)?.[what] ?? 0), 0)
  }

  /** A node serves alone, or always with the same others. */
  #mixesGroups(nodes: NodeMask): boolean {
    const single = countOf(nodes) === 1
    return nodesOf(nodes).some((id) => {
      const node = this.#nodes.get(id)
      if (node === undefined) return true
      return single ? countOf(node.group) > 1 : node.assignments > 0 && node.group !== nodes
    })
  }

  #hints(pod: Pod, wanted: ReadonlyMap<string, number>): ProviderHints {
    if (wanted.size === 0) return {}
    const all = [...this.#nodes.keys()]
    let fewest = all.length
    const masks: NodeMask[] = []
    for (const mask of masksOf(all)) {
      if ([...wanted].some(([type, size]) => this.#sum(mask, type, 'allocatable') < size)) continue
      fewest = Math.min(fewest, countOf(mask))
      if (this.#mixesGroups(mask)) continue
      if ([...wanted].every(([type, size]) => this.#sum(mask, type, 'free') + this.#reusableOf(pod, mask, type) >= size)) masks.push(mask)
    }
    // Without a set that has it nothing is said at all, as if it did not matter: it is refused when it is allocated.
    if (masks.length === 0) return {}
    const hints = masks.map((nodes) => ({ nodes, preferred: countOf(nodes) === fewest }))
    return Object.fromEntries([...wanted.keys()].map((type) => [type, hints]))
  }

  #take(nodes: NodeMask, type: string, size: number): void {
    let left = size
    for (const id of nodesOf(nodes)) {
      const node = this.#nodes.get(id)
      if (node === undefined) continue
      node.assignments++
      node.group = nodes
      left -= move(node.amounts.get(type), 'free', 'reserved', left)
    }
  }

  /** From the first of its nodes on, as it was taken. */
  #giveBack({ nodes, type, size }: MemoryBlock): void {
    let left = size
    for (const id of nodesOf(nodes)) {
      const node = this.#nodes.get(id)
      if (node === undefined) continue
      node.assignments--
      if (node.assignments === 0) node.group = 1 << id
      left -= move(node.amounts.get(type), 'reserved', 'free', left)
    }
  }

  #reusableOf(pod: Pod, nodes: NodeMask, type: string): number {
    return this.#reusable?.uid === uidOf(pod) ? (this.#reusable.bytes.get(`${nodes} ${type}`) ?? 0) : 0
  }

  #keepForReuse(pod: Pod, container: Container, blocks: readonly MemoryBlock[]): void {
    const uid = uidOf(pod)
    if (this.#reusable?.uid !== uid) this.#reusable = { uid, bytes: new Map() }
    const init = isPlainInit(pod, container)
    for (const { nodes, type, size } of blocks) {
      const key = `${nodes} ${type}`
      const before = this.#reusable.bytes.get(key) ?? 0
      this.#reusable.bytes.set(key, init ? Math.max(before, size) : Math.max(0, before - size))
    }
  }

  /** What a container took over from an init container is no longer counted there. */
  #shrinkInits(pod: Pod, container: Container, blocks: readonly MemoryBlock[]): void {
    for (const { nodes, type, size } of blocks) {
      let left = size
      for (const init of pod.spec.initContainers ?? []) {
        if (init.name === container.name) break
        if (init.restartPolicy === 'Always') continue
        for (const had of this.blocks(uidOf(pod), init.name)) {
          if (had.type !== type || had.nodes !== nodes) continue
          const taken = Math.min(had.size, left)
          had.size -= taken
          left -= taken
        }
      }
    }
  }
}

/** Moves up to that many bytes; returns how many there were. */
function move(amounts: MemoryAmounts | undefined, from: 'free' | 'reserved', to: 'free' | 'reserved', bytes: number): number {
  const moved = Math.min(bytes, Math.max(0, amounts?.[from] ?? 0))
  if (amounts === undefined) return 0
  amounts[from] -= moved
  amounts[to] += moved
  return moved
}

/** Hints of what is held already, where that is what is wanted; otherwise nothing is said. */
function sameAgain(held: readonly MemoryBlock[], wanted: ReadonlyMap<string, number>): ProviderHints {
  const same = held.length === wanted.size && held.every((b) => wanted.get(b.type) === b.size)
  return same ? Object.fromEntries(held.map((b) => [b.type, [{ nodes: b.nodes, preferred: true }]])) : {}
}

const hugePages = (has: Readonly<Record<string, number>>): number =>
  Object.entries(has).reduce((sum, [type, bytes]) => (type === 'memory' ? sum : sum + bytes), 0)

function checkReserved(machine: Machine, reserved: readonly ReservedMemory[], nodeReserved: Readonly<Record<string, number>>): void {
  const sums = new Map<string, number>()
  for (const { numaNode, limits } of reserved) {
    if (!machine.layout.nodes.includes(numaNode))
      throw new MemoryConfigError(
        `the reserved memory configuration references a NUMA node ${numaNode} that does not exist on this machine`,
      )
    for (const [type, amount] of Object.entries(limits)) sums.set(type, (sums.get(type) ?? 0) + parseQuantity(amount).value())
  }
  for (const type of new Set([...sums.keys(), ...Object.keys(nodeReserved)])) {
    const [has, wants] = [sums.get(type) ?? 0, nodeReserved[type] ?? 0]
    if (has !== wants)
      throw new MemoryConfigError(
        `the total amount ${JSON.stringify(bytesText(has))} of type ${JSON.stringify(type)} is not equal to the value ${JSON.stringify(bytesText(wants))} determined by Node Allocatable feature`,
      )
  }
}

/** `Static` needs some memory for the system. */
export function checkSomeReserved(reserved: readonly ReservedMemory[]): void {
  if (!reserved.some(({ limits }) => limits.memory !== undefined && !parseQuantity(limits.memory).isZero()))
    throw new MemoryConfigError('[memorymanager] you should specify the system reserved memory')
}

const bytesText = (bytes: number): string => {
  let [value, unit] = [bytes, 0]
  while (value !== 0 && value % 1024 === 0 && unit < 4) {
    value /= 1024
    unit++
  }
  return `${value}${['', 'Ki', 'Mi', 'Gi', 'Ti'][unit]}`
}

/** The preferred one, or the one of the fewest nodes. */
function narrowest(hints: readonly TopologyHint[]): TopologyHint | undefined {
  let best: TopologyHint | undefined
  for (const hint of hints) {
    if (best === undefined || (hint.preferred && !best.preferred)) best = hint
    else if (hint.preferred === best.preferred && isNarrower(hint.nodes ?? 0, best.nodes ?? 0)) best = hint
  }
  return best
}

const isMemory = (resource: string): boolean => resource === 'memory' || resource.startsWith('hugepages-')

/** What a container of a Guaranteed pod asks for, by kind, in bytes. */
function wantedMemory(pod: Pod, container: Container): ReadonlyMap<string, number> {
  if (!getsItsOwn(pod)) return new Map()
  const requests = Object.entries(container.resources?.requests ?? {}).filter(([resource]) => isMemory(resource))
  return new Map(requests.map(([resource, amount]) => [resource, parseQuantity(amount).value()]))
}

/** What all containers of a pod need at once (KEP-753). */
function wantedByPod(pod: Pod): ReadonlyMap<string, number> {
  const sidecars = new Map<string, number>()
  const inits = new Map<string, number>()
  const total = new Map<string, number>()
  const add = (into: Map<string, number>, more: ReadonlyMap<string, number>) => {
    for (const [type, size] of more) into.set(type, (into.get(type) ?? 0) + size)
  }
  for (const init of pod.spec.initContainers ?? []) {
    const wanted = wantedMemory(pod, init)
    if (init.restartPolicy === 'Always') add(sidecars, wanted)
    else for (const [type, size] of wanted) inits.set(type, Math.max(inits.get(type) ?? 0, (sidecars.get(type) ?? 0) + size))
  }
  for (const container of pod.spec.containers ?? []) add(total, wantedMemory(pod, container))
  // As in the kubelet, a kind that no container of the pod proper asks for is not looked at.
  for (const [type, size] of total) total.set(type, Math.max(size + (sidecars.get(type) ?? 0), inits.get(type) ?? 0))
  return total
}

const uidOf = (pod: Pod): string => pod.metadata.uid ?? ''

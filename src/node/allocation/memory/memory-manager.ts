import { checkReserved, type ReservedMemory } from '../../configuration/reserved-memory.ts'
import type { Machine } from '../../machine/machine.ts'
import { countOf, isNarrower, masksOf, type NodeMask, nodesOf } from '../../machine/node-mask.ts'
import type { ContainerAdditions } from '../../runtime/container-spec.ts'
import { type Container, type Pod, uidOf } from '../../types/pod.ts'
import type { ProviderHints, TopologyHint } from '../hints/hint.ts'
import { allocatedContainers, type HintProvider, isPlainInit } from '../hints/hint-provider.ts'
import type { MemoryBlock, MemoryLedger, MemoryNode } from './memory-ledger.ts'
import { MemoryNodes } from './memory-nodes.ts'
import { wantedByPod, wantedMemory } from './wanted-memory.ts'

/**
 * Why a container gets no memory of its own; the message is the kubelet's.
 * - `no-nodes`: no group of NUMA nodes has enough.
 * - `not-preferred`: the preferred nodes have been taken since the hints were merged.
 * - `mixed-groups`: the nodes are parts of different groups already.
 */
export class MemoryAllocationError extends Error {
  override readonly name = 'MemoryAllocationError'
  readonly code: 'no-nodes' | 'not-preferred' | 'mixed-groups'

  constructor(code: MemoryAllocationError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/**
 * The kubelet's `Static` memory manager: containers of Guaranteed pods get their memory and huge pages from as few NUMA nodes as possible.
 * `nodeReserved` is what the node reserves in total (kube, system and eviction): `reservedMemory` has to add up to it.
 */
export class MemoryManager implements HintProvider {
  readonly name = 'memory'
  readonly fixed = { resource: 'memory', policy: 'Memory Manager policy "Static"' }
  /** Counts requests for pinned memory, and those that failed. */
  readonly pins = { requests: 0, errors: 0 }
  readonly #nodes: MemoryNodes
  readonly #blocks = new Map<string, Map<string, MemoryBlock[]>>()
  /** The allocation of a pod's init containers, by nodes and kind. */
  #reusable: { readonly uid: string; readonly bytes: Map<string, number> } | undefined

  /** Ended pods: as in the kubelet, their memory is released when the next pod asks. */
  readonly #ended = new Set<string>()

  constructor(machine: Machine, reserved: readonly ReservedMemory[], nodeReserved: Readonly<Record<string, number>>, held?: MemoryLedger) {
    checkReserved(machine, reserved, nodeReserved)
    this.#nodes = new MemoryNodes(machine, reserved)
    if (held !== undefined) this.#restore(held)
  }

  #restore(held: MemoryLedger): void {
    this.#nodes.restore(held)
    for (const [uid, containers] of held.blocks)
      this.#blocks.set(uid, new Map([...containers].map(([name, list]) => [name, list.map((b) => ({ ...b }))])))
  }

  get ledger(): MemoryLedger {
    return { nodes: this.#nodes.all, blocks: this.#blocks }
  }

  get nodes(): ReadonlyMap<number, MemoryNode> {
    return this.#nodes.all
  }

  /** The bytes of a node that a pod holds, with its blocks filled from their first node on. */
  takenFrom(uid: string, node: number, type: string): number {
    const filled = new Map<number, number>()
    for (const block of [...(this.#blocks.get(uid)?.values() ?? [])].flat()) {
      if (block.type !== type) continue
      let left = block.size
      for (const id of nodesOf(block.nodes)) {
        const before = filled.get(id) ?? 0
        const bytes = Math.min(left, (this.#nodes.all.get(id)?.amounts.get(type)?.reserved ?? 0) - before)
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
    for (const container of allocatedContainers(pod)) {
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
    for (const { type, size } of blocks) this.#nodes.take(nodes, type, Math.max(0, size - this.#reusableOf(pod, nodes, type)))
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

  /** Releases the memory of ended pods. */
  sweep(): void {
    for (const uid of this.#ended) this.#releaseUid(uid)
    this.#ended.clear()
  }

  #releaseUid(uid: string): void {
    for (const block of [...(this.#blocks.get(uid)?.values() ?? [])].flat()) this.#nodes.giveBack(block)
    this.#blocks.delete(uid)
    if (this.#reusable?.uid === uid) this.#reusable = undefined
  }

  additions(pod: Pod, container: Container): ContainerAdditions | undefined {
    const [block] = this.blocks(uidOf(pod), container.name)
    return block && { resources: { memoryNodes: nodesOf(block.nodes).join(',') } }
  }

  /** The hint's nodes, or a group of nodes that contains them. */
  #choose(pod: Pod, wanted: ReadonlyMap<string, number>, hint: TopologyHint): NodeMask {
    let nodes = hint.nodes
    let preferred = hint.preferred
    if (nodes === undefined) {
      const usual = narrowest(this.#hints(pod, wanted).memory ?? [])
      if (usual === undefined)
        throw new MemoryAllocationError(
          'no-nodes',
          '[memorymanager] failed to get the default NUMA affinity, no NUMA nodes with enough memory is available',
        )
      if (!usual.preferred && preferred)
        throw new MemoryAllocationError('not-preferred', '[memorymanager] failed to find the default preferred hint')
      ;({ nodes = 0, preferred } = usual)
    }
    if (!this.#nodes.serves(nodes, wanted)) {
      const inside = nodes
      const extended = narrowest((this.#hints(pod, wanted).memory ?? []).filter((h) => ((h.nodes ?? 0) & inside) === inside))
      if (extended === undefined)
        throw new MemoryAllocationError('no-nodes', '[memorymanager] failed to find NUMA nodes to extend the current topology hint')
      if (!extended.preferred && preferred)
        throw new MemoryAllocationError('not-preferred', '[memorymanager] failed to find the extended preferred hint')
      nodes = extended.nodes ?? 0
    }
    // Single nodes are not checked here.
    if (countOf(nodes) > 1 && this.#nodes.mixesGroups(nodes))
      throw new MemoryAllocationError('mixed-groups', '[memorymanager] preferred hint violates NUMA node allocation')
    return nodes
  }

  #hints(pod: Pod, wanted: ReadonlyMap<string, number>): ProviderHints {
    if (wanted.size === 0) return {}
    const all = [...this.#nodes.all.keys()]
    let fewest = all.length
    const masks: NodeMask[] = []
    for (const mask of masksOf(all)) {
      if ([...wanted].some(([type, size]) => this.#nodes.sum(mask, type, 'allocatable') < size)) continue
      fewest = Math.min(fewest, countOf(mask))
      if (this.#nodes.mixesGroups(mask)) continue
      if ([...wanted].every(([type, size]) => this.#nodes.sum(mask, type, 'free') + this.#reusableOf(pod, mask, type) >= size))
        masks.push(mask)
    }
    // As in the kubelet, no hint is given if no set suffices: the pod is refused at allocation.
    if (masks.length === 0) return {}
    const hints = masks.map((nodes) => ({ nodes, preferred: countOf(nodes) === fewest }))
    return Object.fromEntries([...wanted.keys()].map((type) => [type, hints]))
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

  /** Reduces an init container's allocation by what a later container took over. */
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

/** The hints for a repeated request: the current nodes if the amounts are unchanged, otherwise none. */
function sameAgain(held: readonly MemoryBlock[], wanted: ReadonlyMap<string, number>): ProviderHints {
  const same = held.length === wanted.size && held.every((b) => wanted.get(b.type) === b.size)
  return same ? Object.fromEntries(held.map((b) => [b.type, [{ nodes: b.nodes, preferred: true }]])) : {}
}

/** The preferred hint, or the one with the fewest nodes. */
function narrowest(hints: readonly TopologyHint[]): TopologyHint | undefined {
  let best: TopologyHint | undefined
  for (const hint of hints) {
    if (best === undefined || (hint.preferred && !best.preferred)) best = hint
    else if (hint.preferred === best.preferred && isNarrower(hint.nodes ?? 0, best.nodes ?? 0)) best = hint
  }
  return best
}

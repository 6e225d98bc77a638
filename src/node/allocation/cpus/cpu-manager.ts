import { parseQuantity } from '../../../machinery/quantity.ts'
import type { CpuManagerOptions } from '../../configuration/cpu-options.ts'
import { type CpuSet, formatCpuSet, NO_CPUS } from '../../machine/cpu-set.ts'
import type { Machine } from '../../machine/machine.ts'
import { countOf, masksOf, type NodeMask, nodesOf } from '../../machine/node-mask.ts'
import type { ContainerAdditions } from '../../runtime/container-spec.ts'
import { type Container, type Pod, uidOf } from '../../types/pod.ts'
import type { ProviderHints, TopologyHint } from '../hints/hint.ts'
import { type HintProvider, isPlainInit } from '../hints/hint-provider.ts'
import { getsItsOwn } from '../hints/pod-quality.ts'
import { CpuTopology } from './cpu-topology.ts'
import { takeCpus } from './take-cpus.ts'

/** A pod is refused because `full-pcpus-only` requires whole cores. */
export class SmtAlignmentError extends Error {
  override readonly name = 'SmtAlignmentError'
  readonly reason = 'SMTAlignmentError'
}

/** The state that a previous agent left does not match the machine; the message is the kubelet's. */
export class CpuStateError extends Error {
  override readonly name = 'CpuStateError'
  readonly code = 'bad-state'
}

/** The CPU assignments, as in the kubelet's checkpoint. */
export interface CpuLedger {
  /** The shared pool. */
  readonly shared: CpuSet
  /** By pod UID and container name. */
  readonly exclusive: ReadonlyMap<string, ReadonlyMap<string, CpuSet>>
}

/**
 * The kubelet's `static` CPU manager: a container of a Guaranteed pod with an integer CPU request gets exclusive CPUs; all others share the
 * rest.
 */
export class CpuManager implements HintProvider {
  readonly name = 'cpu'
  readonly fixed = { resource: 'cpu', policy: 'CPU Manager policy "static"' }
  /** Counts requests for exclusive CPUs, and their outcomes. */
  readonly pins = { requests: 0, errors: 0, wholeCores: 0, noWholeCores: 0, oneCache: 0 }
  readonly #machine: CpuTopology
  readonly #reserved: CpuSet
  readonly #options: CpuManagerOptions
  readonly #exclusive = new Map<string, Map<string, CpuSet>>()
  #shared: CpuSet
  /** The exclusive CPUs of a pod's init containers: its other containers use them first. */
  #reusable: { readonly uid: string; readonly cpus: CpuSet } | undefined

  constructor(machine: Machine, reserved: CpuSet, options: CpuManagerOptions = {}, held?: CpuLedger) {
    this.#machine = CpuTopology.of(machine)
    this.#reserved = reserved
    this.#options = options
    const all = new Set(this.#machine.cpus.keys())
    this.#shared = held?.shared ?? (options.strictReservation ? without(all, reserved) : all)
    for (const [uid, containers] of held?.exclusive ?? []) this.#exclusive.set(uid, new Map(containers))
    if (held !== undefined) this.#check()
  }

  /** The restored state has to match this machine and this configuration. @throws {CpuStateError} */
  #check(): void {
    const { shared, exclusive } = this.ledger
    const quoted = (cpus: CpuSet) => JSON.stringify(formatCpuSet(cpus))
    if (shared.size === 0 && exclusive.size > 0) throw new CpuStateError('default cpuset cannot be empty')
    const [own, common] = [this.#reserved, new Set([...this.#reserved].filter((cpu) => shared.has(cpu)))]
    if (this.#options.strictReservation && common.size > 0)
      throw new CpuStateError(`some of strictly reserved cpus: ${quoted(common)} are present in defaultCpuSet: ${quoted(shared)}`)
    if (!this.#options.strictReservation && common.size < own.size)
      throw new CpuStateError(`not all reserved cpus: ${quoted(own)} are present in defaultCpuSet: ${quoted(shared)}`)
    const known = new Set(shared)
    for (const [uid, containers] of exclusive)
      for (const [name, cpus] of containers) {
        if ([...cpus].some((cpu) => shared.has(cpu)))
          throw new CpuStateError(`pod: ${uid}, container: ${name} cpuset: ${quoted(cpus)} overlaps with default cpuset ${quoted(shared)}`)
        for (const cpu of cpus) known.add(cpu)
      }
    const machine = new Set(this.#machine.cpus.keys())
    const all = this.#options.strictReservation ? without(machine, own) : machine
    if (known.size !== all.size || [...known].some((cpu) => !all.has(cpu)))
      throw new CpuStateError(`current set of available CPUs ${quoted(all)} doesn't match with CPUs in state ${quoted(known)}`)
  }

  get ledger(): CpuLedger {
    return { shared: this.#shared, exclusive: this.#exclusive }
  }

  /** The CPUs that can be assigned exclusively, free or not. */
  get allocatable(): CpuSet {
    return without(new Set(this.#machine.cpus.keys()), this.#reserved)
  }

  /** The shared pool. */
  get pool(): CpuSet {
    return this.#available()
  }

  /** The CPUs that are assigned exclusively. */
  get exclusive(): CpuSet {
    return new Set([...this.#exclusive.values()].flatMap((containers) => [...containers.values()].flatMap((cpus) => [...cpus])))
  }

  /** The exclusive CPUs of a container. */
  held(uid: string, container: string): CpuSet | undefined {
    return this.#exclusive.get(uid)?.get(container)
  }

  containerHints(pod: Pod, container: Container): ProviderHints {
    const wanted = exclusiveCpus(pod, container)
    if (wanted === 0) return {}
    const held = this.held(uidOf(pod), container.name)
    if (held !== undefined) return { cpu: held.size === wanted ? this.#hints(held, NO_CPUS, wanted) : [] }
    return { cpu: this.#hints(this.#available(), this.#reusableOf(pod), wanted) }
  }

  podHints(pod: Pod): ProviderHints {
    const wanted = podExclusiveCpus(pod)
    if (wanted === 0) return {}
    const held = new Set([...(this.#exclusive.get(uidOf(pod))?.values() ?? [])].flatMap((cpus) => [...cpus]))
    if (held.size > 0) return { cpu: held.size === wanted ? this.#hints(held, NO_CPUS, wanted) : [] }
    return { cpu: this.#hints(this.#available(), this.#reusableOf(pod), wanted) }
  }

  allocate(pod: Pod, container: Container, hint: TopologyHint): void {
    if (exclusiveCpus(pod, container) === 0) return
    this.pins.requests++
    try {
      this.#allocate(pod, container, hint)
      if (this.#options.wholeCores) this.pins.wholeCores++
    } catch (error) {
      this.pins.errors++
      if (this.#options.wholeCores) this.pins.noWholeCores++
      throw error
    }
  }

  #allocate(pod: Pod, container: Container, hint: TopologyHint): void {
    const wanted = exclusiveCpus(pod, container)
    if (this.#options.wholeCores) this.#checkWholeCores(wanted)
    const uid = uidOf(pod)
    const held = this.held(uid, container.name)
    if (held !== undefined) {
      this.#keepForReuse(pod, container, held)
      return
    }
    const free = union(this.#available(), this.#reusableOf(pod))
    const near = hint.nodes === undefined ? NO_CPUS : this.#near(hint.nodes, free)
    const first = takeCpus(this.#machine, near, Math.min(near.size, wanted), this.#options)
    const rest = takeCpus(this.#machine, without(free, new Set(first)), wanted - first.length, this.#options)
    const taken = new Set([...first, ...rest])
    this.#shared = without(this.#shared, taken)
    const containers = this.#exclusive.get(uid) ?? new Map<string, CpuSet>()
    this.#exclusive.set(uid, containers.set(container.name, taken))
    this.#keepForReuse(pod, container, taken)
    if (this.#machine.only(taken).units('cache').length <= 1) this.pins.oneCache++
  }

  release(pod: Pod): void {
    this.#releaseUid(uidOf(pod))
  }

  #releaseUid(uid: string): void {
    for (const cpus of this.#exclusive.get(uid)?.values() ?? []) this.#shared = union(this.#shared, cpus)
    this.#exclusive.delete(uid)
    if (this.#reusable?.uid === uid) this.#reusable = undefined
  }

  retain(podUids: ReadonlySet<string>): void {
    for (const uid of [...this.#exclusive.keys()]) if (!podUids.has(uid)) this.#releaseUid(uid)
  }

  /** The CPUs on which a container runs. */
  cpusOf(uid: string, container: string): CpuSet {
    return this.held(uid, container) ?? this.#shared
  }

  additions(pod: Pod, container: Container): ContainerAdditions {
    const uid = uidOf(pod)
    const cpus = formatCpuSet(this.cpusOf(uid, container.name))
    // A container with exclusive CPUs has no CFS quota.
    return { resources: this.held(uid, container.name) === undefined ? { cpus } : { cpus, cpuQuotaUs: -1 } }
  }

  #available(): CpuSet {
    return without(this.#shared, this.#reserved)
  }

  #reusableOf(pod: Pod): CpuSet {
    return this.#reusable?.uid === uidOf(pod) ? this.#reusable.cpus : NO_CPUS
  }

  #keepForReuse(pod: Pod, container: Container, cpus: CpuSet): void {
    const reusable = this.#reusableOf(pod)
    const kept = isPlainInit(pod, container) ? union(reusable, cpus) : without(reusable, cpus)
    this.#reusable = { uid: uidOf(pod), cpus: kept }
  }

  #checkWholeCores(wanted: number): void {
    const threads = this.#machine.threadsPerCore
    if (wanted % threads !== 0)
      throw new SmtAlignmentError(`SMT Alignment Error: requested ${wanted} cpus not multiple cpus per core = ${threads}`)
    const free = without(this.#shared, this.#reservedCores()).size
    if (wanted > free)
      throw new SmtAlignmentError(
        `SMT Alignment Error: not enough free physical CPUs: available physical CPUs = ${free}, requested CPUs = ${wanted}, CPUs per core = ${threads}`,
      )
  }

  /** The reserved CPUs with the sibling threads of their cores. */
  #reservedCores(): CpuSet {
    const cores = new Set(this.#machine.only(this.#reserved).units('core'))
    return new Set([...this.#machine.cpus.values()].flatMap(({ id, core }) => (cores.has(core) ? [id] : [])))
  }

  /** The free CPUs of these NUMA nodes, or of their sockets. */
  #near(nodes: NodeMask, free: CpuSet): CpuSet {
    const wanted = new Set(nodesOf(nodes))
    const sockets = new Set([...this.#machine.cpus.values()].filter((cpu) => wanted.has(cpu.node)).map((cpu) => cpu.socket))
    const near = (id: number) => {
      const cpu = this.#machine.cpus.get(id)
      return cpu !== undefined && (this.#options.alignBySocket ? sockets.has(cpu.socket) : wanted.has(cpu.node))
    }
    return new Set([...free].filter(near))
  }

  #hints(available: CpuSet, reusable: CpuSet, wanted: number): TopologyHint[] {
    const nodes = this.#machine.units('node')
    const [all, usable, lent] = [this.#machine.cpus.keys(), union(available, reusable), reusable].map((cpus) => this.#perNode(cpus))
    const inMask = (counts: ReadonlyMap<number, number> | undefined, mask: NodeMask) =>
      nodesOf(mask).reduce((sum, node) => sum + (counts?.get(node) ?? 0), 0)
    let fewest = nodes.length
    const masks: NodeMask[] = []
    for (const mask of masksOf(nodes)) {
      if (inMask(all, mask) >= wanted) fewest = Math.min(fewest, countOf(mask))
      if (inMask(lent, mask) === reusable.size && inMask(usable, mask) >= wanted) masks.push(mask)
    }
    return masks.map((mask) => ({ nodes: mask, preferred: countOf(mask) === fewest || this.#isNearAsSocket(mask, fewest) }))
  }

  /** The number of these CPUs on each NUMA node. */
  #perNode(cpus: Iterable<number>): ReadonlyMap<number, number> {
    const counts = new Map<number, number>()
    for (const id of cpus) {
      const node = this.#machine.cpus.get(id)?.node ?? 0
      counts.set(node, (counts.get(node) ?? 0) + 1)
    }
    return counts
  }

  /** With `align-by-socket`: whether the mask spans no more sockets than the smallest possible set of nodes. */
  #isNearAsSocket(mask: NodeMask, fewest: number): boolean {
    if (!this.#options.alignBySocket) return false
    const nodesPerSocket = Math.floor(this.#machine.units('node').length / this.#machine.units('socket').length)
    if (nodesPerSocket === 0) return false
    const sockets = new Set(nodesOf(mask).flatMap((node) => this.#machine.units('socket', { level: 'node', unit: node })))
    return sockets.size === Math.ceil(fewest / nodesPerSocket)
  }
}

/** The number of exclusive CPUs of a container: its integer request in a Guaranteed pod, otherwise 0. */
export function exclusiveCpus(pod: Pod, container: Container): number {
  const request = container.resources?.requests?.cpu
  if (request === undefined || !getsItsOwn(pod)) return 0
  const quantity = parseQuantity(request)
  return quantity.isWhole() ? quantity.value() : 0
}

/** The exclusive CPUs that all containers of a pod need at once: the others reuse those of init containers (KEP-753). */
function podExclusiveCpus(pod: Pod): number {
  let sidecars = 0
  let inits = 0
  for (const init of pod.spec.initContainers ?? []) {
    const wanted = exclusiveCpus(pod, init)
    if (init.restartPolicy === 'Always') sidecars += wanted
    else inits = Math.max(inits, sidecars + wanted)
  }
  const apps = (pod.spec.containers ?? []).reduce((sum, c) => sum + exclusiveCpus(pod, c), 0)
  return Math.max(inits, apps + sidecars)
}
const without = (a: CpuSet, b: CpuSet): CpuSet => new Set([...a].filter((cpu) => !b.has(cpu)))
const union = (a: CpuSet, b: CpuSet): CpuSet => (b.size === 0 ? a : new Set([...a, ...b]))

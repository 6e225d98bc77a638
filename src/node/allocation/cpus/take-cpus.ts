import type { CpuManagerOptions } from '../../configuration/cpu-options.ts'
import { inOrder } from '../../machine/cpu-set.ts'
import { combinations } from '../../machine/node-mask.ts'
import type { CpuTopology } from './cpu-topology.ts'

/** The policy options that change the selection. */
export type TakeOptions = Omit<CpuManagerOptions, 'alignBySocket' | 'strictReservation'>

/** Fewer CPUs are available than requested. */
export class NotEnoughCpus extends Error {
  override readonly name = 'NotEnoughCpus'
  constructor(requested: number, available: number) {
    super(`not enough cpus available to satisfy request: requested=${requested}, available=${available}`)
  }
}

/** Chooses `count` of the available CPUs, close to each other. @throws {NotEnoughCpus} */
export function takeCpus(machine: CpuTopology, available: Iterable<number>, count: number, options: TakeOptions = {}): number[] {
  const free = inOrder(available)
  if (count > free.length) throw new NotEnoughCpus(count, free.length)
  if (options.acrossNuma) {
    const spread = takeAcrossNuma(machine, free, count, options)
    if (spread !== undefined) return spread
  }
  return new Taker(machine, free, count, options).take()
}

/** Takes whole units from the largest level (sockets, nodes) down to single threads, best fit first. */
class Taker {
  readonly #machine: CpuTopology
  readonly #options: TakeOptions
  readonly #taken: number[] = []
  #free: CpuTopology
  #needed: number

  constructor(machine: CpuTopology, free: readonly number[], count: number, options: TakeOptions) {
    this.#machine = machine
    this.#free = machine.only(free)
    this.#needed = count
    this.#options = options
  }

  take(): number[] {
    const wholes = this.#nodesHoldSockets() ? (['node', 'socket'] as const) : (['socket', 'node'] as const)
    for (const level of wholes) this.#takeWhole(level, level === 'node' ? this.#nodes() : this.#sockets())
    if (this.#options.alignByCache) this.#takeCaches()
    if (!this.#options.acrossCores) this.#takeWhole('core', this.#cores())
    for (const cpu of this.#threads()) {
      if (this.#needed === 0) break
      this.#claim([cpu])
    }
    return inOrder(this.#taken)
  }

  #claim(cpus: readonly number[]): void {
    const gone = new Set(cpus)
    this.#taken.push(...cpus)
    this.#free = this.#free.only([...this.#free.cpus.keys()].filter((id) => !gone.has(id)))
    this.#needed -= cpus.length
  }

  /** Takes units that are completely free while a whole one is needed. A socket or core of unusual size is never taken whole. */
  #takeWhole(level: 'core' | 'cache' | 'node' | 'socket', units: readonly number[]): void {
    const whole = units.filter((unit) => {
      const all = this.#machine.inUnit(level, unit).length
      return this.#free.inUnit(level, unit).length === all && (level === 'cache' || level === 'node' || all === this.#machine.usual(level))
    })
    for (const unit of whole) {
      const all = this.#machine.inUnit(level, unit)
      if (all.length <= this.#needed) this.#claim(all)
    }
  }

  /** Takes whole caches while one is needed, then the rest from a cache that has enough. */
  #takeCaches(): void {
    for (const cache of this.#caches()) {
      if (this.#needed >= this.#machine.usual('cache')) this.#takeWhole('cache', this.#caches())
      if (this.#needed === 0) return
      this.#takePartOf(cache)
      if (this.#needed === 0) return
    }
  }

  #takePartOf(cache: number): void {
    const threads = this.#machine.threadsPerCore
    const cores = this.#free.units('core', { level: 'cache', unit: cache }).slice(0, Math.ceil(this.#needed / threads))
    const cpus = inOrder(cores.flatMap((core) => this.#free.inUnit('core', core)))
    // For an odd count, one thread less than the cores have.
    if (this.#needed % 2 !== 0 && threads > 1 && cpus.length > this.#needed) cpus.pop()
    if (cpus.length === this.#needed) this.#claim(cpus)
  }

  /** On most machines a socket contains NUMA nodes; on some a NUMA node contains sockets. */
  #nodesHoldSockets(): boolean {
    return this.#machine.units('socket').length >= this.#machine.units('node').length
  }

  /** Units with the fewest free CPUs first, so that partially used ones are filled up. */
  #fullestFirst(level: 'core' | 'cache' | 'node' | 'socket', units: readonly number[]): number[] {
    const free = new Map(units.map((unit) => [unit, this.#free.inUnit(level, unit).length]))
    return [...units].sort((a, b) => (free.get(a) ?? 0) - (free.get(b) ?? 0) || a - b)
  }

  #inner(level: 'core' | 'cache' | 'node' | 'socket', outer: 'node' | 'socket', units: readonly number[]): number[] {
    return units.flatMap((unit) => this.#fullestFirst(level, this.#free.units(level, { level: outer, unit })))
  }

  #nodes(): number[] {
    return this.#nodesHoldSockets()
      ? this.#fullestFirst('node', this.#free.units('node'))
      : this.#inner('node', 'socket', this.#fullestFirst('socket', this.#free.units('socket')))
  }

  #sockets(): number[] {
    return this.#nodesHoldSockets()
      ? this.#inner('socket', 'node', this.#fullestFirst('node', this.#free.units('node')))
      : this.#fullestFirst('socket', this.#free.units('socket'))
  }

  #caches(): number[] {
    return this.#inner('cache', 'node', this.#nodes())
  }

  #cores(): number[] {
    return this.#nodesHoldSockets() ? this.#inner('core', 'socket', this.#sockets()) : this.#inner('core', 'node', this.#nodes())
  }

  #threads(): readonly number[] {
    if (this.#options.acrossCores) return this.#sockets().flatMap((socket) => this.#free.inUnit('socket', socket))
    return this.#cores().flatMap((core) => this.#free.inUnit('core', core))
  }

  /** The NUMA nodes with free CPUs, in the order in which they are tried. */
  static nodesOf(machine: CpuTopology, free: readonly number[]): number[] {
    return new Taker(machine, free, 0, {}).#nodes()
  }
}

/**
 * Takes the same number from each of as few NUMA nodes as possible, such that the remaining CPUs are distributed evenly. Undefined if there
 * is no such distribution; the caller then packs.
 */
function takeAcrossNuma(machine: CpuTopology, free: readonly number[], count: number, options: TakeOptions): number[] | undefined {
  const group = options.wholeCores ? machine.threadsPerCore : 1
  if (count % group !== 0) return undefined
  const there = machine.only(free)
  const nodes = Taker.nodesOf(machine, free)
  const available = new Map(nodes.map((node) => [node, there.inUnit('node', node).length]))
  const [fewest, most] = nodesNeeded(machine, nodes.length, count, group)
  for (let size = fewest; size <= most; size++) {
    const plan = bestSplit(nodes, available, size, count, group)
    if (plan === undefined) continue
    const taken = new Set<number>()
    const takeFrom = (node: number, wanted: number) => {
      const left = there.inUnit('node', node).filter((cpu) => !taken.has(cpu))
      for (const cpu of new Taker(machine, left, wanted, { ...options, acrossNuma: false, alignByCache: false }).take()) taken.add(cpu)
    }
    for (const node of plan.nodes) takeFrom(node, plan.each)
    for (const node of plan.extra) takeFrom(node, group)
    return inOrder(taken)
  }
  return undefined
}

/** The minimum and maximum number of NUMA nodes to try, as if all were alike. */
function nodesNeeded(machine: CpuTopology, available: number, count: number, group: number): readonly [number, number] {
  const groups = Math.ceil(machine.cpus.size / group)
  const perNode = Math.ceil(groups / machine.units('node').length)
  const needed = Math.ceil(count / group)
  return [Math.ceil(needed / perNode), Math.min(needed, available)]
}

interface Split {
  readonly nodes: readonly number[]
  readonly each: number
  /** The nodes from which one more group is taken, once per occurrence. */
  readonly extra: readonly number[]
}

function bestSplit(
  nodes: readonly number[],
  available: ReadonlyMap<number, number>,
  size: number,
  count: number,
  group: number,
): Split | undefined {
  let best: { readonly balance: number; readonly split: Split } | undefined
  for (const some of combinations(nodes, size)) {
    if (best?.balance === 0) break
    const groups = some.reduce((sum, node) => sum + Math.floor((available.get(node) ?? 0) / group), 0)
    const each = Math.floor(count / size / group) * group
    if (groups * group < count || some.some((node) => (available.get(node) ?? 0) < each)) continue
    const left = new Map(available)
    for (const node of some) left.set(node, (left.get(node) ?? 0) - each)
    const found = bestExtra(some, left, count - each * size, group)
    if (found !== undefined && (best === undefined || found.balance < best.balance))
      best = { balance: found.balance, split: { nodes: some, each, extra: found.extra } }
  }
  return best?.split
}

/** Chooses the nodes that provide the remainder: as many as possible, then the most even distribution of free CPUs. */
function bestExtra(
  nodes: readonly number[],
  left: ReadonlyMap<number, number>,
  remainder: number,
  group: number,
): { readonly balance: number; readonly extra: readonly number[] } | undefined {
  if (remainder === 0) return { balance: deviation([...left.values()]), extra: [] }
  const able = nodes.filter((node) => (left.get(node) ?? 0) >= group)
  let best: { readonly balance: number; readonly extra: readonly number[] } | undefined
  for (let size = able.length; size >= 1; size--) {
    for (const some of combinations(able, size)) {
      const after = new Map(left)
      const extra: number[] = []
      for (let more = true; more && extra.length * group < remainder; ) {
        more = false
        for (const node of some) {
          const has = after.get(node) ?? 0
          if (extra.length * group >= remainder || has < group) continue
          after.set(node, has - group)
          extra.push(node)
          more = true
        }
      }
      if (extra.length * group < remainder) continue
      const balance = deviation([...after.values()])
      if (best === undefined || balance < best.balance) best = { balance, extra }
    }
  }
  return best
}

/** The standard deviation rounded to three decimals; smaller differences count as equal. */
function deviation(values: readonly number[]): number {
  const rounded = (value: number) => Math.round(value * 1000) / 1000
  const mean = rounded(values.reduce((a, b) => a + b, 0) / values.length)
  return rounded(Math.sqrt(values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / values.length))
}

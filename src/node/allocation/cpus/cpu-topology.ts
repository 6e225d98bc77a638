import type { Cpu, Machine } from '../../machine/machine.ts'

type Level = 'core' | 'cache' | 'node' | 'socket'

/** CPUs by core, cache, NUMA node and socket: all of a machine, or a subset. Immutable. */
export class CpuTopology {
  readonly cpus: ReadonlyMap<number, Cpu>
  readonly #by = new Map<Level, Map<number, number[]>>()

  constructor(cpus: Iterable<Cpu>) {
    this.cpus = new Map([...cpus].sort((a, b) => a.id - b.id).map((cpu) => [cpu.id, cpu]))
  }

  static of(machine: Machine): CpuTopology {
    return new CpuTopology(machine.cpus)
  }

  /** The subset with these CPUs. */
  only(ids: Iterable<number>): CpuTopology {
    return new CpuTopology([...ids].flatMap((id) => this.cpus.get(id) ?? []))
  }

  /** The ids of a level's units that have CPUs, in order. */
  units(level: Level, within?: { readonly level: Level; readonly unit: number }): number[] {
    const found = new Set<number>()
    for (const cpu of this.cpus.values()) if (within === undefined || cpu[within.level] === within.unit) found.add(cpu[level])
    return [...found].sort((a, b) => a - b)
  }

  /** The CPUs of a unit, in order. */
  inUnit(level: Level, unit: number): readonly number[] {
    let index = this.#by.get(level)
    if (index === undefined) {
      index = new Map()
      for (const cpu of this.cpus.values()) {
        const there = index.get(cpu[level])
        if (there === undefined) index.set(cpu[level], [cpu.id])
        else there.push(cpu.id)
      }
      this.#by.set(level, index)
    }
    return index.get(unit) ?? []
  }

  /** The number of threads per core. */
  get threadsPerCore(): number {
    return this.usual('core')
  }

  /** The number of CPUs per unit of that level, as if all units were alike. */
  usual(level: Level): number {
    const units = this.units(level).length
    return units === 0 ? 1 : Math.floor(this.cpus.size / units)
  }
}

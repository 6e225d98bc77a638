import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Quantity } from '../../machinery/quantity.ts'
import { inOrder, parseCpuSet } from './cpu-set.ts'
import { assembleMachine, type Cpu, type Machine, MachineError } from './machine.ts'

/** Reads the real machine from Linux. `root` is the folder that contains `sys` and `proc`. @throws {MachineError} */
export function readHostMachine(root = '/'): Machine {
  const at = (...parts: readonly string[]) => path.join(root, ...parts)
  const nodesAt = at('sys/devices/system/node')
  const cpusAt = at('sys/devices/system/cpu')
  const online = parseCpuSet(text(path.join(cpusAt, 'online')) ?? '')
  if (online === undefined || online.size === 0) throw new MachineError(`${cpusAt}/online does not tell the processors of this machine`)
  const nodes = numbered(nodesAt, 'node')
  const nodeOf = new Map<number, number>()
  for (const node of nodes)
    for (const cpu of parseCpuSet(text(path.join(nodesAt, `node${node}`, 'cpulist')) ?? '') ?? []) nodeOf.set(cpu, node)
  const cpus = inOrder(online).map((id): Cpu => {
    const own = path.join(cpusAt, `cpu${id}`)
    const siblings = parseCpuSet(text(path.join(own, 'topology/thread_siblings_list')) ?? '')
    const cache = lastCache(path.join(own, 'cache'))
    const socket = Math.max(0, Number(text(path.join(own, 'topology/physical_package_id')) ?? 0))
    const node = nodeOf.get(id) ?? 0
    return { id, core: first(siblings) ?? id, socket, node, cache: first(cache) ?? -1 - node }
  })
  const memory = new Map(
    (nodes.length === 0 ? [0] : nodes).map((node) => [node, memoryOf(path.join(nodesAt, `node${node}`), at('proc/meminfo'))]),
  )
  const distances: number[][] = []
  for (const node of nodes) {
    const row = text(path.join(nodesAt, `node${node}`, 'distance'))
    if (row !== undefined) distances[node] = row.split(/\s+/).map(Number)
  }
  return assembleMachine(cpus, memory, distances)
}

function text(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}

/** The numbers of entries such as `node0`. */
function numbered(folder: string, prefix: string): number[] {
  try {
    return readdirSync(folder)
      .flatMap((name) => (name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)) ? [Number(name.slice(prefix.length))] : []))
      .sort((a, b) => a - b)
  } catch {
    return []
  }
}

const first = (cpus: ReadonlySet<number> | undefined) => (cpus === undefined || cpus.size === 0 ? undefined : Math.min(...cpus))

/** The CPUs that share the last-level cache. */
function lastCache(folder: string): ReadonlySet<number> | undefined {
  let best: { readonly level: number; readonly cpus: ReadonlySet<number> | undefined } | undefined
  for (const index of numbered(folder, 'index')) {
    const level = Number(text(path.join(folder, `index${index}`, 'level')) ?? 0)
    if (level < 3 || level <= (best?.level ?? 0)) continue
    best = { level, cpus: parseCpuSet(text(path.join(folder, `index${index}`, 'shared_cpu_list')) ?? '') }
  }
  return best?.cpus
}

/** The memory of a NUMA node, or of the whole machine if it has none. */
function memoryOf(folder: string, meminfo: string): Readonly<Record<string, number>> {
  const kib = /MemTotal:\s+(\d+) kB/.exec(text(path.join(folder, 'meminfo')) ?? text(meminfo) ?? '')?.[1] ?? '0'
  const pages = hugeFolders(path.join(folder, 'hugepages'))
  const amounts = pages.map(({ name, sizeKib }) => {
    const count = Number(text(path.join(folder, 'hugepages', name, 'nr_hugepages')) ?? 0)
    return [`hugepages-${Quantity.of(sizeKib * 1024, 'BinarySI')}`, count * sizeKib * 1024]
  })
  return { memory: Number(kib) * 1024, ...Object.fromEntries(amounts) }
}

function hugeFolders(folder: string): readonly { readonly name: string; readonly sizeKib: number }[] {
  try {
    return readdirSync(folder).flatMap((name) => {
      const size = /^hugepages-(\d+)kB$/.exec(name)?.[1]
      return size === undefined ? [] : [{ name, sizeKib: Number(size) }]
    })
  } catch {
    return []
  }
}

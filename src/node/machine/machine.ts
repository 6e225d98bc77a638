import { MOST_NODES, MOST_NODES_OF_MACHINE } from './node-mask.ts'

/** One logical CPU (a hardware thread), with the operating system's number, and its position. */
export interface Cpu {
  readonly id: number
  /** The number of its core: that of the core's first thread. */
  readonly core: number
  readonly socket: number
  readonly node: number
  /** The last-level cache that it shares with its siblings. */
  readonly cache: number
}

/** The NUMA nodes of a machine, and their distances (as in `/sys/devices/system/node/node*​/distance`). */
export interface NumaLayout {
  readonly nodes: readonly number[]
  readonly distances: ReadonlyMap<number, readonly number[]>
}

/** The parts of a machine that matter for topology. */
export interface Machine {
  readonly cpus: readonly Cpu[]
  readonly layout: NumaLayout
  /** By NUMA node and resource (`memory`, `hugepages-2Mi`), in bytes. */
  readonly memory: ReadonlyMap<number, Readonly<Record<string, number>>>
}

/** A regular machine in a few numbers. */
export interface MachineShape {
  readonly sockets: number
  readonly nodesPerSocket: number
  readonly coresPerNode: number
  readonly threadsPerCore: number
  /** By resource, in bytes. */
  readonly memoryPerNode: Readonly<Record<string, number>>
  /** Last-level caches of each NUMA node. Default 1. */
  readonly cachesPerNode?: number
  /** Between the NUMA nodes. Default: 10 to itself, 12 within the socket, 32 to another socket. */
  readonly distances?: readonly (readonly number[])[]
}

/** An invalid description of a machine. */
export class MachineError extends Error {
  override readonly name = 'MachineError'
  readonly code = 'bad-machine'
}

/** CPUs are numbered as on most machines: the first threads of all cores in order of socket and NUMA node, then the second threads. */
export function describeMachine(shape: MachineShape): Machine {
  const { sockets, nodesPerSocket, coresPerNode, threadsPerCore, cachesPerNode = 1 } = shape
  const nodeCount = sockets * nodesPerSocket
  const cores = nodeCount * coresPerNode
  const coresPerCache = Math.ceil(coresPerNode / cachesPerNode)
  const cpus = Array.from({ length: cores * threadsPerCore }, (_, id): Cpu => {
    const core = id % cores
    const node = Math.floor(core / coresPerNode)
    const cache = node * cachesPerNode + Math.floor((core % coresPerNode) / coresPerCache)
    return { id, core, socket: Math.floor(node / nodesPerSocket), node, cache }
  })
  const nodes = [...Array(nodeCount).keys()]
  return assembleMachine(cpus, new Map(nodes.map((n) => [n, shape.memoryPerNode])), shape.distances)
}

/** Builds a machine from its parts, in any order and numbering. @throws {MachineError} */
export function assembleMachine(cpus: readonly Cpu[], memory: Machine['memory'], distances?: readonly (readonly number[])[]): Machine {
  const nodes = [...memory.keys()].sort((a, b) => a - b)
  const strange = nodes.find((n) => n < 0 || n >= MOST_NODES)
  if (strange !== undefined) throw new MachineError(`NUMA nodes are numbered from 0 to ${MOST_NODES - 1}, not ${strange}`)
  if (nodes.length > MOST_NODES_OF_MACHINE)
    throw new MachineError(`a machine has at most ${MOST_NODES_OF_MACHINE} NUMA nodes, not ${nodes.length}`)
  if (cpus.length === 0) throw new MachineError('a machine has at least one processor')
  if (new Set(cpus.map((cpu) => cpu.id)).size < cpus.length) throw new MachineError('two processors have the same number')
  const lost = cpus.find((cpu) => !memory.has(cpu.node))
  if (lost !== undefined) throw new MachineError(`processor ${lost.id} sits on NUMA node ${lost.node}, which the machine does not have`)
  const sockets = new Map(nodes.map((node) => [node, new Set(cpus.flatMap((cpu) => (cpu.node === node ? [cpu.socket] : [])))]))
  const near = (a: number, b: number) => [...(sockets.get(a) ?? [])].some((socket) => sockets.get(b)?.has(socket))
  const usual = (a: number, b: number) => (a === b ? 10 : near(a, b) ? 12 : 32)
  const rows = new Map(nodes.map((a) => [a, distances?.[a] ?? nodes.map((b) => usual(a, b))]))
  for (const [node, row] of rows)
    if (row.length <= Math.max(...nodes) && row.length < nodes.length)
      throw new MachineError(`NUMA node ${node} has ${row.length} distances; the machine has ${nodes.length} nodes`)
  return { cpus: [...cpus].sort((a, b) => a.id - b.id), layout: { nodes, distances: rows }, memory }
}

import type { NumaLayout } from './hint.ts'
import { MOST_NODES } from './node-mask.ts'

/** One processor as the operating system numbers them (a hardware thread), and where it sits. */
export interface Cpu {
  readonly id: number
  /** The number of its core: that of the core's first thread. */
  readonly core: number
  readonly socket: number
  readonly node: number
  /** Of the last-level cache that it shares with its neighbours. */
  readonly cache: number
}

/** The parts of a machine that the topology manager knows of. */
export interface Machine {
  readonly cpus: readonly Cpu[]
  readonly layout: NumaLayout
  /** Of each NUMA node, by resource (`memory`, `hugepages-2Mi`): bytes. */
  readonly memory: ReadonlyMap<number, Readonly<Record<string, number>>>
}

/** A regular machine in a few numbers. */
export interface MachineShape {
  readonly sockets: number
  readonly nodesPerSocket: number
  readonly coresPerNode: number
  readonly threadsPerCore: number
  /** Bytes of each NUMA node, by resource. */
  readonly memoryPerNode: Readonly<Record<string, number>>
  /** Last-level caches of each NUMA node. Default 1. */
  readonly cachesPerNode?: number
  /** Between the NUMA nodes. Default: 10 to itself, 12 within the socket, 32 to another socket. */
  readonly distances?: readonly (readonly number[])[]
}

/** Processors are numbered as most machines do it: first the first threads of all cores in order of socket and NUMA node, then the second threads. */
export function describeMachine(shape: MachineShape): Machine {
  const { sockets, nodesPerSocket, coresPerNode, threadsPerCore, cachesPerNode = 1 } = shape
  const nodeCount = sockets * nodesPerSocket
  if (nodeCount > MOST_NODES) throw new RangeError(`a machine has at most ${MOST_NODES} NUMA nodes, not ${nodeCount}`)
  const cores = nodeCount * coresPerNode
  const coresPerCache = Math.ceil(coresPerNode / cachesPerNode)
  const cpus = Array.from({ length: cores * threadsPerCore }, (_, id): Cpu => {
    const core = id % cores
    const node = Math.floor(core / coresPerNode)
    const cache = node * cachesPerNode + Math.floor((core % coresPerNode) / coresPerCache)
    return { id, core, socket: Math.floor(node / nodesPerSocket), node, cache }
  })
  const nodes = [...Array(nodeCount).keys()]
  const socketOf = (node: number) => Math.floor(node / nodesPerSocket)
  const usual = (a: number, b: number) => (a === b ? 10 : socketOf(a) === socketOf(b) ? 12 : 32)
  const distances = new Map(nodes.map((a) => [a, shape.distances?.[a] ?? nodes.map((b) => usual(a, b))]))
  return { cpus, layout: { nodes, distances }, memory: new Map(nodes.map((n) => [n, shape.memoryPerNode])) }
}

import { ConfigurationFileError, decodeConfigurationFile } from '../../machinery/configuration-file.ts'
import { type GoType, goInt32, goString, listOf, mapOf, struct } from '../../machinery/go/go-type.ts'
import { parseQuantity, QuantityError } from '../../machinery/quantity.ts'
import { MOST_CPUS, parseCpuSet } from './cpu-set.ts'
import { assembleMachine, type Cpu, describeMachine, type Machine, MachineError } from './machine.ts'

/** A machine that is described by a file, and its resources without topology. */
export interface DescribedMachine {
  readonly machine: Machine
  /** A quantity. */
  readonly ephemeralStorage: string | undefined
}

interface WrittenNode {
  readonly id?: number
  readonly socket?: number
  /** `0-3,8-11`. */
  readonly cpus?: string
  readonly memory?: string
  readonly hugePages?: Readonly<Record<string, string>>
  /** The CPUs of each core. Default: one CPU per core. */
  readonly cores?: readonly string[]
  /** The CPUs of each last-level cache. Default: one cache for all. */
  readonly caches?: readonly string[]
}

interface WrittenMachine {
  readonly sockets?: number
  readonly numaNodesPerSocket?: number
  readonly coresPerNumaNode?: number
  readonly threadsPerCore?: number
  readonly cachesPerNumaNode?: number
  readonly memoryPerNumaNode?: string
  readonly hugePagesPerNumaNode?: Readonly<Record<string, string>>
  readonly distances?: readonly (readonly number[])[]
  readonly ephemeralStorage?: string
  readonly numaNodes?: readonly WrittenNode[]
}

const NODE: GoType = struct('v1.NumaNode', {
  id: goInt32,
  socket: goInt32,
  cpus: goString,
  memory: goString,
  hugePages: mapOf(goString),
  cores: listOf(goString),
  caches: listOf(goString),
})

const KINDS = {
  types: {
    'bowsprit.dev/v1 Machine': struct('v1.Machine', {
      sockets: goInt32,
      numaNodesPerSocket: goInt32,
      coresPerNumaNode: goInt32,
      threadsPerCore: goInt32,
      cachesPerNumaNode: goInt32,
      memoryPerNumaNode: goString,
      hugePagesPerNumaNode: mapOf(goString),
      distances: listOf(listOf(goInt32)),
      ephemeralStorage: goString,
      numaNodes: listOf(NODE),
    }),
  },
  scheme: 'bowsprit.dev',
  strict: true,
}

/**
 * Parses a `bowsprit.dev/v1 Machine` (YAML or JSON): either a regular machine by a few numbers, or each NUMA node.
 * @throws {MachineError}
 */
export function readMachine(text: string): DescribedMachine {
  let written: WrittenMachine
  try {
    written = decodeConfigurationFile(text, KINDS).value as WrittenMachine
  } catch (error) {
    if (error instanceof ConfigurationFileError) throw new MachineError(error.message, { cause: error })
    throw error
  }
  const { ephemeralStorage } = written
  if (ephemeralStorage !== undefined) bytes('ephemeralStorage', ephemeralStorage)
  return { machine: written.numaNodes === undefined ? regular(written) : odd(written, written.numaNodes), ephemeralStorage }
}

function regular(written: WrittenMachine): Machine {
  const { sockets = 1, numaNodesPerSocket = 1, coresPerNumaNode = 8, threadsPerCore = 1, cachesPerNumaNode = 1 } = written
  const counts = { sockets, numaNodesPerSocket, coresPerNumaNode, threadsPerCore, cachesPerNumaNode }
  for (const [name, value] of Object.entries(counts)) if (value < 1) throw new MachineError(`${name} is ${value} and has to be at least 1`)
  const cpus = sockets * numaNodesPerSocket * coresPerNumaNode * threadsPerCore
  if (cpus > MOST_CPUS) throw new MachineError(`a machine has at most ${MOST_CPUS} processors, not ${cpus}`)
  return describeMachine({
    sockets,
    nodesPerSocket: numaNodesPerSocket,
    coresPerNode: coresPerNumaNode,
    threadsPerCore,
    cachesPerNode: cachesPerNumaNode,
    memoryPerNode: amounts(written.memoryPerNumaNode ?? '16Gi', written.hugePagesPerNumaNode),
    ...(written.distances && { distances: written.distances }),
  })
}

function odd(written: WrittenMachine, nodes: readonly WrittenNode[]): Machine {
  const clash = ['sockets', 'numaNodesPerSocket', 'coresPerNumaNode', 'threadsPerCore', 'cachesPerNumaNode', 'memoryPerNumaNode'].find(
    (field) => Object.hasOwn(written, field),
  )
  if (clash !== undefined) throw new MachineError(`${clash} and numaNodes cannot be used at the same time`)
  const memory = new Map(nodes.map((node, i) => [node.id ?? i, amounts(node.memory ?? '0', node.hugePages)]))
  if (memory.size < nodes.length) throw new MachineError('two NUMA nodes have the same id')
  let caches = 0
  const cpus = nodes.flatMap((node, i): Cpu[] => {
    const own = set(node.cpus ?? '')
    const cores = (node.cores ?? []).map(set)
    const shared = (node.caches ?? [node.cpus ?? '']).map(set)
    const firstCache = caches
    caches += shared.length
    return [...own].map((id) => {
      const core = cores.find((c) => c.has(id))
      const cache = shared.findIndex((c) => c.has(id))
      if (cache < 0) throw new MachineError(`processor ${id} belongs to none of the caches of its NUMA node`)
      return {
        id,
        core: core === undefined ? id : Math.min(...core),
        socket: node.socket ?? 0,
        node: node.id ?? i,
        cache: firstCache + cache,
      }
    })
  })
  return assembleMachine(cpus, memory, written.distances)
}

function set(text: string): ReadonlySet<number> {
  const cpus = parseCpuSet(text)
  if (cpus === undefined) throw new MachineError(`${JSON.stringify(text)} is no list of processors such as 0-3,8`)
  return cpus
}

function amounts(memory: string, hugePages: Readonly<Record<string, string>> = {}): Readonly<Record<string, number>> {
  const pages = Object.entries(hugePages).map(([size, amount]) => {
    const pageBytes = bytes('the size of a huge page', size)
    const total = bytes(`huge pages of ${size}`, amount)
    if (pageBytes <= 0 || total % pageBytes !== 0) throw new MachineError(`${amount} is no whole number of huge pages of ${size}`)
    return [`hugepages-${size}`, total]
  })
  return { memory: bytes('memory', memory), ...Object.fromEntries(pages) }
}

function bytes(what: string, text: string): number {
  try {
    const amount = parseQuantity(text)
    if (amount.sign() >= 0 && amount.isWhole()) return amount.value()
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
  }
  throw new MachineError(`${what}: ${JSON.stringify(text)} is no number of bytes such as 16Gi`)
}

import type { Clock } from '../../../base/clock.ts'
import type { Logger } from '../../../base/logger.ts'
import { CheckpointError, type CheckpointFile, unusable } from '../../checkpoints/checkpoint-file.ts'
import type { KubeletConfiguration } from '../../configuration/kubelet-configuration.ts'
import { KubeletStartError } from '../../configuration/kubelet-start-error.ts'
import { allocatable, type Quantities, reservations, texts } from '../../configuration/node-allocatable.ts'
import { cpuOptions, topologyOptions } from '../../configuration/policy-options.ts'
import { checkSomeReserved, MemoryConfigError } from '../../configuration/reserved-memory.ts'
import { type CpuSet, formatCpuSet, inOrder, NO_CPUS } from '../../machine/cpu-set.ts'
import type { Machine } from '../../machine/machine.ts'
import { nodesOf } from '../../machine/node-mask.ts'
import type { MetricSource } from '../../metrics/metric-source.ts'
import type { NodeStatusSource } from '../../status/node-object.ts'
import type { Container, Pod } from '../../types/pod.ts'
import { readCpuCheckpoint, writeCpuCheckpoint } from '../cpus/cpu-checkpoint.ts'
import { type CpuLedger, CpuManager, CpuStateError } from '../cpus/cpu-manager.ts'
import { CpuReconciler } from '../cpus/cpu-reconciler.ts'
import { CpuTopology } from '../cpus/cpu-topology.ts'
import { takeCpus } from '../cpus/take-cpus.ts'
import type { OtherResources } from '../devices/pod-resources-service.ts'
import type { HintProvider } from '../hints/hint-provider.ts'
import type { TopologyPolicy } from '../hints/merge-hints.ts'
import { readMemoryCheckpoint, writeMemoryCheckpoint } from '../memory/memory-checkpoint.ts'
import type { MemoryLedger } from '../memory/memory-ledger.ts'
import { MemoryManager } from '../memory/memory-manager.ts'
import { MemoryStateError } from '../memory/memory-nodes.ts'
import { TopologyManager, type TopologyScope } from './topology-manager.ts'
import { createAdmissionCounts, topologyMetrics } from './topology-metrics.ts'

export interface Checkpoints {
  readonly cpu: CheckpointFile
  readonly memory: CheckpointFile
}

export interface TopologyInit {
  readonly config: KubeletConfiguration
  readonly machine: Machine
  /** The node's capacity, including resources without topology. */
  readonly capacity: Quantities
  readonly checkpoints: Checkpoints
  /** The hint providers of other resources: devices. They are called first. */
  readonly others?: readonly HintProvider[]
}

/** All managers that allocate parts of the node's machine. */
export interface NodeTopology {
  readonly machine: Machine
  readonly manager: TopologyManager
  /** The node's capacity and allocatable resources. */
  readonly source: NodeStatusSource
  /** The allocations of pods, for PodResources. */
  readonly held: OtherResources
  /** Undefined with another policy than `static`. */
  readonly cpu: CpuManager | undefined
  readonly reconciler: CpuReconciler | undefined
  /** Undefined with another policy than `Static`. */
  readonly memory: MemoryManager | undefined
  readonly metrics: MetricSource
}

/**
 * Creates the managers of a configuration, and restores their checkpoints.
 * @throws {KubeletStartError} with the kubelet's message, where a kubelet would not start
 */
export function openTopology(init: TopologyInit, deps: { readonly clock: Clock; readonly log: Logger }): NodeTopology {
  const { config, machine, capacity, checkpoints, others = [] } = init
  checkReservedCpus(config, machine)
  const kept = reservations(capacity, config)
  const options = starting('', () => policyOptions(config, machine))
  const cpuPolicy = starting('', () => cpuPolicyOf(config, machine, kept))
  const reserved = Object.fromEntries([...kept].flatMap(([name, amount]) => (isMemory(name) ? [[name, amount.value()]] : [])))
  starting('', () => checkMemory(config, machine, reserved))
  const heldCpus = starting('start cpu manager error: ', () => restoreCpus(config.cpuManagerPolicy, checkpoints.cpu))
  const cpu = starting(
    'start cpu manager error: ',
    () => cpuPolicy && new CpuManager(machine, cpuPolicy.reserved, cpuPolicy.options, heldCpus),
  )
  const heldMemory = starting('start memory manager error: ', () => restoreMemory(config.memoryManagerPolicy, checkpoints.memory))
  const memory = starting('start memory manager error: ', () =>
    config.memoryManagerPolicy === 'Static' ? new MemoryManager(machine, config.reservedMemory, reserved, heldMemory) : undefined,
  )
  const save = saver(config, { cpu, memory }, checkpoints, deps.log)
  save()
  const reconciler = cpu && new CpuReconciler(cpu, config.reconcilePeriodMs, deps)
  const starts = (pod: Pod, container: Container) => reconciler?.created(pod, container.name)
  const providers = [...others, ...[cpu, memory].filter((p) => p !== undefined)]
  const counts = createAdmissionCounts(options.policy)
  const manager = new TopologyManager(providers, machine.layout, { ...options, save, starts, counts, clock: deps.clock })
  return {
    machine,
    manager,
    source: { capacity: () => texts(capacity), allocatable: () => texts(allocatable(capacity, kept)) },
    held: heldResources(cpu, memory),
    cpu,
    reconciler,
    memory,
    metrics: topologyMetrics({ machine, admissions: counts, cpu, memory }),
  }
}

const isMemory = (resource: string) => resource === 'memory' || resource.startsWith('hugepages-')

/** Runs a step of the start; its errors become start errors. */
function starting<T>(prefix: string, step: () => T): T {
  try {
    return step()
  } catch (error) {
    const known =
      error instanceof KubeletStartError ||
      error instanceof MemoryConfigError ||
      error instanceof CheckpointError ||
      error instanceof CpuStateError ||
      error instanceof MemoryStateError
    if (!known) throw error
    throw new KubeletStartError(`${prefix}${error.message}`, { cause: error })
  }
}

function checkReservedCpus({ reservedCpus }: KubeletConfiguration, machine: Machine): void {
  const online = new Set(machine.cpus.map((cpu) => cpu.id))
  if (reservedCpus === undefined || [...reservedCpus].every((cpu) => online.has(cpu))) return
  throw new KubeletStartError(`reserved-cpus: ${formatCpuSet(reservedCpus)} is not a subset of online-cpus: ${formatCpuSet(online)}`)
}

function policyOptions(config: KubeletConfiguration, machine: Machine) {
  const { preferClosest, mostNodes } = topologyOptions(config.topologyManagerPolicyOptions)
  const policy = config.topologyManagerPolicy as TopologyPolicy
  if (policy !== 'none' && machine.layout.nodes.length > mostNodes)
    throw new KubeletStartError(`unsupported on machines with more than ${mostNodes} NUMA Nodes`)
  return { policy, preferClosest, scope: config.topologyManagerScope as TopologyScope }
}

/** The reserved CPUs and the options of policy `static`. */
function cpuPolicyOf(config: KubeletConfiguration, machine: Machine, kept: Quantities) {
  const { cpuManagerPolicy: policy, cpuManagerPolicyOptions: written, reservedCpus } = config
  if (policy === 'none') {
    const names = Object.entries(written).map(([name, value]) => `${name}:${value}`)
    if (names.length > 0)
      throw new KubeletStartError(`new none policy error: None policy: received unsupported options=map[${names.join(' ')}]`)
    return undefined
  }
  if (policy !== 'static') throw new KubeletStartError(`unknown policy: ${JSON.stringify(policy)}`)
  const amount = kept.get('cpu')
  if (amount === undefined) throw new KubeletStartError('[cpumanager] unable to determine reserved CPU resources for static policy')
  const count = Math.ceil(amount.milliValue() / 1000)
  return starting('new static policy error: ', () => {
    const options = cpuOptions(written, config.gates, config.topologyManagerPolicy, machine)
    return { options, reserved: reservedCpus ?? firstCpus(machine, count, options) }
  })
}

function firstCpus(machine: Machine, count: number, options: Parameters<typeof takeCpus>[3]): CpuSet {
  const all = machine.cpus.map((cpu) => cpu.id)
  if (count <= all.length) return new Set(takeCpus(CpuTopology.of(machine), all, count, options))
  throw new KubeletStartError(`[cpumanager] unable to reserve the required amount of CPUs (size of  did not equal ${count})`)
}

/** The checks before anything is restored. */
function checkMemory(
  { memoryManagerPolicy: policy, reservedMemory }: KubeletConfiguration,
  machine: Machine,
  reserved: Readonly<Record<string, number>>,
) {
  if (policy === 'None') return
  if (policy !== 'Static') throw new KubeletStartError(`unknown policy: ${JSON.stringify(policy)}`)
  new MemoryManager(machine, reservedMemory, reserved)
  checkSomeReserved(reservedMemory)
}

function restoreCpus(policy: string, file: CheckpointFile): CpuLedger | undefined {
  return restoring('CPU', file, (text) => {
    const left = readCpuCheckpoint(text)
    if (left.policy !== policy) throw differs('', policy, left.policy)
    return policy === 'static' && left.ledger.shared.size + left.ledger.exclusive.size > 0 ? left.ledger : undefined
  })
}

function restoreMemory(policy: string, file: CheckpointFile): MemoryLedger | undefined {
  return restoring('memory', file, (text) => {
    const left = readMemoryCheckpoint(text)
    if (left.policy !== policy) throw differs('[memorymanager] ', policy, left.policy)
    return left.ledger
  })
}

const differs = (prefix: string, policy: string, left: string) =>
  new CheckpointError(`${prefix}configured policy ${JSON.stringify(policy)} differs from state checkpoint policy ${JSON.stringify(left)}`)

function restoring<T>(manager: string, file: CheckpointFile, read: (text: string) => T | undefined): T | undefined {
  const text = file.read()
  if (text === undefined) return undefined
  try {
    return read(text)
  } catch (error) {
    if (error instanceof CheckpointError) throw unusable(manager, file.path, error.message)
    throw error
  }
}

type Managers = Pick<NodeTopology, 'cpu' | 'memory'>

const NO_LEDGERS = { cpu: { shared: NO_CPUS, exclusive: new Map() }, memory: { nodes: new Map(), blocks: new Map() } }

/** Writes what has changed. As in the kubelet, pods start even if a file cannot be written. */
function saver(config: KubeletConfiguration, { cpu, memory }: Managers, files: Checkpoints, log: Logger): () => void {
  const written = new Map<CheckpointFile, string>()
  const put = (file: CheckpointFile, text: string) => {
    if (written.get(file) === text) return
    try {
      file.write(text)
      written.set(file, text)
    } catch (error) {
      log.warn(`the checkpoint ${file.path} cannot be written`, { error })
    }
  }
  return () => {
    put(files.cpu, writeCpuCheckpoint({ policy: config.cpuManagerPolicy, ledger: cpu?.ledger ?? NO_LEDGERS.cpu }))
    put(files.memory, writeMemoryCheckpoint({ policy: config.memoryManagerPolicy, ledger: memory?.ledger ?? NO_LEDGERS.memory }))
  }
}

function heldResources(cpu: CpuManager | undefined, memory: MemoryManager | undefined): OtherResources {
  const at = (nodes: readonly number[]) => ({ nodes: nodes.map((id) => ({ id })) })
  return {
    cpus: (uid, container) => inOrder(cpu?.held(uid, container) ?? NO_CPUS),
    memory: (uid, container) =>
      (memory?.blocks(uid, container) ?? []).map(({ type, size, nodes }) => ({ memoryType: type, size, topology: at(nodesOf(nodes)) })),
    allocatableCpus: () => inOrder(cpu?.allocatable ?? NO_CPUS),
    allocatableMemory: () =>
      [...(memory?.nodes ?? [])].flatMap(([id, node]) =>
        [...node.amounts].flatMap(([memoryType, { allocatable: size }]) => (size === 0 ? [] : [{ memoryType, size, topology: at([id]) }])),
      ),
  }
}

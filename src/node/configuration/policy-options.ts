import { goQuote } from '../../machinery/field-error.ts'
import { FlagValueError } from '../../machinery/flags/flag.ts'
import { parseBool } from '../../machinery/flags/kinds.ts'
import type { Machine } from '../machine/machine.ts'
import type { CpuManagerOptions } from './cpu-options.ts'
import { KubeletStartError } from './kubelet-start-error.ts'

/** The feature gates that allow groups of options. */
export interface PolicyGates {
  readonly CPUManagerPolicyAlphaOptions: boolean
  readonly CPUManagerPolicyBetaOptions: boolean
  readonly TopologyManagerPolicyAlphaOptions: boolean
  readonly TopologyManagerPolicyBetaOptions: boolean
}

export const GATES: PolicyGates = {
  CPUManagerPolicyAlphaOptions: false,
  CPUManagerPolicyBetaOptions: true,
  TopologyManagerPolicyAlphaOptions: false,
  TopologyManagerPolicyBetaOptions: true,
}

type GraduationLevel = 'alpha' | 'beta' | 'stable'
type Options = Readonly<Record<string, string>>

const CPU_OPTIONS: ReadonlyMap<string, { readonly level: GraduationLevel; readonly field: keyof CpuManagerOptions }> = new Map([
  ['full-pcpus-only', { level: 'stable', field: 'wholeCores' }],
  ['distribute-cpus-across-numa', { level: 'beta', field: 'acrossNuma' }],
  ['align-by-socket', { level: 'alpha', field: 'alignBySocket' }],
  ['distribute-cpus-across-cores', { level: 'alpha', field: 'acrossCores' }],
  ['strict-cpu-reservation', { level: 'stable', field: 'strictReservation' }],
  ['prefer-align-cpus-by-uncorecache', { level: 'beta', field: 'alignByCache' }],
] as const)

/** Options that exclude each other, in the order in which they are checked. */
const CONTRARY = [
  ['full-pcpus-only', 'distribute-cpus-across-cores'],
  ['distribute-cpus-across-numa', 'distribute-cpus-across-cores'],
  ['prefer-align-cpus-by-uncorecache', 'distribute-cpus-across-cores'],
  ['prefer-align-cpus-by-uncorecache', 'distribute-cpus-across-numa'],
] as const

/** Parses `cpuManagerPolicyOptions` of policy `static`. @throws {KubeletStartError} with the kubelet's message */
export function cpuOptions(options: Options, gates: PolicyGates, topologyPolicy: string, machine: Machine): CpuManagerOptions {
  const on = new Map<string, boolean>()
  for (const [name, value] of Object.entries(options)) {
    const known = CPU_OPTIONS.get(name)
    if (known === undefined) throw new KubeletStartError(`unknown CPU Manager Policy option: ${goQuote(name)}`)
    if (known.level === 'alpha' && !gates.CPUManagerPolicyAlphaOptions)
      throw new KubeletStartError(`CPU Manager Policy Alpha-level Options not enabled, but option ${goQuote(name)} provided`)
    if (known.level === 'beta' && !gates.CPUManagerPolicyBetaOptions)
      throw new KubeletStartError(`CPU Manager Policy Beta-level Options not enabled, but option ${goQuote(name)} provided`)
    on.set(name, flag(name, value))
  }
  for (const [a, b] of CONTRARY)
    if (on.get(a) && on.get(b)) throw new KubeletStartError(`static policy options ${a} and ${b} can not be used at the same time`)
  if (on.get('align-by-socket')) {
    if (topologyPolicy === 'single-numa-node')
      throw new KubeletStartError('Topolgy manager single-numa-node policy is incompatible with CPUManager align-by-socket policy option')
    const sockets = new Set(machine.cpus.map((cpu) => cpu.socket)).size
    if (sockets > machine.layout.nodes.length)
      throw new KubeletStartError('Align by socket is not compatible with hardware where number of sockets are more than number of NUMA')
  }
  return Object.fromEntries([...CPU_OPTIONS].map(([name, { field }]) => [field, on.get(name) === true]))
}

/** The most NUMA nodes for which a topology policy is allowed. */
export const MAX_NUMA_NODES = 8

export interface TopologyOptions {
  readonly preferClosest: boolean
  readonly mostNodes: number
}

/** Parses `topologyManagerPolicyOptions`. @throws {KubeletStartError} with the kubelet's message */
export function topologyOptions(options: Options): TopologyOptions {
  let [preferClosest, mostNodes] = [false, MAX_NUMA_NODES]
  for (const [name, value] of Object.entries(options)) {
    if (name === 'prefer-closest-numa-nodes') preferClosest = flag(name, value)
    else if (name === 'max-allowable-numa-nodes') mostNodes = count(name, value)
    else throw new KubeletStartError(`unknown Topology Manager Policy option: ${goQuote(name)}`)
  }
  return { preferClosest, mostNodes }
}

function flag(name: string, value: string): boolean {
  try {
    return parseBool(value)
  } catch (error) {
    if (error instanceof FlagValueError) throw new KubeletStartError(`bad value for option ${goQuote(name)}: ${error.message}`)
    throw error
  }
}

function count(name: string, value: string): number {
  if (!/^[+-]?\d{1,18}$/.test(value))
    throw new KubeletStartError(
      `unable to convert policy option to integer ${goQuote(name)}: strconv.Atoi: parsing ${goQuote(value)}: invalid syntax`,
    )
  if (Number(value) < MAX_NUMA_NODES)
    throw new KubeletStartError(`the minimum value of ${goQuote(name)} should not be less than ${MAX_NUMA_NODES}`)
  return Number(value)
}

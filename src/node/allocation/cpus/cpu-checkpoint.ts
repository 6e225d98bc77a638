import { isObject, type JsonObject } from '../../../machinery/object.ts'
import { CheckpointError, corrupted, parseCheckpoint } from '../../checkpoints/checkpoint-file.ts'
import { byBytes, goChecksum, goMap } from '../../checkpoints/go-checksum.ts'
import { type CpuSet, formatCpuSet, parseCpuSet } from '../../machine/cpu-set.ts'
import type { CpuLedger } from './cpu-manager.ts'

/** The kubelet's checkpoint file of CPU assignments. */
export const CPU_CHECKPOINT = 'cpu_manager_state'

export interface CpuCheckpoint {
  readonly policy: string
  /** Empty for policy `none`. */
  readonly ledger: CpuLedger
}

type CpuEntries = Readonly<Record<string, Readonly<Record<string, string>>>>

/** The file's text, as the kubelet writes it. */
export function writeCpuCheckpoint({ policy, ledger }: CpuCheckpoint): string {
  const inOrder = <T>(map: ReadonlyMap<string, T>) => [...map].sort(([a], [b]) => byBytes(a, b))
  const entries: CpuEntries = Object.fromEntries(
    inOrder(ledger.exclusive).map(([uid, containers]) => [
      uid,
      Object.fromEntries(inOrder(containers).map(([name, cpus]) => [name, formatCpuSet(cpus)])),
    ]),
  )
  const data = { policyName: policy, defaultCpuSet: formatCpuSet(ledger.shared) }
  const some = ledger.exclusive.size > 0
  return JSON.stringify({ ...data, ...(some && { entries }), checksum: checksumOf(policy, data.defaultCpuSet, entries) })
}

/** Parses the file. @throws {CheckpointError} with the kubelet's message */
export function readCpuCheckpoint(text: string): CpuCheckpoint {
  const { policyName = '', defaultCpuSet = '', entries = {}, checksum = 0 } = parseCheckpoint(text, 'state.CPUManagerCheckpointV1')
  if (typeof policyName !== 'string' || typeof defaultCpuSet !== 'string' || !isEntries(entries)) throw corrupted()
  // Files of old kubelets have no checksum.
  if (checksum !== 0 && checksum !== checksumOf(policyName, defaultCpuSet, entries)) throw corrupted()
  const shared = parseCpuSet(defaultCpuSet)
  if (shared === undefined) throw new CheckpointError(`could not parse default cpu set ${JSON.stringify(defaultCpuSet)}`)
  const exclusive = Object.entries(entries).map(([uid, containers]): [string, ReadonlyMap<string, CpuSet>] => [
    uid,
    new Map(Object.entries(containers).map(([name, cpus]) => [name, heldCpus(uid, name, cpus)])),
  ])
  return { policy: policyName, ledger: { shared, exclusive: new Map(exclusive) } }
}

function heldCpus(uid: string, container: string, text: string): CpuSet {
  const cpus = parseCpuSet(text)
  if (cpus !== undefined) return cpus
  const [set, name, pod] = [text, container, uid].map((t) => JSON.stringify(t))
  throw new CheckpointError(`could not parse cpuset ${set} for container ${name} in pod ${pod}`)
}

function isEntries(value: unknown): value is CpuEntries {
  const texts = (containers: unknown) =>
    isObject(containers) && Object.values<unknown>(containers as JsonObject).every((c) => typeof c === 'string')
  return isObject(value) && Object.values<unknown>(value as JsonObject).every(texts)
}

function checksumOf(policy: string, shared: string, entries: CpuEntries): number {
  const held = goMap(entries, (containers) => goMap(containers, (cpus) => cpus))
  const fields = `PolicyName:(string)${policy} DefaultCPUSet:(string)${shared} Entries:(map[string]map[string]string)${held}`
  return goChecksum(`(*state.CPUManagerCheckpoint){${fields} Checksum:(checksum.Checksum)0}`)
}

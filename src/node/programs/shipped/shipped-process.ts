import type { Later } from '../../../base/steps.ts'
import type { DnsRecord, RecordType } from '../../../machinery/network/dns-records.ts'
import type { Machine } from '../../../shell/processes/process.ts'
import type { FileSystem } from '../../volumes/file-system.ts'
import type { ProcessList } from '../process-list.ts'
import type { ContainerProcess, ImageProgram, ProgramOutput, ProgramResult } from '../program.ts'

/** What shipped programs get beyond what other programs get. */
export interface ShippedProcess extends ContainerProcess {
  readonly pid: number
  readonly processes: ProcessList
  readonly machine: Machine
  readonly groups: readonly number[]
  readonly fileSystem: FileSystem
  /** What the manifest mounts. */
  readonly volumes: readonly MountedVolume[]
  /** The file for its last words. */
  readonly messagePath: string
  /** Calls `letGo` when the process has ended, unless what is returned is called before. */
  hold(letGo: () => void): () => void
  /** What the main process of the container prints to. */
  readonly main: { readonly stdout: ProgramOutput; readonly stderr: ProgramOutput }
  /** What somebody runs of whom nothing is known but the name, in an image without a program; undefined: such a name is not found. */
  readonly unknown: UnknownProgram | undefined
  /** Whether a pod or node is at this address. */
  reaches(ip: string): boolean
  /** What the cluster's name server answers for a whole name, or (`search`) for the first of the pod's search path that it knows. */
  records(name: string, type: RecordType, options: { readonly search: boolean }): Promise<readonly DnsRecord[]>
  /** Whether a command of that name is there. */
  has(word: string): boolean
}

export interface MountedVolume {
  readonly path: string
  readonly readOnly: boolean
}

/** How a program that is not there is played: it ends so after a while, or runs until it is stopped. */
export interface UnknownProgram {
  /** Undefined: until it is stopped. */
  readonly runMs?: number
  readonly exitCode: number
  /** Called when one is played. */
  readonly played?: () => void
}

/** An image, as the engine runs its programs. */
export interface AnyImage extends Omit<ImageProgram, 'run' | 'commands' | 'exec'> {
  readonly run: AnyProgram
  readonly commands?: Readonly<Record<string, AnyProgram>>
  readonly exec?: AnyProgram
}

/** Any program, as the engine runs it: those of others see less of the same process. */
export type AnyProgram = (container: ShippedProcess) => Later<ProgramResult>

import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import type { Resolver } from '../../machinery/network/resolver.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { Machine } from '../../shell/processes/process.ts'
import type { ClusterNetwork } from '../network/cluster-network.ts'
import type { HostsEntry } from '../network/look-up.ts'
import type { NetworkStack } from '../network/network-stack.ts'
import type { FileSystem } from '../volumes/file-system.ts'
import type { ProcessList } from './process-list.ts'
import type { ContainerFacts } from './program.ts'
import type { AnyImage } from './shipped/shipped-process.ts'

/** All that the processes of one container share. */
export interface ContainerWorld {
  readonly facts: ContainerFacts
  readonly image: AnyImage | undefined
  /** What answers for an image that has no program: its commands and files, and its server, which starts when a client connects. */
  readonly placeholder: AnyImage | undefined
  /** Of the container: what a command that is run in it starts with. */
  readonly environment: Readonly<Record<string, string>>
  readonly workingDir: string
  readonly stopSignal: string
  readonly processes: ProcessList
  readonly machine: Machine
  /** All of the user's groups, the first of them its own. */
  readonly groups: readonly number[]
  readonly fileSystem: FileSystem
  /** Where the manifest mounts volumes. */
  readonly mountPaths: ReadonlySet<string>
  /** The file for the termination message. */
  readonly messagePath: string
  readonly network: ClusterNetwork
  readonly stack: NetworkStack
  readonly resolver: Resolver
  readonly hosts: readonly HostsEntry[]
  readonly objects: Reader
  readonly clock: Clock
  readonly random: Random
  readonly client: () => Client
  /** Called each time before code of a program goes on. */
  readonly entered: (() => void) | undefined
  /** The folder of this machine behind a path of the container. */
  readonly realFolder: (path: string) => string | undefined
}

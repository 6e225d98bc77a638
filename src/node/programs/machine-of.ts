import type { Random } from '../../base/random.ts'
import { parseQuantity } from '../../machinery/quantity.ts'
import type { ResourceList } from '../../resources/types/core.ts'
import type { Machine } from '../../shell/processes/process.ts'
import type { NetworkStack } from '../network/network-stack.ts'
import type { FileSystem } from '../volumes/file-system.ts'
import type { ProcessList } from './process-list.ts'

export interface MachineInit extends Pick<Machine, 'startedAtMs' | 'ips' | 'fullName'> {
  /** Of the node. */
  readonly capacity: () => ResourceList
  readonly processes: ProcessList
  readonly fileSystem: FileSystem
  readonly stack: NetworkStack
  readonly random: Random
}

/** What is mounted of the kernel's own is no place to keep anything. */
const KERNELS = new Set(['proc', 'sysfs', 'cgroup2'])

/** The machine that programs of a container look at: the size of its node, what runs and is mounted in the container. */
export function machineOf({ capacity, processes, fileSystem, stack, random, startedAtMs, ips, fullName }: MachineInit): Machine {
  const amount = (name: string, otherwise: number) => {
    const given = capacity()[name]
    return given === undefined ? otherwise : parseQuantity(String(given)).value()
  }
  return {
    get cpus() {
      return amount('cpu', 1)
    },
    get memoryBytes() {
      return amount('memory', 1 << 30)
    },
    startedAtMs,
    ips,
    fullName,
    processes: () => processes.list(),
    mounts: () =>
      fileSystem.mounts().map(({ path, kind, readOnly, tree: { space } }) => ({
        path,
        source: kind === 'ext4' ? '/dev/root' : kind,
        kind,
        readOnly,
        usedBytes: space.usedBytes,
        limitBytes: KERNELS.has(kind) ? 0 : space.limitBytes,
      })),
    ports: () => stack.ports(),
    randomBytes: (count) => Uint8Array.from({ length: count }, () => random.int(256)),
  }
}

import { readdirSync, statfsSync } from 'node:fs'
import os from 'node:os'
import { readText } from '../../base/read-text.ts'
import { Quantity } from '../../machinery/quantity.ts'
import type { Machine } from '../status/node-object.ts'

/** This machine, as its Node reports it, and its ids. */
export interface RealMachine {
  readonly machine: Machine
  readonly ids: { readonly machineId: string; readonly bootId: string }
  readonly memoryBytes: number
  /** Sizes of huge pages, as control groups call them: `2MB`. */
  readonly hugePageSizes: readonly string[]
}

/** `folder` is on the disk that pods write on. */
export function readRealMachine(folder: string): RealMachine {
  const memoryBytes = memoryOf(readText('/proc/meminfo') ?? '')
  const { blocks, bsize } = statfsSync(folder)
  const pages = hugePages()
  const amount = (bytes: number) => `${Math.floor(bytes / 1024)}Ki`
  return {
    machine: {
      cpu: String(os.availableParallelism()),
      memory: amount(memoryBytes),
      ephemeralStorage: amount(blocks * bsize),
      pods: '110',
      hugePages: Object.fromEntries(pages.map(({ resource, bytes }) => [resource, Quantity.of(bytes).toString()])),
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      operatingSystem: 'linux',
      kernelVersion: os.release(),
      osImage: /^PRETTY_NAME="?([^"\n]*)/m.exec(readText('/etc/os-release') ?? '')?.[1] ?? 'Linux',
    },
    ids: { machineId: (readText('/etc/machine-id') ?? '').trim(), bootId: (readText('/proc/sys/kernel/random/boot_id') ?? '').trim() },
    memoryBytes,
    hugePageSizes: pages.map(({ name }) => name),
  }
}

const memoryOf = (meminfo: string) => Number(/^MemTotal:\s+(\d+) kB/m.exec(meminfo)?.[1] ?? 0) * 1024

interface HugePages {
  readonly resource: string
  readonly name: string
  readonly bytes: number
}

const POOLS = '/sys/kernel/mm/hugepages'

/** The smallest first, as the kubelet names them to the runtime. */
function hugePages(): readonly HugePages[] {
  let pools: readonly string[]
  try {
    pools = readdirSync(POOLS)
  } catch {
    return []
  }
  return pools
    .flatMap((pool) => {
      const kilobytes = Number(/^hugepages-(\d+)kB$/.exec(pool)?.[1] ?? 0)
      if (kilobytes === 0) return []
      const [size, unit] = kilobytes >= 1 << 20 ? [kilobytes >> 20, 'G'] : kilobytes >= 1 << 10 ? [kilobytes >> 10, 'M'] : [kilobytes, 'K']
      const count = Number(readText(`${POOLS}/${pool}/nr_hugepages`) ?? '')
      return { kilobytes, resource: `hugepages-${size}${unit}i`, name: `${size}${unit}B`, bytes: count * kilobytes * 1024 }
    })
    .toSorted((a, b) => a.kilobytes - b.kilobytes)
}

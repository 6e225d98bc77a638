import { readFile } from 'node:fs/promises'
import type { NetworkUse } from '../../runtime/runtime.ts'

/** Of the kernel's counters of time. */
const NANOSECONDS_PER_TICK = 1e7
/** cAdvisor's: those of pods, and the machine's own. */
const NOT_SHOWN = /^(lo|veth|docker|nerdctl)/

/** What all processors did since the start, by a text as `/proc/stat` has it. Pure. */
export function cpuTimeIn(stat: string): number {
  const [, counts = ''] = /^cpu +(.*)$/m.exec(stat) ?? []
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, steal = 0] = counts.split(' ').map(Number)
  return (user + nice + system + irq + softIrq + steal) * NANOSECONDS_PER_TICK
}

/** By texts as `/proc/net/dev` and `/proc/net/route` have them; the interface of the way out comes first. Pure. */
export function networksIn(devices: string, routes: string): readonly NetworkUse[] {
  const wayOut = /^(\S+)\s+00000000\s/m.exec(routes)?.[1]
  const found = devices.split('\n').flatMap((line): NetworkUse[] => {
    const [, name = '', counts = ''] = /^\s*(\S+):\s*(.*)$/.exec(line) ?? []
    if (name === '' || NOT_SHOWN.test(name)) return []
    const [rxBytes = 0, , rxErrors = 0, , , , , , txBytes = 0, , txErrors = 0] = counts.split(/\s+/).map(Number)
    return [{ name, rxBytes, rxErrors, txBytes, txErrors }]
  })
  return found.toSorted((a, b) => Number(b.name === wayOut) - Number(a.name === wayOut))
}

export const machineCpuTime = async (): Promise<number> => cpuTimeIn(await readFile('/proc/stat', 'utf8'))

export async function machineNetworks(): Promise<readonly NetworkUse[]> {
  const [devices = '', routes = ''] = await Promise.all(['/proc/net/dev', '/proc/net/route'].map((file) => readFile(file, 'utf8')))
  return networksIn(devices, routes)
}

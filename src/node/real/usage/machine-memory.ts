import { readFile } from 'node:fs/promises'

/** Of the whole machine, as the kubelet's root control group reports it. */
export interface MachineMemory {
  readonly capacityBytes: number
  /** What is used and cannot be given up at once: files that were not read of late can. */
  readonly workingSetBytes: number
  readonly usageBytes: number
  /** Of programs, without files. */
  readonly residentBytes: number
}

/** By a text as `/proc/meminfo` has it. Pure. */
export function memoryIn(meminfo: string): MachineMemory {
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(meminfo)?.[1] ?? 0) * 1024
  const capacityBytes = bytes('MemTotal')
  const usageBytes = capacityBytes - bytes('MemFree')
  const workingSetBytes = Math.max(0, usageBytes - bytes('Inactive\\(file\\)'))
  return { capacityBytes, workingSetBytes, usageBytes, residentBytes: bytes('AnonPages') }
}

export const machineMemory = async (): Promise<MachineMemory> => memoryIn(await readFile('/proc/meminfo', 'utf8'))

/** How many processes and threads there may be, and are. */
export async function machineProcesses(): Promise<{ readonly most: number; readonly present: number }> {
  const [pidMax, threadsMax, load] = await Promise.all(
    ['/proc/sys/kernel/pid_max', '/proc/sys/kernel/threads-max', '/proc/loadavg'].map((file) => readFile(file, 'utf8')),
  )
  return { most: Math.min(Number(pidMax), Number(threadsMax)), present: Number(/\/(\d+)/.exec(load ?? '')?.[1] ?? 0) }
}

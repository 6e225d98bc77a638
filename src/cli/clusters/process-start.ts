import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** When a process was started, in the system's words; undefined: there is none of this number. */
export function processStart(pid: number): string | undefined {
  if (process.platform !== 'linux')
    return spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim() || undefined
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // proc_pid_stat(5): the name may hold blanks and parentheses; the start is the 20th field after it, in ticks since the boot.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

/** Whether the process of this number is still the one that was started then. */
export const isSameProcess = (pid: number, start: string): boolean => {
  const now = processStart(pid)
  return now !== undefined && now === start
}

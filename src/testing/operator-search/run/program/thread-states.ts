import { readdirSync, readFileSync } from 'node:fs'
import { holdsSocket, listeningPorts } from '../../../../node/programs/processes/listening-ports.ts'

/** Whether a thread of the program, or of one that it started, runs or waits for a processor. False where there is no `/proc`. */
export function computes(pid: number): boolean {
  return threadsOf(pid).some((thread) => /^[RD]/.test(stateOf(pid, thread)) || childrenOf(pid, thread).some(computes))
}

/** Whether the program, or one that it started, listens on a TCP port. True where there is no `/proc`. */
export async function listens(pid: number): Promise<boolean> {
  if (threadsOf(pid).length === 0) return true
  const ports = await listeningPorts(pid)
  return holdsSocket(pid, [...ports.values()].flat())
}

const threadsOf = (pid: number) => namesIn(`/proc/${pid}/task`)

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // it has ended
  }
}

/** The letter after the name, which may contain spaces and brackets. */
function stateOf(pid: number, thread: string): string {
  const stat = textOf(`/proc/${pid}/task/${thread}/stat`)
  return stat.slice(stat.lastIndexOf(')') + 2)
}

const childrenOf = (pid: number, thread: string): number[] =>
  textOf(`/proc/${pid}/task/${thread}/children`)
    .split(' ')
    .filter((word) => word !== '')
    .map(Number)

function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return '' // it has ended
  }
}

import { readdirSync, readFileSync } from 'node:fs'

/** Whether a thread of the program, or of one that it started, runs or waits for a processor. False where `/proc` does not tell. */
export function computes(pid: number): boolean {
  return threadsOf(pid).some((thread) => /^[RD]/.test(stateOf(pid, thread)) || childrenOf(pid, thread).some(computes))
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
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

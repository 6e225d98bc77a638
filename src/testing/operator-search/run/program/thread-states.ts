import { readdirSync, readFileSync } from 'node:fs'
import { holdsSocket, listeningPorts } from '../../../../node/programs/processes/listening-ports.ts'
import { dueWithin, type ThreadWait, threadWait } from './thread-wait.ts'

/** What a program does. */
export interface ProgramActivity {
  /** Whether a thread of the program, or of one that it started, runs or waits for a processor. False where there is no `/proc`. */
  readonly computes: boolean
  /** In how many milliseconds its next timer is due at most. Undefined: that does not show. */
  readonly dueMs: number | undefined
}

/** Looks at the threads of a program, and of those that it started. */
export function activityOf(pid: number): ProgramActivity {
  const waits = waitsOf(pid)
  return { computes: waits.some(({ kind }) => kind === 'computes'), dueMs: dueWithin(waits) }
}

/** Whether the program, or one that it started, listens on a TCP port. True where there is no `/proc`. */
export async function listens(pid: number): Promise<boolean> {
  if (threadsOf(pid).length === 0) return true
  const ports = await listeningPorts(pid)
  return holdsSocket(pid, [...ports.values()].flat())
}

function waitsOf(pid: number): ThreadWait[] {
  return threadsOf(pid).flatMap((thread) => {
    const at = `/proc/${pid}/task/${thread}`
    const children = textOf(`${at}/children`).split(' ')
    return [waitAt(at), ...children.filter((word) => word !== '').flatMap((child) => waitsOf(Number(child)))]
  })
}

/** Only root and the owner may read the system call of a thread; every user may read its state. */
function waitAt(at: string): ThreadWait {
  const line = textOf(`${at}/syscall`)
  const computes = line === '' && /^[RD]/.test(stateIn(textOf(`${at}/stat`)))
  return computes ? { kind: 'computes' } : threadWait(line)
}

/** The letter after the name, which may contain spaces and brackets. */
const stateIn = (stat: string) => stat.slice(stat.lastIndexOf(')') + 2)

const threadsOf = (pid: number) => namesIn(`/proc/${pid}/task`)

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // it has ended
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return '' // it has ended
  }
}

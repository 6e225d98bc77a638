import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Whether a thread of the program, or of one that it started, runs or waits for a processor. False where there is no `/proc`. */
export function computes(pid: number): boolean {
  return threadsOf(pid).some((thread) => /^[RD]/.test(stateOf(pid, thread)) || childrenOf(pid, thread).some(computes))
}

/** Whether the program, or one that it started, listens on a TCP port. True where there is no `/proc`. */
export function listens(pid: number): boolean {
  const threads = threadsOf(pid)
  if (threads.length === 0) return true
  const listening = ['tcp', 'tcp6'].flatMap((protocol) => listeningInodes(textOf(`/proc/${pid}/net/${protocol}`)))
  const own = new Set(linksIn(`/proc/${pid}/fd`))
  return listening.some((inode) => own.has(`socket:[${inode}]`)) || threads.some((thread) => childrenOf(pid, thread).some(listens))
}

/** Of a table of sockets (proc_pid_net(5)): state 0A is LISTEN, the tenth column is the inode. */
function listeningInodes(table: string): string[] {
  const rows = table.split('\n').map((line) => line.trim().split(/\s+/))
  return rows.flatMap((columns) => (columns[3] === '0A' ? [columns[9] ?? ''] : []))
}

function linksIn(folder: string): string[] {
  return namesIn(folder).map((name) => {
    try {
      return readlinkSync(`${folder}/${name}`)
    } catch {
      return '' // it has been closed
    }
  })
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

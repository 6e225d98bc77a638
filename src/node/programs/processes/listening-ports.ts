import { readFile, readlink } from 'node:fs/promises'
import { namesIn } from '../../../base/names-in.ts'

/** As the kernel writes the state of a port that is open. */
const LISTEN = '0A'

/** The open TCP ports in the network of a process, with the inodes of their sockets; none where the machine has no such file. */
export async function listeningPorts(pid: number): Promise<ReadonlyMap<number, readonly string[]>> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(() => '')))
  return new Map(
    [...Map.groupBy(tables.flatMap(socketsIn), ({ port }) => port)].map(([port, all]) => [port, all.map(({ inode }) => inode)]),
  )
}

/** `  0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 34567 …` */
function socketsIn(table: string): readonly { readonly port: number; readonly inode: string }[] {
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/)
    return state === LISTEN ? [{ port: Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16), inode }] : []
  })
}

/** Whether a process, or one that it has started, has one of these sockets open. */
export async function holdsSocket(pid: number, inodes: readonly string[]): Promise<boolean> {
  const wanted = new Set(inodes.map((inode) => `socket:[${inode}]`))
  for (const one of await processesBelow(pid)) {
    const files = await namesIn(`/proc/${one}/fd`)
    const targets = await Promise.all(files.map((fd) => readlink(`/proc/${one}/fd/${fd}`).catch(() => '')))
    if (targets.some((target) => wanted.has(target))) return true
  }
  return false
}

async function processesBelow(pid: number): Promise<readonly number[]> {
  const threads = await namesIn(`/proc/${pid}/task`)
  const children = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')))
  const below = await Promise.all(children.flatMap((line) => line.split(' ').filter(Boolean)).map((child) => processesBelow(Number(child))))
  return [pid, ...below.flat()]
}

/** What has ended meanwhile has nothing. */

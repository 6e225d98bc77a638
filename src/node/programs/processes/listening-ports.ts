import { readFile } from 'node:fs/promises'

/** As the kernel writes the state of a port that is open. */
const LISTEN = '0A'

/** The TCP ports that are open in the network of a process; none where the machine does not tell. */
export async function listeningPorts(pid: number): Promise<ReadonlySet<number>> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(() => '')))
  return new Set(tables.flatMap(portsIn))
}

/** `  0: 0100007F:1F90 00000000:0000 0A …` */
function portsIn(table: string): readonly number[] {
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state] = line.trim().split(/\s+/)
    return state === LISTEN ? [Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16)] : []
  })
}

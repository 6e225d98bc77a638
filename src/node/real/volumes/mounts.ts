import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The mounts of this machine. Everything rejects with what `mount` says. */
export interface Mounts {
  /** A file system in memory that is never written to swap, where the kernel can promise that. */
  tmpfs(at: string, sizeBytes: number): Promise<void>
  hugePages(at: string, pageSize: string | undefined): Promise<void>
  /** `source` may be an open file of this process (`/proc/self/fd/7`), and is not looked up by its name again. */
  bind(source: string, at: string): Promise<void>
  nfs(source: string, at: string, readOnly: boolean): Promise<void>
  unmount(at: string): Promise<void>
  /** What is mounted at this path or below it, the deepest first. */
  below(path: string): Promise<readonly string[]>
}

export const machineMounts: Mounts = {
  async tmpfs(at, sizeBytes) {
    const of = (options: string) => mount('-t', 'tmpfs', '-o', options, 'tmpfs', at)
    // Linux before 6.4 does not know the option.
    await of(`size=${sizeBytes},noswap`).catch(() => of(`size=${sizeBytes}`))
  },
  hugePages: (at, pageSize) => mount('-t', 'hugetlbfs', ...(pageSize === undefined ? [] : ['-o', `pagesize=${pageSize}`]), 'nodev', at),
  bind: (source, at) => mount('--no-canonicalize', '-o', 'bind', source.replace('/proc/self/', `/proc/${process.pid}/`), at),
  nfs: (source, at, readOnly) => mount('-t', 'nfs', ...(readOnly ? ['-o', 'ro'] : []), source, at),
  async unmount(at) {
    await run('umount', [at])
  },
  async below(path) {
    const table = await readFile('/proc/self/mountinfo', 'utf8')
    const points = table.split('\n').flatMap((line) => decode(line.split(' ')[4] ?? '') || [])
    return points.filter((point) => point === path || point.startsWith(`${path}/`)).toSorted((a, b) => b.length - a.length)
  },
}

async function mount(...args: readonly string[]): Promise<void> {
  await run('mount', [...args])
}

/** The kernel writes spaces and the like as `\040`. */
const decode = (text: string) => text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/**
 * What keeps a process apart. `namespaces`: it has users, mounts and processes of its own, and all of it ends with its first process.
 * `parent`: its first process ends with the one that started it. `none`: a process like any other.
 */
export type Isolation = 'namespaces' | 'parent' | 'none'

/** Ends with the process that started it, whatever ends that. */
const WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL'] as const
const UNSHARE = ['unshare', '--user', '--map-root-user', '--mount', '--pid', '--fork', '--kill-child'] as const

/** What this machine allows this user. */
export async function findIsolation(): Promise<Isolation> {
  if (process.platform !== 'linux') return 'none'
  const script =
    'mount -t tmpfs tmpfs /mnt && mount -t proc proc /proc && exec unshare --user --map-user=1 --map-group=1 --root=/ --wd=/ true'
  if (await succeeds([...WITH_PARENT, ...UNSHARE, 'sh', '-c', script])) return 'namespaces'
  return (await succeeds([...WITH_PARENT, 'true'])) ? 'parent' : 'none'
}

async function succeeds([file = '', ...args]: readonly string[]): Promise<boolean> {
  try {
    await promisify(execFile)(file, args)
    return true
  } catch {
    return false
  }
}

/** A file with a script that makes the root of a process and becomes it, in namespaces of its own, and in a network if there is one. */
export const inNamespaces = (script: string, network: string | undefined): readonly string[] => [
  ...WITH_PARENT,
  ...inNetwork(network, [...UNSHARE, 'sh', '-e', script]),
]

export const withParent = (words: readonly string[]): readonly string[] => [...WITH_PARENT, ...words]

/** `network`: the path of a network namespace. */
export const inNetwork = (network: string | undefined, words: readonly string[]): readonly string[] =>
  network === undefined ? words : ['nsenter', `--net=${network}`, '--', ...words]

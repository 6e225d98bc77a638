import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { whyNoNamespaces } from './in-namespaces.ts'

/** The programs of a container runtime on this machine. */
export interface FoundRuntime {
  readonly containerd: string
  readonly ctr: string
  readonly runc: string
  /** Where its shim lies. */
  readonly folder: string
  /** Network plugins. */
  readonly cni: string
}

/** Beside `PATH`: where the programs that `oracle/node-build.sh` builds lie. */
const EXTRA = process.env.ORACLE_BIN ?? '/tmp/oracle/bin'

/** What a test with real containers needs, or why it cannot run here. */
export function findRuntime(): FoundRuntime | { readonly why: string } {
  if (process.platform !== 'linux') return { why: 'real nodes need Linux' }
  if (process.getuid?.() !== 0) return { why: 'real nodes need root' }
  const folders = [EXTRA, ...(process.env.PATH ?? '').split(':')]
  const find = (name: string) => folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file))
  const [containerd, ctr, runc, busybox, unshare] = ['containerd', 'ctr', 'runc', 'busybox', 'unshare'].map(find)
  const missing = Object.entries({ containerd, ctr, runc, busybox, unshare }).flatMap(([name, at]) => (at === undefined ? [name] : []))
  if (containerd === undefined || ctr === undefined || runc === undefined || missing.length > 0)
    return { why: `not installed: ${missing.join(', ')} (Debian: containerd runc containernetworking-plugins busybox-static)` }
  const cni = [path.join(EXTRA, 'cni'), '/usr/lib/cni', '/opt/cni/bin'].find(
    (folder) => existsSync(folder) && readdirSync(folder).includes('bridge'),
  )
  if (cni === undefined) return { why: 'no network plugins are installed (Debian: containernetworking-plugins)' }
  const why = whyNoNamespaces()
  if (why !== undefined) return { why }
  return { containerd, ctr, runc, folder: path.dirname(containerd), cni }
}

/** Linux' busybox, of which the images are made. */
export const BUSYBOX = '/bin/busybox'

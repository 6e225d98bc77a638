import { type SimulatedAnnotationName, simulatedKey } from '../../machinery/simulated-annotations.ts'
import type { DnsConfig } from '../runtime/container-spec.ts'
import type { HostFileType, NodeHost } from './node-host.ts'

export interface SimulatedHostConfig extends Partial<Omit<NodeHost, 'typeOf' | 'make'>> {
  /** Annotations of the node with more facts about its machine. */
  readonly described?: () => Readonly<Record<string, string>> | undefined
}

/** The root folders of Linux; every path below them has the type that is expected. */
const ROOTS = new Set('bin boot dev etc home lib lib64 media mnt opt proc root run sbin srv sys tmp usr var'.split(' ').map((n) => `/${n}`))

const KNOWN: ReadonlyMap<string, HostFileType> = new Map([
  ['/', 'Directory'],
  ...[...ROOTS].map((root) => [root, 'Directory'] as const),
  ...['passwd', 'group', 'hosts', 'hostname', 'resolv.conf', 'machine-id', 'os-release', 'localtime'].map(
    (name) => [`/etc/${name}`, 'File'] as const,
  ),
  ...['null', 'zero', 'random', 'urandom', 'tty', 'kmsg', 'fuse', 'kvm'].map((name) => [`/dev/${name}`, 'CharDevice'] as const),
  ...['lib', 'log', 'run', 'tmp', 'lib/kubelet', 'lib/containerd', 'lib/docker'].map((name) => [`/var/${name}`, 'Directory'] as const),
])

/** A machine with the root folders of Linux, and what the node's annotations describe. */
export function createSimulatedHost(config: SimulatedHostConfig = {}): NodeHost {
  const made = new Map<string, HostFileType>()
  const listed = (name: SimulatedAnnotationName) =>
    (config.described?.()?.[simulatedKey(name)] ?? '').split(',').flatMap((part) => part.trim() || [])
  const described = (path: string): HostFileType | 'nothing' | undefined => {
    for (const part of listed('host-files')) {
      const [at = '', type = ''] = part.split('=')
      if (clean(at) === path) return isType(type) ? type : 'nothing'
    }
    return undefined
  }
  return {
    typeOf(written) {
      const path = clean(written)
      const known = described(path) ?? made.get(path) ?? KNOWN.get(path)
      if (known !== undefined) return known === 'nothing' ? undefined : known
      return ROOTS.has(`/${path.split('/')[1] ?? ''}`) ? 'unknown' : undefined
    },
    make(path, type) {
      if (made.size >= MOST_MADE) made.clear()
      made.set(clean(path), type)
      // Creates its parent folders too.
      for (let at = clean(path); at.lastIndexOf('/') > 0; ) {
        at = at.slice(0, at.lastIndexOf('/'))
        if (!made.has(at)) made.set(at, 'Directory')
      }
    },
    get lacksFileSystems() {
      return [...(config.lacksFileSystems ?? []), ...listed('host-lacks')]
    },
    get appArmor() {
      return (config.appArmor ?? true) && !listed('host-lacks').includes('apparmor')
    },
    resolver: config.resolver ?? NO_RESOLVER,
    clusterDns: config.clusterDns ?? CLUSTER_DNS,
    clusterDomain: config.clusterDomain ?? 'cluster.local',
    csiDrivers: config.csiDrivers,
    allowedUnsafeSysctls: config.allowedUnsafeSysctls ?? [],
  }
}

const NO_RESOLVER: DnsConfig = { servers: [], searches: [], options: [] }
const CLUSTER_DNS = ['10.96.0.10']

/** A safety bound; the set is cleared when it is reached. */
const MOST_MADE = 10_000

const TYPES: ReadonlySet<string> = new Set(['Directory', 'File', 'Socket', 'CharDevice', 'BlockDevice'])
const isType = (text: string): text is HostFileType => TYPES.has(text)

const clean = (path: string) => `/${path.split('/').filter(Boolean).join('/')}`

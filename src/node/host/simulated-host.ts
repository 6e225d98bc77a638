import type { HostFileType, NodeHost } from './node-host.ts'

export interface SimulatedHostConfig extends Partial<Omit<NodeHost, 'typeOf' | 'make'>> {
  /** What lies under paths beside what any Linux has: `/data` → `Directory`. */
  readonly files?: () => ReadonlyMap<string, HostFileType>
}

/** The folders of any Linux; what lies in them is whatever is asked for. */
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

/** A machine that nobody has described any further. */
export function createSimulatedHost(config: SimulatedHostConfig = {}): NodeHost {
  const made = new Map<string, HostFileType>()
  const { files } = config
  return {
    typeOf(written) {
      const path = clean(written)
      const known = files?.().get(path) ?? made.get(path) ?? KNOWN.get(path)
      if (known !== undefined) return known
      return ROOTS.has(`/${path.split('/')[1] ?? ''}`) ? 'unknown' : undefined
    },
    make(path, type) {
      made.set(clean(path), type)
      // With the folders that it lies in.
      for (let at = clean(path); at.lastIndexOf('/') > 0; ) {
        at = at.slice(0, at.lastIndexOf('/'))
        if (!made.has(at)) made.set(at, 'Directory')
      }
    },
    lacksFileSystems: config.lacksFileSystems ?? [],
    appArmor: config.appArmor ?? true,
    resolver: config.resolver ?? { servers: [], searches: [], options: [] },
    clusterDns: config.clusterDns ?? ['10.96.0.10'],
    clusterDomain: config.clusterDomain ?? 'cluster.local',
    allowedUnsafeSysctls: config.allowedUnsafeSysctls ?? [],
  }
}

const clean = (path: string) => `/${path.split('/').filter(Boolean).join('/')}`

import type { DnsConfig } from '../runtime/container-spec.ts'

export type HostFileType = 'Directory' | 'File' | 'Socket' | 'CharDevice' | 'BlockDevice'

/** The machine of a node, as far as it matters for admission. */
export interface NodeHost {
  /** `unknown`: not described, so any type matches; undefined: there is nothing at the path. */
  typeOf(path: string): HostFileType | 'unknown' | undefined
  /** Creates what does not exist. */
  make(path: string, type: 'Directory' | 'File'): void
  /** The file systems that it cannot mount, such as `nfs`. */
  readonly lacksFileSystems: readonly string[]
  /** The CSI drivers whose volumes it mounts for a pod; undefined: any. */
  readonly csiDrivers?: readonly string[] | undefined
  /** Whether AppArmor profiles can be enforced. */
  readonly appArmor: boolean
  /** The machine's own DNS configuration. */
  readonly resolver: DnsConfig
  /** The DNS servers of pods; without any they use the machine's. */
  readonly clusterDns: readonly string[]
  readonly clusterDomain: string
  /** In addition to the safe ones; a trailing `*` is a wildcard. */
  readonly allowedUnsafeSysctls: readonly string[]
}

import type { DnsConfig } from '../runtime/container-spec.ts'

export type HostFileType = 'Directory' | 'File' | 'Socket' | 'CharDevice' | 'BlockDevice'

/** The machine under a node, as far as it can refuse a pod. */
export interface NodeHost {
  /** What lies there; `unknown`: nobody has described it, so it is what it has to be; undefined: nothing. */
  typeOf(path: string): HostFileType | 'unknown' | undefined
  /** Makes what is not there. */
  make(path: string, type: 'Directory' | 'File'): void
  /** The file systems that it cannot mount: `nfs`. */
  readonly lacksFileSystems: readonly string[]
  /** Whether profiles of AppArmor can be enforced. */
  readonly appArmor: boolean
  /** The machine's own. */
  readonly resolver: DnsConfig
  /** The servers that pods are given; without any they use the machine's. */
  readonly clusterDns: readonly string[]
  readonly clusterDomain: string
  /** Beside the safe ones; a last `*` stands for anything. */
  readonly allowedUnsafeSysctls: readonly string[]
}

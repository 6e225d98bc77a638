import type { Pod } from '../types/pod.ts'

/** Those of the node, as today's distributions set them: scripts that want them larger are content. */
const OF_NODE: readonly (readonly [name: string, value: string])[] = [
  ['fs.file-max', '9223372036854775807'],
  ['vm.max_map_count', '1048576'],
]

/** The parameters that a pod has for itself and may set, and their defaults. */
const DEFAULTS: readonly (readonly [name: string, value: string])[] = [
  ['kernel.shm_rmid_forced', '0'],
  ['net.ipv4.ip_local_port_range', '32768\t60999'],
  ['net.ipv4.ip_local_reserved_ports', ''],
  ['net.ipv4.ip_unprivileged_port_start', '0'],
  ['net.ipv4.ping_group_range', '0\t2147483647'],
  ['net.ipv4.tcp_fin_timeout', '60'],
  ['net.ipv4.tcp_keepalive_intvl', '75'],
  ['net.ipv4.tcp_keepalive_probes', '9'],
  ['net.ipv4.tcp_keepalive_time', '7200'],
  ['net.ipv4.tcp_syncookies', '1'],
]

/** The kernel's parameters as a pod sees them: with those of its `securityContext.sysctls`. */
export function kernelParameters(pod: Pod): ReadonlyMap<string, string> {
  const { sysctls = [] } = (pod.spec.securityContext ?? {}) as {
    readonly sysctls?: readonly { readonly name: string; readonly value: string }[]
  }
  return new Map([...OF_NODE, ...DEFAULTS, ...sysctls.map(({ name, value }) => [name.replaceAll('/', '.'), value] as const)])
}

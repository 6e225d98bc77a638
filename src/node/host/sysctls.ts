import type { AdmitHandler } from '../types/admit-handler.ts'
import type { Pod } from '../types/pod.ts'

/** Safe sysctls: Linux isolates them per pod. */
const SAFE: ReadonlySet<string> = new Set([
  'kernel.shm_rmid_forced',
  ...`ip_local_port_range tcp_syncookies ping_group_range ip_unprivileged_port_start ip_local_reserved_ports tcp_keepalive_time tcp_fin_timeout
  tcp_keepalive_intvl tcp_keepalive_probes tcp_rmem tcp_wmem`
    .split(/\s+/)
    .map((name) => `net.ipv4.${name}`),
])

/** The namespace that a sysctl belongs to. */
function namespaceOf(name: string): 'IPC' | 'Net' | undefined {
  if (name.startsWith('net.')) return 'Net'
  return /^(kernel\.(shm|msg|sem)|fs\.mqueue\.)/.test(name) ? 'IPC' : undefined
}

/** `net/ipv4/conf/eth0.1/x` is `net.ipv4.conf.eth0/1.x`: the first separator decides. */
function normalised(name: string): string {
  const [first] = /[./]/.exec(name) ?? []
  return first === '/' ? name.replace(/[./]/g, (c) => (c === '/' ? '.' : '/')) : name
}

/** The kubelet's message if the pod sets a forbidden sysctl. Pure. */
export function forbiddenSysctl({ spec }: Pod, allowed: readonly string[]): string | undefined {
  for (const { name: written } of spec.securityContext?.sysctls ?? []) {
    const name = normalised(written)
    const listed = allowed.some((a) => (a.endsWith('*') ? name.startsWith(normalised(a).slice(0, -1)) : name === normalised(a)))
    if (!listed && !SAFE.has(name)) return `forbidden sysctl: "${name}" not allowlisted`
    const namespace = namespaceOf(name)
    const shared = namespace === 'IPC' ? spec.hostIPC : namespace === 'Net' ? spec.hostNetwork : false
    if (shared) return `forbidden sysctl: "${name}" not allowed with host ${namespace} enabled`
  }
  return undefined
}

/** Checks the sysctls of every pod. */
export const sysctlHandler = (allowed: readonly string[]): AdmitHandler => ({
  name: 'sysctls',
  admit({ pod }) {
    const message = forbiddenSysctl(pod, allowed)
    return message === undefined ? undefined : { reason: 'SysctlForbidden', message }
  },
  release: () => {},
})

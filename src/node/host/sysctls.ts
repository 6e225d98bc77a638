import type { AdmitHandler } from '../types/admit-handler.ts'
import type { Pod } from '../types/pod.ts'

/** What a pod may set without harm to others, since Linux keeps it for each pod. */
const SAFE: ReadonlySet<string> = new Set([
  'kernel.shm_rmid_forced',
  ...`ip_local_port_range tcp_syncookies ping_group_range ip_unprivileged_port_start ip_local_reserved_ports tcp_keepalive_time tcp_fin_timeout
  tcp_keepalive_intvl tcp_keepalive_probes tcp_rmem tcp_wmem`
    .split(/\s+/)
    .map((name) => `net.ipv4.${name}`),
])

/** Which of the pod's namespaces a parameter of the kernel belongs to. */
function namespaceOf(name: string): 'IPC' | 'Net' | undefined {
  if (name.startsWith('net.')) return 'Net'
  return /^(kernel\.(shm|msg|sem)|fs\.mqueue\.)/.test(name) ? 'IPC' : undefined
}

/** `net/ipv4/conf/eth0.1/x` is `net.ipv4.conf.eth0/1.x`: the separator is the one that comes first. */
function normalised(name: string): string {
  const [first] = /[./]/.exec(name) ?? []
  return first === '/' ? name.replace(/[./]/g, (c) => (c === '/' ? '.' : '/')) : name
}

/** Why the node does not let the pod set what it wants to, in the kubelet's words. Pure. */
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

/** Asks it of every pod. */
export const sysctlHandler = (allowed: readonly string[]): AdmitHandler => ({
  name: 'sysctls',
  admit({ pod }) {
    const message = forbiddenSysctl(pod, allowed)
    return message === undefined ? undefined : { reason: 'SysctlForbidden', message }
  },
  release: () => {},
})

import { goQuote } from '../../../machinery/field-error.ts'
import type { ObjectMeta } from '../../../machinery/object.ts'
import { APP_ARMOR } from '../../../resources/pod/app-armor.ts'
import { CONTAINER_SECCOMP, POD_SECCOMP } from '../../../resources/pod/seccomp-annotations.ts'
import type { EphemeralContainer, Container as MainContainer, PodSpec, SELinuxOptions, Volume } from '../../../resources/types/core.ts'

/** A violated check: its reason, and the details. */
export interface Violation {
  readonly reason: string
  readonly detail: string
}

/** One check of a Pod Security Standard, from the minor version in which it was introduced or changed. */
export interface Check {
  readonly id: string
  readonly level: 'baseline' | 'restricted'
  readonly since: number
  /** A baseline check that this restricted one includes. */
  readonly overrides?: string
  find(pod: PodSubject): Violation | undefined
}

/** The input of a check; `minor` is the version of the policy. */
interface PodSubject {
  readonly metadata: ObjectMeta
  readonly spec: PodSpec
  readonly minor: number
}

type Container = MainContainer | EphemeralContainer
interface Quoted {
  readonly name: string
}

const quoted = (items: Iterable<string>) => [...items].map(goQuote).join(', ')
const sortedSet = (items: readonly string[]) => [...new Set(items)].sort()
const containers = (names: readonly string[]) => `${names.length === 1 ? 'container' : 'containers'} ${quoted(names)}`
const named = (list: readonly Quoted[]) => list.map((c) => c.name)

/** Init, regular and ephemeral containers, in this order. */
function all(pod: PodSubject): Container[] {
  return [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? []), ...(pod.spec.ephemeralContainers ?? [])]
}

const bad = (pod: PodSubject, broken: (container: Container) => boolean) => named(all(pod).filter(broken))
const isWindows = (pod: PodSubject) => pod.minor >= 25 && pod.spec.os?.name === 'windows'
/** In a user namespace, root inside is an unprivileged user outside. */
const hasOwnUsers = (pod: PodSubject) => pod.minor >= 35 && pod.spec.hostUsers === false

const DEFAULT_CAPABILITIES = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
])
const SELINUX_TYPES = new Set(['', 'container_t', 'container_init_t', 'container_kvm_t'])
/** Safe sysctls, and the minor version since which they are safe. */
const SYSCTLS: Readonly<Record<string, number>> = {
  'kernel.shm_rmid_forced': 0,
  'net.ipv4.ip_local_port_range': 0,
  'net.ipv4.tcp_syncookies': 0,
  'net.ipv4.ping_group_range': 0,
  'net.ipv4.ip_unprivileged_port_start': 0,
  'net.ipv4.ip_local_reserved_ports': 27,
  'net.ipv4.tcp_keepalive_time': 29,
  'net.ipv4.tcp_fin_timeout': 29,
  'net.ipv4.tcp_keepalive_intvl': 29,
  'net.ipv4.tcp_keepalive_probes': 29,
  'net.ipv4.tcp_rmem': 32,
  'net.ipv4.tcp_wmem': 32,
}
const RESTRICTED_VOLUMES_ALLOW = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
  'image',
])

const whole = (reason: string, detail: string): Violation => ({ reason, detail })

/** `pod`, `container "a"`: where a field is set, the pod first. */
function setters(podSets: boolean, names: readonly string[]): string[] {
  return [...(podSets ? ['pod'] : []), ...(names.length > 0 ? [containers(names)] : [])]
}

function unmasked(pod: PodSubject): Violation | undefined {
  const broken = all(pod).filter((c) => (c.securityContext?.procMount ?? 'Default') !== 'Default')
  if (broken.length === 0) return undefined
  const values = sortedSet(broken.flatMap((c) => c.securityContext?.procMount ?? []))
  return whole('procMount', `${containers(named(broken))} must not set securityContext.procMount to ${quoted(values)}`)
}

/** Profiles were annotations before they became fields. */
function seccompAnnotations(pod: PodSubject): Violation | undefined {
  const fine = (value: string) => value === 'runtime/default' || value === 'docker/default' || value.startsWith('localhost/')
  const keys = [POD_SECCOMP, ...named(all(pod)).map((name) => `${CONTAINER_SECCOMP}${name}`)]
  const found = keys.flatMap((key) => {
    const value = pod.metadata.annotations?.[key]
    return value === undefined || fine(value) ? [] : [`${key}=${goQuote(value)}`]
  })
  if (found.length === 0) return undefined
  const broken = sortedSet(found)
  return whole('seccompProfile', `forbidden ${broken.length === 1 ? 'annotation' : 'annotations'} ${broken.join(', ')}`)
}

const isForbidden = (type: string | undefined, allowed: (type: string) => boolean) => type !== undefined && !allowed(type)

function seccomp(pod: PodSubject, allowed: (type: string) => boolean): Violation | undefined {
  const podType = pod.spec.securityContext?.seccompProfile?.type
  const typeOf = (c: Container) => c.securityContext?.seccompProfile?.type
  const broken = all(pod).filter((c) => isForbidden(typeOf(c), allowed))
  const podBreaks = podType !== undefined && !allowed(podType)
  const values = sortedSet([...(podBreaks ? [podType] : []), ...broken.flatMap((c) => typeOf(c) ?? [])])
  if (values.length === 0) return undefined
  return whole(
    'seccompProfile',
    `${setters(podBreaks, named(broken)).join(' and ')} must not set securityContext.seccompProfile.type to ${quoted(values)}`,
  )
}

function hostsOf(container: Container): string[] {
  const handlers = [
    container.livenessProbe,
    container.readinessProbe,
    container.startupProbe,
    container.lifecycle?.postStart,
    container.lifecycle?.preStop,
  ]
  return handlers
    .flatMap((h) => [h?.httpGet?.host, h?.tcpSocket?.host])
    .filter((host): host is string => typeof host === 'string' && host !== '')
}

/** All checks: baseline by id, then restricted by id; violations are listed in this order. */
export const CHECKS: readonly Check[] = [
  {
    id: 'appArmorProfile',
    level: 'baseline',
    since: 0,
    find(pod) {
      const allowed = (type: string) => type === 'RuntimeDefault' || type === 'Localhost'
      const podType = pod.spec.securityContext?.appArmorProfile?.type
      const podBreaks = podType !== undefined && !allowed(podType)
      const typeOf = (c: Container) => c.securityContext?.appArmorProfile?.type
      const broken = all(pod).filter((c) => isForbidden(typeOf(c), allowed))
      const values = sortedSet([...(podBreaks ? [podType] : []), ...broken.flatMap((c) => typeOf(c) ?? [])])
      const fine = (value: string) => value === '' || value === 'runtime/default' || value.startsWith('localhost/')
      const annotations = Object.entries(pod.metadata.annotations ?? {})
        .filter(([key, value]) => key.startsWith(APP_ARMOR) && !fine(value))
        .map(([key, value]) => `${key}=${goQuote(value)}`)
        .sort()
      const who = setters(podBreaks, named(broken))
      if (annotations.length > 0) who.push(annotations.length === 1 ? 'annotation' : 'annotations')
      if (who.length === 0) return undefined
      const bad = [...values, ...annotations]
      const reason = bad.length > 1 ? 'forbidden AppArmor profiles' : 'forbidden AppArmor profile'
      // What is quoted in the value of an annotation is not escaped.
      return whole(reason, `${who.join(' and ')} must not set AppArmor profile type to ${bad.map((value) => `"${value}"`).join(', ')}`)
    },
  },
  {
    id: 'capabilities_baseline',
    level: 'baseline',
    since: 0,
    find(pod) {
      const extra = (c: Container) => (c.securityContext?.capabilities?.add ?? []).filter((one) => !DEFAULT_CAPABILITIES.has(one))
      const broken = all(pod).filter((c) => extra(c).length > 0)
      if (broken.length === 0) return undefined
      return whole(
        'non-default capabilities',
        `${containers(named(broken))} must not include ${quoted(sortedSet(broken.flatMap(extra)))} in securityContext.capabilities.add`,
      )
    },
  },
  {
    id: 'hostNamespaces',
    level: 'baseline',
    since: 0,
    find({ spec }) {
      const used = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field] === true).map((field) => `${field}=true`)
      return used.length === 0 ? undefined : whole('host namespaces', used.join(', '))
    },
  },
  {
    id: 'hostPathVolumes',
    level: 'baseline',
    since: 0,
    find({ spec }) {
      const names = named((spec.volumes ?? []).filter((v) => v.hostPath !== undefined))
      return names.length === 0 ? undefined : whole('hostPath volumes', `${names.length === 1 ? 'volume' : 'volumes'} ${quoted(names)}`)
    },
  },
  {
    id: 'hostPorts',
    level: 'baseline',
    since: 0,
    find(pod) {
      const portsOf = (c: Container) => (c.ports ?? []).flatMap((p) => (p.hostPort ? [String(p.hostPort)] : []))
      const broken = all(pod).filter((c) => portsOf(c).length > 0)
      if (broken.length === 0) return undefined
      const ports = sortedSet(broken.flatMap(portsOf))
      return whole(
        'hostPort',
        `${containers(named(broken))} ${broken.length === 1 ? 'uses' : 'use'} ${ports.length === 1 ? 'hostPort' : 'hostPorts'} ${ports.join(', ')}`,
      )
    },
  },
  {
    id: 'hostProbesAndHostLifecycle',
    level: 'baseline',
    since: 34,
    find(pod) {
      const broken = all(pod).filter((c) => hostsOf(c).length > 0)
      if (broken.length === 0) return undefined
      const hosts = sortedSet(broken.flatMap(hostsOf))
      const what = hosts.length === 1 ? 'probe or lifecycle host' : 'probe or lifecycle hosts'
      return whole(
        'probe or lifecycle host',
        `${containers(named(broken))} ${broken.length === 1 ? 'uses' : 'use'} ${what} ${quoted(hosts)}`,
      )
    },
  },
  {
    id: 'privileged',
    level: 'baseline',
    since: 0,
    find(pod) {
      const names = bad(pod, (c) => c.securityContext?.privileged === true)
      return names.length === 0 ? undefined : whole('privileged', `${containers(names)} must not set securityContext.privileged=true`)
    },
  },
  { id: 'procMount', level: 'baseline', since: 0, find: (pod) => (hasOwnUsers(pod) ? undefined : unmasked(pod)) },
  {
    id: 'seLinuxOptions',
    level: 'baseline',
    since: 0,
    find(pod) {
      const fine = (type: string) => SELINUX_TYPES.has(type) || (pod.minor >= 31 && type === 'container_engine_t')
      const broken = (o: SELinuxOptions | undefined): o is SELinuxOptions =>
        o !== undefined && (!fine(o.type ?? '') || !!o.user || !!o.role)
      const podOptions = pod.spec.securityContext?.seLinuxOptions
      const who = all(pod).filter((c) => broken(c.securityContext?.seLinuxOptions))
      const options = [podOptions, ...who.map((c) => c.securityContext?.seLinuxOptions)].filter(broken)
      if (options.length === 0) return undefined
      const types = sortedSet(options.map((o) => o.type ?? '').filter((type) => !fine(type)))
      const data: string[] = []
      if (types.length > 0) data.push(`${types.length === 1 ? 'type' : 'types'} ${quoted(types)}`)
      if (options.some((o) => o.user)) data.push('user may not be set')
      if (options.some((o) => o.role)) data.push('role may not be set')
      return whole(
        'seLinuxOptions',
        `${setters(broken(podOptions), named(who)).join(' and ')} set forbidden securityContext.seLinuxOptions: ${data.join('; ')}`,
      )
    },
  },
  {
    id: 'seccompProfile_baseline',
    level: 'baseline',
    since: 0,
    find: (pod) => (pod.minor < 19 ? seccompAnnotations(pod) : seccomp(pod, (type) => type === 'RuntimeDefault' || type === 'Localhost')),
  },
  {
    id: 'sysctls',
    level: 'baseline',
    since: 0,
    find(pod) {
      const names = (pod.spec.securityContext?.sysctls ?? []).map((s) => s.name).filter((name) => !((SYSCTLS[name] ?? 1e9) <= pod.minor))
      return names.length === 0 ? undefined : whole('forbidden sysctls', names.join(', '))
    },
  },
  {
    id: 'windowsHostProcess',
    level: 'baseline',
    since: 0,
    find(pod) {
      const podSets = pod.spec.securityContext?.windowsOptions?.hostProcess === true
      const names = bad(pod, (c) => c.securityContext?.windowsOptions?.hostProcess === true)
      const who = setters(podSets, names)
      return who.length === 0
        ? undefined
        : whole('hostProcess', `${who.join(' and ')} must not set securityContext.windowsOptions.hostProcess=true`)
    },
  },
  {
    id: 'allowPrivilegeEscalation',
    level: 'restricted',
    since: 8,
    find(pod) {
      const names = isWindows(pod) ? [] : bad(pod, (c) => c.securityContext?.allowPrivilegeEscalation !== false)
      return names.length === 0
        ? undefined
        : whole('allowPrivilegeEscalation != false', `${containers(names)} must set securityContext.allowPrivilegeEscalation=false`)
    },
  },
  {
    id: 'capabilities_restricted',
    level: 'restricted',
    since: 22,
    overrides: 'capabilities_baseline',
    find(pod) {
      if (isWindows(pod)) return undefined
      const extra = (c: Container) => (c.securityContext?.capabilities?.add ?? []).filter((one) => one !== 'NET_BIND_SERVICE')
      const keeping = bad(pod, (c) => !(c.securityContext?.capabilities?.drop ?? []).includes('ALL'))
      const adding = all(pod).filter((c) => extra(c).length > 0)
      const details: string[] = []
      if (keeping.length > 0) details.push(`${containers(keeping)} must set securityContext.capabilities.drop=["ALL"]`)
      if (adding.length > 0)
        details.push(
          `${containers(named(adding))} must not include ${quoted(sortedSet(adding.flatMap(extra)))} in securityContext.capabilities.add`,
        )
      return details.length === 0 ? undefined : whole('unrestricted capabilities', details.join('; '))
    },
  },
  { id: 'procMount_restricted', level: 'restricted', since: 35, overrides: 'procMount', find: unmasked },
  {
    id: 'restrictedVolumes',
    level: 'restricted',
    since: 0,
    overrides: 'hostPathVolumes',
    find({ spec }) {
      const typeOf = (v: Volume) => Object.keys(v).find((key) => key !== 'name') ?? 'unknown'
      const broken = (spec.volumes ?? []).filter((v) => !RESTRICTED_VOLUMES_ALLOW.has(typeOf(v)))
      if (broken.length === 0) return undefined
      const types = sortedSet(broken.map(typeOf))
      const [one, uses] = broken.length === 1 ? ['volume', 'uses'] : ['volumes', 'use']
      return whole(
        'restricted volume types',
        `${one} ${quoted(named(broken))} ${uses} restricted volume ${types.length === 1 ? 'type' : 'types'} ${quoted(types)}`,
      )
    },
  },
  {
    id: 'runAsNonRoot',
    level: 'restricted',
    since: 0,
    find(pod) {
      if (hasOwnUsers(pod)) return undefined
      const ofPod = pod.spec.securityContext?.runAsNonRoot
      const who = setters(
        ofPod === false,
        bad(pod, (c) => c.securityContext?.runAsNonRoot === false),
      )
      if (who.length > 0) return whole('runAsNonRoot != true', `${who.join(' and ')} must not set securityContext.runAsNonRoot=false`)
      const silent = ofPod === true ? [] : bad(pod, (c) => c.securityContext?.runAsNonRoot === undefined)
      return silent.length === 0
        ? undefined
        : whole('runAsNonRoot != true', `pod or ${containers(silent)} must set securityContext.runAsNonRoot=true`)
    },
  },
  {
    id: 'runAsUser',
    level: 'restricted',
    since: 23,
    find(pod) {
      if (hasOwnUsers(pod)) return undefined
      const who = setters(
        pod.spec.securityContext?.runAsUser === 0,
        bad(pod, (c) => c.securityContext?.runAsUser === 0),
      )
      return who.length === 0 ? undefined : whole('runAsUser=0', `${who.join(' and ')} must not set runAsUser=0`)
    },
  },
  {
    id: 'seccompProfile_restricted',
    level: 'restricted',
    since: 19,
    overrides: 'seccompProfile_baseline',
    find(pod) {
      if (isWindows(pod)) return undefined
      const allowed = (type: string) => type === 'RuntimeDefault' || type === 'Localhost'
      const explicit = seccomp(pod, allowed)
      if (explicit !== undefined) return explicit
      const silent =
        pod.spec.securityContext?.seccompProfile !== undefined ? [] : bad(pod, (c) => c.securityContext?.seccompProfile === undefined)
      if (silent.length === 0) return undefined
      return whole(
        'seccompProfile',
        `pod or ${containers(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
      )
    },
  },
]

import type { AppArmorProfile, SeccompProfile } from '../../../resources/types/core.ts'
import type { Image } from '../../runtime/runtime.ts'
import type { ContainerSecurity, GroupsPolicy, IdMapping, NamespaceMode, Namespaces, SecurityProfile } from '../../runtime/security.ts'
import type { Container, Pod } from '../../types/pod.ts'

/** As the kubelet's: what of `/proc` and `/sys` a container does not see, and what it may only read. */
const MASKED_PATHS: readonly string[] = [
  ...['asound', 'acpi', 'interrupts', 'kcore', 'keys', 'latency_stats', 'timer_list', 'timer_stats', 'sched_debug', 'scsi'].map(
    (name) => `/proc/${name}`,
  ),
  '/sys/firmware',
  '/sys/devices/virtual/powercap',
]
const READ_ONLY_PATHS: readonly string[] = ['bus', 'fs', 'irq', 'sys', 'sysrq-trigger'].map((name) => `/proc/${name}`)

export interface SecurityInput {
  readonly pod: Pod
  readonly container: Container
  readonly image: Image
  /** The id of the container whose processes it sees. */
  readonly targetId?: string | undefined
  readonly userIds?: IdMapping | undefined
  /** Where profiles of seccomp lie on the node. */
  readonly seccompFolder: string
}

/** What a container's process may do, from the security contexts of container and pod. Pure. */
export function containerSecurity(input: SecurityInput): ContainerSecurity {
  const { pod, container, image, targetId } = input
  const own = container.securityContext ?? {}
  const { runAsUser, runAsGroup, seccompProfile, appArmorProfile } = { ...pod.spec.securityContext, ...withoutAbsent(own) }
  const { capabilities, privileged = false, readOnlyRootFilesystem = false, allowPrivilegeEscalation, procMount } = own
  // An image without a user runs as root.
  const user = runAsUser ?? image.uid ?? (image.username === undefined ? 0 : undefined)
  const unmasked = procMount === 'Unmasked'
  const appArmor = profileOf(appArmorProfile, '')
  const seccomp = profileOf(seccompProfile, input.seccompFolder) ?? { kind: 'unconfined' }
  return {
    namespaces: namespacesOf(pod, { targetId, userIds: input.userIds }),
    privileged,
    ...(capabilities && { capabilities: { add: capabilities.add ?? [], drop: capabilities.drop ?? [] } }),
    ...(user !== undefined && { runAsUser: user }),
    ...(user === undefined && image.username !== undefined && { runAsUsername: image.username }),
    ...(runAsGroup !== undefined && { runAsGroup }),
    supplementalGroups: groupsOf(pod),
    groupsPolicy: groupsPolicyOf(pod),
    readOnlyRoot: readOnlyRootFilesystem,
    noNewPrivileges: allowPrivilegeEscalation === false,
    maskedPaths: unmasked ? [] : MASKED_PATHS,
    readOnlyPaths: unmasked ? [] : READ_ONLY_PATHS,
    seccomp,
    ...(appArmor && { appArmor }),
  }
}

/** The kernel's namespaces of a pod's containers. */
export function namespacesOf(
  { spec }: Pod,
  { targetId, userIds }: { readonly targetId?: string | undefined; readonly userIds?: IdMapping | undefined } = {},
): Namespaces {
  return {
    network: spec.hostNetwork ? 'node' : 'pod',
    pid: pidNamespace(spec, targetId),
    ipc: spec.hostIPC ? 'node' : 'pod',
    ...(userIds && { userIds }),
  }
}

function pidNamespace(spec: Pod['spec'], targetId: string | undefined): NamespaceMode {
  if (spec.hostPID) return 'node'
  if (spec.shareProcessNamespace) return 'pod'
  return targetId === undefined ? 'container' : { of: targetId }
}

export function groupsOf({ spec }: Pod): readonly number[] {
  const { fsGroup, supplementalGroups = [] } = spec.securityContext ?? {}
  return fsGroup === undefined ? supplementalGroups : [fsGroup, ...supplementalGroups]
}

export const groupsPolicyOf = ({ spec }: Pod): GroupsPolicy =>
  spec.securityContext?.supplementalGroupsPolicy === 'Strict' ? 'Strict' : 'Merge'

function profileOf(profile: SeccompProfile | AppArmorProfile | undefined, folder: string): SecurityProfile | undefined {
  switch (profile?.type) {
    case 'RuntimeDefault':
      return { kind: 'runtime-default' }
    case 'Unconfined':
      return { kind: 'unconfined' }
    case 'Localhost':
      return { kind: 'localhost', reference: `${folder}${profile.localhostProfile ?? ''}` }
    default:
      return undefined
  }
}

/** What a container does not say is as its pod says. */
const withoutAbsent = <T extends object>(given: T): Partial<T> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<T>

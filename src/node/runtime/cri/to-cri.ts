import type { ContainerResources, ContainerSpec, DnsConfig, Mount, PodRef, SandboxIsolation, SandboxSpec } from '../container-spec.ts'
import type { PullRequest } from '../runtime.ts'
import type { ContainerSecurity, NamespaceMode, Namespaces, SandboxSecurity, SecurityProfile } from '../security.ts'
import * as containers from './api/container.ts'
import { AuthConfig, ImageSpec, PullImageRequest } from './api/image.ts'
import { LinuxResources } from './api/resources.ts'
import * as sandboxes from './api/sandbox.ts'
import { Amount, IdMapping, NAMESPACE, PROFILE, SecurityProfile as Profile, UserNamespace } from './api/shared.ts'
import { LABELS } from './from-cri.ts'

/** The requests that follow from our own specs. Pure. */

const mapOf = (record: Readonly<Record<string, string>>) => new Map(Object.entries(record))
const amount = (value: number | undefined) => (value === undefined ? undefined : Amount.of({ value }))
const PROTOCOLS = { TCP: 0, UDP: 1, SCTP: 2 } as const

export function sandboxConfig(spec: SandboxSpec): sandboxes.SandboxConfig {
  const { pod, attempt, hostname, dns, labels, annotations, isolation } = spec
  return sandboxes.SandboxConfig.of({
    metadata: { ...pod, attempt },
    // On the node's network the hostname is the node's.
    hostname: spec.hostNetwork ? '' : hostname,
    logDirectory: isolation?.logDirectory ?? '',
    dns: dnsOf(dns),
    portMappings: (isolation?.ports ?? []).map(({ protocol, ...ports }) => ({ ...ports, protocol: PROTOCOLS[protocol] })),
    labels: mapOf({ ...labels, ...podLabels(pod) }),
    annotations: mapOf(annotations),
    linux: isolation && linuxSandbox(isolation),
  })
}

/** By these what belongs to a pod is found again. */
const podLabels = ({ uid, name, namespace }: PodRef) => ({
  [LABELS.podName]: name,
  [LABELS.podNamespace]: namespace,
  [LABELS.podUid]: uid,
})

const dnsOf = ({ servers, searches, options }: DnsConfig) => ({ servers, searches, options })

const linuxSandbox = (isolation: SandboxIsolation) =>
  sandboxes.LinuxSandbox.of({
    cgroupParent: isolation.cgroupParent,
    security: sandboxSecurity(isolation.security),
    sysctls: mapOf(isolation.sysctls),
    overhead: resourcesOf(isolation.overhead),
    resources: resourcesOf(isolation.resources),
  })

const sandboxSecurity = (security: SandboxSecurity) =>
  sandboxes.SandboxSecurity.of({
    namespaces: namespacesOf(security.namespaces),
    runAsUser: amount(security.runAsUser),
    runAsGroup: amount(security.runAsGroup),
    supplementalGroups: security.supplementalGroups,
    privileged: security.privileged,
    seccomp: profileOf(security.seccomp),
    groupsPolicy: groupsPolicyOf(security),
  })

/** Runtimes see the annotations of the pod as those of the image. */
export function pullRequest({ image, login, sandbox }: PullRequest) {
  return PullImageRequest.of({
    image: ImageSpec.of({ image, ...(sandbox && { annotations: mapOf(sandbox.annotations) }) }),
    auth: login && AuthConfig.of(login),
    sandboxConfig: sandbox && sandboxConfig(sandbox),
  })
}

export function containerConfig(spec: ContainerSpec): containers.ContainerConfig {
  const { isolation } = spec
  return containers.ContainerConfig.of({
    metadata: { name: spec.name, attempt: spec.attempt },
    image: ImageSpec.of({ image: spec.imageId, userSpecifiedImage: spec.image }),
    command: spec.command,
    args: spec.args,
    workingDir: spec.workingDir ?? '',
    environment: spec.environment.map(({ name, value }) => ({ key: name, value: Buffer.from(value) })),
    mounts: spec.mounts.map(mountOf),
    devices: spec.devices,
    cdiDevices: spec.cdiDevices.map((name) => ({ name })),
    labels: mapOf({ ...spec.labels, ...podLabels(spec.pod), [LABELS.container]: spec.name }),
    annotations: mapOf(spec.annotations),
    logPath: isolation?.logPath ?? '',
    stdin: spec.stdin,
    stdinOnce: isolation?.stdinOnce === true,
    tty: spec.tty,
    linux: { resources: resourcesOf(spec.resources), security: isolation && containerSecurity(isolation.security) },
  })
}

const PROPAGATION = {
  HostToContainer: containers.PROPAGATION.hostToContainer,
  Bidirectional: containers.PROPAGATION.bidirectional,
} as const

function mountOf(mount: Mount) {
  const { containerPath, hostPath = '', readOnly, propagation, recursiveReadOnly = false, userIds, image, subPath = '' } = mount
  const mappings = userIds === undefined ? [] : [IdMapping.of(userIds)]
  return containers.Mount.of({
    containerPath,
    hostPath,
    readOnly,
    propagation: propagation === undefined ? containers.PROPAGATION.private : PROPAGATION[propagation],
    recursiveReadOnly,
    uidMappings: mappings,
    gidMappings: mappings,
    ...(image !== undefined && { image: ImageSpec.of({ image }), imageSubPath: subPath }),
  })
}

function containerSecurity(security: ContainerSecurity): containers.SecurityMessage {
  const { capabilities } = security
  return containers.ContainerSecurity.of({
    capabilities,
    privileged: security.privileged,
    namespaces: namespacesOf(security.namespaces),
    runAsUser: amount(security.runAsUser),
    runAsUsername: security.runAsUsername ?? '',
    runAsGroup: amount(security.runAsGroup),
    readOnlyRoot: security.readOnlyRoot,
    supplementalGroups: security.supplementalGroups,
    groupsPolicy: groupsPolicyOf(security),
    noNewPrivileges: security.noNewPrivileges,
    maskedPaths: security.maskedPaths,
    readOnlyPaths: security.readOnlyPaths,
    seccomp: profileOf(security.seccomp),
    appArmor: profileOf(security.appArmor),
  })
}

const groupsPolicyOf = ({ groupsPolicy }: Pick<SandboxSecurity, 'groupsPolicy'>) => (groupsPolicy === 'Strict' ? 1 : 0)

function namespacesOf({ network, pid, ipc, userIds }: Namespaces) {
  const mode = (given: NamespaceMode) => (typeof given === 'string' ? NAMESPACE[given] : NAMESPACE.target)
  const mapping = userIds && IdMapping.of(userIds)
  return sandboxes.NamespaceOptions.of({
    network: mode(network),
    pid: mode(pid),
    ipc: mode(ipc),
    targetId: typeof pid === 'string' ? '' : pid.of,
    users:
      mapping === undefined
        ? UserNamespace.of({ mode: NAMESPACE.node })
        : UserNamespace.of({ mode: NAMESPACE.pod, uids: [mapping], gids: [mapping] }),
  })
}

function profileOf(profile: SecurityProfile | undefined) {
  switch (profile?.kind) {
    case undefined:
      return undefined
    case 'runtime-default':
      return Profile.of({ profileType: PROFILE.runtimeDefault })
    case 'unconfined':
      return Profile.of({ profileType: PROFILE.unconfined })
    case 'localhost':
      return Profile.of({ profileType: PROFILE.localhost, localhostRef: profile.reference })
  }
}

export function resourcesOf(resources: ContainerResources): LinuxResources {
  return LinuxResources.of({
    cpuPeriod: resources.cpuPeriodUs ?? 0,
    cpuQuota: resources.cpuQuotaUs ?? 0,
    cpuShares: resources.cpuShares ?? 0,
    memoryLimit: resources.memoryLimitBytes ?? 0,
    oomScoreAdj: resources.oomScoreAdj ?? 0,
    cpus: resources.cpus ?? '',
    memoryNodes: resources.memoryNodes ?? '',
    memorySwapLimit: resources.memorySwapLimitBytes ?? 0,
    hugePageLimits: Object.entries(resources.hugePageLimits ?? {}).map(([pageSize, limit]) => ({ pageSize, limit })),
  })
}

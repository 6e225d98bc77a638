import { parseQuantity } from '../../../machinery/quantity.ts'
import { podLimits, podRequests, type ResourceTotals } from '../../../resources/pod/pod-requests.ts'
import type { ContainerResources, SandboxIsolation } from '../../runtime/container-spec.ts'
import type { IdMapping, PortMapping, SandboxSecurity } from '../../runtime/security.ts'
import { containersOf, type Pod } from '../../types/pod.ts'
import { groupsOf, groupsPolicyOf, namespacesOf } from './container-security.ts'
import { CPU_PERIOD_US, quotaOf, sharesOf } from './cpu-amounts.ts'

export interface SandboxInput {
  readonly pod: Pod
  readonly logDirectory: string
  readonly cgroupParent: string
  readonly userIds?: IdMapping | undefined
}

/** What of a pod a runtime isolates before any of its containers. Pure. */
export function sandboxIsolation({ pod, logDirectory, cgroupParent, userIds }: SandboxInput): SandboxIsolation {
  const { sysctls = [] } = pod.spec.securityContext ?? {}
  return {
    logDirectory,
    cgroupParent,
    ports: portMappings(pod),
    sysctls: Object.fromEntries(sysctls.map(({ name, value }) => [name, value])),
    security: sandboxSecurity(pod, userIds),
    resources: sandboxResources(pod),
    overhead: overheadOf(pod),
  }
}

function portMappings({ spec }: Pod): readonly PortMapping[] {
  return spec.containers.flatMap(({ ports = [] }) =>
    ports.map(({ protocol = 'TCP', containerPort, hostPort = 0, hostIP = '' }) => ({ protocol, containerPort, hostPort, hostIp: hostIP })),
  )
}

function sandboxSecurity(pod: Pod, userIds: IdMapping | undefined): SandboxSecurity {
  const { runAsUser, runAsGroup } = pod.spec.securityContext ?? {}
  return {
    namespaces: namespacesOf(pod, { userIds }),
    privileged: containersOf(pod).some(({ container }) => container.securityContext?.privileged === true),
    ...(runAsUser !== undefined && { runAsUser }),
    ...(runAsGroup !== undefined && { runAsGroup }),
    supplementalGroups: groupsOf(pod),
    groupsPolicy: groupsPolicyOf(pod),
    seccomp: { kind: 'runtime-default' },
  }
}

/** Of all containers together, without the overhead; what some of them do not limit is the sum of the others. */
function sandboxResources({ spec }: Pod): ContainerResources {
  const { overhead: _, ...own } = spec
  return amounts(podRequests(own), podLimits(own))
}

/** What the sandbox itself takes, by its RuntimeClass. */
export function overheadOf({ spec: { overhead = {} } }: Pick<Pod, 'spec'>): ContainerResources {
  const totals: ResourceTotals = new Map(Object.entries(overhead).map(([name, amount]) => [name, parseQuantity(amount)]))
  return totals.size === 0 ? {} : amounts(totals, totals)
}

function amounts(requests: ResourceTotals, limits: ResourceTotals): ContainerResources {
  const cpuLimit = limits.get('cpu')?.milliValue() ?? 0
  const memory = limits.get('memory')?.value() ?? 0
  return {
    cpuPeriodUs: CPU_PERIOD_US,
    cpuShares: sharesOf((requests.get('cpu') ?? limits.get('cpu'))?.milliValue() ?? 0),
    ...(cpuLimit > 0 && { cpuQuotaUs: quotaOf(cpuLimit) }),
    ...(memory > 0 && { memoryLimitBytes: memory }),
  }
}

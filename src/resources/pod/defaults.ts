import { Pace, type Steps } from '../../base/steps.ts'
import { Quantity, tryParseQuantity } from '../../machinery/quantity.ts'
import { isHeavy } from '../../machinery/weight.ts'
import { defaultFieldRef, defaultVolume } from './default-volumes.ts'
import { imagePullPolicyFor } from './image-name.ts'
import { sumOfContainers } from './pod-requests.ts'
import { isHugePages, isPodLevel } from './resource-names.ts'
import type { Container, Handler, Pod, PodSpec, Probe, ResourceList } from './types.ts'

/** Fills in the defaults of a pod's spec, in a pod or in a template. */
export function defaultPodSpec(spec: PodSpec): void {
  spec.restartPolicy ||= 'Always'
  spec.dnsPolicy ||= 'ClusterFirst'
  spec.schedulerName ||= 'default-scheduler'
  spec.terminationGracePeriodSeconds ??= 30
  spec.securityContext ??= {}
  // The deprecated name of the field is kept equal to the newer one.
  const account = spec.serviceAccountName || spec.serviceAccount
  if (account) {
    spec.serviceAccountName = account
    spec.serviceAccount = account
  }
  for (const container of allContainers(spec)) defaultContainer(container)
  for (const volume of spec.volumes ?? []) defaultVolume(volume)
  roundResources(spec.overhead)
  if (spec.resources) {
    roundResources(spec.resources.limits)
    roundResources(spec.resources.requests)
  }
}

/** Fills in the defaults that only pods have. */
export function defaultPod(draft: Pod): Steps<void> | undefined {
  draft.spec ??= {}
  const spec: PodSpec = draft.spec
  defaultPodSpec(spec)
  spec.enableServiceLinks ??= true
  // At least one second; templates keep their value and cause a warning.
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1
  joinAddresses(draft)
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  if (spec.hostNetwork)
    for (const container of containers)
      for (const port of container.ports ?? []) if (!port.hostPort && port.containerPort) port.hostPort = port.containerPort
  // Most pods have neither: steps would cost them more than their defaults.
  const limited = containers.some(({ resources }) => resources?.limits !== undefined)
  return limited || spec.resources !== undefined ? requestLimits(spec, containers) : undefined
}

/** The older field holds the first address; the newer one holds all. If they differ, the older one wins. */
export function joinAddresses(draft: Pod): void {
  const { status } = draft
  if (!status) return
  const first = status.podIPs?.[0]?.ip
  if (status.podIP && first !== status.podIP) status.podIPs = [{ ip: status.podIP }]
  else if (!status.podIP && first) status.podIP = first
}

/** Fills in the defaults of a pod template. */
export function defaultTemplate(template: { spec?: PodSpec } | undefined): void {
  if (!template) return
  template.spec ??= {}
  defaultPodSpec(template.spec)
}

export const allContainers = (spec: PodSpec): Container[] => [
  ...(spec.containers ?? []),
  ...(spec.initContainers ?? []),
  ...(spec.ephemeralContainers ?? []),
]

function defaultContainer(container: Container): void {
  container.imagePullPolicy ||= imagePullPolicyFor(container.image ?? '')
  container.terminationMessagePath ||= '/dev/termination-log'
  container.terminationMessagePolicy ||= 'File'
  container.resources ??= {}
  roundResources(container.resources.limits)
  roundResources(container.resources.requests)
  for (const port of container.ports ?? []) port.protocol ||= 'TCP'
  for (const variable of container.env ?? []) {
    defaultFieldRef(variable.valueFrom?.fieldRef)
    const from = variable.valueFrom
    if (from?.resourceFieldRef) from.resourceFieldRef.divisor ??= '0'
    if (from?.fileKeyRef) from.fileKeyRef.optional ??= false
  }
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) defaultProbe(probe)
  defaultHandler(container.lifecycle?.postStart)
  defaultHandler(container.lifecycle?.preStop)
}

function defaultProbe(probe: Probe | undefined): void {
  if (!probe) return
  probe.timeoutSeconds ||= 1
  probe.periodSeconds ||= 10
  probe.successThreshold ||= 1
  probe.failureThreshold ||= 3
  if (probe.grpc) probe.grpc.service ??= ''
  defaultHandler(probe)
}

function defaultHandler(handler: Handler | undefined): void {
  if (!handler?.httpGet) return
  handler.httpGet.path ||= '/'
  handler.httpGet.scheme ||= 'HTTP'
}

/** Requests default to limits. There may be a hundred thousand: V8 takes a turn to list them. */
function* requestLimits(spec: PodSpec, containers: readonly Container[]): Steps<void> {
  const pace = new Pace()
  for (const { resources } of containers) {
    const limits = resources?.limits
    if (!limits) continue
    if (isHeavy(limits)) yield
    resources.requests ??= {}
    const { requests } = resources
    for (const name of Object.keys(limits)) {
      if (!Object.hasOwn(requests, name)) requests[name] = limits[name] ?? '0'
      if (pace.due()) yield
    }
  }
  defaultPodLevelResources(spec)
}

/**
 * The limits of huge pages of a pod that has resources of its own default to those of its containers, unless it requests them itself. With
 * limits of its own, its requests default to those of its containers, else to these limits.
 */
function defaultPodLevelResources(spec: PodSpec): void {
  const { resources } = spec
  if (!resources || (Object.keys(resources.limits ?? {}).length === 0 && Object.keys(resources.requests ?? {}).length === 0)) return
  const limits: ResourceList = { ...resources.limits }
  const requests: ResourceList = { ...resources.requests }
  for (const [name, limit] of sumOfContainers(spec, 'limits', isHugePages))
    if (!Object.hasOwn(limits, name) && !Object.hasOwn(requests, name)) limits[name] = limit.toString()
  if (Object.keys(limits).length === 0) return
  // Huge pages cannot be overcommitted: the pod's limit applies.
  for (const [name, request] of sumOfContainers(spec, 'requests', (name) => isPodLevel(name) && !isHugePages(name)))
    if (!Object.hasOwn(requests, name)) requests[name] = request.toString()
  for (const [name, limit] of Object.entries(limits)) if (isPodLevel(name) && !Object.hasOwn(requests, name)) requests[name] = limit
  resources.limits = limits
  if (Object.keys(requests).length > 0) resources.requests = requests
}

/** Rounds quantities up to thousandths. */
export function roundResources(list: ResourceList | undefined): void {
  // Fast path: few are finer, and there may be a hundred thousand.
  for (const name in list) {
    const text = list[name] ?? ''
    if (!/[nu]$|\.\d{4}|e-/i.test(String(text))) continue
    const quantity = tryParseQuantity(text)
    if (!quantity) continue
    const rounded = Quantity.milli(quantity.scaledValue(-3), quantity.format)
    if (!rounded.equals(quantity)) list[name] = rounded.toString()
  }
}

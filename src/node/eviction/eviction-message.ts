import { parseQuantity, Quantity } from '../../machinery/quantity.ts'
import type { Container, Pod } from '../types/pod.ts'
import { memoryOf } from './rank-pods.ts'
import { MEANING, type Threshold } from './thresholds.ts'
import type { ContainerUse, Observations, PodUse } from './usage.ts'

export interface EvictionInput {
  readonly pod: Pod
  readonly use: PodUse
  /** The starved resource. */
  readonly resource: string
  /** The thresholds that are acted on. */
  readonly acting: readonly Threshold[]
  readonly observations: Observations
}

/** The status message, the event and its annotations of an evicted pod. Pure. */
export function evictionMessage({ pod, use, resource, acting, observations }: EvictionInput): {
  readonly message: string
  readonly annotations: Readonly<Record<string, string>>
} {
  const whole = podSentence(pod, use, resource)
  const offenders = use.containers.flatMap((c) => offence(pod, c, resource) ?? [])
  const said = offenders.map(
    ({ name, usage, request }) => `Container ${name} was using ${usage}, request is ${request}, has larger consumption of ${resource}. `,
  )
  return {
    message: `The node was low on resource: ${resource}. ${thresholdSentence(resource, acting, observations)}${whole?.sentence ?? ''}${said.join('')}`,
    annotations: {
      ...(whole && { offending_pod: pod.metadata.name ?? '', offending_pod_usage: whole.usage }),
      offending_containers: offenders.map((o) => o.name).join(','),
      offending_containers_usage: offenders.map((o) => o.usage).join(','),
      starved_resource: resource,
    },
  }
}

/** Empty for a threshold in percent. */
function thresholdSentence(resource: string, acting: readonly Threshold[], observations: Observations): string {
  const first = acting.find((t) => MEANING[t.signal].resource === resource)
  const available = first && observations.get(first.signal)?.available
  if (!(first?.value instanceof Quantity) || available === undefined) return ''
  return `Threshold quantity: ${first.value}, available: ${available}. `
}

function podSentence(pod: Pod, use: PodUse, resource: string): { readonly sentence: string; readonly usage: string } | undefined {
  const request = resource === 'memory' ? pod.spec.resources?.requests?.memory : undefined
  if (request === undefined) return undefined
  const usage = String(Quantity.of(memoryOf(use), 'BinarySI'))
  return {
    usage,
    sentence: `Pod ${pod.metadata.name} was using ${usage}, request is ${parseQuantity(request)}, has larger consumption of ${resource}. `,
  }
}

function offence(pod: Pod, use: ContainerUse, resource: string) {
  const all: readonly Container[] = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])]
  const container = all.find((c) => c.name === use.name)
  const bytes = usedBy(use, resource)
  if (container === undefined || bytes === undefined) return undefined
  const request = parseQuantity(container.resources?.requests?.[resource] ?? '0')
  const usage = Quantity.of(bytes, 'BinarySI')
  return usage.compare(request) > 0 ? { name: use.name, usage: String(usage), request: String(request) } : undefined
}

/** Undefined for resources without per-container usage. */
function usedBy({ memoryBytes, layer, logs }: ContainerUse, resource: string): number | undefined {
  if (resource === 'memory') return memoryBytes
  return resource === 'ephemeral-storage' ? layer.bytes + logs.bytes : undefined
}

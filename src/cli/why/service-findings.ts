import { compileMatcher } from '../../machinery/selectors/label-matcher.ts'
import type { Pod, Service, ServicePort } from '../../resources/types/core.ts'
import type { EndpointSlice } from '../../resources/types/discovery.ts'
import type { Diagnosis, Finding } from './finding.ts'

export interface ServiceFacts {
  /** The pods of its namespace. */
  readonly pods: readonly Pod[]
  /** Its endpoint slices. */
  readonly slices: readonly EndpointSlice[]
}

/** Why a service leads nowhere. */
export function diagnoseService(service: Service, { pods, slices }: ServiceFacts): Diagnosis {
  const { type, externalName, selector = {} } = service.spec ?? {}
  if (type === 'ExternalName') return { summary: `another name of ${externalName}`, findings: [] }
  const endpoints = slices.flatMap((slice) => slice.endpoints ?? [])
  const ready = endpoints.filter(({ conditions }) => conditions?.ready !== false)
  const summary = `${ready.length} of ${endpoints.length} endpoints are ready`
  if (Object.keys(selector).length === 0) {
    const message = 'it has no selector, and there is no EndpointSlice for it'
    return { summary, findings: endpoints.length === 0 ? [{ message }] : [] }
  }
  const labels = Object.entries(selector).map(([key, value]) => `${key}=${value}`)
  const matches = compileMatcher({ matchLabels: selector })
  const selected = pods.filter(({ metadata }) => matches(metadata.labels ?? {}))
  if (selected.length === 0)
    return { summary, findings: [{ message: `no pod has the labels ${labels.join(',')}`, help: present(selector, pods) }] }
  return {
    summary,
    findings: [...(service.spec?.ports ?? []).flatMap((port) => missingPort(port, selected)), ...notReady(selected, ready.length)],
  }
}

/** Values listed at most. */
const MAX_VALUES = 5

/** The values that pods have of the labels in the selector. */
function present(selector: Readonly<Record<string, string>>, pods: readonly Pod[]): string {
  if (pods.length === 0) return 'the namespace has no pods'
  const values = new Set(
    Object.keys(selector).flatMap((key) =>
      pods.flatMap(({ metadata: { labels = {} } }) => (labels[key] === undefined ? [] : [`${key}=${labels[key]}`])),
    ),
  )
  const shown = [...values].slice(0, MAX_VALUES).join(', ')
  return values.size === 0
    ? `no pod of the namespace has a label ${Object.keys(selector).join(' or ')}`
    : `pods of the namespace have ${shown}`
}

/** A target port by name that no container has. */
function missingPort({ targetPort }: ServicePort, pods: readonly Pod[]): readonly Finding[] {
  if (typeof targetPort !== 'string') return []
  const names = pods.flatMap(({ spec }) => spec.containers.flatMap(({ ports = [] }) => ports.map(({ name }) => name)))
  if (names.includes(targetPort)) return []
  return [
    {
      message: `no container of its pods has a port named ${targetPort}`,
      help: `named ports: ${names.filter(Boolean).join(', ') || 'none'}`,
    },
  ]
}

function notReady(pods: readonly Pod[], ready: number): readonly Finding[] {
  const waiting = pods.filter(({ status }) => status?.conditions?.find(({ type }) => type === 'Ready')?.status !== 'True')
  const [first] = waiting
  if (first === undefined) return ready === 0 ? [{ message: 'its pods are ready, but no controller has made endpoints of them' }] : []
  const { name } = first.metadata
  return [
    {
      message: `${waiting.length} of ${pods.length} pods are not ready: ${name}${waiting.length > 1 ? ', …' : ''}`,
      help: `bowsprit why pod ${name}`,
    },
  ]
}

import { AGE, type ColumnInit, NAME } from '../define.ts'
import { fieldNotes } from '../documentation.ts'
import type { Hpa, MetricSpec, MetricStatus, MetricTarget, MetricValue } from './hpa-types.ts'

const shown = 2

function targets(hpa: Hpa): string {
  const metrics = hpa.spec?.metrics ?? []
  if (metrics.length === 0) return '<none>'
  const current = hpa.status?.currentMetrics ?? []
  const texts = metrics.map((metric, i) => metricText(metric, current[i]))
  return texts.length > shown ? `${texts.slice(0, shown).join(', ')} + ${texts.length - shown} more...` : texts.join(', ')
}

const SOURCES = ['external', 'pods', 'object', 'resource', 'containerResource'] as const

function metricText(metric: MetricSpec, status: MetricStatus | undefined): string {
  const source = SOURCES.find((field) => metric[field] !== undefined)
  if (!source) return '<unknown type>'
  const target: MetricTarget = metric[source]?.target ?? {}
  const current: MetricValue = status?.[source]?.current ?? {}
  const unknown = '<unknown>'
  if (source === 'pods') return `${current.averageValue ?? unknown}/${target.averageValue ?? ''}`
  if (source === 'external' || source === 'object')
    return target.averageValue !== undefined
      ? `${current.averageValue ?? unknown}/${target.averageValue} (avg)`
      : `${current.value ?? unknown}/${target.value ?? ''}`
  const name = metric[source]?.name ?? ''
  if (target.averageValue !== undefined) return `${name}: ${current.averageValue ?? unknown}/${target.averageValue}`
  const utilization = current.averageUtilization === undefined ? unknown : `${current.averageUtilization}%`
  const wanted = target.averageUtilization === undefined ? '<auto>' : `${target.averageUtilization}%`
  return `${name}: ${utilization}/${wanted}`
}

/** The columns of both versions have the documentation of v2. */
const documented = (part: 'Spec' | 'Status', field: string) => () =>
  fieldNotes(`io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler${part}`, field)

/** The columns; `internal` converts the autoscaler to the form that has metrics. */
export function hpaColumns(internal: (hpa: Hpa) => Hpa): readonly ColumnInit<Hpa>[] {
  return [
    NAME,
    {
      name: 'Reference',
      description: documented('Spec', 'scaleTargetRef'),
      cell: (o) => `${o.spec?.scaleTargetRef?.kind ?? ''}/${o.spec?.scaleTargetRef?.name ?? ''}`,
    },
    { name: 'Targets', description: documented('Spec', 'metrics'), cell: (o) => targets(internal(o)) },
    {
      name: 'MinPods',
      description: documented('Spec', 'minReplicas'),
      cell: (o) => (o.spec?.minReplicas === undefined ? '<unset>' : String(o.spec.minReplicas)),
    },
    { name: 'MaxPods', description: documented('Spec', 'maxReplicas'), cell: (o) => o.spec?.maxReplicas ?? 0 },
    { name: 'Replicas', description: documented('Status', 'currentReplicas'), cell: (o) => o.status?.currentReplicas ?? 0 },
    AGE,
  ]
}

import { DURATION_BOUNDS, type ProbeCount } from '../../probes/probe-counts.ts'
import { type Family, histogramSamples, type Sample } from './exposition.ts'

const TYPES = { liveness: 'Liveness', readiness: 'Readiness', startup: 'Startup' } as const

/** `/metrics/probes`: the results of the probes of the node's pods. */
export function probeFamilies(counts: readonly ProbeCount[]): readonly Family[] {
  return [
    {
      name: 'prober_probe_total',
      type: 'counter',
      stability: 'BETA',
      help: 'Probes of a container, by their result',
      samples: counts.flatMap(({ kind, pod, container, results }) =>
        Object.entries(results)
          .filter(([, value]) => value > 0)
          .map(([result, value]) => ({
            labels: { probe_type: TYPES[kind], result, container, pod: pod.name, namespace: pod.namespace, pod_uid: pod.uid },
            value,
          })),
      ),
    },
    {
      name: 'prober_probe_duration_seconds',
      type: 'histogram',
      stability: 'ALPHA',
      help: 'How long probes took, in seconds',
      samples: counts.flatMap(histogram),
    },
  ]
}

function histogram({ kind, pod, container, durations, sumSeconds }: ProbeCount): Sample[] {
  const labels = { probe_type: TYPES[kind], container, pod: pod.name, namespace: pod.namespace }
  return histogramSamples(labels, { bounds: DURATION_BOUNDS, counts: durations, sum: sumSeconds })
}

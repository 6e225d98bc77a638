import type { RowCondition, Subresource } from '../../machinery/resource/definition.ts'
import { define } from '../define.ts'
import { defaultPod, joinAddresses } from '../pod/defaults.ts'
import type { Pod } from '../pod/types.ts'
import { hostnameWarnings, podWarnings } from '../pod/warnings.ts'
import { attachOptions, execOptions, portForwardOptions, proxyOptions } from './connect-options.ts'
import { POD_COLUMNS } from './pods/pod-columns.ts'
import { ephemeralContainersRules, resizeRules, statusRules } from './pods/pod-part-rules.ts'
import { gracePeriod, preparePod, validatePod } from './pods/pod-rules.ts'
import { validatePodUpdate } from './pods/pod-update.ts'

const readPath =
  (...path: string[]) =>
  (pod: Pod) =>
    path.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], pod)
const text =
  (...path: string[]) =>
  (pod: Pod) =>
    String(readPath(...path)(pod) ?? '')

export const pods = define<Pod>({
  group: '',
  kind: 'Pod',
  plural: 'pods',
  singular: 'pod',
  shortNames: ['po'],
  categories: ['all'],
  columns: POD_COLUMNS,
  rowConditions: (pod) => completed(pod.status?.phase),
  selectableFields: {
    'spec.nodeName': text('spec', 'nodeName'),
    'spec.restartPolicy': text('spec', 'restartPolicy'),
    'spec.schedulerName': text('spec', 'schedulerName'),
    'spec.serviceAccountName': text('spec', 'serviceAccountName'),
    'spec.hostNetwork': (pod) => String(pod.spec?.hostNetwork ?? false),
    'status.phase': text('status', 'phase'),
    'status.podIP': (pod) => pod.status?.podIPs?.[0]?.ip ?? pod.status?.podIP ?? '',
    // Kubernetes has this field label, but never gives it a value.
    'status.podIPs': () => '',
    'status.nominatedNodeName': text('status', 'nominatedNodeName'),
  },
  podSpec: (pod) => pod.spec,
  rules: {
    defaults: defaultPod,
    generation: 'spec',
    statusFields: ['status'],
    prepareForCreate: preparePod,
    validateCreate: validatePod,
    validateUpdate: validatePodUpdate,
    warnings: (pod, old) =>
      old
        ? []
        : [
            ...hostnameWarnings(pod.metadata.name ?? '', "the Pod's hostname"),
            ...podWarnings(pod.spec ?? {}, pod.metadata.annotations, ''),
          ],
    gracePeriodSeconds: gracePeriod,
    returnsDeleted: true,
  },
  subresources: {
    status: { kind: 'status', rules: { ...statusRules, defaults: joinAddresses } },
    ephemeralcontainers: { kind: 'part', verbs: ['get', 'update', 'patch'], rules: ephemeralContainersRules },
    resize: { kind: 'part', verbs: ['get', 'update', 'patch'], rules: resizeRules },
    binding: { kind: 'action', verbs: ['create'], input: { group: '', version: 'v1', kind: 'Binding' }, action: 'bindPod' },
    eviction: { kind: 'action', verbs: ['create'], input: { group: 'policy', version: 'v1', kind: 'Eviction' }, action: 'evictPod' },
    log: { kind: 'connect', connector: 'podLog', produces: 'text/plain', methods: ['GET'], verbs: ['get'] },
    exec: connect('podExec', 'PodExecOptions', ['GET', 'POST'], execOptions),
    attach: connect('podAttach', 'PodAttachOptions', ['GET', 'POST'], attachOptions),
    portforward: connect('podPortForward', 'PodPortForwardOptions', ['GET', 'POST'], portForwardOptions),
    proxy: connect('podProxy', 'PodProxyOptions', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'], proxyOptions),
  },
})

/** The row condition of a pod that has ended. */
function completed(phase: string | undefined): readonly RowCondition[] {
  if (phase !== 'Succeeded' && phase !== 'Failed') return []
  const message = phase === 'Succeeded' ? 'The pod has completed successfully.' : 'The pod failed.'
  return [{ type: 'Completed', status: 'True', reason: phase, message }]
}

type Connection = Extract<Subresource, { kind: 'connect' }>

function connect(connector: string, kind: string, methods: readonly string[], options: NonNullable<Connection['options']>) {
  const verbs = methods.includes('PUT') ? (['create', 'delete', 'get', 'patch', 'update'] as const) : (['create', 'get'] as const)
  return { kind: 'connect', connector, methods, verbs, input: { group: '', version: 'v1', kind }, options } as const
}

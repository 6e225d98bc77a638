import type { ResourceRef } from '../../machinery/api-call.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { compileMatcher, type MatcherSource } from '../../machinery/selectors/label-matcher.ts'
import {
  CORE_EVENTS,
  DAEMON_SETS,
  DEPLOYMENTS,
  ENDPOINT_SLICES,
  HORIZONTAL_POD_AUTOSCALERS,
  JOBS,
  PERSISTENT_VOLUME_CLAIMS,
  PODS,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  SERVICES,
  STATEFUL_SETS,
  STORAGE_CLASSES,
} from '../../resources/refs.ts'
import type { Event, Pod } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import { diagnoseAutoscaler } from './autoscaler-findings.ts'
import { diagnoseClaim } from './claim-findings.ts'
import type { Diagnosis } from './finding.ts'
import { diagnoseService } from './service-findings.ts'
import { diagnoseWorkload, type Workload } from './workload-findings.ts'

/** An object in a cluster. */
export interface Asked {
  readonly client: Client
  readonly namespace: string
  readonly name: string
}

type Diagnose = (asked: Asked) => Promise<Diagnosis>

/** The kinds besides pods, by their names as kubectl takes them. */
const KINDS: Readonly<Record<string, Diagnose>> = {
  ...named(workload(DEPLOYMENTS), 'deployment', 'deployments', 'deploy'),
  ...named(workload(REPLICA_SETS), 'replicaset', 'replicasets', 'rs'),
  ...named(workload(STATEFUL_SETS), 'statefulset', 'statefulsets', 'sts'),
  ...named(workload(DAEMON_SETS), 'daemonset', 'daemonsets', 'ds'),
  ...named(workload(REPLICATION_CONTROLLERS), 'replicationcontroller', 'replicationcontrollers', 'rc'),
  ...named(workload(JOBS), 'job', 'jobs'),
  ...named(claim, 'persistentvolumeclaim', 'persistentvolumeclaims', 'pvc'),
  ...named(service, 'service', 'services', 'svc'),
  ...named(autoscaler, 'horizontalpodautoscaler', 'horizontalpodautoscalers', 'hpa'),
}

/** What `bowsprit why` explains besides pods. */
export const DIAGNOSED = 'deployment, replicaset, statefulset, daemonset, replicationcontroller, job, pvc, service, hpa'

/** How to diagnose a kind; undefined: that is not known. */
export const diagnoseOf = (kind: string): Diagnose | undefined => (Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined)

function named(diagnose: Diagnose, ...names: readonly string[]): Readonly<Record<string, Diagnose>> {
  return Object.fromEntries(names.map((name) => [name, diagnose]))
}

/** The events of an object; without the right to list them, none. */
export const eventsOf = async (
  { client, namespace }: Asked,
  { metadata: { uid } }: Pick<KubeObject, 'metadata'>,
): Promise<readonly Event[]> =>
  client.list({ ...CORE_EVENTS, namespace }, { fieldSelector: `involvedObject.uid=${uid}` }).then(
    ({ items }) => items,
    () => [],
  )

function workload(ref: ResourceRef): Diagnose {
  return async (asked) => {
    const { client, namespace, name } = asked
    const found = await client.get({ ...ref, namespace, name })
    const { selector } = found.spec as { readonly selector?: MatcherSource & Readonly<Record<string, string>> }
    const matches = compileMatcher(ref === REPLICATION_CONTROLLERS ? { matchLabels: selector ?? {} } : selector)
    const select = <T extends KubeObject>(objects: readonly Readonly<T>[]) =>
      objects.filter(({ metadata }) => matches(metadata.labels ?? {}))
    const pods = select<Pod>((await client.list({ ...PODS, namespace })).items)
    const sets = ref === DEPLOYMENTS ? select<KubeObject>((await client.list({ ...REPLICA_SETS, namespace })).items) : []
    const events = await Promise.all([found, ...sets].map((object) => eventsOf(asked, object)))
    const ofPods = new Map(await Promise.all(pods.map(async (pod) => [pod, await eventsOf(asked, pod)] as const)))
    return diagnoseWorkload(found as Workload, { pods, events: events.flat(), eventsOf: (pod) => ofPods.get(pod) ?? [] })
  }
}

async function claim(asked: Asked): Promise<Diagnosis> {
  const { client, namespace, name } = asked
  const found = await client.get({ ...PERSISTENT_VOLUME_CLAIMS, namespace, name })
  const [classes, pods, events] = await Promise.all([
    client.list(STORAGE_CLASSES),
    client.list({ ...PODS, namespace }),
    eventsOf(asked, found),
  ])
  return diagnoseClaim(found, { classes: classes.items, pods: pods.items, events })
}

async function service({ client, namespace, name }: Asked): Promise<Diagnosis> {
  const found = await client.get({ ...SERVICES, namespace, name })
  const labelSelector = `kubernetes.io/service-name=${name}`
  const [pods, slices] = await Promise.all([
    client.list({ ...PODS, namespace }),
    client.list({ ...ENDPOINT_SLICES, namespace }, { labelSelector }),
  ])
  return diagnoseService(found, { pods: pods.items, slices: slices.items })
}

async function autoscaler({ client, namespace, name }: Asked): Promise<Diagnosis> {
  return diagnoseAutoscaler(await client.get({ ...HORIZONTAL_POD_AUTOSCALERS, namespace, name }))
}

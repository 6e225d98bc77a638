import { isObject, type KubeObject } from '../../../machinery/object.ts'
import type { Pod } from '../../../resources/types/core.ts'
import { isNamedByChance, type State, stateOf } from '../../operator-trial/state.ts'
import { keyOf } from '../../operator-trial/trial-base.ts'

/** Which objects are compared. */
export interface Compared {
  /** Keys of the objects that were there before the operator. */
  readonly before: ReadonlySet<string>
  /** The kinds of the samples: their whole status counts. */
  readonly samples: ReadonlySet<string>
}

const REVISION = 'deployment.kubernetes.io/revision'

/** What counts in the status of kinds that the cluster's own controllers keep. */
const COUNTED_STATUS: Readonly<Record<string, readonly string[]>> = {
  StatefulSet: ['replicas', 'readyReplicas'],
  Deployment: ['replicas', 'readyReplicas'],
  DaemonSet: ['numberReady'],
  Job: ['succeeded'],
}

/** The state of the operator's objects, in a form in which two worlds can be compared. */
export function comparableState(objects: readonly Readonly<KubeObject>[], { before, samples }: Compared): State {
  const own = objects.filter((o) => !before.has(keyOf(o)) && !isProvisioned(o)).map(withoutRevision)
  return stateOf(
    own.map((o) => (o.kind === 'Pod' ? podState(o as Readonly<Pod>) : samples.has(o.kind) ? withoutCounters(o) : countedStatus(o))),
    () => true,
  )
}

/** A volume that the cluster makes for a claim, which is compared itself. */
const isProvisioned = (object: Readonly<KubeObject>) => object.kind === 'PersistentVolume' && isNamedByChance(object)

/** Whether a pod runs, and what decides where. Its template is compared in its owner. */
function podState({ apiVersion, kind, metadata, spec, status }: Readonly<Pod>): KubeObject {
  const { nodeSelector, affinity, containers = [] } = spec ?? {}
  const { name, generateName, namespace } = metadata
  const ready = status?.conditions?.find((c) => c.type === 'Ready')?.status
  return {
    apiVersion,
    kind,
    metadata: { ...(generateName === undefined ? { name } : { generateName }), namespace } as KubeObject['metadata'],
    spec: { nodeSelector, affinity, images: containers.map((c) => c.image) },
    status: { phase: status?.phase, ready },
  }
}

/** The deployment controller counts the templates that there were. */
function withoutRevision(object: Readonly<KubeObject>): Readonly<KubeObject> {
  const { [REVISION]: revision, ...annotations } = object.metadata.annotations ?? {}
  return revision === undefined ? object : { ...object, metadata: { ...object.metadata, annotations } }
}

/** Generations count the writes on the way, which differ. */
function withoutCounters(object: Readonly<KubeObject>): KubeObject {
  return { ...object, status: withoutGenerations(object.status) } as KubeObject
}

function withoutGenerations(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutGenerations)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([name]) => !/generation$/i.test(name))
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutGenerations(inner)]))
}

function countedStatus(object: Readonly<KubeObject>): KubeObject {
  const status = Object.entries((object.status ?? {}) as Record<string, unknown>)
  const counted = COUNTED_STATUS[object.kind] ?? []
  return { ...object, status: Object.fromEntries(status.filter(([name]) => counted.includes(name))) }
}

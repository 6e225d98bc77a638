import { isObject, type KubeObject } from '../machinery/object.ts'
import { type Reader, readPath } from '../machinery/resource/definition.ts'
import { type Amount, amountAt, parseSeries, ScriptError } from './script.ts'

/** One of the figures that an object's script gives for a metric now. */
export interface Figure {
  readonly labels: Readonly<Record<string, string>>
  readonly amount: Amount
  /** The object that has the script: a shared figure is divided among its pods. */
  readonly scripted: KubeObject
}

/** Where a script was found. */
export interface ScriptSource {
  readonly object: KubeObject
  /** `metadata.annotations` or `data`. */
  readonly field: 'annotations' | 'data'
  readonly key: string
}

/**
 * The current value of the script at a field. Times count from when it was written; those of a pod from `startedMs`.
 * @throws {ScriptError} that names the object and the key
 */
export function figuresAt({ object, field, key }: ScriptSource, nowMs: number, startedMs?: number): readonly Figure[] {
  const text: unknown = field === 'data' ? readPath(object, ['data', key]) : object.metadata.annotations?.[key]
  if (typeof text !== 'string') return []
  try {
    const elapsedMs = nowMs - (startedMs ?? writtenMs({ object, field, key }))
    return parseSeries(text).flatMap(({ labels, script }) => {
      const amount = amountAt(script, elapsedMs)
      return amount === undefined ? [] : [{ labels, amount, scripted: object }]
    })
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error
    const { namespace, name } = object.metadata
    throw new ScriptError(`${object.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}: ${key}: ${error.message}`)
  }
}

/** When the manager of the field wrote it last, as the server recorded it. The creation time of the object if no manager is recorded. */
function writtenMs({ object, field, key }: ScriptSource): number {
  let latest = Date.parse(object.metadata.creationTimestamp ?? '') || 0
  for (const { fieldsV1, time } of object.metadata.managedFields ?? []) {
    const inside = field === 'data' ? fieldsV1 : fieldsV1?.['f:metadata']
    const map = isObject(inside) ? inside[`f:${field}`] : undefined
    if (isObject(map) && Object.hasOwn(map, `f:${key}`)) latest = Math.max(latest, Date.parse(time ?? '') || 0)
  }
  return latest
}

/** The workload at the end of a pod's chain of controllers: its Deployment, StatefulSet, Job, … */
export function workloadOf(pod: KubeObject, find: Find): KubeObject | undefined {
  let object: KubeObject | undefined
  let below = pod
  // A Deployment's pod has two; a CronJob's too.
  for (let height = 0; height < 4; height++) {
    const owner = below.metadata.ownerReferences?.find((o) => o.controller === true)
    if (owner === undefined) break
    const group = owner.apiVersion.includes('/') ? (owner.apiVersion.split('/')[0] ?? '') : ''
    const found = find.ofKind(group, owner.kind, pod.metadata.namespace ?? '', owner.name)
    if (found === undefined || found.metadata.uid !== owner.uid) break
    object = found
    below = found
  }
  return object
}

/** The objects of the cluster. */
export interface Find {
  readonly reader: Reader
  ofKind(group: string, kind: string, namespace: string, name: string): KubeObject | undefined
  /** Cluster-scoped objects have the namespace `''`. */
  ofResource(group: string, resource: string, namespace: string, name: string): KubeObject | undefined
}

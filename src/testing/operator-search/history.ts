import type { ApiCall, ResourceRef, Target } from '../../machinery/api-call.ts'
import type { KubeObject } from '../../machinery/object.ts'

/** A request of the operator. */
export interface OperatorCall {
  readonly seq: number
  /** Which run of the operator sent it; the first is 1. */
  readonly life: number
  /** The step of the workload during which it was sent; -1: before the first. */
  readonly step: number
  readonly atMs: number
  readonly verb: ApiCall['verb']
  readonly target: Target
  /** True for a write that is the operator's work: not its lease, events or reviews, and no dry run. */
  readonly writes: boolean
  /** The HTTP status of the response; undefined while there is none. */
  code?: number
  /** The resource version of the object in the response. */
  revision?: string
  /** Why it was refused. */
  message?: string
  /** Of a write: the newest revision that this run had seen of each resource (`GROUP/RESOURCE`). */
  seen?: ReadonlyMap<string, string>
}

/** A change of an object by any client. */
export interface ObjectChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly revision: number
  readonly step: number
  readonly atMs: number
  /** `Kind namespace/name` */
  readonly key: string
  readonly ref: ResourceRef
  readonly object: Readonly<KubeObject>
  /** The object before it; undefined: there was none. */
  readonly before: Readonly<KubeObject> | undefined
}

/** All objects of the compared kinds when nothing happens any more. */
export interface RestState {
  readonly step: number
  readonly objects: readonly Readonly<KubeObject>[]
  /** Why it is not really at rest; undefined: it is. */
  readonly restless: string | undefined
  /** The write that is tried again and again, and refused each time; undefined: there is none. */
  readonly failing: string | undefined
}

/** What happened in one cluster. Times are milliseconds of the cluster's clock since its start. */
export interface SearchHistory {
  readonly calls: readonly OperatorCall[]
  readonly changes: readonly ObjectChange[]
  readonly rests: readonly RestState[]
  /** What the trial did. */
  readonly marks: readonly { readonly atMs: number; readonly what: string }[]
  /** Steps that the API server refused, with its message. */
  readonly refusals: ReadonlyMap<number, string>
  /** How runs of the operator ended by themselves, and crashes that it has survived. */
  readonly deaths: readonly string[]
}

/** A request in words. */
export function callText({ verb, target }: Pick<OperatorCall, 'verb' | 'target'>): string {
  const { resource, name, namespace, subresource } = target
  const place = [namespace, name].filter((part) => part !== undefined && part !== '').join('/')
  return `${verb} ${resource}${subresource ? `/${subresource}` : ''}${place === '' ? '' : ` ${place}`}`
}

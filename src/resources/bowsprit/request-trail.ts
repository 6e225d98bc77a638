import type { KubeObject } from '../../machinery/object.ts'

/**
 * What happened to one recent request: `bowsprit.dev/v1 RequestTrail`, under the id of the request (its audit id, unless the client chose
 * one that is no name). Never stored: the server keeps facts of its last requests, and makes the object when somebody reads it.
 */
export interface RequestTrail extends KubeObject {
  /** As in the response header `Audit-Id`. */
  readonly auditID: string
  /** RFC 3339 with microseconds. */
  readonly receivedAt: string
  readonly user: TrailUser
  /** The authenticated user, if the request impersonates another. */
  readonly impersonator?: TrailUser
  /** How the sender was recognised: `in process`, `client certificate`, `service account token`, `bearer token`, `anonymous`, … */
  readonly authentication: string
  readonly userAgent?: string
  readonly sourceIPs?: readonly string[]
  readonly verb: string
  /** Without the query. */
  readonly path: string
  /** Absent for paths that are no resources. */
  readonly target?: TrailTarget
  /** The parameters that change what a request does: `dryRun`, `fieldManager`, `labelSelector`, … */
  readonly query?: Readonly<Record<string, string>>
  readonly fieldManager?: string
  /** It renews a lease, or is the status that a node writes of itself: it says that its sender lives. */
  readonly heartbeat?: boolean
  /** Absent until the response begins. */
  readonly code?: number
  /** Why it failed, as in the Status of the response. The message is shown to those who may get the target. */
  readonly reason?: string
  readonly message?: string
  /** `running` (a watch that is open is running, too), `complete`, `failed`. */
  readonly state: 'running' | 'complete' | 'failed'
  /** From its arrival to the end of the response; absent while it runs. */
  readonly milliseconds?: number
  /** In order; a request that failed ends with the stage before the failure. */
  readonly stages: readonly TrailStage[]
  /** Absent: it took no seat (in process, long-running, or failed before). */
  readonly flow?: { readonly schema: string; readonly priorityLevel: string }
  readonly authorization?: TrailAuthorization
  /** What ran at admission, in order. Plugins are recorded while somebody watches trails, webhooks and policies always. */
  readonly admission?: readonly TrailStep[]
  /** The revision that it stored. */
  readonly storedRevision?: string
  /** Who was to get the change, of the watches that are open now. Absent: nothing was stored. */
  readonly delivered?: TrailDelivery
  /** The event on which a controller of this cluster acted. */
  readonly cause?: TrailCause
  /** The writes by which controllers of this cluster acted on what this request stored; some of them. */
  readonly caused?: readonly CausedRequest[]
  /** Everything else that was annotated for the audit log. */
  readonly annotations?: Readonly<Record<string, string>>
}

export interface TrailCause {
  readonly controller: string
  /** The resourceVersion of the event's object. */
  readonly revision: string
  /** The request that stored it; absent: it is no longer kept. */
  readonly requestTrail?: string
}

export interface CausedRequest {
  readonly requestTrail: string
  readonly controller: string
  readonly verb: string
  readonly target: TrailTarget
}

export interface TrailUser {
  readonly name: string
  readonly uid?: string
  readonly groups?: readonly string[]
}

export interface TrailTarget {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource?: string
  readonly namespace?: string
  /** Absent for collections; of a create, the name that was stored. */
  readonly name?: string
}

/** A span of the pipeline: `authenticate`, `wait` (for a seat), `authorize`, `handle` (decode, admit, store), `respond`. */
export interface TrailStage {
  readonly name: string
  /** From the request's arrival to the end of the stage. */
  readonly endMilliseconds: number
  readonly milliseconds: number
}

export interface TrailAuthorization {
  readonly decision: 'allow' | 'forbid' | 'error'
  /** As in the audit log. */
  readonly reason: string
  /** `RBAC`, `Node`, `system:masters`, …; absent where the reason does not name it. */
  readonly authorizer?: string
  /** Of RBAC: `RoleBinding shop/devs`, and the role behind it. */
  readonly binding?: string
  readonly role?: string
}

export interface TrailStep {
  readonly phase: 'mutate' | 'reinvoke' | 'validate'
  /** Kubernetes' name of the plugin. */
  readonly plugin: string
  /** The webhook that the plugin called. */
  readonly webhook?: string
  /** The policy that the plugin applied, and the binding by which. */
  readonly policy?: string
  readonly binding?: string
  /** Of the policy's expressions, in CEL's units. */
  readonly cost?: number
  readonly outcome: 'passed' | 'refused' | 'failed'
  /** Why it refused or failed. */
  readonly message?: string
  readonly milliseconds: number
  /** What it changed; shown to those who may get the target. Absent: not recorded, or nothing. */
  readonly changes?: readonly TrailChange[]
  /** Changes that are not listed. */
  readonly unlisted?: number
}

export interface TrailChange {
  /** `spec.containers[0].image` */
  readonly path: string
  /** As JSON, cut after some hundred characters. Absent: it was not there. */
  readonly from?: string
  readonly to?: string
}

export interface TrailDelivery {
  /** Watches of all that the object is part of. */
  readonly watches: number
  /** Watches with selectors, which got it if they select it. */
  readonly selecting: number
  /** Some of them, each once. */
  readonly to: readonly { readonly user: string; readonly userAgent?: string; readonly watches: number }[]
}

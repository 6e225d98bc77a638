import { messageOf } from '../base/message-of.ts'
import { type FieldError, faultText, goQuote, reportedFaults } from './field-error.ts'
import { qualifiedResource } from './object.ts'

/** The reason of a failure, for programs: Kubernetes' closed list; `''` if the response had none. */
export type StatusReason =
  | ''
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Invalid'
  | 'ServerTimeout'
  | 'StoreReadError'
  | 'Timeout'
  | 'TooManyRequests'
  | 'BadRequest'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'InternalError'
  | 'Expired'
  | 'ServiceUnavailable'

/** One fault of several. */
export interface StatusCause {
  reason?: string
  message?: string
  field?: string
}

/** The object that a Status is about, and further facts. */
export interface StatusDetails {
  name?: string
  group?: string
  kind?: string
  uid?: string
  causes?: StatusCause[]
  retryAfterSeconds?: number
}

/** `meta.k8s.io/v1 Status`, as in responses. */
export interface Status {
  kind: 'Status'
  apiVersion: 'v1'
  metadata: { resourceVersion?: string; continue?: string; remainingItemCount?: number }
  status: 'Success' | 'Failure'
  message?: string
  reason?: StatusReason
  details?: StatusDetails
  code: number
}

/** The error that everything behind the HTTP border throws; its `status` becomes the response. */
export class StatusError extends Error {
  override readonly name = 'StatusError'
  readonly status: Status

  constructor(init: {
    code: number
    reason?: StatusReason
    message: string
    details?: StatusDetails
    metadata?: Status['metadata']
    cause?: unknown
  }) {
    super(init.message, { cause: init.cause })
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: init.metadata ?? {},
      status: 'Failure',
      message: init.message,
      ...(init.reason ? { reason: init.reason } : {}),
      ...(init.details ? { details: init.details } : {}),
      code: init.code,
    }
  }

  /** The error of a response (client side). */
  static from(status: Status): StatusError {
    return new StatusError({
      code: status.code,
      message: status.message ?? 'unknown',
      metadata: status.metadata,
      ...(status.reason ? { reason: status.reason } : {}),
      ...(status.details ? { details: status.details } : {}),
    })
  }

  /** The HTTP status code. */
  get code(): number {
    return this.status.code
  }

  /** The reason, for programs. */
  get reason(): StatusReason {
    return this.status.reason ?? ''
  }
}

/** True for a `StatusError`, with one of these reasons if any are given: `isStatus(error, 'NotFound', 'Gone')`. */
export const isStatus = (error: unknown, ...reasons: StatusReason[]): error is StatusError =>
  error instanceof StatusError && (reasons.length === 0 || reasons.includes(error.reason))

/** True if a create failed because the namespace is being deleted, by the cause in the Status. */
export const isTerminatingNamespace = (error: unknown): boolean =>
  isStatus(error, 'Forbidden') && error.status.details?.causes?.some((c) => c.reason === 'NamespaceTerminating') === true

export interface GroupResource {
  group: string
  resource: string
}

const about = (gr: GroupResource, name: string): StatusDetails => ({
  ...(name ? { name } : {}),
  ...(gr.group ? { group: gr.group } : {}),
  kind: gr.resource,
})

export const notFound = (gr: GroupResource, name: string): StatusError =>
  new StatusError({
    code: 404,
    reason: 'NotFound',
    message: `${qualifiedResource(gr)} ${goQuote(name)} not found`,
    details: about(gr, name),
  })

export const alreadyExists = (gr: GroupResource, name: string): StatusError =>
  new StatusError({
    code: 409,
    reason: 'AlreadyExists',
    message: `${qualifiedResource(gr)} ${goQuote(name)} already exists`,
    details: about(gr, name),
  })

/** The name of an object with a `generateName` is taken, also when the client gave the name. */
export const generateNameConflict = (gr: GroupResource, name: string): StatusError =>
  new StatusError({
    code: 409,
    reason: 'AlreadyExists',
    message: `${qualifiedResource(gr)} ${goQuote(name)} already exists, the server was not able to generate a unique name for the object`,
    details: { ...about(gr, name), retryAfterSeconds: 1 },
  })

export const conflict = (gr: GroupResource, name: string, why: string): StatusError =>
  new StatusError({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${qualifiedResource(gr)} ${goQuote(name)}: ${why}`,
    details: about(gr, name),
  })

/** 409: the object was changed since it was read. */
export const staleWrite = (gr: GroupResource, name: string): StatusError =>
  conflict(gr, name, 'the object has been modified; please apply your changes to the latest version and try again')

export const forbiddenStatus = (gr: GroupResource, name: string, why: string): StatusError =>
  new StatusError({
    code: 403,
    reason: 'Forbidden',
    message:
      gr.resource === '' ? `forbidden: ${why}` : `${qualifiedResource(gr)}${name === '' ? '' : ` ${goQuote(name)}`} is forbidden: ${why}`,
    details: about(gr, name),
  })

/** 422 with the faults (the first thousand). `kind` is qualified by its group, as in `Deployment.apps "x" is invalid: …`. */
export function invalidObject(gk: { group: string; kind: string }, name: string, found: readonly FieldError[]): StatusError {
  const faults = reportedFaults(found)
  const unique = [...new Map(faults.map((f) => [faultText(f), f])).values()]
  const texts = unique.map(faultText)
  const what = `${gk.group === '' ? gk.kind : `${gk.kind}.${gk.group}`} ${goQuote(name)} is invalid`
  return new StatusError({
    code: 422,
    reason: 'Invalid',
    message: texts.length === 0 ? what : `${what}: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`,
    details: {
      ...(name ? { name } : {}),
      ...(gk.group ? { group: gk.group } : {}),
      ...(gk.kind ? { kind: gk.kind } : {}),
      causes: faults.map((f) => ({ reason: f.type, message: f.message, field: f.field === '' ? '<nil>' : f.field })),
    },
  })
}

export const badRequest = (message: string): StatusError => new StatusError({ code: 400, reason: 'BadRequest', message })

/** 400: a name that is no path segment, and why. */
export const invalidNameParameter = (name: string, faults: readonly string[]): StatusError =>
  badRequest(`Name parameter invalid: ${goQuote(name)}: ${faults.join(';')}`)

/** 413: `Request entity too large: limit is 3145728`. */
export const tooLarge = (why: string): StatusError =>
  new StatusError({ code: 413, reason: 'RequestEntityTooLarge', message: `Request entity too large: ${why}` })

/** 500: etcd's refusal of an object that is too large, as kube-apiserver passes it on. */
export const tooLargeForEtcd = (): StatusError => new StatusError({ code: 500, message: 'etcdserver: request is too large' })

export const methodNotAllowed = (gr: GroupResource, verb: string): StatusError =>
  new StatusError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: `${verb} is not supported on resources of kind "${qualifiedResource(gr)}"`,
    details: about(gr, ''),
  })

export const expired = (message: string): StatusError => new StatusError({ code: 410, reason: 'Expired', message })

/** 501 for something that is not implemented. */
export const notImplemented = (what: string): StatusError =>
  new StatusError({ code: 501, message: `Bowsprit does not implement ${what} yet` })

export const internalError = (cause: unknown): StatusError =>
  new StatusError({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${messageOf(cause)}`,
    details: { causes: [{ message: messageOf(cause) }] },
    cause,
  })

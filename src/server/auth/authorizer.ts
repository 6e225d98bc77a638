import type { UserInfo } from '../../machinery/resource/user.ts'

/** What is about to be done, by whom: the attributes of `authorization.k8s.io/v1 SubjectAccessReviewSpec`. */
export interface Attributes {
  readonly user: UserInfo
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, `impersonate`, `bind`, `escalate`, …; lower-case HTTP method for non-resource paths. */
  readonly verb: string
  readonly resourceRequest: boolean
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** The URL path, for non-resource requests. */
  readonly path: string
  readonly fieldSelector?: string
  readonly labelSelector?: string
}

export interface Decision {
  readonly verdict: 'allow' | 'deny' | 'no-opinion'
  readonly reason: string
  readonly error?: string
}

/** One voice of the chain; the first that allows or denies decides, and nobody's opinion is a denial. */
export interface Authorizer {
  authorize(attributes: Attributes): Decision | Promise<Decision>
}

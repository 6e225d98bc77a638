import type { Later } from '../../base/steps.ts'
import { goQuote } from '../../machinery/field-error.ts'
import { qualifiedResource } from '../../machinery/object.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import { StatusError } from '../../machinery/status-error.ts'

/** The attributes of an action to be authorized, as in `authorization.k8s.io/v1 SubjectAccessReviewSpec`. */
export interface Attributes {
  readonly user: UserInfo
  /**
   * `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, `impersonate`, `bind`, `escalate`, …; lower-case
   * HTTP method for non-resource paths.
   */
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
  /** The selectors as given, if they were given as requirements (reviews). */
  readonly requirements?: { readonly fields: SelectorRequirements | undefined; readonly labels: SelectorRequirements | undefined }
}

/** `meta.k8s.io/v1 LabelSelectorRequirement`, or the same of fields. */
export type SelectorRequirements = readonly { readonly key?: string; readonly operator?: string; readonly values?: readonly string[] }[]

export interface Decision {
  readonly verdict: 'allow' | 'deny' | 'no-opinion'
  readonly reason: string
  readonly error?: string
}

/** One authorizer of the chain. The first that allows or denies decides; if none does, the action is denied. */
export interface Authorizer {
  authorize(attributes: Attributes): Later<Decision>
}

/** Attributes of a resource request; omitted ones are empty. */
export function resourceAttributes(given: Partial<Attributes> & Pick<Attributes, 'user' | 'verb' | 'resource'>): Attributes {
  return { resourceRequest: true, group: '', version: '*', subresource: '', namespace: '', name: '', path: '', ...given }
}

/** `allow` without a reason; shared, so that the hot path allocates nothing. */
export const ALLOWED: Decision = Object.freeze({ verdict: 'allow', reason: '' })
export const NO_OPINION: Decision = Object.freeze({ verdict: 'no-opinion', reason: '' })

/** `User "x" cannot list resource "pods" in API group "" in the namespace "y"`. */
export function denialText(a: Attributes): string {
  const who = `User ${goQuote(a.user.name)} cannot ${a.verb}`
  if (!a.resourceRequest) return `${who} path ${goQuote(a.path)}`
  const resource = a.subresource === '' ? a.resource : `${a.resource}/${a.subresource}`
  const where = a.namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuote(a.namespace)}`
  return `${who} resource ${goQuote(resource)} in API group ${goQuote(a.group)} ${where}`
}

/** A 403 caused by an authorizer. */
export class DeniedError extends StatusError {}

/** The 403 of a request that was not allowed; `reason` is the authorizer's. */
export function forbiddenRequest(a: Attributes, reason = ''): StatusError {
  const why = escapeMarkup(denialText(a)) + (reason === '' ? '' : `: ${reason}`)
  const what = `${qualifiedResource(a)}${a.name === '' ? '' : ` ${goQuote(a.name)}`} is `
  return new DeniedError({
    code: 403,
    reason: 'Forbidden',
    message: `${a.resource === '' ? '' : what}forbidden: ${why}`,
    details: { ...(a.name && { name: a.name }), ...(a.group && { group: a.group }), ...(a.resource && { kind: a.resource }) },
  })
}

/** Escapes markup chosen by clients, because browsers may show these responses. */
export const escapeMarkup = (text: string) =>
  /[&<>]/.test(text) ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') : text

/** Throws 403 unless the authorizer allows the action. */
export async function mustBeAllowed(authorizer: Authorizer, attributes: Attributes): Promise<void> {
  const decision = await authorizer.authorize(attributes)
  if (decision.verdict !== 'allow') throw forbiddenRequest(attributes, decision.reason)
}

import type { Action } from '../../../apiserver/extension-points.ts'
import { timestamp } from '../../../base/clock.ts'
import type { ResourceRef } from '../../../machinery/api-call.ts'
import { invalid } from '../../../machinery/field-error.ts'
import { pathSegmentName } from '../../../machinery/names.ts'
import { type KubeObject, parseApiVersion } from '../../../machinery/object.ts'
import type { Reader } from '../../../machinery/resource/definition.ts'
import { serviceAccountName } from '../../../machinery/resource/service-account-name.ts'
import { badRequest, conflict, invalidNameParameter, invalidObject, notFound } from '../../../machinery/status-error.ts'
import { readObject } from '../../../resources/read-objects.ts'
import { NODES, PODS, SECRETS, SERVICE_ACCOUNTS } from '../../../resources/refs.ts'
import type { BoundObjectReference, TokenRequest } from '../../../resources/types/authentication.ts'
import type { ServiceAccountClaims, TokenSigner } from '../authenticators/service-account-tokens.ts'

const KIND = { group: 'authentication.k8s.io', kind: 'TokenRequest' }
const DEFAULT_SECONDS = 3600
const LEAST_SECONDS = 600
/**
 * The lifetime that pods' projected volumes request. Their tokens are valid for a year, for clients that never reload them; a warning is
 * issued after this time.
 */
const WARN_SECONDS = 3607
const EXTENDED_SECONDS = 365 * 24 * 3600

/** The configuration of token requests. */
export interface TokenRequestConfig {
  readonly issuer: string
  /** The server's audiences: the default of requests without audiences. */
  readonly own: readonly string[]
  /** Undefined: no limit. */
  readonly maxExpirationMs: number | undefined
  /** Tokens that are bound to a pod are valid for a year, for clients that do not reload them. */
  readonly extendExpiration: boolean
}

/** Issues a token for a service account (`serviceaccounts/NAME/token`), bound to a pod, secret or node on demand. */
export function tokenRequest(sign: TokenSigner, config: TokenRequestConfig): Action<TokenRequest> {
  const { issuer, own, extendExpiration } = config
  const mostSeconds = config.maxExpirationMs === undefined ? undefined : config.maxExpirationMs / 1000
  return async (request, { reader, clock, random }) => {
    const { input, name, namespace } = request
    const given = input.metadata ?? {}
    if (given.name && given.name !== name) {
      throw invalidObject(KIND, name, [invalid('metadata.name', given.name, 'must match the service account name if specified')])
    }
    if (given.namespace && given.namespace !== namespace)
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
    const account = readObject(reader, SERVICE_ACCOUNTS, namespace, name)
    if (account === undefined) throw notFound({ group: '', resource: 'serviceaccounts' }, name)
    const uid = account.metadata.uid ?? ''
    if (given.uid && given.uid !== uid) {
      const why = `the UID in the token request (${given.uid}) does not match the UID of the service account (${uid})`
      throw conflict({ group: KIND.group, resource: KIND.kind }, name, why)
    }
    const now = Math.floor(clock.now() / 1000)
    const wanted = input.spec?.audiences ?? []
    const audiences = wanted.length > 0 ? wanted : own
    const asking = Number(input.spec?.expirationSeconds ?? DEFAULT_SECONDS)
    checkSeconds(asking)
    await request.admit()
    const bound = boundTo(reader, namespace, name, input.spec?.boundObjectRef)
    checkUid(input.spec?.boundObjectRef, bound)
    const seconds = mostSeconds === undefined ? asking : Math.min(asking, mostSeconds)
    if (seconds < asking) request.warn(`requested expiration of ${asking} seconds shortened to ${seconds} seconds`)
    const extended = extendExpiration && bound.pod !== undefined && seconds === WARN_SECONDS && audiences.every((a) => own.includes(a))
    const claims: ServiceAccountClaims = {
      aud: audiences,
      exp: now + (extended ? Math.min(EXTENDED_SECONDS, mostSeconds ?? EXTENDED_SECONDS) : seconds),
      iat: now,
      iss: issuer,
      jti: random.uuid(),
      'kubernetes.io': {
        namespace,
        ...bound,
        serviceaccount: { name, uid },
        ...(extended ? { warnafter: now + WARN_SECONDS } : {}),
      },
      nbf: now,
      sub: serviceAccountName(namespace, name),
    }
    request.annotate('authentication.kubernetes.io/issued-credential-id', `JTI=${claims.jti}`)
    const { managedFields: _, ...metadata } = given
    return {
      apiVersion: input.apiVersion,
      kind: input.kind,
      metadata: { ...metadata, name, namespace, uid, creationTimestamp: timestamp(now * 1000) },
      spec: { audiences, expirationSeconds: seconds, boundObjectRef: input.spec?.boundObjectRef ?? null },
      status: { token: sign(claims), expirationTimestamp: timestamp((now + seconds) * 1000) },
    }
  }
}

function checkSeconds(seconds: number): void {
  const field = 'spec.expirationSeconds'
  if (seconds < LEAST_SECONDS) throw invalidObject(KIND, '', [invalid(field, seconds, 'may not specify a duration less than 10 minutes')])
  if (seconds > 2 ** 32) throw invalidObject(KIND, '', [invalid(field, seconds, 'may not specify a duration larger than 2^32 seconds')])
}

/** Throws 409 for an object that another one of the same name has replaced. */
function checkUid(ref: BoundObjectReference | null | undefined, { pod, secret, node }: BoundClaims): void {
  if (!ref?.uid || ref.uid === (pod ?? secret ?? node)?.uid) return
  throw conflict(
    { group: '', resource: ref.kind ?? '' },
    ref.name ?? '',
    `the UID in the bound object reference (${ref.uid}) does not match the UID in record. The object might have been deleted and then recreated`,
  )
}

type BoundClaims = Pick<ServiceAccountClaims['kubernetes.io'], 'pod' | 'node' | 'secret'>

/** The claims of the object that the token is bound to. */
function boundTo(reader: Reader, namespace: string, account: string, ref: BoundObjectReference | null | undefined): BoundClaims {
  if (ref === null || ref === undefined) return {}
  // Any version of the group will do.
  const { group, version } = parseApiVersion(ref.apiVersion ?? '') ?? { group: '', version: '' }
  const name = ref.name ?? ''
  const find = <T extends KubeObject>(
    ofKind: ResourceRef<T>,
    home: string,
  ): { readonly object: T; readonly claim: { name: string; uid: string } } => {
    if (name === '') throw badRequest('Name parameter required.')
    const faults = pathSegmentName(name)
    if (faults.length > 0) throw invalidNameParameter(name, faults)
    const object = readObject(reader, ofKind, home, name)
    if (object === undefined) throw notFound(ofKind, name)
    return { object, claim: { name, uid: object.metadata.uid ?? '' } }
  }
  if (group === '' && ref.kind === 'Pod') {
    const { object, claim } = find(PODS, namespace)
    if (object.spec.serviceAccountName !== account) {
      throw badRequest(`cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`)
    }
    const node = object.spec.nodeName ?? ''
    return { ...(node === '' ? {} : { node: { name: node, uid: readObject(reader, NODES, '', node)?.metadata.uid ?? '' } }), pod: claim }
  }
  if (group === '' && ref.kind === 'Secret') return { secret: find(SECRETS, namespace).claim }
  if (group === '' && ref.kind === 'Node') return { node: find(NODES, '').claim }
  throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${ref.kind ?? ''}`)
}

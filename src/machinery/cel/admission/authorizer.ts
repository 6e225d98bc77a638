import type { Later } from '../../../base/steps.ts'
import { dns1123Label, dns1123Subdomain } from '../../names.ts'
import type { Library } from '../environment.ts'
import { member } from '../standard/declare.ts'
import { BOOL, type CelType, type OpaqueType, STRING, structure } from '../types.ts'
import { CelError, type Opaque, type Value } from '../values.ts'

/** An authorization check of an expression. */
export interface AccessQuestion {
  /** The subject, if it is not the user of the request. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string }
  readonly verb: string
  /** The path of a non-resource request. */
  readonly path?: string
  readonly group?: string
  readonly resource?: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
  readonly fieldSelector?: string
  readonly labelSelector?: string
}

export interface AccessDecision {
  readonly allowed: boolean
  readonly reason: string
  readonly error?: string
}

/** Returns the result, or throws `Suspended` if it is not available yet; the program is then run again. */
export type CheckAccess = (question: AccessQuestion) => AccessDecision

const type = (name: string) => structure(`kubernetes.authorization.${name}`)
export const AUTHORIZER = type('Authorizer')
const PATH = type('PathCheck')
const GROUP = type('GroupCheck')
export const RESOURCE_CHECK = type('ResourceCheck')
const DECISION = type('Decision')

/** A check under construction. */
class Check implements Opaque {
  readonly celType: string
  readonly ask: CheckAccess
  readonly question: Omit<AccessQuestion, 'verb'>

  constructor(type: OpaqueType, ask: CheckAccess, question: Omit<AccessQuestion, 'verb'>) {
    this.celType = type.name
    this.ask = ask
    this.question = question
  }

  with(type: OpaqueType, more: Omit<AccessQuestion, 'verb'>): Check {
    return new Check(type, this.ask, { ...this.question, ...more })
  }

  equals(other: Value): boolean {
    return this === other
  }

  toString(): string {
    return this.celType
  }
}

class Decision implements Opaque {
  readonly celType = 'kubernetes.authorization.Decision'
  readonly answer: AccessDecision
  constructor(answer: AccessDecision) {
    this.answer = answer
  }
  equals(other: Value): boolean {
    return this === other
  }
  toString(): string {
    return this.celType
  }
}

const step = (id: string, from: CelType, to: OpaqueType, narrowed: (text: string) => Omit<AccessQuestion, 'verb'>) => [
  member(id, [from, STRING], to, (c: Check, text: string) => c.with(to, narrowed(text))),
]

const check = (id: string, on: CelType) =>
  member(id, [on, STRING], DECISION, (c: Check, verb: string) => new Decision(c.ask({ ...c.question, verb })))

const read = (name: string, result: CelType, f: (a: AccessDecision) => Value) => [
  member(name, [DECISION], result, (d: Decision) => f(d.answer)),
]

function serviceAccount(c: Check, namespace: string, name: string): Check {
  if (dns1123Label(namespace).length > 0) throw new CelError('Invalid service account namespace')
  if (dns1123Subdomain(name).length > 0) throw new CelError('Invalid service account name')
  return c.with(AUTHORIZER, { serviceAccount: { namespace, name } })
}

/** `authorizer.group('').resource('pods').namespace('x').check('create').allowed()` */
export const AUTHORIZATION: Library = {
  functions: {
    path: step('authorizer_path', AUTHORIZER, PATH, (path) => ({ path })),
    group: step('authorizer_group', AUTHORIZER, GROUP, (group) => ({ group })),
    serviceAccount: [member('authorizer_serviceaccount', [AUTHORIZER, STRING, STRING], AUTHORIZER, serviceAccount)],
    resource: step('groupcheck_resource', GROUP, RESOURCE_CHECK, (resource) => ({ resource })),
    subresource: step('resourcecheck_subresource', RESOURCE_CHECK, RESOURCE_CHECK, (subresource) => ({ subresource })),
    namespace: step('resourcecheck_namespace', RESOURCE_CHECK, RESOURCE_CHECK, (namespace) => ({ namespace })),
    name: step('resourcecheck_name', RESOURCE_CHECK, RESOURCE_CHECK, (name) => ({ name })),
    fieldSelector: step('authorizer_fieldselector', RESOURCE_CHECK, RESOURCE_CHECK, (fieldSelector) => ({ fieldSelector })),
    labelSelector: step('authorizer_labelselector', RESOURCE_CHECK, RESOURCE_CHECK, (labelSelector) => ({ labelSelector })),
    check: [check('pathcheck_check', PATH), check('resourcecheck_check', RESOURCE_CHECK)],
    allowed: read('decision_allowed', BOOL, (a) => a.allowed),
    reason: read('decision_reason', STRING, (a) => a.reason),
    errored: read('decision_errored', BOOL, (a) => a.error !== undefined),
    error: read('decision_error', STRING, (a) => a.error ?? ''),
  },
}

/** The value of the variable `authorizer`. */
export const authorizerValue = (ask: CheckAccess): Opaque => new Check(AUTHORIZER, ask, {})

/** The value of `authorizer.requestResource`: the check of the request itself. */
export const requestResourceValue = (ask: CheckAccess, question: Omit<AccessQuestion, 'verb'>): Opaque =>
  new Check(RESOURCE_CHECK, ask, question)

/** The result of a check is not available yet: await it, and run the program again. Not a `CelError`, so expressions cannot catch it. */
export class Suspended extends Error {
  readonly until: Promise<unknown>
  constructor(until: Promise<unknown>) {
    super('an answer is awaited')
    this.until = until
  }
}

/** Caches results, so that synchronous programs can use an asynchronous authorizer. */
export function rememberResponses(ask: (question: AccessQuestion) => Later<AccessDecision>): CheckAccess {
  const known = new Map<string, AccessDecision>()
  return (question) => {
    const key = JSON.stringify(question)
    const answer = known.get(key) ?? ask(question)
    if (answer instanceof Promise) throw new Suspended(answer.then((a) => known.set(key, a)))
    known.set(key, answer)
    return answer
  }
}

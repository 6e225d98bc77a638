import type { ApiCall, Target } from '../../../machinery/api-call.ts'
import { isObject } from '../../../machinery/object.ts'
import { CHATTER, WRITES } from '../../operator-trial/operator-calls.ts'

const STREAMS = new Set(['exec', 'attach', 'portforward', 'proxy', 'log'])

/** Whether a call is a write that is the operator's work: not its lease, events or reviews, and no dry run. */
export function isWork({ verb, target, query, body }: ApiCall): boolean {
  if (!WRITES.has(verb) || query.dryRun !== undefined) return false
  return !CHATTER.has(target.resource) && !STREAMS.has(target.subresource ?? '') && !isElection(target, body)
}

/** What a call is about. A request that creates an object has its name in its body. */
export function callTarget({ verb, target, body }: ApiCall): Target {
  const name = verb === 'create' && isObject(body) && isObject(body.metadata) ? body.metadata.name : undefined
  return target.name === undefined && typeof name === 'string' ? { ...target, name } : target
}

/** Whether a call is about a lock of client-go before 0.26. */
const isElection = ({ resource }: Target, body: object | undefined) =>
  (resource === 'configmaps' || resource === 'endpoints') && JSON.stringify(body ?? {}).includes('control-plane.alpha.kubernetes.io/leader')

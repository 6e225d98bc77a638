import { managerOf } from '../../apiserver/handlers/manager-of.ts'
import type { PathTarget } from '../../apiserver/request/request-info.ts'
import { type RecordedStep, TRAIL_STAGES } from '../../apiserver/request/trail.ts'
import type { CausedRequests } from '../../apiserver/trail/caused-requests.ts'
import type { RecordedTrail } from '../../apiserver/trail/recorded-trail.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { programOf, type UserInfo } from '../../machinery/resource/user.ts'
import type {
  CausedRequest,
  RequestTrail,
  TrailDelivery,
  TrailStage,
  TrailTarget,
  TrailUser,
} from '../../resources/bowsprit/request-trail.ts'
import { authenticationOf } from './authentication-of.ts'
import { authorizationOf, SHOWN_ELSEWHERE } from './authorization-of.ts'
import { PATCHES, withWebhookChanges } from './webhook-changes.ts'

/** Longer texts of clients are cut. */
export const MOST_TEXT = 1024

interface Shown {
  /** The reader may get the target: messages, patches and changes are shown. */
  readonly open: boolean
  /** The present revision, for a trail that was not announced yet. */
  readonly revision: number
  readonly delivered: TrailDelivery | undefined
  readonly causes: CausedRequests
}

/** The trail as a resource. */
export function trailObject(trail: RecordedTrail, shown: Shown): RequestTrail {
  return {
    ...headOf(trail, shown.revision),
    ...senderOf(trail),
    ...actionOf(trail),
    ...outcomeOf(trail, shown),
    ...detailsOf(trail, shown),
    ...causesOf(trail, shown.causes),
  }
}

const TYPE = { apiVersion: 'bowsprit.dev/v1', kind: 'RequestTrail' }

/** What selectors read of the trail. */
export function trailOutline(trail: RecordedTrail): KubeObject {
  const { info, user, storedKey, code, parameters } = trail
  const outline: Pick<RequestTrail, keyof KubeObject | 'user' | 'verb' | 'target' | 'query' | 'heartbeat' | 'code' | 'state'> = {
    ...TYPE,
    metadata: { name: trail.name },
    user: { name: user?.name ?? '' },
    verb: info.verb,
    ...(info.target && { target: trailTarget(info.target, storedKey) }),
    ...(parameters.length > 0 && { query: Object.fromEntries(parameters) }),
    ...(isHeartbeat(trail) && { heartbeat: true }),
    ...(code !== undefined && { code }),
    state: stateOf(trail),
  }
  return outline
}

function headOf(trail: RecordedTrail, revision: number) {
  const receivedAt = new Date(trail.receivedAt).toISOString().replace(/(\.\d+)Z$/, '$1000Z')
  return {
    ...TYPE,
    metadata: {
      name: trail.name,
      resourceVersion: String(trail.revision || revision),
      creationTimestamp: receivedAt.replace(/\.\d+/, ''),
    },
    auditID: trail.id.slice(0, MOST_TEXT),
    receivedAt,
  }
}

function senderOf(trail: RecordedTrail) {
  const { sender, user, userAgent, sourceIPs } = trail
  return {
    user: userOf(user),
    ...(sender !== user && sender !== undefined && { impersonator: userOf(sender) }),
    authentication: authenticationOf(trail),
    ...(userAgent !== '' && { userAgent: userAgent.slice(0, MOST_TEXT) }),
    ...(sourceIPs.length > 0 && { sourceIPs }),
  }
}

/** A request that was not authenticated has no user. */
function userOf(user: UserInfo | undefined): TrailUser {
  if (user === undefined) return { name: '' }
  return { name: user.name, ...(user.uid !== undefined && { uid: user.uid }), ...(user.groups.length > 0 && { groups: user.groups }) }
}

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch'])

/** Who owns the fields that a request sets; undefined: it sets none. */
export function fieldManagerOf({ info, parameters, inProcess, user, userAgent }: RecordedTrail): string | undefined {
  if (info.target === undefined || !WRITES.has(info.verb)) return undefined
  const [, named = ''] = parameters.find(([name]) => name === 'fieldManager') ?? []
  return managerOf(inProcess && user !== undefined ? programOf(user) : userAgent, named)
}

/** A lease that is renewed, or a node that writes its own status: it says that its sender lives. */
function isHeartbeat({ info: { verb, target }, user }: RecordedTrail): boolean {
  if (target === undefined || !RENEWALS.has(verb)) return false
  if (target.group === 'coordination.k8s.io') return target.resource === 'leases'
  return target.group === '' && target.resource === 'nodes' && target.subresource === 'status' && user?.name === NODE_USER + target.name
}

const RENEWALS: ReadonlySet<string> = new Set(['update', 'patch'])
const NODE_USER = 'system:node:'

function actionOf(trail: RecordedTrail) {
  const { info, parameters } = trail
  const { verb, path, target } = info
  const query = Object.fromEntries(parameters)
  const fieldManager = fieldManagerOf(trail)
  return {
    verb,
    path: path.slice(0, MOST_TEXT),
    ...(target && { target: trailTarget(target, trail.storedKey) }),
    ...(parameters.length > 0 && { query }),
    ...(fieldManager !== undefined && { fieldManager }),
    ...(isHeartbeat(trail) && { heartbeat: true }),
  }
}

/** The name in the key of a stored object. */
export const nameIn = (key: string): string => key.slice(key.indexOf('/') + 1)

/** `storedKey`: of a create, the key of what was stored. */
export function trailTarget(target: PathTarget, storedKey: string | undefined): TrailTarget {
  const { group, version, resource, subresource, namespace } = target
  const name = target.name || nameIn(storedKey ?? '')
  return {
    group,
    version,
    resource,
    ...(subresource !== '' && { subresource }),
    ...(namespace !== '' && { namespace }),
    ...(name && { name }),
  }
}

function outcomeOf(trail: RecordedTrail, { open, delivered }: Shown) {
  const { code, failure, storedRevision } = trail
  const milliseconds = trail.endOf('respond')
  return {
    state: stateOf(trail),
    ...(code !== undefined && { code }),
    ...(failure && { reason: failure.reason }),
    ...(failure && open && { message: failure.message }),
    ...(milliseconds !== undefined && { milliseconds: rounded(milliseconds) }),
    stages: stagesOf(trail),
    ...(storedRevision !== undefined && { storedRevision: String(storedRevision) }),
    ...(delivered && { delivered }),
  }
}

const stateOf = ({ code, failure }: RecordedTrail): RequestTrail['state'] =>
  code === undefined ? 'running' : failure === undefined ? 'complete' : 'failed'

function stagesOf(trail: RecordedTrail): TrailStage[] {
  const stages: TrailStage[] = []
  let from = 0
  for (const name of TRAIL_STAGES) {
    const end = trail.endOf(name)
    if (end === undefined) continue
    stages.push({ name, endMilliseconds: rounded(end), milliseconds: rounded(end - from) })
    from = end
  }
  return stages
}

function detailsOf(trail: RecordedTrail, { open }: Shown) {
  const { flow, steps } = trail
  const authorization = authorizationOf(trail)
  const annotations = open ? otherAnnotations(trail) : {}
  return {
    ...(flow && { flow }),
    ...(authorization && { authorization }),
    ...(steps && { admission: open ? withWebhookChanges(steps, patchesOf(trail)) : steps.map(withoutContent) }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
  }
}

/** A step for readers who may not get the target. */
function withoutContent({ changes: _, unlisted: __, message: ___, ...step }: RecordedStep): RecordedStep {
  return step
}

const otherAnnotations = (trail: RecordedTrail): Record<string, string> =>
  Object.fromEntries(annotationsOf(trail).filter(([key]) => !SHOWN_ELSEWHERE.has(key) && !key.startsWith(PATCHES)))

const patchesOf = (trail: RecordedTrail): string[] =>
  annotationsOf(trail).flatMap(([key, value]) => (key.startsWith(PATCHES) ? [value] : []))

function annotationsOf({ annotations = [] }: RecordedTrail): [string, string][] {
  const pairs: [string, string][] = []
  for (let i = 0; i + 1 < annotations.length; i += 2) pairs.push([annotations[i] ?? '', annotations[i + 1] ?? ''])
  return pairs
}

/** Writes that are listed of those that a request caused. */
const MOST_CAUSED = 50

function causesOf(trail: RecordedTrail, causes: CausedRequests): Pick<RequestTrail, 'cause' | 'caused'> {
  const by = trail.cause && causes.storedBy(trail.cause.revision)?.name
  const caused = causes.of(trail).slice(0, MOST_CAUSED).flatMap(causedRequest)
  return {
    ...(trail.cause && { cause: { ...trail.cause, ...(by !== undefined && { requestTrail: by }) } }),
    ...(caused.length > 0 && { caused }),
  }
}

function causedRequest({ name, cause, info: { verb, target }, storedKey }: RecordedTrail): readonly CausedRequest[] {
  if (target === undefined || cause === undefined) return []
  return [{ requestTrail: name, controller: cause.controller, verb, target: trailTarget(target, storedKey) }]
}

/** To a microsecond. */
const rounded = (milliseconds: number) => Math.round(milliseconds * 1000) / 1000

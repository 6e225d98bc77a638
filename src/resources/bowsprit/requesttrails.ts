import { once } from '../../base/once.ts'
import type { SelectableFields } from '../../machinery/resource/definition.ts'
import { textColumn } from '../text-column.ts'
import { ageColumn, collectionResource, DECIMAL, FLAG, list, META, NUMBER, reportStructs, TEXT, TEXTS } from './report-schema.ts'
import type { RequestTrail, TrailTarget } from './request-trail.ts'

/** Documentation of fields for `kubectl explain`, by name. */
const ABOUT: Readonly<Record<string, string>> = {
  auditID: 'As in the response header Audit-Id.',
  receivedAt: 'When the request arrived.',
  user: 'On whose behalf it ran.',
  impersonator: 'The authenticated user, if the request impersonates another.',
  authentication: 'How the sender was recognised.',
  verb: 'get, list, watch, create, update, patch, delete, deletecollection; the method in lower case for other paths.',
  path: 'Without the query.',
  target: 'What it was about; absent for paths that are no resources.',
  query: 'The parameters that change what a request does.',
  fieldManager: 'Who owns the fields that it set.',
  heartbeat: 'true: it renews a lease, or is the status that a node writes of itself.',
  code: 'Of the response; absent until it begins.',
  reason: 'Why it failed, or why it was allowed.',
  message: 'In words; of a failure, shown to those who may get the target.',
  state: 'running, complete or failed.',
  milliseconds: 'How long it took.',
  stages: 'The way through the server: authenticate, wait for a seat, authorize, handle (decode, admit, store), respond.',
  endMilliseconds: "From the request's arrival to the end of the stage.",
  flow: 'The flow schema and the priority level of its seat; absent if it took none.',
  authorization: 'Who allowed or forbade it.',
  authorizer: 'Absent where the reason does not tell.',
  binding: 'Of RBAC: the binding that allowed it; of a policy: the one by which it applies.',
  role: 'The role behind the binding.',
  admission: 'What ran at admission, in order: plugins while somebody watches trails, webhooks and policies always.',
  phase: 'mutate, reinvoke or validate.',
  plugin: 'The admission plugin.',
  webhook: 'The webhook that the plugin called.',
  policy: 'The policy that the plugin applied.',
  cost: "Of the policy's expressions, in CEL's units.",
  outcome: 'passed, refused or failed.',
  changes: 'What it changed; shown to those who may get the target.',
  unlisted: 'Changes that are not listed.',
  from: 'As JSON; absent: it was not there.',
  to: 'As JSON; absent: it is no longer there.',
  storedRevision: 'The revision that it stored.',
  delivered: 'The watches that are open now and were to get the change.',
  cause: 'The event on which a controller of this cluster acted.',
  caused: 'The writes by which controllers of this cluster acted on what this request stored; some of them.',
  controller: 'Who acted.',
  revision: "The resourceVersion of the event's object.",
  requestTrail: 'The name of the request.',
  annotations: 'Everything else that was annotated for the audit log.',
}

const struct = reportStructs(ABOUT)

/** What a request or a watch is about. */
export const trailTargetSchema = () =>
  struct('TrailTarget', { group: TEXT, version: TEXT, resource: TEXT, subresource: TEXT, namespace: TEXT, name: TEXT })

export const trailChangeSchema = () => struct('TrailChange', { path: TEXT, from: TEXT, to: TEXT })

/** The types of `request-trail.ts`. */
const schema = once(() => {
  const user = struct('TrailUser', { name: TEXT, uid: TEXT, groups: list(TEXT) })
  const step = {
    phase: TEXT,
    plugin: TEXT,
    webhook: TEXT,
    policy: TEXT,
    binding: TEXT,
    cost: NUMBER,
    outcome: TEXT,
    message: TEXT,
    milliseconds: DECIMAL,
  }
  const receiver = struct('TrailReceiver', { user: TEXT, userAgent: TEXT, watches: NUMBER })
  const authorization = { decision: TEXT, reason: TEXT, authorizer: TEXT, binding: TEXT, role: TEXT }
  return struct('RequestTrail', {
    apiVersion: TEXT,
    kind: TEXT,
    metadata: META(),
    auditID: TEXT,
    receivedAt: TEXT,
    user,
    impersonator: user,
    authentication: TEXT,
    userAgent: TEXT,
    sourceIPs: list(TEXT),
    verb: TEXT,
    path: TEXT,
    target: trailTargetSchema(),
    query: TEXTS,
    fieldManager: TEXT,
    heartbeat: FLAG,
    code: NUMBER,
    reason: TEXT,
    message: TEXT,
    state: TEXT,
    milliseconds: DECIMAL,
    stages: list(struct('TrailStage', { name: TEXT, endMilliseconds: DECIMAL, milliseconds: DECIMAL })),
    flow: struct('TrailFlow', { schema: TEXT, priorityLevel: TEXT }),
    authorization: struct('TrailAuthorization', authorization),
    admission: list(struct('TrailStep', { ...step, changes: list(trailChangeSchema()), unlisted: NUMBER })),
    storedRevision: TEXT,
    delivered: struct('TrailDelivery', { watches: NUMBER, selecting: NUMBER, to: list(receiver) }),
    cause: struct('TrailCause', { controller: TEXT, revision: TEXT, requestTrail: TEXT }),
    caused: list(struct('CausedRequest', { requestTrail: TEXT, controller: TEXT, verb: TEXT, target: trailTargetSchema() })),
    annotations: TEXTS,
  })
})

/** `deployments.apps/web -n shop`, as one would give it to kubectl. */
export function targetText(target: TrailTarget): string {
  const { group, resource, subresource, namespace, name } = target
  const kind = group === '' ? resource : `${resource}.${group}`
  const part = subresource === undefined ? '' : `/${subresource}`
  return `${kind}${name === undefined ? '' : `/${name}`}${part}${namespace === undefined ? '' : ` -n ${namespace}`}`
}

/** `kubectl get requesttrails --field-selector verb=create,target.resource=pods` */
const SELECTABLE: SelectableFields<RequestTrail> = {
  verb: (r) => r.verb,
  code: (r) => String(r.code ?? ''),
  state: (r) => r.state,
  'user.name': (r) => r.user.name,
  heartbeat: (r) => String(r.heartbeat ?? false),
  'query.dryRun': (r) => r.query?.dryRun ?? '',
  'target.group': (r) => r.target?.group ?? '',
  'target.resource': (r) => r.target?.resource ?? '',
  'target.namespace': (r) => r.target?.namespace ?? '',
  'target.name': (r) => r.target?.name ?? '',
}

/** `requesttrails.bowsprit.dev`: one for each recent request, under its id. Served where requests are recorded. */
export const requestTrails = collectionResource(
  { kind: 'RequestTrail', plural: 'requesttrails', singular: 'requesttrail', shortNames: ['trail', 'trails'] },
  {
    schema,
    report: 'requestTrails',
    scope: 'Cluster',
    selectableFields: SELECTABLE,
    columns: [
      textColumn<RequestTrail>('Name', 'The id of the request.', (r) => r.metadata.name ?? ''),
      textColumn<RequestTrail>('Verb', 'What it did.', (r) => r.verb),
      textColumn<RequestTrail>('Target', 'To what.', (r) => (r.target === undefined ? r.path : targetText(r.target))),
      textColumn<RequestTrail>('User', 'On whose behalf.', (r) => r.user.name || '<unknown>'),
      textColumn<RequestTrail>('Code', 'Of the response.', (r) => String(r.code ?? '')),
      textColumn<RequestTrail>('Took', 'In milliseconds.', (r) => (r.milliseconds === undefined ? r.state : r.milliseconds.toFixed(1))),
      ageColumn('When the request arrived.'),
      { ...textColumn<RequestTrail>('Revision', 'The resourceVersion that it stored.', (r) => r.storedRevision ?? ''), priority: 1 },
      { ...textColumn<RequestTrail>('Message', 'Why it failed.', (r) => r.message ?? r.reason ?? ''), priority: 1 },
    ],
  },
)

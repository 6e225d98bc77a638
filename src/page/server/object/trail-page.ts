import type {
  CausedRequest,
  RequestTrail,
  TrailCause,
  TrailStage,
  TrailStep,
  TrailTarget,
} from '../../../resources/bowsprit/request-trail.ts'
import type { ObjectName, Tone } from '../../wire/object-name.ts'
import { shownText } from '../../wire/shown-text.ts'
import type { TrailLine, TrailLink, TrailPage } from '../../wire/trail-page.ts'

/** A request as the page shows it: one line for each thing that happened to it, in order. */
export function trailPage(trail: RequestTrail): TrailPage {
  const { verb, target, path, user, userAgent = '', code = 0, message = '', milliseconds } = trail
  return {
    summary: shownText(`${verb} ${target === undefined ? path : targetText(target)}`),
    user: shownText(trail.impersonator === undefined ? user.name : `${trail.impersonator.name} as ${user.name}`, 300),
    userAgent: shownText(userAgent, 300),
    receivedMs: Date.parse(trail.receivedAt) || 0,
    code,
    tone: toneOf(trail),
    message: shownText(message),
    tookMs: milliseconds ?? null,
    target: target === undefined ? null : objectOf(target),
    storedRevision: trail.storedRevision ?? '',
    unrecorded: trail.storedRevision !== undefined && trail.admission?.every(isAlwaysRecorded) !== false,
    lines: [...wayLines(trail), ...outcomeLines(trail)],
    cause: trail.cause === undefined ? null : causeLink(trail.cause),
    caused: (trail.caused ?? []).map(causedLink),
  }
}

const causeLink = ({ controller, revision, requestTrail = '' }: TrailCause): TrailLink => ({
  request: requestTrail,
  controller: shownText(controller, 200),
  what: `revision ${revision}`,
})

const causedLink = ({ controller, verb, target, requestTrail }: CausedRequest): TrailLink => ({
  request: requestTrail,
  controller: shownText(controller, 200),
  what: shownText(`${verb} ${targetText(target)}`),
})

const toneOf = ({ state, code = 0 }: RequestTrail): Tone => (state === 'running' ? 'busy' : state === 'failed' || code >= 400 ? 'bad' : '')

const targetText = ({ group, resource, subresource, namespace, name }: TrailTarget): string =>
  [
    `${resource}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`,
    [namespace, name].filter(Boolean).join('/'),
  ].join(' ')

/** The object, where there is one: of a list there is none. */
const objectOf = ({ group, version, resource, namespace = '', name }: TrailTarget): ObjectName | null =>
  name === undefined ? null : { group, version, resource, namespace, name }

/** The stages of the pipeline. Admission happens while the request is handled: of one that runs, that stage has no end yet. */
function wayLines(trail: RequestTrail): readonly TrailLine[] {
  // Without a flow it took no seat, and waited for none.
  const lines = trail.stages.filter(({ name }) => name !== 'wait' || trail.flow !== undefined).map((stage) => stageLine(trail, stage))
  const admission = trail.admission ?? []
  const steps = admission.filter((step) => !isSumOf(admission, step)).map(stepLine)
  if (steps.length === 0) return lines
  const handled = lines.findIndex(({ name }) => name === 'handle')
  if (handled >= 0) return lines.toSpliced(handled + 1, 0, ...steps)
  return [...lines, { ...NO_TIME, name: 'handle', what: '' }, ...steps]
}

/** Calls of webhooks, and policies. */
const isAlwaysRecorded = ({ webhook, policy }: TrailStep): boolean => webhook !== undefined || policy !== undefined

/** The step of a plugin whose webhooks or policies have steps of their own. */
const isSumOf = (admission: readonly TrailStep[], sum: TrailStep): boolean =>
  !isAlwaysRecorded(sum) && admission.some((step) => isAlwaysRecorded(step) && step.plugin === sum.plugin && step.phase === sum.phase)

function stageLine(trail: RequestTrail, { name, endMilliseconds, milliseconds }: TrailStage): TrailLine {
  const refused = name === 'authorize' && trail.authorization?.decision !== undefined && trail.authorization.decision !== 'allow'
  return {
    ...NO_TIME,
    name,
    what: shownText(factOf(trail, name)),
    tone: refused ? 'bad' : '',
    startMs: endMilliseconds - milliseconds,
    tookMs: milliseconds,
  }
}

const NO_TIME = { tone: '', depth: 0, startMs: null, tookMs: null, changes: [] } as const

function factOf(trail: RequestTrail, stage: string): string {
  const { authentication, user, flow, authorization } = trail
  switch (stage) {
    case 'authenticate':
      return `${authentication}: ${user.name}${user.groups === undefined ? '' : ` (${user.groups.join(', ')})`}`
    case 'wait':
      return flow === undefined ? '' : `flow schema ${flow.schema}, priority level ${flow.priorityLevel}`
    case 'authorize':
      return authorization === undefined ? '' : authorizationText(authorization)
    default:
      return ''
  }
}

function authorizationText({ decision, reason, authorizer, binding, role }: NonNullable<RequestTrail['authorization']>): string {
  if (binding === undefined) return [authorizer, decision === 'allow' ? '' : decision, reason].filter(Boolean).join(': ')
  return `${authorizer ?? 'RBAC'}: ${binding}${role === undefined ? '' : ` → ${role}`}`
}

function stepLine(step: TrailStep): TrailLine {
  const { phase, plugin, webhook, policy, cost, outcome, message, milliseconds, changes = [], unlisted = 0 } = step
  const more = unlisted === 0 ? [] : [`and ${unlisted} more`]
  const what = [
    plugin,
    webhook,
    policy,
    cost === undefined ? '' : `cost ${cost}`,
    [outcome === 'passed' ? '' : outcome, message].filter(Boolean).join(': '),
  ]
  return {
    name: phase,
    what: shownText(what.filter(Boolean).join(' · ')),
    tone: outcome === 'passed' ? '' : 'bad',
    depth: 1,
    startMs: null,
    tookMs: milliseconds,
    changes: [
      ...changes.map(({ path, from, to }) => shownText(`${path}: ${[from, to ?? '(removed)'].filter(Boolean).join(' → ')}`)),
      ...more,
    ],
  }
}

/** What came of it. */
function outcomeLines({ storedRevision, delivered, reason, state }: RequestTrail): readonly TrailLine[] {
  const lines: TrailLine[] = []
  if (storedRevision !== undefined) lines.push({ ...NO_TIME, name: 'stored', what: `as revision ${storedRevision}` })
  if (delivered !== undefined) {
    const to = delivered.to.map(({ user, userAgent, watches }) => `${userAgent ?? user}${watches > 1 ? ` (${watches})` : ''}`)
    lines.push({
      ...NO_TIME,
      name: 'seen',
      what: shownText(`by ${delivered.watches} ${delivered.watches === 1 ? 'watch' : 'watches'}: ${to.join(', ')}`),
    })
  }
  if (state === 'failed' && reason) lines.push({ ...NO_TIME, name: 'failed', what: reason, tone: 'bad' })
  return lines
}

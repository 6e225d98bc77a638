import type { JsonObject } from '../../../src/machinery/object.ts'
import type { Step } from '../case.ts'
import type { Draw } from '../draw.ts'
import { atVersion, type Subject, withOptions } from '../subject.ts'
import { ACCEPT, deleteOptions } from './reads.ts'

/** Revisions and tokens of lists that earlier steps got. */
const OF_LIST = { rv: '/metadata/resourceVersion', token: '/metadata/continue' }
const OF_OBJECT = { orv: '/metadata/resourceVersion', uid: '/metadata/uid' }

const LABELS = [{ l: '1' }, { l: '2' }, { l: '1', m: 'x' }, {}] as const

/** Lists in pages and at revisions, and watches from them, while several objects of a kind come, change and go. */
export function pages(subject: Subject): Step[] {
  const { draw, kind } = subject
  // Collections outside of the namespace have objects of other cases.
  const selector = kind.namespaced ? '' : 'labelSelector=ns={ns}&'
  return [
    ...['a', 'b', 'c', 'd'].map((name) => create(subject, name)),
    { do: 'GET', path: `${kind.collection}?${selector}limit=2`, save: OF_LIST },
    ...draw.several(7, 10, (): Step => (draw.chance(0.4) ? change(subject) : read(subject, selector))),
  ]
}

const nameOf = ({ kind }: Subject, name: string) => (kind.namespaced ? name : `{ns}-${name}`)

function create(subject: Subject, name: string): Step {
  const { draw, kind, sample } = subject
  const metadata: JsonObject = {
    name: nameOf(subject, name),
    labels: { ...draw.pick(LABELS), ns: '{ns}' },
    ...draw.members({ finalizers: [['a.io/b'], ['foregroundDeletion'], ['orphan']] }, 0.15),
  }
  return { do: 'POST', path: kind.collection, body: { ...sample, metadata }, save: OF_OBJECT }
}

function change(subject: Subject): Step {
  const { draw, kind } = subject
  const name = draw.pick(['a', 'b', 'c', 'd', 'e'])
  const address = `${kind.collection}/${nameOf(subject, name)}`
  switch (draw.pick(['create', 'label', 'label', 'finalize', 'delete', 'delete', 'clear'])) {
    case 'create':
      return create(subject, name)
    case 'label':
      return { do: 'PATCH', path: address, body: { metadata: { labels: { l: draw.pick(['1', '2', null]) } } } }
    case 'finalize':
      return { do: 'PATCH', path: address, body: { metadata: { finalizers: draw.pick([null, ['a.io/b'], ['c.io/d']]) } } }
    case 'clear': {
      const collection = withOptions(draw, `${kind.collection}?labelSelector=ns={ns}${draw.pick(['', ',l=1', ',!m'])}`, CLEAR, 0.15)
      return { do: 'DELETE', path: collection, ...(draw.chance(0.4) && { body: deletion(draw) }) }
    }
    default:
      return { do: 'DELETE', path: withOptions(draw, address, CLEAR, 0.1), ...(draw.chance(0.6) && { body: deletion(draw) }) }
  }
}

const CLEAR = { dryRun: ['All'], propagationPolicy: ['Foreground', 'Background', 'Orphan'], limit: ['1'], gracePeriodSeconds: ['0', '1'] }

const deletion = (draw: Draw): JsonObject => ({
  ...deleteOptions(draw),
  ...draw.members({ preconditions: [{ uid: '{uid}' }, { resourceVersion: '{orv}' }, { uid: '{uid}', resourceVersion: '{orv}' }] }, 0.4),
})

function read(subject: Subject, selector: string): Step {
  const { draw } = subject
  const { kind } = atVersion(subject, draw.pick(subject.versions) ?? subject.kind)
  const headers = draw.chance(0.3) ? { headers: { accept: draw.pick(ACCEPT) ?? '' } } : {}
  if (draw.chance(0.25)) {
    const path = withOptions(draw, `${kind.collection}?${selector}watch=1&timeoutSeconds=2`, WATCH, 0.35)
    return { do: 'WATCH', path, waitMs: 500, ...headers }
  }
  return { do: 'GET', path: withOptions(draw, `${kind.collection}?${selector}`.replace(/[&?]$/, ''), LIST, 0.3), ...headers, save: OF_LIST }
}

const LIST = {
  limit: ['1', '2', '3', '4'],
  continue: ['{token}', '{token}', '!{token}'],
  resourceVersion: ['{rv}', '{rv}', '{orv}', '0'],
  resourceVersionMatch: ['Exact', 'NotOlderThan'],
  fieldSelector: ['metadata.name!=a', 'metadata.name=b'],
}

const WATCH = {
  resourceVersion: ['{rv}', '{orv}', '0'],
  allowWatchBookmarks: ['true'],
  sendInitialEvents: ['true', 'false'],
  resourceVersionMatch: ['NotOlderThan'],
  fieldSelector: ['metadata.name!=a'],
}

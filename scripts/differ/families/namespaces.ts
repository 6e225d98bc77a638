import type { Json, JsonObject } from '../../../src/machinery/object.ts'
import type { Step } from '../case.ts'
import type { Draw } from '../draw.ts'
import { type Subject, withOptions } from '../subject.ts'
import { deleteOptions } from './reads.ts'

const NAMESPACES = '/api/v1/namespaces'
const NAME = '{ns}-own'
const ADDRESS = `${NAMESPACES}/${NAME}`

/** A namespace of the case's own comes, holds something, is deleted and finalized; no controller helps. */
export function namespaces({ draw }: Subject): Step[] {
  const labels = { ...draw.pick(LABELS) }
  const spec = draw.chance(0.3) ? { spec: { finalizers: draw.pick(FINALIZERS) } } : {}
  return [
    {
      do: 'POST',
      path: NAMESPACES,
      body: { metadata: { name: NAME, labels, ...draw.members({ finalizers: [['a.io/b']] }, 0.2) }, ...spec },
    },
    ...draw.several(3, 5, () => draw.pick([create, create, change])(draw)),
    remove(draw),
    ...draw.several(5, 8, () => draw.pick([create, create, change, finalize, finalize, remove, read])(draw)),
    { do: 'PUT', path: `${ADDRESS}/finalize`, body: { metadata: { name: NAME }, spec: { finalizers: [] } } },
    { do: 'GET', path: ADDRESS },
  ]
}

const LABELS: readonly [JsonObject, ...JsonObject[]] = [
  {},
  { 'pod-security.kubernetes.io/enforce': 'restricted', 'pod-security.kubernetes.io/warn': 'baseline' },
  { 'pod-security.kubernetes.io/enforce': 'x', 'pod-security.kubernetes.io/enforce-version': 'v1.0.0' },
  { 'kubernetes.io/metadata.name': 'other' },
]

const FINALIZERS: readonly [Json, ...Json[]] = [['kubernetes'], [], ['kubernetes', 'a.io/b'], ['a'], ['a b'], null]

const CONTENT: readonly [readonly [string, JsonObject], ...(readonly [string, JsonObject])[]] = [
  [`${ADDRESS}/configmaps`, { metadata: { name: 'a' } }],
  [`${ADDRESS}/configmaps`, { metadata: { name: 'b', namespace: '{ns}' } }],
  [`${ADDRESS}/configmaps`, { metadata: { generateName: 'c-', finalizers: ['a.io/b'] } }],
  [`${ADDRESS}/serviceaccounts`, { metadata: { name: 'default' } }],
  [`${ADDRESS}/pods`, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'x' }] } }],
  [
    '/apis/apps/v1/namespaces/{ns}-own/deployments',
    {
      metadata: { name: 'd' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { hostNetwork: true, containers: [{ name: 'c', image: 'x' }] } },
      },
    },
  ],
  [
    '/apis/differ.bowsprit.dev/v1/namespaces/{ns}-own/widgets',
    { apiVersion: 'differ.bowsprit.dev/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { size: 1 } },
  ],
]

function create(draw: Draw): Step {
  const [path, body] = draw.pick(CONTENT)
  return { do: 'POST', path: `${path}${draw.pick(['', '', '', '?dryRun=All'])}`, body }
}

function change(draw: Draw): Step {
  const metadata = draw.members({ labels: [...LABELS, null], annotations: [{ a: 'b' }], finalizers: [null, ['c.io/d'], ['orphan']] }, 0.5)
  const part = draw.pick(['', '', '/status'])
  const body = { metadata, ...draw.members({ spec: FINALIZERS.map((finalizers) => ({ finalizers })), status: STATUSES }, 0.3) }
  return draw.chance(0.7)
    ? { do: 'PATCH', path: `${ADDRESS}${part}`, body }
    : { do: 'PUT', path: `${ADDRESS}${part}`, body: { ...body, metadata: { ...metadata, name: NAME } } }
}

const STATUSES: readonly Json[] = [
  { phase: 'Active' },
  { phase: 'Terminating' },
  { conditions: [{ type: 'A', status: 'True' }] },
  { phase: 'x' },
]

const finalize = (draw: Draw): Step => ({
  do: 'PUT',
  path: `${ADDRESS}/finalize`,
  body: { metadata: { name: draw.pick([NAME, NAME, NAME, 'x']) }, spec: { finalizers: draw.pick(FINALIZERS) } },
})

const remove = (draw: Draw): Step => ({
  do: 'DELETE',
  path: withOptions(draw, ADDRESS, { dryRun: ['All'], propagationPolicy: ['Foreground', 'Orphan'], gracePeriodSeconds: ['0', '5'] }, 0.15),
  ...(draw.chance(0.3) && { body: { ...deleteOptions(draw), orphanDependents: null, preconditions: null } }),
})

const read = (draw: Draw): Step => ({
  do: draw.pick(['GET', 'DELETE']),
  path: draw.pick([`${ADDRESS}/configmaps`, `${ADDRESS}/pods`, `${ADDRESS}/configmaps/a`]),
})

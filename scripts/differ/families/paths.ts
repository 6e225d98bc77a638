import type { Json } from '../../../src/machinery/object.ts'
import type { Step } from '../case.ts'
import { isObject } from '../schema.ts'
import type { Subject } from '../subject.ts'
import { changedSample, withOptions } from '../subject.ts'
import { ACCEPT } from './reads.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

const CONTENT = [
  ...['application/json', 'application/yaml', 'text/plain', 'application/json; charset=utf-8', 'application/x-www-form-urlencoded', ''],
  ...[
    'application/merge-patch+json',
    'application/strategic-merge-patch+json',
    'application/json-patch+json',
    'application/apply-patch+yaml',
  ],
]

const BODIES = [
  '',
  '{',
  '[]',
  '{}',
  'null',
  '5',
  '"a"',
  'a: b',
  '{"a":1}{"b":2}',
  '{"kind":"Pod"}',
  '{"apiVersion":"v1","kind":"ConfigMap"}',
  '[{"op":"x"}]',
]

const OPTIONS = {
  dryRun: ['All', 'x', ''],
  fieldManager: ['m', '', 'a'.repeat(129)],
  fieldValidation: ['x', ''],
  force: ['true', 'x'],
  pretty: ['true', 'x'],
  watch: ['true', '0'],
}

const KINDS = ['Pod', 'Status', 'DeleteOptions', 'List', 'PodList', 'CustomResourceDefinition', 'Nothing', '']
const VERSIONS = ['v1', 'apps/v1', 'extensions/v1beta1', 'meta.k8s.io/v1', 'x/v1', 'v1/x/y', '']

/** A body that names another version of its kind, or another kind. */
function renamed({ draw, kind }: Subject, body: Json): Json {
  if (!isObject(body) || !draw.chance(0.4)) return body
  const own = ['v1alpha1', 'v1beta1', 'v1beta2', 'v2'].map((version) => kind.apiVersion.replace(/[^/]*$/, version))
  const apiVersion = draw.pick([...VERSIONS, ...own, ...own]) ?? ''
  return { ...body, apiVersion, kind: draw.chance(0.5) ? kind.kind : (draw.pick(KINDS) ?? '') }
}

/** Any method on any path with any body. */
export function paths(subject: Subject): Step[] {
  const { draw, kind, address } = subject
  const places = [
    ...[
      kind.collection,
      address,
      `${address}/status`,
      `${address}/scale`,
      `${address}/nothing`,
      `${address}/`,
      `${kind.collection}/`,
      `${address}/status/more`,
    ],
    kind.collection.replace('/namespaces/{ns}', ''),
    kind.collection.replace('{ns}', 'missing'),
    kind.collection.replace(/v\d/, 'v9'),
    kind.collection.replace(/[^/]*$/, ''),
    `${address.slice(0, -1)}A_`,
  ]
  return draw.several(5, 5, (): Step => {
    const place = draw.pick(places) ?? ''
    // The collections outside of the namespace have objects of other cases: they are neither read nor deleted.
    const isShared = !place.includes('{ns}')
    const method = draw.pick(isShared ? METHODS.filter((m) => m !== 'DELETE' && m !== 'GET') : METHODS) ?? 'OPTIONS'
    const path = withOptions(draw, place, OPTIONS, 0.12)
    const accepted: Readonly<Record<string, string>> = draw.chance(0.3) ? { accept: draw.pick(ACCEPT) ?? '' } : {}
    if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return { do: method, path, headers: accepted }
    const type = draw.pick(CONTENT) ?? ''
    const sent = draw.chance(0.4) ? { body: renamed(subject, changedSample(subject, 1)) } : { text: draw.pick(BODIES) ?? '' }
    return { do: method, path, headers: { 'content-type': type, ...accepted }, ...sent }
  })
}

import type { JsonObject } from '../../../src/machinery/object.ts'
import type { Step } from '../case.ts'
import { widgetsOf } from '../custom-kinds.ts'
import type { Draw } from '../draw.ts'
import { type WebhookAnswer, webhookUrl } from '../drawn-webhook.ts'
import type { Subject } from '../subject.ts'
import { ADDRESS, defined, GROUP } from './schemas.ts'

/** How long both servers may take to call another webhook. */
const SETTLE_MS = 800

/** A webhook converts between two versions, as it was drawn; then it changes. */
export function conversions({ draw }: Subject): Step[] {
  // Lists are not asked for once a conversion has failed: Kubernetes refuses them for a while.
  const [first, second] = [draw.chance(0.6) ? right(draw) : wrong(draw), draw.chance(0.3) ? right(draw) : wrong(draw)]
  const definition = widgetsOf(GROUP, [
    {
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: schemaOf({ a: { type: 'string' } }) },
      subresources: { status: {} },
    },
    { name: 'v2', served: true, storage: false, schema: { openAPIV3Schema: schemaOf({ b: { type: 'string', default: 'd' } }) } },
  ])
  const body = { ...definition, spec: { ...(definition.spec as JsonObject), conversion: conversion(draw, first.answer) } }
  return [
    ...defined(body),
    ...draw.several(4, 6, () => use(draw, first.steps)),
    { do: 'PATCH', path: ADDRESS, body: { spec: { conversion: conversion(draw, second.answer) } } },
    { do: 'SLEEP', path: '', ms: SETTLE_MS, quiet: true },
    ...draw.several(4, 6, () => use(draw, first.steps.includes('list') ? second.steps : STEPS)),
  ]
}

const schemaOf = (of: JsonObject): JsonObject => ({
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { n: { type: 'integer', maximum: 9 }, ...of } },
    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
})

const conversion = (draw: Draw, of: WebhookAnswer): JsonObject => ({
  strategy: 'Webhook',
  webhook: {
    conversionReviewVersions: draw.pick([['v1'], ['v1'], ['v1beta1', 'v1'], ['v1beta1'], ['v2', 'v1']]),
    clientConfig: { url: webhookUrl(of), caBundle: '{webhookCA}' },
  },
})

/** An answer of the webhook, and what is asked of it. */
interface Drawn {
  readonly answer: WebhookAnswer
  readonly steps: readonly string[]
}

const STEPS = ['create', 'create', 'create', 'get', 'get', 'put', 'patch', 'apply', 'status', 'delete']

const right = (draw: Draw): Drawn => ({
  answer: draw.chance(0.5) ? {} : { objects: draw.pick(CHANGES) ?? {} },
  steps: [...STEPS, 'list', 'watch', 'clear'],
})

const wrong = (draw: Draw): Drawn => ({
  answer: draw.pick<WebhookAnswer>([
    { text: 'no JSON' },
    ...OBJECTS.map((objects) => ({ objects })),
    ...RESPONSES.map((response) => ({ response })),
    ...REVIEWS.map((review) => ({ review })),
    ...['', '{}', 'null', '{"response":{}}'].map((text) => ({ text })),
    ...[500, 404, 301, 201].map((code) => ({ code })),
  ]),
  steps: STEPS,
})

/** What a webhook may change. */
const CHANGES: readonly JsonObject[] = [
  { metadata: { labels: { converted: 'yes' } } },
  { metadata: { annotations: { a: 'b' } } },
  { spec: { a: 'converted', b: 'converted' } },
  { spec: { unknown: { x: 1 } } },
  { status: { s: 't' } },
]

const OBJECTS: readonly JsonObject[] = [
  { metadata: { labels: { 'bad key!': 'x' } } },
  { metadata: { name: 'renamed' } },
  { metadata: { namespace: 'other' } },
  { metadata: { uid: 'u' } },
  { metadata: { uid: null } },
  { metadata: { finalizers: ['a.io/b'], generation: 7 } },
  { metadata: { labels: null, creationTimestamp: null, managedFields: null } },
  { metadata: { labels: 'text' } },
  { metadata: { annotations: { a: 1 } } },
  { metadata: null },
  { metadata: 'text' },
  { spec: { n: 10 } },
  { spec: null },
  { spec: 'text' },
  { extra: true },
  { apiVersion: 'v1' },
  { apiVersion: null },
  { kind: 'Other' },
  { kind: null },
]

const RESPONSES: readonly JsonObject[] = [
  { convertedObjects: [] },
  { convertedObjects: null },
  { convertedObjects: ['text'] },
  { convertedObjects: [null] },
  { uid: 'other' },
  { uid: null },
  { result: null },
  { result: {} },
  { result: { status: 'Failure' } },
  { result: { status: 'Failure', message: 'not this' } },
  { result: { status: 'Failure', reason: 'Invalid', code: 422 } },
  { result: { status: 'success' } },
]

const REVIEWS: readonly JsonObject[] = [
  { response: null },
  { apiVersion: 'apiextensions.k8s.io/v1beta1' },
  { apiVersion: 'v1', kind: 'Status', status: 'Failure', message: 'm' },
  { kind: 'AdmissionReview' },
  { kind: null },
]

const ACCEPT = [
  'application/json',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
]

function use(draw: Draw, steps: readonly string[]): Step {
  const version = draw.pick(['v1', 'v2', 'v2'])
  const collection = `/apis/${GROUP}/${version}/namespaces/{ns}/widgets`
  const name = draw.pick(['a', 'a', 'b'])
  const address = `${collection}/${name}`
  const object = {
    apiVersion: `${GROUP}/${version}`,
    kind: 'Widget',
    metadata: { name },
    spec: draw.members({ a: ['x'], b: ['y'], n: [1, 2, 10] }, 0.6),
  }
  switch (draw.pick(steps)) {
    case 'create':
      return { do: 'POST', path: `${collection}${draw.pick(['', '', '?dryRun=All'])}`, body: object }
    case 'list':
      return { do: 'GET', path: collection, headers: { accept: draw.pick(ACCEPT) ?? '' } }
    case 'watch':
      return { do: 'WATCH', path: `${collection}?watch=1&timeoutSeconds=2`, waitMs: 500 }
    case 'put':
      return { do: 'PUT', path: address, body: object }
    case 'patch':
      return { do: 'PATCH', path: address, body: draw.pick([{ spec: { n: 3 } }, { metadata: { labels: { l: 'm' } } }]) }
    case 'apply': {
      const headers = { 'content-type': 'application/apply-patch+yaml' }
      return { do: 'PATCH', path: `${address}?fieldManager=${draw.pick(['m', 'n'])}&force=true`, headers, body: object }
    }
    case 'status':
      return { do: 'PATCH', path: `${address}/status`, body: { status: { s: draw.pick(['u', 'v']) } } }
    case 'delete':
      return { do: 'DELETE', path: address }
    case 'clear':
      return { do: 'DELETE', path: collection }
    default:
      return { do: 'GET', path: address, headers: { accept: draw.pick(ACCEPT) ?? '' } }
  }
}

import type { Json, JsonObject } from '../machinery/object.ts'

const GROUP_VERSION = { group: 'metrics.k8s.io', version: 'v1beta1' }
const PREFIX = 'io.k8s.metrics.pkg.apis.metrics.v1beta1.'

const text = (description: string, more: JsonObject = {}): JsonObject => ({ type: 'string', description, ...more })
const HEAD = {
  apiVersion: text('The group and version of this object: metrics.k8s.io/v1beta1.'),
  kind: text('What this object is.'),
}
const METADATA: JsonObject = {
  type: 'object',
  description: 'Name, namespace and labels are those of what was measured; the creation is the moment of the answer.',
  properties: {
    name: text('The name of what was measured.'),
    namespace: text('Its namespace.'),
    labels: { type: 'object', description: 'Its labels.', additionalProperties: { type: 'string' } },
    creationTimestamp: text('When these figures were made.', { format: 'date-time' }),
  },
}
const USAGE: JsonObject = {
  type: 'object',
  description: 'By resource (cpu, memory): how much of it is used.',
  additionalProperties: { type: 'string', description: 'A quantity: 100m is a tenth of a processor, 64Mi are 67108864 bytes.' },
}
const MEASURED = {
  ...HEAD,
  metadata: METADATA,
  timestamp: text('The end of the span over which it was measured.', { format: 'date-time' }),
  window: text('How long that span is: a duration such as 15s.'),
}

/** A kind, with the list of it. */
function kindAndList(kind: string, description: string, own: JsonObject): JsonObject {
  const gvk = (name: string) => ({ 'x-kubernetes-group-version-kind': [{ ...GROUP_VERSION, kind: name }] })
  const items = { type: 'array', description: 'One for each that was measured.', items: { $ref: `#/components/schemas/${PREFIX}${kind}` } }
  return {
    [`${PREFIX}${kind}`]: { type: 'object', description, properties: { ...MEASURED, ...own }, ...gvk(kind) },
    [`${PREFIX}${kind}List`]: {
      type: 'object',
      description: `Several of the kind ${kind}.`,
      properties: { ...HEAD, metadata: { type: 'object', description: 'Nothing is said of the list itself.' }, items },
      required: ['items'],
      ...gvk(`${kind}List`),
    },
  }
}

const CONTAINER: JsonObject = {
  type: 'object',
  description: 'What one container uses.',
  properties: { name: text('The name of the container.'), usage: USAGE },
  required: ['name', 'usage'],
}

const read = (kind: string, action: 'get' | 'list'): JsonObject => ({
  get: {
    description: action === 'get' ? `read one ${kind}` : `list objects of kind ${kind}`,
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { ...GROUP_VERSION, kind },
    responses: {
      '200': {
        description: 'OK',
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${PREFIX}${kind}${action === 'list' ? 'List' : ''}` } } },
      },
    },
  },
})

const ROOT = '/apis/metrics.k8s.io/v1beta1'

/** OpenAPI v3 of `metrics.k8s.io/v1beta1`, for `kubectl explain` and for clients that are made from it. */
export const RESOURCE_METRICS_OPENAPI: Json = {
  openapi: '3.0.0',
  info: { title: 'Figures of simulated nodes', version: 'v1beta1' },
  paths: {
    [`${ROOT}/nodes`]: read('NodeMetrics', 'list'),
    [`${ROOT}/nodes/{name}`]: read('NodeMetrics', 'get'),
    [`${ROOT}/pods`]: read('PodMetrics', 'list'),
    [`${ROOT}/namespaces/{namespace}/pods`]: read('PodMetrics', 'list'),
    [`${ROOT}/namespaces/{namespace}/pods/{name}`]: read('PodMetrics', 'get'),
  },
  components: {
    schemas: {
      ...kindAndList('NodeMetrics', 'What the pods of a node use together.', { usage: USAGE }),
      ...kindAndList('PodMetrics', 'What the containers of a pod use.', {
        containers: {
          type: 'array',
          description: 'The containers that run.',
          items: { $ref: `#/components/schemas/${PREFIX}ContainerMetrics` },
        },
      }),
      [`${PREFIX}ContainerMetrics`]: CONTAINER,
    },
  },
}

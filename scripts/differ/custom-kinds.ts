import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject, KubeObject } from '../../src/machinery/object.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../src/resources/refs.ts'
import type { Client } from '../../src/sdk/client/client.ts'

const GROUP = 'differ.bowsprit.dev'

const SPEC: JsonObject = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 0, maximum: 100 },
    mode: { type: 'string', maxLength: 8, enum: ['Fast', 'Slow'], default: 'Fast' },
    label: { type: 'string', maxLength: 8, pattern: '^[a-z]*$' },
    when: { type: 'string', format: 'date-time' },
    data: { type: 'string', format: 'byte' },
    weight: { type: 'number', multipleOf: 0.5 },
    port: { 'x-kubernetes-int-or-string': true },
    maybe: { type: 'string', nullable: true },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    any: { 'x-kubernetes-preserve-unknown-fields': true },
    bare: { type: 'object' },
    open: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: {
        in: { type: 'object', properties: { n: { type: 'integer' } } },
        list: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
        },
      },
    },
    labels: { type: 'object', additionalProperties: { type: 'string', maxLength: 5 } },
    template: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    plain: { type: 'array', maxItems: 3, items: { type: 'integer' } },
    whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: { type: 'string' }, b: { type: 'string' } } },
    parts: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name', 'port'],
      items: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string' },
          port: { type: 'integer', default: 80 },
          args: { type: 'array', items: { type: 'string' } },
          limits: {
            type: 'object',
            default: { cpu: '1' },
            properties: { cpu: { type: 'string' }, memory: { type: 'string', default: '1Gi' } },
          },
        },
      },
    },
  },
  'x-kubernetes-validations': [
    {
      rule: "!has(self.label) || self.label != 'never'",
      message: 'the label is reserved',
      fieldPath: '.label',
      reason: 'FieldValueForbidden',
    },
    { rule: "self.mode == 'Slow' || self.size < 50", messageExpression: "'the size of ' + self.mode + ' is too large'" },
    { rule: 'self.size >= oldSelf.size', message: 'the size may only grow' },
  ],
}

const STATUS: JsonObject = {
  type: 'object',
  properties: {
    replicas: { type: 'integer' },
    selector: { type: 'string' },
    phase: { type: 'string', default: 'New' },
    conditions: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      items: { type: 'object', required: ['type'], properties: { type: { type: 'string' }, status: { type: 'string' } } },
    },
  },
}

const VERSION: JsonObject = {
  served: true,
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: SPEC, status: STATUS } } },
  additionalPrinterColumns: [
    { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
    { name: 'Parts', type: 'string', jsonPath: '.spec.parts[*].name' },
    { name: 'Labels', type: 'string', jsonPath: '.spec.labels', priority: 1 },
    { name: 'When', type: 'date', jsonPath: '.spec.when' },
  ],
  selectableFields: [{ jsonPath: '.spec.mode' }, { jsonPath: '.spec.maybe' }],
  subresources: {
    status: {},
    scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.selector' },
  },
}

/** The definition of widgets in a group. */
export const widgetsOf = (group: string, versions: readonly JsonObject[]): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${group}` },
  spec: { group, scope: 'Namespaced', names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wd'] }, versions },
})

/** The custom resources that both servers get; their schemas have every keyword of structural schemas that changes an answer. */
const DEFINITIONS: readonly KubeObject[] = [
  widgetsOf(GROUP, [
    { name: 'v1', storage: true, ...VERSION },
    { name: 'v2', storage: false, ...VERSION },
  ]),
]

const SPECS: readonly JsonObject[] = [
  { size: 1 },
  { size: 3, mode: 'Slow', label: 'abc', set: ['a', 'b'], plain: [1, 2], parts: [{ name: 'a' }, { name: 'a', port: 81, args: ['x'] }] },
  { size: 2, free: { a: { b: 1 } }, any: [1], labels: { k: 'v' }, whole: { a: 'x', b: 'y' }, maybe: null, port: '50%', weight: 1.5 },
  { size: 4, bare: { a: 1 }, open: { free: 1, in: { n: 1, b: { c: 2 } }, list: [{ name: 'a', b: { c: 3 } }] } },
  {
    size: 5,
    template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { x: 1 } },
    when: '2026-01-02T03:04:05Z',
    data: 'YQ==',
  },
]

const samplesOf = (version: string) =>
  SPECS.map((spec) => ({ apiVersion: `${GROUP}/${version}`, kind: 'Widget', metadata: { name: 'a' }, spec }))

/** Valid objects of them, by collection. */
export const CUSTOM_SAMPLES: Readonly<Record<string, JsonObject[]>> = {
  [`/apis/${GROUP}/v1/namespaces/{ns}/widgets`]: samplesOf('v1'),
  [`/apis/${GROUP}/v2/namespaces/{ns}/widgets`]: samplesOf('v2'),
}

/** Creates the definitions, and waits until the server serves and describes them. */
export async function installDefinitions(client: Client): Promise<void> {
  for (const definition of DEFINITIONS) await client.create<KubeObject>(CUSTOM_RESOURCE_DEFINITIONS, definition)
  for (const collection of Object.keys(CUSTOM_SAMPLES)) {
    const document = `/openapi/v3${collection.replace(/\/namespaces.*/, '')}`
    while (
      !(await client.page(document).then(
        () => true,
        () => false,
      ))
    )
      await sleep(100)
  }
}

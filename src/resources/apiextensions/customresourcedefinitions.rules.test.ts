import { ruleTables } from '../rule-table.contract.ts'
import { customResourceDefinitions } from './customresourcedefinitions.ts'

ruleTables(customResourceDefinitions, {
  object: `
metadata: {name: shirts.ns.example.com}
spec:
  group: ns.example.com
  scope: Namespaced
  names:
    plural: shirts
    singular: shirt
    kind: Shirt
    listKind: ShirtList
    shortNames: [sh]
    categories: [all]
  conversion: {strategy: None}
  versions:
    - name: v1
      served: true
      storage: true
      deprecated: true
      deprecationWarning: old
      subresources:
        status: {}
        scale: {specReplicasPath: ".spec.n", statusReplicasPath: ".status.n", labelSelectorPath: ".status.sel"}
      selectableFields: [{jsonPath: ".spec.color"}]
      additionalPrinterColumns:
        - {name: Color, type: string, jsonPath: ".spec.color", priority: 1, description: d, format: byte}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              required: [color]
              properties:
                color: {type: string, enum: [red, blue], default: red, maxLength: 10, pattern: "^[a-z]+$"}
                "n":
                  type: integer
                  format: int32
                  minimum: 0
                  maximum: 10
                  x-kubernetes-validations: [{rule: "self < 9", message: m, reason: FieldValueInvalid}]
                any: {x-kubernetes-preserve-unknown-fields: true}
                port: {x-kubernetes-int-or-string: true}
                tags: {type: array, maxItems: 5, items: {type: string}, x-kubernetes-list-type: set}
                list:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [k]
                  items: {type: object, required: [k], properties: {k: {type: string}}}
                map: {type: object, additionalProperties: {type: string}, nullable: true}
                emb:
                  type: object
                  x-kubernetes-embedded-resource: true
                  x-kubernetes-preserve-unknown-fields: true
            status: {type: object, properties: {"n": {type: integer}, sel: {type: string}}}
    - name: v1beta1
      served: false
      storage: false
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`,
  filled: ['status = {conditions: null, acceptedNames: {plural: "", kind: ""}, storedVersions: [v1]}'],
  create: [
    // Only in an embedded object is `metadata` that of Kubernetes.
    ['spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.any.default = {metadata: {labels: {a: 1}}}'],
    [
      'spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.emb.default = {apiVersion: v1, kind: A, metadata: {labels: {a: 1}}}',
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[emb].default.metadata: Invalid value: {"labels":{"a":1}}: … ObjectMeta.labels of type string',
    ],
    ['spec.versions[0].deprecationWarning = ""', 'spec.versions[0].deprecationWarning: Invalid value: "": must not be an empty string'],
    [
      'spec.versions[1].deprecationWarning = ""',
      'spec.versions[1].deprecationWarning: Invalid value: "": can only be set for deprecated versions',
    ],
    ['spec.names.kind = ""', 'spec.names.kind: Required value'],
    ['-spec.conversion.strategy', 'spec.conversion.strategy: Required value'],
    ['-spec.versions[0].selectableFields[0].jsonPath', 'spec.versions[0].selectableFields[0].jsonPath: Required value'],
    [
      '-spec.versions[0].selectableFields[0].jsonPath && spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.color.id = a',
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[color].id: Forbidden: id is not supported',
      `spec.versions[0].schema.openAPIV3Schema: Invalid value: "": OpenAPIV3Schema 'id' is not supported`,
      'spec.versions[0].selectableFields[0].jsonPath: Required value',
    ],
    ['-spec.versions[0].additionalPrinterColumns[0].name', 'spec.versions[0].additionalPrinterColumns[0].name: Required value'],
    [
      'spec.conversion.strategy = Webhook',
      'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
      'spec.conversion.conversionReviewVersions: Required value',
    ],
    [
      'spec.conversion.strategy = Webhook && spec.conversion.webhook = {conversionReviewVersions: [v1], clientConfig: {url: "https://a.example.com"}}',
    ],
    [
      'spec.group = k8s.io && metadata.name = shirts.k8s.io',
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have …',
    ],
    [
      'spec.group = a.kubernetes.io && metadata.name = shirts.a.kubernetes.io',
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have …',
    ],
    ['spec.group = notk8s.io && metadata.name = shirts.notk8s.io'],
    ['spec.conversion.strategy = Nonex', 'spec.conversion.strategy: Unsupported value: "Nonex": supported values: "None", "Webhook"'],
    ['-spec.versions[0].additionalPrinterColumns[0].jsonPath', 'spec.versions[0].additionalPrinterColumns[0].JSONPath: Required value'],
    [
      'spec.versions[0].schema.openAPIV3Schema.type = ""',
      'spec.versions[0].schema.openAPIV3Schema.type: Required value: must not be empty at the root',
    ],
    [
      'spec.versions = null',
      'spec.versions: Invalid value: null: must have exactly one version marked as storage version',
      'status.storedVersions: Invalid value: null: must have at least one stored version',
    ],
    [
      '-spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.n.type',
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[n].type: Required value: mus… for specified object fields',
    ],
    [
      '-spec.versions[0].schema.openAPIV3Schema',
      'spec.versions[0].schema.openAPIV3Schema: Required value',
      'spec.versions[0].selectableFields: Invalid value: "": may only be set when `version.schema.openAPIV3Schema` is not included',
    ],
    [
      'spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.color.enum = [blue]',
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[color].default: Unsupported …d": supported values: "blue"',
    ],
    [
      'spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.color.enum[0] = null',
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[color].default: Unsupported …orted values: "null", "blue"',
    ],
    [
      'spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.color.pattern = "^[a-z]+$x"',
      "spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[color].default: Invalid valu…ody should match '^[a-z]+$x'",
    ],
    [
      '-spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.list.items.properties',
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[list].x-kubernetes-list-map-… be names of item properties',
    ],
    [
      'spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.map.additionalProperties.type = ""',
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[map].additionalProperties.ty… for specified object fields',
    ],
    [
      '-spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.list.x-kubernetes-list-type',
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[list].x-kubernetes-list-type…s-list-map-keys is non-empty',
    ],
    [
      'spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.map.type = "Bad_Name!"',
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[map].type: Unsupported value…"number", "object", "string"',
    ],
    [
      '-spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.list.items.required',
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[list].items.properties[k].de…lt or be a required property',
    ],
    [
      'spec.names.shortNames[0] = null',
      `spec.names.shortNames[0]: Invalid value: "": a DNS-1035 label must consist of lower case alphanu…[a-z]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.names.categories[0] = null',
      `spec.names.categories[0]: Invalid value: "": a DNS-1035 label must consist of lower case alphanu…[a-z]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.list.items = null',
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[list].items: Required value: must be specified',
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[list].items: Required value:…-kubernetes-list-type is map',
    ],
    [
      'spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.list.type = ""',
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[list].type: Required value: … for specified object fields',
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[list].type: Required value: …netes-list-type is specified',
    ],
    [
      'spec.names.listKind = "Bad_Name!"',
      `spec.names.listKind: Invalid value: "Bad_Name!": may have mixed case, but should otherwise match…[a-z]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.list.items = x',
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[list].items: Required value: must be specified',
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[list].items: Invalid value: …-kubernetes-list-type is map',
    ],
    [
      'spec.names.categories[0] = a × 300',
      'spec.names.categories[0]: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
    [
      'spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.list.x-kubernetes-list-type = ""',
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[list].x-kubernetes-list-type…lues: "atomic", "set", "map"',
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[list].x-kubernetes-list-type…s-list-map-keys is non-empty',
    ],
    [
      'spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.list.type = "Bad_Name!"',
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[list].type: Unsupported valu…"number", "object", "string"',
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[list].type: Invalid value: "…netes-list-type is specified',
    ],
    [
      'spec.versions[0].subresources.scale.labelSelectorPath = a × 300',
      'spec.versions[0].subresources.scale.labelSelectorPath: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaa…le json path starting with .',
    ],
    [
      'spec.versions[0].additionalPrinterColumns[0].jsonPath = a × 300',
      'spec.versions[0].additionalPrinterColumns[0].JSONPath: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaa…le json path starting with .',
    ],
    [
      'spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.color.pattern = a × 300',
      "spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[color].default: Invalid valu…aaaaaaaaaaaaaaaaaaaaaaaaaaa'",
    ],
    [
      'spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.n.x-kubernetes-validations[0].reason = a × 300',
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[n].x-kubernetes-validations[…valid", "FieldValueRequired"',
    ],
    [
      'spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.color.default = a × 300',
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[color].default: Too long: may not be more than 10 bytes',
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[color].default: Unsupported …ported values: "red", "blue"',
    ],
    [
      '-spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.n.x-kubernetes-validations[0].rule && -spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.n.x-kubernetes-validations[0].message && -spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.n.x-kubernetes-validations[0].reason',
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[n].x-kubernetes-validations[…value: rule is not specified',
    ],
    [
      "spec.versions[0].schema.openAPIV3Schema.x-kubernetes-validations = [{rule: 'nowhere'}] && spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.n.x-kubernetes-validations = [{rule: ''}]",
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[n].x-kubernetes-validations[…value: rule is not specified',
    ],
    [
      '-spec.versions[0].additionalPrinterColumns[0].name && -spec.versions[0].additionalPrinterColumns[0].type && -spec.versions[0].additionalPrinterColumns[0].jsonPath && -spec.versions[0].additionalPrinterColumns[0].priority && -spec.versions[0].additionalPrinterColumns[0].description && -spec.versions[0].additionalPrinterColumns[0].format',
      'spec.versions[0].additionalPrinterColumns[0].name: Required value',
      'spec.versions[0].additionalPrinterColumns[0].type: Required value: must be one of boolean,date,integer,number,string',
      'spec.versions[0].additionalPrinterColumns[0].JSONPath: Required value',
    ],
    ['-spec.versions[0].additionalPrinterColumns[0].priority'],
  ],
})

ruleTables(customResourceDefinitions, {
  object: `
metadata: {name: shirts.example.com}
spec:
  group: example.com
  names: {kind: Shirt, plural: shirts, singular: shirt, listKind: ShirtList}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`,
  create: [
    ['spec.versions[0].schema.openAPIV3Schema.nullable = false', '-spec.versions[0].schema.openAPIV3Schema.nullable'],
    [
      'spec.versions[0].schema.openAPIV3Schema.nullable = true',
      'spec.validation.openAPIV3Schema.nullable: Forbidden: nullable cannot be true at the root',
    ],
    [
      'spec.versions[0].schema.openAPIV3Schema.type = string',
      'spec.validation.openAPIV3Schema.type: Invalid value: "string": must be object at the root',
    ],
    [
      '-spec.versions[0].schema.openAPIV3Schema.type',
      'spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root',
    ],
  ],
})

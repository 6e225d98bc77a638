import { timestamp } from '../../base/clock.ts'
import type { Steps } from '../../base/steps.ts'
import type { FieldError } from '../../machinery/field-error.ts'
import { isObject, type KubeObject } from '../../machinery/object.ts'
import type { ResourceRules } from '../../machinery/resource/definition.ts'
import { coerceEmbedded } from '../../machinery/structural/embedded-meta.ts'
import { isKnownFormat } from '../../machinery/structural/formats.ts'
import { isEmbedded, walkSchema } from '../../machinery/structural/schema-props.ts'
import { CREATED_AT, define, NAME } from '../define.ts'
import { builtinSchema } from '../schema.ts'
import { CLEANUP_FINALIZER, type CustomResourceDefinition, type DefinitionVersion } from './types.ts'
import { definitionName, validateDefinition, validateDefinitionUpdate } from './validate-definition.ts'

const WEBHOOK_PORT = 443

const crdOf = (object: KubeObject) => object as CustomResourceDefinition

/** Singular name and list kind default to values derived from the kind. */
function fillDefaults(draft: KubeObject): void {
  const { spec } = crdOf(draft)
  if (spec.names !== undefined && spec.names !== null) {
    const kind = spec.names.kind ?? ''
    if (!spec.names.singular && kind !== '') spec.names.singular = kind.toLowerCase()
    if (!spec.names.listKind && kind !== '') spec.names.listKind = `${kind}List`
  }
  if (spec.conversion === undefined || spec.conversion === null) spec.conversion = { strategy: 'None' }
  const service = spec.conversion.webhook?.clientConfig?.service
  if (service !== undefined && service !== null && service.port === undefined) service.port = WEBHOOK_PORT
  const { status } = crdOf(draft)
  const storage = (spec.versions ?? []).find((v) => v.storage)
  if ((status?.storedVersions ?? []).length === 0 && storage !== undefined) status.storedVersions = [storage.name]
}

/** Adds the storage version to `status.storedVersions`. */
function noteStorage(crd: CustomResourceDefinition): void {
  const storage = (crd.spec.versions ?? []).find((v) => v.storage)
  const stored = crd.status.storedVersions ?? []
  if (storage !== undefined && !stored.includes(storage.name)) crd.status = { ...crd.status, storedVersions: [...stored, storage.name] }
}

const objectMeta = builtinSchema('meta.k8s.io', 'v1', 'ObjectMeta')

/** Brings the schemas into Go's form: the metadata of objects in defaults, and no empty list of item schemas. */
function canonicalSchemas(crd: CustomResourceDefinition): void {
  for (const { schema } of crd.spec.versions ?? []) {
    const whole = schema?.openAPIV3Schema
    if (whole === undefined) continue
    walkSchema(whole, (s) => {
      const root = s === whole
      if (isObject(s.default) && (root || isEmbedded(s))) coerceEmbedded(s.default, s, objectMeta(), { root })
      if (Array.isArray(s.items) && s.items.length === 0) delete s.items
    })
  }
}

/** Warnings for formats that have no effect for their type. */
function unknownFormats(versions: readonly DefinitionVersion[]): string[] {
  const found = new Set<string>()
  for (const { schema } of versions) {
    if (schema?.openAPIV3Schema === undefined) continue
    walkSchema(schema.openAPIV3Schema, ({ type, format }) => {
      if (format && !isKnownFormat(type ?? '', format)) found.add(`unrecognized format ${JSON.stringify(format)}`)
    })
  }
  return [...found]
}

const rules: ResourceRules = {
  allowUnconditionalUpdate: false,
  generation: 'spec',
  validateName: (name, generated, object) => definitionName(name, generated, crdOf(object)),
  defaults: fillDefaults,
  prepareForCreate(draft) {
    const crd = crdOf(draft)
    crd.status = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null }
    noteStorage(crd)
  },
  prepareForUpdate(draft) {
    noteStorage(crdOf(draft))
  },
  canonicalize: (draft) => canonicalSchemas(crdOf(draft)),
  validateInSteps: (object, old) =>
    old === undefined ? validateDefinition(crdOf(object)) : validateDefinitionUpdate(crdOf(object), crdOf(old)),
  warnings: (object) => unknownFormats(crdOf(object).spec.versions ?? []),
  /** A definition is deleted after its objects: the server then removes the finalizer. */
  holdOnDelete(draft, context, first) {
    if (!first) return false
    const crd = crdOf(draft)
    crd.metadata.finalizers = [...new Set(crd.metadata.finalizers).add(CLEANUP_FINALIZER)]
    const message = 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon'
    const others = (crd.status.conditions ?? []).filter((c) => c.type !== 'Terminating')
    const terminating = {
      type: 'Terminating',
      status: 'True',
      lastTransitionTime: timestamp(context.now),
      reason: 'InstanceDeletionPending',
      message,
    } as const
    crd.status = { ...crd.status, conditions: [...others, terminating] }
    return true
  },
}

/** Writes of the status are not validated. */
function* noFaults(): Steps<readonly FieldError[]> {
  yield* []
  return []
}

/** `customresourcedefinitions.apiextensions.k8s.io`. */
export const customResourceDefinitions = define({
  group: 'apiextensions.k8s.io',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  singular: 'customresourcedefinition',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  scope: 'Cluster',
  columns: [NAME, CREATED_AT],
  metadataChecks: 'as-update',
  rules,
  subresources: {
    status: {
      kind: 'status',
      table: false,
      rules: { prepareForUpdate: () => {}, validateInSteps: noFaults, warnings: () => [] },
    },
  },
})

import { asJson, type JsonObject, type KubeObject, type ObjectMeta } from '../../machinery/object.ts'
import type { SchemaProps } from '../../machinery/structural/schema-props.ts'
import type { Condition } from './condition.ts'
import { type Kind, kindOf } from './kind.ts'
import { pluralOf } from './plural-of.ts'
import type { AnySchema, CelRule, ReadOf, WrittenOf } from './schema.ts'
import { t } from './schema-builders.ts'

/** An object of a kind that was defined by its schemas. */
export interface CustomObject<Spec, Status> {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
  spec: Spec
  /** Absent until a controller has written it. */
  status?: Status & { observedGeneration?: number; conditions?: Condition[] }
}

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string
  /** `.spec.size` */
  readonly jsonPath: string
  /** Default `string`. */
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly description?: string
  /** Columns above 0 are shown by `-o wide` only. Default 0. */
  readonly priority?: number
}

/** The definition of a kind, in its newest version, which is the storage version. */
export interface KindConfig<Spec extends AnySchema, Status extends AnySchema> {
  /** `databases.example.com` */
  readonly group: string
  /** `v1` */
  readonly version: string
  /** `SampleDB` */
  readonly kind: string
  /** Default: the kind in small letters with an `s` (or `es`, `ies`). */
  readonly plural?: string
  /** Default `Namespaced`. */
  readonly scope?: 'Namespaced' | 'Cluster'
  readonly shortNames?: readonly string[]
  /** `all` makes it appear in `kubectl get all`. */
  readonly categories?: readonly string[]
  readonly description?: string
  /** What users write. */
  readonly spec: Spec
  /** The fields that controllers write, in addition to `conditions` and `observedGeneration`. Default: no others. */
  readonly status?: Status
  /** Shown after NAME; AGE comes last by itself. Default: AGE only. */
  readonly printerColumns?: readonly PrinterColumn[]
  /** Rules over the whole object: `self.spec.size > 0 || self.metadata.name == 'none'`. */
  readonly validations?: readonly CelRule[]
  /** What field selectors can name: `.spec.engine`. */
  readonly selectableFields?: readonly string[]
  /** For `kubectl scale` and autoscalers. */
  readonly scale?: { readonly specReplicasPath: string; readonly statusReplicasPath: string; readonly labelSelectorPath?: string }
}

/** A version that is served beside the stored one. Without `up` and `down` objects are the same in both but for their apiVersion. */
export interface OtherVersion<Spec extends AnySchema, HubRead, HubWritten> {
  /** `v1alpha1` */
  readonly version: string
  readonly spec: Spec
  /** Default: as the stored version's. */
  readonly status?: AnySchema
  /** Default true. */
  readonly served?: boolean
  /** Warns clients of this version: `true`, or the text of the warning. */
  readonly deprecated?: boolean | string
  /** Default: where nothing is converted those of the stored version, else none; so with rules and fields. */
  readonly printerColumns?: readonly PrinterColumn[]
  readonly validations?: readonly CelRule[]
  readonly selectableFields?: readonly string[]
  /** Makes an object's spec that of the stored version. Must lose nothing that `down` cannot give back. */
  readonly up?: (spec: ReadOf<Spec>, metadata: ObjectMeta) => HubWritten
  /** The other way round. */
  readonly down?: (spec: HubRead, metadata: ObjectMeta) => WrittenOf<Spec>
}

/** How the API server reaches the conversion webhook. */
export interface ConversionWebhook {
  readonly url?: string
  readonly service?: { readonly namespace: string; readonly name: string; readonly path?: string; readonly port?: number }
  /** The authority of its certificate, PEM in base64. */
  readonly caBundle?: string
}

/** A kind of one's own: its names, its CustomResourceDefinition, its conversion. */
export interface OwnKind<Spec extends AnySchema, Status extends AnySchema> extends Kind<CustomObject<ReadOf<Spec>, ReadOf<Status>>> {
  /**
   * The CustomResourceDefinition.
   * @throws {Error} if versions differ in more than their name, and no conversion webhook is given
   */
  definition(options?: { readonly conversion?: ConversionWebhook }): KubeObject
  /** A new object, checked by the compiler; defaults may be left out. */
  object(metadata: ObjectMeta, spec: WrittenOf<Spec>): KubeObject & { readonly metadata: ObjectMeta; readonly spec: WrittenOf<Spec> }
  /** The same kind with one version more. */
  withVersion<S extends AnySchema>(other: OtherVersion<S, ReadOf<Spec>, WrittenOf<Spec>>): OwnKind<Spec, Status>
  /** What `createWebhookServer` takes as `conversion`. */
  convert(objects: readonly KubeObject[], apiVersion: string): KubeObject[]
}

type ErasedVersion = OtherVersion<AnySchema, unknown, unknown>
// Conversions are stored together whatever their types: each is only ever given what the API server has judged by its schema.
type Convert = (spec: unknown, metadata: ObjectMeta) => unknown

/**
 * Defines a kind by its schemas: the type of its objects, its CustomResourceDefinition and its collection come from one place.
 *
 * ```ts
 * const Gadget = defineKind({
 *   group: 'example.com', version: 'v1', kind: 'Gadget',
 *   spec: t.object({ size: t.integer({ minimum: 1 }).default(1), color: t.enum('red', 'blue').optional() }),
 *   status: t.object({ ready: t.boolean().optional() }),
 * })
 * await client.create({ ...Gadget.ref, namespace }, Gadget.object({ name: 'g' }, { color: 'red' }))
 * ```
 */
export function defineKind<Spec extends AnySchema, Status extends AnySchema = ReturnType<typeof noStatus>>(
  config: KindConfig<Spec, Status>,
): OwnKind<Spec, Status> {
  return ownKind(config, [])
}

const noStatus = () => t.object({})

function ownKind<Spec extends AnySchema, Status extends AnySchema>(
  config: KindConfig<Spec, Status>,
  others: readonly ErasedVersion[],
): OwnKind<Spec, Status> {
  const { group, version, kind, plural = pluralOf(kind), scope = 'Namespaced' } = config
  const names = { group, version, kind, plural, namespaced: scope === 'Namespaced', observesGeneration: true }
  const own = kindOf<CustomObject<ReadOf<Spec>, ReadOf<Status>>>(names)
  return Object.freeze({
    ...own,
    definition: (options: { readonly conversion?: ConversionWebhook } = {}) => definitionOf(config, plural, others, options.conversion),
    object: (metadata: ObjectMeta, spec: WrittenOf<Spec>) => ({ apiVersion: own.apiVersion, kind, metadata, spec }),
    withVersion: <S extends AnySchema>(other: OtherVersion<S, ReadOf<Spec>, WrittenOf<Spec>>) => {
      if (other.version === version || others.some((o) => o.version === other.version))
        throw new Error(`${kind} has version ${other.version} already`)
      if ((other.up === undefined) !== (other.down === undefined)) throw new Error(`${other.version}: \`up\` and \`down\` belong together`)
      return ownKind(config, [...others, other as ErasedVersion])
    },
    convert: (objects: readonly KubeObject[], apiVersion: string) => objects.map((o) => convertOne(config, others, o, apiVersion)),
  })
}

function definitionOf(
  config: KindConfig<AnySchema, AnySchema>,
  plural: string,
  others: readonly ErasedVersion[],
  webhook: ConversionWebhook | undefined,
): KubeObject {
  const { group, kind, scope = 'Namespaced', shortNames, categories } = config
  if (webhook === undefined && others.some((o) => o.up !== undefined))
    throw new Error(
      `versions of ${kind} are converted by functions: say where their webhook is, as definition({ conversion: { url, caBundle } })`,
    )
  const singular = kind.toLowerCase()
  const names = { plural, singular, kind, listKind: `${kind}List`, ...(shortNames && { shortNames }), ...(categories && { categories }) }
  const versions = [
    { ...versionOf(config, config), served: true, storage: true },
    ...others.map((o) => ({ ...versionOf(o, config), served: o.served ?? true, storage: false })),
  ]
  const conversion =
    webhook === undefined
      ? {}
      : { conversion: { strategy: 'Webhook', webhook: { clientConfig: webhook, conversionReviewVersions: ['v1'] } } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope, names, versions, ...conversion },
  }
}

function versionOf(own: ErasedVersion | KindConfig<AnySchema, AnySchema>, config: KindConfig<AnySchema, AnySchema>): JsonObject {
  const { version, spec, status = config.status ?? noStatus() } = own
  // Settings for fields of the storage version do not apply to a version with other fields.
  const like: Partial<typeof config> = 'up' in own && own.up !== undefined ? {} : config
  const { printerColumns = like.printerColumns ?? [], validations = like.validations, selectableFields = like.selectableFields } = own
  const columns = printerColumns.map(({ type = 'string', ...rest }) => ({ type, ...rest }))
  const age = columns.length === 0 || columns.some((c) => /^age$/i.test(c.name)) ? [] : [AGE]
  const deprecated = 'deprecated' in own ? own.deprecated : undefined
  const openAPIV3Schema: SchemaProps = {
    type: 'object',
    ...(config.description === undefined ? {} : { description: config.description }),
    ...(spec.presence === 'required' ? { required: ['spec'] } : {}),
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: spec.props,
      status: statusOf(status),
    },
    ...(validations === undefined ? {} : { 'x-kubernetes-validations': validations.map((rule) => ({ ...rule })) }),
  }
  const version_ = {
    name: version,
    schema: { openAPIV3Schema },
    subresources: { status: {}, ...(config.scale && { scale: { ...config.scale } }) },
    ...(columns.length === 0 ? {} : { additionalPrinterColumns: [...columns, ...age] }),
    ...(selectableFields && { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) }),
    ...(deprecated ? { deprecated: true } : {}),
    ...(typeof deprecated === 'string' ? { deprecationWarning: deprecated } : {}),
  }
  return asJson(version_)
}

const AGE = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }

function statusOf({ props }: AnySchema): SchemaProps {
  const generation: SchemaProps = { type: 'integer', format: 'int64' }
  return { ...props, properties: { observedGeneration: generation, conditions: t.conditions().props, ...props.properties } }
}

function convertOne(
  config: KindConfig<AnySchema, AnySchema>,
  others: readonly ErasedVersion[],
  object: KubeObject,
  apiVersion: string,
): KubeObject {
  const of = (text: string) => others.find((o) => `${config.group}/${o.version}` === text)
  const [from, to] = [of(object.apiVersion), of(apiVersion)]
  const up = from?.up as Convert | undefined
  const down = to?.down as Convert | undefined
  const hub = up === undefined ? object.spec : up(object.spec, object.metadata)
  return { ...object, apiVersion, spec: down === undefined ? hub : down(hub, object.metadata) }
}

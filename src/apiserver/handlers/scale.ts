import { timestamp } from '../../base/clock.ts'
import type { Later } from '../../base/steps.ts'
import { invalid } from '../../machinery/field-error.ts'
import { applyPatch as applyFields, configurationText } from '../../machinery/managed-fields/apply.ts'
import { managedFieldsFromScale, managedFieldsOfScale, type ReplicasPaths } from '../../machinery/managed-fields/scale.ts'
import { trackUpdate } from '../../machinery/managed-fields/track-update.ts'
import {
  apiVersionOf,
  asJson,
  asKubeObject,
  cloneJson,
  getOwn,
  type JsonObject,
  type KubeObject,
  type ManagedFieldsEntry,
  setOwn,
} from '../../machinery/object.ts'
import { readPath, type Subresource, subresourcesOf } from '../../machinery/resource/definition.ts'
import { fromUnstructured } from '../../machinery/schema/from-unstructured.ts'
import { formatLabelSelector, formatLabels, type LabelSelector } from '../../machinery/selectors/label-selector.ts'
import { badRequest, conflict, internalError, invalidObject, isStatus, notImplemented, StatusError } from '../../machinery/status-error.ts'
import { validateObjectMeta } from '../../machinery/validation/object-meta.ts'
import { builtinFinalizers } from '../store/object-meta.ts'
import { groupResource, type Write } from '../store/write.ts'
import { receive } from './body/receive.ts'
import type { Call, HandlerResult } from './call.ts'
import { type WriteOptions, writeOptions } from './options.ts'
import { type PatchKind, patchKind } from './patch/patch.ts'
import { objectToText, readConfiguration } from './patch/patch-apply.ts'
import { jsonPatch } from './patch/patch-json.ts'
import { mergePatch } from './patch/patch-merge.ts'
import { notePatch, openPatch, type PatchBody, type Patcher, type PatchTarget, patched } from './patch/patch-source.ts'
import { strategicPatch } from './patch/patch-strategic.ts'
import { checkName } from './update.ts'
import { writeOf } from './write-of.ts'

type ScaleResource = Extract<Subresource, { kind: 'scale' }>

const GVK = { group: 'autoscaling', version: 'v1', kind: 'Scale' }

/** GET, PUT and PATCH of `autoscaling/v1 Scale`. */
export async function scale(call: Call, subresource: ScaleResource): Promise<HandlerResult> {
  if (call.request.info.verb === 'get') {
    await call.deps.store.consistent(call.served.definition)
    return {
      kind: 'object',
      code: 200,
      object: shown(scaleOf(call, subresource, call.deps.store.get({ served: call.served, place: call.target }).object)),
    }
  }
  if (call.request.info.verb === 'update') return put(call, subresource)
  if (call.request.info.verb === 'patch') return patchScale(call, subresource)
  throw notImplemented(`${call.request.info.verb} of scale`)
}

async function put(call: Call, subresource: ScaleResource): Promise<HandlerResult> {
  const options = writeOptions('UpdateOptions', call.request.query, undefined)
  // `async`, so that a synchronous throw rejects.
  const read = async () => receive(call, { gvk: GVK, schema: scaleSchema(call), custom: false }, options.fieldValidation)
  const wanted = await read().catch(asScalesOfCustom(call))
  call.request.audit?.object(wanted)
  checkName(call, wanted)
  const { namespace } = wanted.metadata
  if (namespace && namespace !== call.target.namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  return write(call, subresource, writeOf(call, options), { uid: wanted.metadata.uid, wanted: () => wanted })
}

const PATCHERS: Readonly<Record<Exclude<PatchKind, 'apply'>, Patcher>> = { json: jsonPatch, merge: mergePatch, strategic: strategicPatch }

async function patchScale(call: Call, subresource: ScaleResource): Promise<HandlerResult> {
  const kind = patchKind(call)
  const source: PatchBody =
    call.request.body.kind === 'object'
      ? { value: cloneJson(call.request.body.value) as JsonObject }
      : { bytes: await call.request.body.read() }
  notePatch(call, source)
  const options = writeOptions('PatchOptions', call.request.query, kind === 'apply')
  const target = patchedScale(call, options)
  return write(call, subresource, writeOf(call, options), {
    applied: kind === 'apply',
    wanted: async (current) => {
      const wish =
        kind === 'apply'
          ? await applyScale(call, current, source, options)
          : await patched(PATCHERS[kind], target, asJson(current), await openPatch(source))
      checkName(call, wish)
      return wish
    },
  })
}

async function applyScale(call: Call, current: KubeObject, source: PatchBody, options: WriteOptions): Promise<KubeObject> {
  const { configuration, strictError } = await readConfiguration(source)
  const { managedFields = [] } = current.metadata
  if (isCustom(call) && managedFields.length === 0)
    throw notConverted('create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale)')
  const result = applyFields({
    ...scaleContext(call),
    live: current,
    patch: configuration,
    manager: options.fieldManager,
    force: options.force === true,
  })
  if (isCustom(call) && result.changed) throw notConverted(`convert new object (${configurationText(configuration)})`)
  objectToText(call, options, strictError)
  const { object } = fromUnstructured(scaleSchema(call), result.object)
  const metadata = { ...(object.metadata as JsonObject | undefined) }
  delete metadata.managedFields
  return asKubeObject({
    ...object,
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { ...metadata, ...(result.managedFields && { managedFields: result.managedFields }) },
  })
}

/** Kubernetes cannot convert scales of custom resources, which an apply needs as soon as it changes one. */
const notConverted = (what: string) =>
  new StatusError({
    code: 500,
    message: `failed to ${what} to proper version: request to convert CR to an invalid group/version: autoscaling/v1`,
  })

/** Kubernetes' message for any undecodable scale of a custom resource: its codec does not know scales. */
const asScalesOfCustom = (call: Call) => (error: unknown) => {
  if (!isCustom(call) || !isStatus(error, 'BadRequest')) throw error
  throw badRequest('no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"')
}

const scaleContext = (call: Call) => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  schema: scaleSchema(call),
  subresource: 'scale',
  now: timestamp(call.deps.clock.now()),
})

/** The patch target: the Scale. */
const patchedScale = (call: Call, { fieldValidation }: WriteOptions): PatchTarget => ({
  deps: call.deps,
  gvk: GVK,
  schema: scaleSchema(call),
  fieldValidation,
  warn: (text) => call.request.warn(text),
})

interface ScaleChange {
  readonly uid?: string | undefined
  /** The managed fields of the scale are final (an apply made them). */
  readonly applied?: boolean
  wanted(current: KubeObject): Later<KubeObject>
}

/** Writes the wanted replicas to the resource. */
async function write(call: Call, subresource: ScaleResource, how: Write, { uid, applied, wanted }: ScaleChange): Promise<HandlerResult> {
  const outcome = await call.deps.store.update(how, {
    tracked: true,
    uid,
    async draft(old) {
      const parent = old as KubeObject
      const current = scaleOf(call, subresource, parent, { absent: NO_REPLICAS })
      const wish = await wanted(current)
      const replicas = Number(readPath(wish, ['spec', 'replicas']) ?? 0)
      if (replicas === NO_REPLICAS && isCustom(call))
        throw badRequest(`the spec replicas field ".${subresource.specReplicas.join('.')}" cannot be empty`)
      checkScale(call, wish, { replicas, parent })
      const draft = scaled(call, subresource, {
        parent,
        current,
        replicas,
        manager: how.manager ?? '',
        managed: applied === true ? (wish.metadata.managedFields ?? []) : undefined,
      })
      // An update of the parent checks the revision.
      const revision = wish.metadata.resourceVersion
      if (revision) draft.metadata.resourceVersion = revision
      return draft
    },
  })
  const parent = outcome.kind === 'item' ? outcome.item.object : outcome.object
  return { kind: 'object', code: 200, object: shown(scaleOf(call, subresource, parent)) }
}

/** Throws 422 for a wrong scale, 409 for that of another object. Custom resources validate the whole object, with their own messages. */
function checkScale(call: Call, wish: KubeObject, { replicas, parent }: { readonly replicas: number; readonly parent: KubeObject }): void {
  const { definition } = call.served
  const { name, namespace } = call.target
  if (isCustom(call)) return
  // Managed fields that cannot be read are given up, not refused.
  const { managedFields: _, ...given } = wish.metadata
  const metadata = { ...given, namespace: given.namespace || namespace }
  const faults = [
    ...validateObjectMeta(metadata, { namespaced: true }),
    ...builtinFinalizers(definition, wish),
    ...(replicas < 0 ? [invalid('spec.replicas', replicas, 'must be greater than or equal to 0')] : []),
  ]
  if (faults.length > 0) throw invalidObject({ group: GVK.group, kind: GVK.kind }, name, faults)
  if (given.uid && given.uid !== parent.metadata.uid) {
    const { group, resource } = groupResource(call)
    const why = `Precondition failed: UID in precondition: ${given.uid}, UID in object meta: ${parent.metadata.uid}`
    throw conflict({ group, resource: `${resource}/scale` }, name, why)
  }
}

interface Scaling {
  readonly parent: KubeObject
  readonly current: KubeObject
  readonly replicas: number
  readonly manager: string
  /** The managed fields of the scale, if an apply made them. */
  readonly managed: ManagedFieldsEntry[] | undefined
}

function scaled(call: Call, subresource: ScaleResource, { parent, current, replicas, manager, managed }: Scaling): KubeObject {
  const draft = cloneJson(parent)
  writePath(draft, subresource.specReplicas, replicas)
  const updated = { ...current, spec: replicas === 0 ? {} : { replicas } }
  const tracked = managed ?? trackUpdate({ ...scaleContext(call), live: current, updated, manager })
  const managedFields = managedFieldsFromScale({
    parent: parent.metadata.managedFields,
    scale: tracked,
    apiVersion: parent.apiVersion,
    paths: replicasPaths(call),
  })
  if (managedFields === undefined) delete draft.metadata.managedFields
  else draft.metadata.managedFields = managedFields
  return draft
}

/** Kubernetes shows no managed fields of scales. */
function shown(scale: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = scale.metadata
  return { ...scale, metadata }
}

/** Kubernetes' mark of a custom object without replicas, which a write must set. */
const NO_REPLICAS = -(2 ** 31)

const isCustom = (call: Call) => call.served.definition.customDefinition !== undefined

/** `absent`: the replicas of a custom object that has none; without it such an object has no scale. */
function scaleOf(call: Call, subresource: ScaleResource, parent: KubeObject, how: { readonly absent?: number } = {}): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = parent.metadata
  const given = readPath(parent, subresource.specReplicas)
  if (given === undefined && how.absent === undefined && isCustom(call))
    throw internalError(new Error(`the spec replicas field ".${subresource.specReplicas.join('.')}" does not exist`))
  const replicas = Number(given ?? (isCustom(call) ? how.absent : undefined) ?? 0)
  const selector = subresource.selector === undefined ? undefined : selectorText(readPath(parent, subresource.selector))
  const managedFields = managedFieldsOfScale(parent.metadata.managedFields, replicasPaths(call))
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
      ...(managedFields !== undefined && { managedFields }),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: Number(readPath(parent, subresource.statusReplicas) ?? 0), ...(selector && { selector }) },
  }
}

function selectorText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || typeof value !== 'object') return ''
  const plain = !('matchLabels' in value) && !('matchExpressions' in value)
  return plain ? formatLabels(value as Record<string, string>) : formatLabelSelector(value as LabelSelector)
}

/** Versions of a custom resource may keep their replicas in different fields, or have no scale. */
function replicasPaths(call: Call): ReplicasPaths {
  const { definition } = call.served
  return new Map(
    definition.versions.map((version) => {
      const scale = Object.values(subresourcesOf(definition, version)).find((s) => s.kind === 'scale')
      return [apiVersionOf({ group: definition.group, version: version.version }), scale?.specReplicas]
    }),
  )
}

const scaleSchema = (call: Call) => call.deps.kinds.schema(GVK.group, GVK.version, GVK.kind)

function writePath(object: KubeObject, path: readonly string[], value: number): void {
  let at: object = object
  for (const name of path.slice(0, -1)) {
    const next = getOwn(at, name)
    const inner = typeof next === 'object' && next !== null ? next : {}
    if (inner !== next) setOwn(at, name, inner)
    at = inner
  }
  setOwn(at, path.at(-1) ?? '', value)
}

import type { AdmissionRequest } from '../../apiserver/admission/plugin.ts'
import type { ResourceRegistry } from '../../apiserver/cache/resource-registry.ts'
import { convert } from '../../apiserver/store/conversion.ts'
import { inTurns, Pace } from '../../base/steps.ts'
import { clonedInSteps } from '../../machinery/cloned-in-steps.ts'
import { asJson, asKubeObject, isObject, type Json, type KubeObject } from '../../machinery/object.ts'
import { applyDefaults } from '../../machinery/resource/apply-defaults.ts'
import type { ResourceVersion } from '../../machinery/resource/definition.ts'
import { type Decoded, decodeObjectInSteps } from '../../machinery/schema/decode.ts'
import { readableMeta } from '../../machinery/structural/embedded-meta.ts'
import { topLevelFields } from '../../machinery/structural/prune.ts'
import { builtinSchema } from '../../resources/schema.ts'
import { objectVersion } from './webhook/admission-review.ts'

/** Converts objects of the resource's own kind to another version; inputs of actions and scales are unchanged. */
export async function inVersion(
  definitions: Pick<ResourceRegistry, 'get'>,
  request: AdmissionRequest,
  object: KubeObject | undefined,
  version: string,
): Promise<KubeObject | undefined> {
  const { group, resource } = request.resource
  const definition = definitions.get(group, resource)
  if (object === undefined || definition === undefined || object.kind !== definition.names.kind) return object
  return convert(definition, object, objectVersion(group, version))
}

/**
 * Replaces the request's object by a patched one, decoded by the schema of the version that was patched (`seen`), with its defaults.
 * `ofPolicy`: unknown fields are refused in a built-in kind, and count as a change of a custom object. @throws {DecodeError}
 */
export async function replaceObject(
  definitions: Pick<ResourceRegistry, 'get'>,
  request: AdmissionRequest,
  seen: KubeObject,
  patched: Json,
  { version, ofPolicy = false }: { readonly version: string; readonly ofPolicy?: boolean },
): Promise<void> {
  if (request.object === undefined) return
  const { group, resource } = request.resource
  const definition = definitions.get(group, resource)
  const served = definition?.versions.find((v) => v.version === version)
  const isWhole = request.subresource === '' || seen.kind === definition?.names.kind
  const read = served === undefined || !isWhole ? undefined : await readAs(served, patched, ofPolicy)
  const decoded = asKubeObject(read?.object ?? patched)
  const typed = { ...decoded, apiVersion: isWhole ? objectVersion(group, version) : seen.apiVersion, kind: seen.kind }
  const back = definition === undefined ? decoded : await convert(definition, typed, request.object.apiVersion)
  const result = asKubeObject(await inTurns(clonedInSteps(asJson(back), new Pace())))
  if (isWhole && definition !== undefined) await applyDefaults(definition.rules, result)
  request.object = result
  if (ofPolicy) request.prunedFields = new Set([...(request.prunedFields ?? []), ...topLevelFields(read?.pruned ?? [])])
}

/**
 * Decodes a body of that version: custom resources have a decoder of their own, which keeps fields that their schema leaves open. What a
 * policy makes of a custom object is not decoded in Kubernetes, as little as what an apply makes of it.
 */
async function readAs({ decode, schema }: ResourceVersion, patched: Json, ofPolicy: boolean): Promise<Decoded> {
  if (decode !== undefined) return decode(readable(patched, ofPolicy), ofPolicy ? { appliedAs: 'stored' } : {})
  return inTurns(decodeObjectInSteps(schema(), patched, { fieldValidation: ofPolicy ? 'Strict' : 'Ignore' }))
}

/**
 * Metadata of custom objects is read field by field: what a patch made ill-typed is absent. A policy may leave out the metadata, which is
 * empty then. @throws {Error} in Kubernetes' words if it made something else of it
 */
function readable(patched: Json, ofPolicy: boolean): Json {
  if (!isObject(patched)) return patched
  const { metadata = {} } = patched
  if (isObject(metadata)) return { ...patched, metadata: readableMeta(metadata, objectMeta()) }
  if (ofPolicy) throw new Error('system metadata was not initialized')
  return patched
}

const objectMeta = builtinSchema('meta.k8s.io', 'v1', 'ObjectMeta')

import { inTurns, promptly, soonOrInTurns } from '../../../base/steps.ts'
import { giveTurn } from '../../../base/turns.ts'
import { goJsonWord } from '../../../machinery/go/go-json-word.ts'
import { applySteps, configurationText } from '../../../machinery/managed-fields/apply.ts'
import { apiVersionOf, asJson, asKubeObject, isObject, type JsonObject, type KubeObject } from '../../../machinery/object.ts'
import { applyDefaults } from '../../../machinery/resource/apply-defaults.ts'
import { DecodeError } from '../../../machinery/schema/decode.ts'
import { fromUnstructuredInSteps } from '../../../machinery/schema/from-unstructured.ts'
import { alsoEmpty } from '../../../machinery/schema/given-empty.ts'
import { badRequest, conflict, StatusError } from '../../../machinery/status-error.ts'
import { topLevelFields } from '../../../machinery/structural/prune.ts'
import { isHeavy } from '../../../machinery/weight.ts'
import { YamlError } from '../../../machinery/yaml/yaml.ts'
import { convert, workingApiVersion } from '../../store/conversion.ts'
import { effectiveRules } from '../../store/effective-rules.ts'
import { fillNamespace } from '../../store/object-meta.ts'
import { trackingContext } from '../../store/stages/record.ts'
import { groupResource, requestVersion, type Write } from '../../store/write.ts'
import { readYaml, yamlWarnings } from '../body/body-text.ts'
import type { Call, HandlerResult } from '../call.ts'
import type { WriteOptions } from '../options.ts'
import { checkName, createsByUpdate, mayCreate } from '../update.ts'
import { answerOf, writeOf } from '../write-of.ts'
import type { PatchBody } from './patch-source.ts'

/** Server-side apply: creates a missing object, else merges by field ownership. */
export async function applyPatch(call: Call, source: PatchBody, options: WriteOptions): Promise<HandlerResult> {
  const { definition, version } = call.served
  const working = workingApiVersion(call.deps.definitions, definition, version.version)
  const write = writeOf(call, options)
  const outcome = await call.deps.store.update(write, {
    create: call.subresource === undefined || createsByUpdate(call) ? () => mayCreate(call) : undefined,
    tracked: true,
    async draft(old) {
      const live = old && (await convert(definition, old, requestVersion(call)))
      const { configuration, strictError } = await readConfiguration(source)
      const object = await applied(call, write, live, { configuration, force: options.force === true })
      objectToText(call, options, strictError)
      if (live === undefined && object.metadata.uid) throw unexpectedUid(call, object.metadata.uid)
      fillNamespace(object, definition.scope === 'Namespaced', call.target.namespace)
      checkName(call, object)
      const draft = await convert(definition, object, working)
      const filling = applyDefaults(effectiveRules(call), draft)
      if (filling !== undefined) await filling
      return draft
    },
  })
  return answerOf(outcome)
}

interface AppliedConfiguration {
  readonly configuration: JsonObject
  readonly force: boolean
}

async function applied(
  call: Call,
  write: Write,
  live: KubeObject | undefined,
  { configuration, force }: AppliedConfiguration,
): Promise<KubeObject> {
  const { definition, version } = call.served
  const heavy = isHeavy(configuration) || isHeavy(live)
  const steps = applySteps({
    ...trackingContext(call.deps, write),
    live,
    patch: configuration,
    manager: write.manager ?? '',
    force,
  })
  const result = heavy ? await inTurns(steps) : await promptly(steps)
  if (heavy) await giveTurn()
  const appliedAs = version.version === definition.storageVersion ? 'stored' : 'converted'
  try {
    const { object, pruned } =
      version.decode?.(withoutServerMeta(asJson(result.object)), { appliedAs }) ??
      (await soonOrInTurns(fromUnstructuredInSteps(version.schema(), result.object)))
    write.prunedFields = topLevelFields(pruned ?? [])
    const { metadata, ...rest } = object
    const { managedFields: _, ...meta } = (metadata ?? {}) as JsonObject
    const managed = result.managedFields === undefined ? {} : { managedFields: result.managedFields }
    const apiVersion = apiVersionOf({ group: definition.group, version: version.version })
    return asKubeObject(alsoEmpty({ ...rest, apiVersion, kind: definition.names.kind, metadata: { ...meta, ...managed } }, object))
  } catch (error) {
    if (error instanceof DecodeError) {
      if (version.decode !== undefined) throw new StatusError({ code: 500, message: error.message })
      const what = configurationText(configuration)
      const why = `unable to convert unstructured object to ${what.slice(what.indexOf('; ') + 2)}: ${error.message}`
      throw new StatusError({ code: 500, message: `failed to convert new object (${what}) to proper version: ${why}` })
    }
    throw error
  }
}

/** The server sets these fields of a custom object, whatever an apply has there. */
function withoutServerMeta(object: JsonObject): JsonObject {
  if (!isObject(object.metadata)) return object
  const { creationTimestamp: _c, generation: _g, ...metadata } = object.metadata
  return { ...object, metadata }
}

export interface ReadConfiguration {
  readonly configuration: JsonObject
  /** The error of strict decoding; Kubernetes reports it after the configuration is applied. */
  readonly strictError: string
}

/** Parses the text of an apply configuration: YAML, which includes JSON. */
export async function readConfiguration(source: PatchBody): Promise<ReadConfiguration> {
  if ('value' in source) return { configuration: source.value as JsonObject, strictError: '' }
  try {
    const { value, strictError } = await readYaml(source.bytes, false)
    if (value !== null && (typeof value !== 'object' || Array.isArray(value))) {
      throw badRequest(
        `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goJsonWord(value)} into Go value of type map[string]interface {}`,
      )
    }
    return { configuration: value ?? {}, strictError }
  } catch (error) {
    if (error instanceof YamlError) throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`)
    throw error
  }
}

/** Warns of duplicate keys in the text, or rejects it. */
export function objectToText(call: Call, { fieldValidation }: WriteOptions, strictError: string): void {
  if (strictError === '' || fieldValidation === 'Ignore') return
  if (fieldValidation === 'Strict') throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${strictError}`)
  for (const text of yamlWarnings(strictError)) call.request.warn(text)
}

const unexpectedUid = (call: Call, uid: string) =>
  conflict(
    groupResource(call),
    call.target.name,
    `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
  )

import { cloneJson, type Json, type KubeObject } from '../../../machinery/object.ts'
import { applyDefaults } from '../../../machinery/resource/apply-defaults.ts'
import { StatusError } from '../../../machinery/status-error.ts'
import { convert, workingApiVersion } from '../../store/conversion.ts'
import { effectiveRules, statusFields } from '../../store/effective-rules.ts'
import { fillNamespace } from '../../store/object-meta.ts'
import { requestVersion } from '../../store/write.ts'
import { bareMediaType } from '../body/media-type.ts'
import type { Call, HandlerResult } from '../call.ts'
import { type WriteOptions, writeOptions } from '../options.ts'
import { checkName } from '../update.ts'
import { answerOf, writeOf } from '../write-of.ts'
import { patchBesideManagers } from './beside-managers.ts'
import { applyPatch } from './patch-apply.ts'
import { jsonPatch } from './patch-json.ts'
import { mergePatch } from './patch-merge.ts'
import { notePatch, openPatch, type PatchBody, type Patcher, type PatchSource, type PatchTarget } from './patch-source.ts'
import { strategicPatch } from './patch-strategic.ts'

export type PatchKind = 'json' | 'merge' | 'strategic' | 'apply'

const TYPES: Readonly<Record<string, PatchKind>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
}

const PATCHERS: Readonly<Record<Exclude<PatchKind, 'apply'>, Patcher>> = { json: jsonPatch, merge: mergePatch, strategic: strategicPatch }

/** PATCH of an object or of a subresource. */
export async function patch(call: Call): Promise<HandlerResult> {
  const kind = patchKind(call)
  const source: PatchBody =
    call.request.body.kind === 'object' ? { value: ownValue(call.request.body.value, kind) } : { bytes: await call.request.body.read() }
  const options = writeOptions('PatchOptions', call.request.query, kind === 'apply')
  notePatch(call, source)
  if (kind === 'apply') return applyPatch(call, source, options)
  const { definition, version } = call.served
  let opened: Promise<PatchSource> | undefined
  const working = workingApiVersion(call.deps.definitions, definition, version.version)
  const target = patchTarget(call, options)
  const outcome = await call.deps.store.update(writeOf(call, options), {
    async draft(old) {
      const before = await convert(definition, old as KubeObject, requestVersion(call))
      opened ??= openPatch(source)
      const object = await patchBesideManagers({ patcher: PATCHERS[kind], target, source: await opened }, before, kind === 'json')
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

function patchTarget(call: Call, { fieldValidation }: WriteOptions): PatchTarget {
  const { definition, version } = call.served
  return {
    deps: call.deps,
    gvk: { group: definition.group, version: version.version, kind: definition.names.kind },
    schema: version.schema(),
    decode: version.decode,
    fieldValidation,
    writes: writtenFields(call),
    warn: (text) => call.request.warn(text),
  }
}

/** The fields of a status subresource whose defaults depend on no other field; undefined for others. */
function writtenFields(call: Call): readonly string[] | undefined {
  const { subresource } = call
  if (subresource?.kind !== 'status') return undefined
  const apart = subresource.rules?.defaults !== undefined || call.served.definition.rules.defaults === undefined
  return apart ? statusFields(call) : undefined
}

/**
 * A merge patch only reads its input, and decoding copies the result; a strategic merge makes its own copy. The other kinds may retain
 * parts of the input.
 */
const ownValue = (value: unknown, kind: PatchKind) => (kind === 'merge' || kind === 'strategic' ? value : cloneJson(value)) as Json

/** The kind of patch that the content type names; throws 415 for others. */
export function patchKind(call: Call): PatchKind {
  const custom = call.served.definition.customDefinition !== undefined
  const kind =
    call.request.body.kind === 'object'
      ? (call.request.body.patchType as PatchKind | undefined)
      : TYPES[bareMediaType(call.request.body.contentType ?? '') ?? '']
  if (custom && (kind === undefined || kind === 'strategic')) {
    const accepted = Object.keys(TYPES).filter((t) => TYPES[t] !== 'strategic')
    const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`
    throw new StatusError({ code: 415, reason: 'UnsupportedMediaType', message })
  }
  if (kind === undefined) {
    throw new StatusError({ code: 415, reason: 'UnsupportedMediaType', message: '415: Unsupported Media Type', details: {} })
  }
  return kind
}

import { applyJsonPatch, decodeJsonPatch } from '../../machinery/json-patch.ts'
import { applyMergePatch } from '../../machinery/merge-patch.ts'
import { cloneJson, type Json, type KubeObject } from '../../machinery/object.ts'
import { notImplemented, StatusError } from '../../machinery/status-error.ts'
import { parseBody } from './body-text.ts'
import type { Answer, Call } from './call.ts'
import { convert, workingApiVersion } from './conversion.ts'
import { effectiveRules } from './effective-rules.ts'
import { bareMediaType } from './media-type.ts'
import { writeOptions } from './options.ts'
import { typed } from './receive.ts'
import { change, checkName } from './update.ts'

type Kind = 'json' | 'merge' | 'strategic' | 'apply'

const TYPES: Readonly<Record<string, Kind>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
}

/** PATCH of an object or its status. */
export async function patch(call: Call): Promise<Answer> {
  const { definition, version } = call.served
  const kind = kindOf(call)
  const options = writeOptions('PatchOptions', call.query, kind === 'apply')
  const gvk = { group: definition.group, version: version.version, kind: definition.names.kind }
  if (kind === 'apply' || kind === 'strategic') throw notImplemented(`${kind} patches`)
  const sent = call.body.kind === 'object' ? undefined : await call.body.read()
  const working = workingApiVersion(call.deps.definitions, definition, version.version)
  return change(call, options, {
    mayCreate: false,
    async draft(old) {
      const before = (await convert(
        definition,
        old as KubeObject,
        `${gvk.group === '' ? '' : `${gvk.group}/`}${gvk.version}`,
      )) as unknown as Json
      const document = await readPatch(call, sent)
      const after = kind === 'json' ? applyJsonPatch(before, decodeJsonPatch(document)) : applyMergePatch(before, document)
      const expected = { gvk, schema: version.schema(), custom: definition.customDefinition !== undefined }
      const object = typed(call, expected, cloneJson(after), { validation: options.fieldValidation })
      checkName(call, object)
      const draft = await convert(definition, object, working)
      effectiveRules(call).defaults?.(draft)
      return draft
    },
  })
}

async function readPatch(call: Call, bytes: Buffer | undefined): Promise<Json> {
  if (bytes === undefined) return call.body.kind === 'object' ? (call.body.value as Json) : null
  return (await parseBody(bytes, 'json', { gvk: { group: '', version: '', kind: 'Patch' } })).json
}

function kindOf(call: Call): Kind {
  if (call.body.kind === 'object') return (call.body.patchType ?? 'merge') as Kind
  const type = bareMediaType(call.body.contentType ?? '')
  const kind = type !== undefined && Object.hasOwn(TYPES, type) ? TYPES[type] : undefined
  const custom = call.served.definition.customDefinition !== undefined
  if (kind === undefined || (custom && kind === 'strategic')) throw unsupported()
  return kind
}

const unsupported = () =>
  new StatusError({ code: 415, reason: 'UnsupportedMediaType', message: '415: Unsupported Media Type', details: {} })

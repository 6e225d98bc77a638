import { timestamp } from '../../base/clock.ts'
import type { OtherVersion, WriteContext } from '../../machinery/managed-fields/context.ts'
import { trackUpdate } from '../../machinery/managed-fields/track-update.ts'
import { apiVersionOf, type KubeObject, parseApiVersion } from '../../machinery/object.ts'
import { type Call, requestVersion } from './call.ts'
import { convert } from './conversion.ts'
import { effectiveRules, statusFields } from './effective-rules.ts'
import type { WriteOptions } from './request/options.ts'

/** Notes in `metadata.managedFields` who set what. `live` is what is stored, undefined for a create. The draft is in the working version. */
export async function recordWrite(call: Call, draft: KubeObject, live: KubeObject | undefined, options: WriteOptions): Promise<void> {
  const { definition } = call.served
  const wanted = requestVersion(call)
  const managedFields = trackUpdate({
    ...writeContext(call),
    live: live && (await convert(definition, live, wanted)),
    updated: await convert(definition, draft, wanted),
    manager: managerOf(call, options),
  })
  if (managedFields === undefined || managedFields.length === 0) delete draft.metadata.managedFields
  else draft.metadata.managedFields = managedFields
}

/** The write as the machinery of managed fields wants to know it. */
export function writeContext(call: Call): WriteContext {
  const { definition, version } = call.served
  return {
    apiVersion: requestVersion(call),
    kind: definition.names.kind,
    schema: version.schema(),
    subresource: call.target.subresource,
    resetFields: resetFields(call),
    now: timestamp(call.deps.clock.now()),
    otherVersion: (apiVersion) => otherVersion(call, apiVersion),
  }
}

/** Who writes: the field manager that the client names, or else the program's name in the user agent. */
export function managerOf(call: Call, options: WriteOptions): string {
  if (options.fieldManager !== '') return options.fieldManager
  const program = call.userAgent.split('/')[0] ?? ''
  const printable = [...program].filter((c) => !/\p{C}/u.test(c)).join('')
  return Buffer.byteLength(printable) <= 128
    ? printable
    : Buffer.from(printable)
        .subarray(0, 128)
        .toString()
        .replace(/\ufffd+$/, '')
}

const DEFAULT_RESETS = new WeakMap<object, Record<string, readonly (readonly string[])[]>>()

/** The fields that this path cannot write, and so nobody owns by it. */
function resetFields(call: Call): readonly (readonly string[])[] | undefined {
  const { definition } = call.served
  const given = effectiveRules(call).resetFields?.[call.target.subresource]
  if (given !== undefined) return given
  let defaults = DEFAULT_RESETS.get(definition)
  if (defaults === undefined) {
    defaults = { '': statusFields(call).map((f) => [f]), status: [['spec']] }
    DEFAULT_RESETS.set(definition, defaults)
  }
  return defaults[call.target.subresource]
}

function otherVersion(call: Call, apiVersion: string): OtherVersion | undefined {
  const { definition } = call.served
  const version = definition.versions.find((v) => apiVersionOf({ group: definition.group, version: v.version }) === apiVersion)
  if (version === undefined || parseApiVersion(apiVersion) === undefined) return undefined
  const to = (target: string) => (object: KubeObject) => {
    const converted = convert(definition, object, target)
    return converted instanceof Promise ? object : converted
  }
  return { schema: version.schema(), convert: to(apiVersion), convertBack: to(requestVersion(call)) }
}

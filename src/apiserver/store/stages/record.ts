import { timestamp } from '../../../base/clock.ts'
import { arrival, type Steps } from '../../../base/steps.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import type { OtherVersion, WriteContext } from '../../../machinery/managed-fields/context.ts'
import { trackUpdateSteps } from '../../../machinery/managed-fields/track-update.ts'
import { apiVersionOf, type KubeObject, parseApiVersion } from '../../../machinery/object.ts'
import { asGiven } from '../../../machinery/schema/given-empty.ts'
import { StatusError } from '../../../machinery/status-error.ts'
import { convert } from '../conversion.ts'
import { effectiveRules, statusFields } from '../effective-rules.ts'
import { dedupOwners } from '../object-meta.ts'
import { withPartsOf } from '../shared-parts.ts'
import { requestVersion, type StoreDeps, type Write } from '../write.ts'
import type { Work } from './work.ts'

/** What is recorded of a write. */
type Recorded = Pick<Work, 'write' | 'draft' | 'old' | 'tracked'> & { readonly deps: Pick<StoreDeps, 'clock'> }

/** Records in `metadata.managedFields` which fields the manager of this write has set. */
export function* record({ deps, write, draft, old, tracked }: Recorded): Steps<void> {
  const { manager } = write
  // What patches make is admitted before anyone looks for duplicates.
  if (write.options.kind !== 'PatchOptions') dedupOwners(write, draft, false)
  if (manager === undefined || tracked) return
  const { definition } = write.served
  const wanted = requestVersion(write)
  const live = old && (yield* arrival(convert(definition, old, wanted)))
  const converted = yield* arrival(convert(definition, draft, wanted))
  // The decoder of custom objects drops empty lists before anything could see them.
  const updated = definition.customDefinition === undefined ? asGiven(converted, draft.metadata) : converted
  const managedFields = yield* trackUpdateSteps({
    ...trackingContext(deps, write),
    live,
    // Unchanged parts are found once and not compared again.
    updated: live === undefined ? updated : withPartsOf(updated, live).object,
    manager,
  })
  if (managedFields === undefined || managedFields.length === 0) delete draft.metadata.managedFields
  else draft.metadata.managedFields = managedFields
}

/** The write as the managed fields code needs it. */
export function trackingContext(deps: Pick<StoreDeps, 'clock'>, write: Tracked): WriteContext {
  const { definition, version } = write.served
  return {
    apiVersion: requestVersion(write),
    kind: definition.names.kind,
    schema: version.schema(),
    subresource: write.place.subresource,
    resetFields: resetFields(write),
    now: timestamp(deps.clock.now()),
    otherVersion: (apiVersion) => otherVersion(write, apiVersion),
  }
}

/** The parts of a write that determine the ownership of fields. */
export type Tracked = Pick<Write, 'served' | 'subresource' | 'place'>

const DEFAULT_RESETS = new WeakMap<object, Record<string, readonly (readonly string[])[]>>()

/** The fields that this path cannot write: managers do not get ownership of them. */
function resetFields(write: Tracked): readonly (readonly string[])[] | undefined {
  const { definition } = write.served
  const given = effectiveRules(write).resetFields?.[write.place.subresource]
  if (given !== undefined) return given
  let defaults = DEFAULT_RESETS.get(definition)
  if (defaults === undefined) {
    defaults = { '': statusFields(write).map((f) => [f]), status: [['spec']] }
    DEFAULT_RESETS.set(definition, defaults)
  }
  return defaults[write.place.subresource]
}

/** Why a custom object cannot be converted to a version that it does not have. */
function inconvertible(write: Tracked, apiVersion: string): string {
  const { group, names } = write.served.definition
  return parseApiVersion(apiVersion)?.group === group
    ? `request to convert CR to an invalid group/version: ${apiVersion}`
    : `${requestVersion(write)}, Kind=${names.kind} is unstructured and is not suitable for converting to ${goQuote(apiVersion)}`
}

function otherVersion(write: Tracked, apiVersion: string): OtherVersion | undefined {
  const { definition } = write.served
  const version = definition.versions.find((v) => apiVersionOf({ group: definition.group, version: v.version }) === apiVersion)
  // Its entries cannot be read: an apply fails until they are renewed, and other writes remove them all.
  if (version === undefined && definition.customDefinition !== undefined)
    throw new StatusError({ code: 500, message: inconvertible(write, apiVersion) })
  if (version === undefined || parseApiVersion(apiVersion) === undefined) return undefined
  const converter = definition.convertUnpruned === undefined ? definition : { convert: definition.convertUnpruned }
  const to = (target: string) => (object: KubeObject) => convert(converter, object, target)
  return {
    schema: version.schema(),
    convert: to(apiVersion),
    convertBack: to(requestVersion(write)),
    hasGoTypes: definition.customDefinition === undefined,
  }
}

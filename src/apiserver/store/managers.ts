import { timestamp } from '../../base/clock.ts'
import { inTurns, promptly } from '../../base/steps.ts'
import type { OtherVersion, WriteContext } from '../../machinery/managed-fields/context.ts'
import { trackUpdateSteps } from '../../machinery/managed-fields/track-update.ts'
import { apiVersionOf, type KubeObject, type ManagedFieldsEntry, parseApiVersion } from '../../machinery/object.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { convert } from './conversion.ts'
import { effectiveRules, statusFields } from './effective-rules.ts'
import { withPartsOf } from './shared-parts.ts'
import { requestVersion, type StoreDeps, type Write } from './write.ts'

interface Written {
  /** In the working version. */
  readonly draft: KubeObject
  /** What is stored; undefined for a create. */
  readonly live: KubeObject | undefined
  /** Others are to have turns while this is worked on. */
  readonly heavy: boolean
}

/** Notes in `metadata.managedFields` who set what. */
export function recordWrite(deps: StoreDeps, write: Write, written: Written): void | Promise<void> {
  const { manager } = write
  if (manager === undefined) return
  const { definition } = write.served
  const wanted = requestVersion(write)
  const before = written.live && convert(definition, written.live, wanted)
  const after = convert(definition, written.draft, wanted)
  const record = (live: KubeObject | undefined, updated: KubeObject) => recordAs(deps, write, written, { live, updated, manager })
  // As nearly always: nothing has to be waited for.
  if (!(before instanceof Promise || after instanceof Promise)) return record(before, after)
  return Promise.all([before, after]).then(([live, updated]) => record(live, updated))
}

/** `states`: what is written and what stands, in the version of the request. */
function recordAs(
  deps: StoreDeps,
  write: Tracked,
  { draft, heavy }: Written,
  { live, updated, manager }: { readonly live: KubeObject | undefined; readonly updated: KubeObject; readonly manager: string },
): void | Promise<void> {
  const steps = trackUpdateSteps({
    ...trackingContext(deps, write),
    live,
    // What did not change is found once, and not looked into again.
    updated: live === undefined ? updated : withPartsOf(updated, live).object,
    manager,
  })
  const note = (managedFields: ManagedFieldsEntry[] | undefined) => {
    if (managedFields === undefined || managedFields.length === 0) delete draft.metadata.managedFields
    else draft.metadata.managedFields = managedFields
  }
  const managedFields = heavy ? inTurns(steps) : promptly(steps)
  return managedFields instanceof Promise ? managedFields.then(note) : note(managedFields)
}

/** The write as the machinery of managed fields wants to know it. */
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

/** What of a write decides how its fields are owned. */
export type Tracked = Pick<Write, 'served' | 'subresource' | 'place'>

const DEFAULT_RESETS = new WeakMap<object, Record<string, readonly (readonly string[])[]>>()

/** The fields that this path cannot write, and so nobody owns by it. */
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

function otherVersion(write: Tracked, apiVersion: string): OtherVersion | undefined {
  const { definition } = write.served
  const version = definition.versions.find((v) => apiVersionOf({ group: definition.group, version: v.version }) === apiVersion)
  // Who owns the fields of its entries cannot be told: an apply fails until they are renewed, other writes take them all away.
  if (version === undefined && definition.customDefinition !== undefined)
    throw new StatusError({ code: 500, message: `request to convert CR to an invalid group/version: ${apiVersion}` })
  if (version === undefined || parseApiVersion(apiVersion) === undefined) return undefined
  const to = (target: string) => (object: KubeObject) => convert(definition, object, target)
  return { schema: version.schema(), convert: to(apiVersion), convertBack: to(requestVersion(write)) }
}

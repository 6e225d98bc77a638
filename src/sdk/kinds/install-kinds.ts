import { type Clock, systemClock } from '../../base/clock.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../resources/refs.ts'
import type { Client } from '../client/client.ts'
import { createBackOff } from '../controller/back-off.ts'
import { isSettled } from './applied-fields.ts'
import type { ConversionWebhook } from './define-kind.ts'
import type { Kind } from './kind.ts'

/** How definitions are put into a cluster. */
export interface InstallOptions {
  /** Where the conversion webhook of kinds with several versions is. */
  readonly conversion?: ConversionWebhook
  /** Default: the machine's. */
  readonly clock?: Clock
  /** Default 30,000 ms. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** The field manager of the definition. Default `bowsprit-install`. */
  readonly fieldManager?: string
}

/** What can be installed: what `defineKind` gives. */
export interface Installable extends Kind {
  definition(options?: { readonly conversion?: ConversionWebhook }): KubeObject
}

const LOOK_MS = 50

/**
 * Applies the CustomResourceDefinitions of kinds, and waits until the API server serves them. Doing it again changes nothing.
 *
 * ```ts
 * await installKinds(client, [Gadget])
 * ```
 * @throws {StatusError} when the API server refuses a definition
 * @throws {Error} when a kind is not served in time; its message has the conditions of its definition
 */
export async function installKinds(client: Client, kinds: readonly Installable[], options: InstallOptions = {}): Promise<void> {
  for (const kind of kinds) await retried(options, () => apply(client, kind, options))
  for (const kind of kinds) await served(client, kind, options)
}

/** An unchanged definition is not sent: a start of a program is no reason to write. */
async function apply(
  client: Client,
  kind: Installable,
  { conversion, fieldManager = 'bowsprit-install', signal }: InstallOptions,
): Promise<void> {
  const definition = kind.definition(conversion === undefined ? {} : { conversion })
  const target = { ...CUSTOM_RESOURCE_DEFINITIONS, name: definition.metadata.name ?? '' }
  const given = signal === undefined ? {} : { signal }
  // A user who may apply the definition may lack the right to read it.
  const live = await client.get(target, given).catch(ignoring('NotFound', 'Forbidden'))
  if (live !== undefined && isSettled(live, definition, fieldManager)) return
  await client.patch(target, 'apply', definition, { fieldManager, force: true, ...given })
}

/** Conflicts, and servers that are away or fail, pass. */
async function retried(options: InstallOptions, work: () => Promise<void>): Promise<void> {
  const { clock = systemClock, timeoutMs = 30_000, signal } = options
  const endMs = clock.monotonic() + timeoutMs
  const backOff = createBackOff({ firstMs: 100, maxMs: 5000 })
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const passes = error instanceof StatusError && (error.code === 409 || error.code === 429 || error.code >= 500)
      if (!passes || clock.monotonic() >= endMs) throw error
      await clock.sleep(backOff.next(), signal)
    }
  }
}

async function served(client: Client, kind: Kind, { clock = systemClock, timeoutMs = 30_000, signal }: InstallOptions): Promise<void> {
  const endMs = clock.monotonic() + timeoutMs
  const name = `${kind.plural}.${kind.group}`
  for (;;) {
    const crd = await client.get({ ...CUSTOM_RESOURCE_DEFINITIONS, name }, signal && { signal })
    const conditions: readonly { type: string; status: string; message?: string }[] = crd.status?.conditions ?? []
    if (conditions.some((c) => c.type === 'Established' && c.status === 'True') && (await answers(client, kind, signal))) return
    if (clock.monotonic() >= endMs) {
      const why = conditions.map((c) => `${c.type}=${c.status} (${c.message ?? ''})`).join(', ')
      throw new Error(`${name} is not served after ${timeoutMs} ms: ${why || 'its definition has no conditions'}`)
    }
    await clock.sleep(LOOK_MS, signal)
  }
}

/** A definition that is established may not be served yet, for a moment. */
async function answers(client: Client, kind: Kind, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await client.list(kind.ref, { limit: 1, ...(signal && { signal }) })
    return true
  } catch (error) {
    if (error instanceof StatusError && error.code === 404) return false
    throw error
  }
}

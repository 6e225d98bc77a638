import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { Signal } from '../../base/signal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { API_SERVICES, CUSTOM_RESOURCE_DEFINITIONS } from '../../resources/refs.ts'
import type { Client } from '../../sdk/client/client.ts'
import { createDiscovery, type Discovered, type DiscoveredResource } from '../../sdk/client/discovery.ts'
import type { Informers } from './informers.ts'

/** A collection that can be listed, watched and deleted from, in the version that the server prefers. */
export type CatalogueEntry = DiscoveredResource

/** All collections of the server, aggregated ones too: discovery, read again when it may have changed, and periodically. */
export interface Catalogue {
  /** As last seen. */
  entries(): Promise<readonly CatalogueEntry[]>
  /** Those in namespaces. */
  namespaced(): Promise<readonly CatalogueEntry[]>
  /** The collection that holds objects of a kind, in the given or the preferred version; an unknown kind causes a new discovery. */
  ofKind(group: string, kind: string, version?: string): Promise<CatalogueEntry | undefined>
  /** Everything that is served, by a new discovery. */
  discover(): Promise<Discovered>
  /** Called after collections have come or gone. */
  onChange(fn: (found: Discovered) => void): void
  run(signal: AbortSignal): Promise<void>
}

export interface CatalogueDeps {
  readonly client: Pick<Client, 'page'>
  readonly informers: Pick<Informers, 'of'>
  readonly clock: Clock
  readonly log: Logger
}

/** How often discovery is read again, as kube-controller-manager does. */
const RESYNC_MS = 30_000
/** A definition is served a moment after its event. */
const MOMENT_MS = 1_000

const NEEDED = ['list', 'watch', 'delete']
const hasNeeded = ({ verbs }: DiscoveredResource) => NEEDED.every((verb) => verbs.includes(verb))

export function createCatalogue({ client, informers, clock, log }: CatalogueDeps): Catalogue {
  const discovery = createDiscovery(client)
  const handlers: ((found: Discovered) => void)[] = []
  const touched = new Signal()
  let known: { readonly found: Discovered; readonly entries: readonly CatalogueEntry[] } | undefined
  const touch = () => touched.raise()
  for (const informer of [informers.of<KubeObject>(CUSTOM_RESOURCE_DEFINITIONS), informers.of<KubeObject>(API_SERVICES)])
    informer.addHandler({ added: touch, updated: touch, deleted: touch })

  const refresh = async () => {
    const found = await discovery.read()
    if (known?.found === found) return known
    const before = known
    known = { found, entries: found.resources.filter((r) => r.preferred && hasNeeded(r)) }
    if (before !== undefined) for (const fn of handlers) fn(found)
    return known
  }
  const entries = async () => (known ?? (await refresh())).entries
  return {
    entries,
    namespaced: async () => (await entries()).filter((e) => e.namespaced),
    async ofKind(group, kind, version) {
      const is = (e: CatalogueEntry) =>
        e.group === group && e.kind === kind && hasNeeded(e) && (version === undefined ? e.preferred : e.version === version)
      return (known ?? (await refresh())).found.resources.find(is) ?? (await refresh()).found.resources.find(is)
    },
    discover: async () => (await refresh()).found,
    onChange: (fn) => void handlers.push(fn),
    async run(signal) {
      let pauseMs = RESYNC_MS
      while (!signal.aborted) {
        const woken = await touched.wait({
          clock,
          untilMs: clock.now() + pauseMs,
          signal,
          kind: pauseMs === RESYNC_MS ? 'heartbeat' : 'work',
        })
        pauseMs = woken === 'raised' ? MOMENT_MS : RESYNC_MS
        if (woken === 'aborted') return
        await refresh().catch((error) => log.warn('the API cannot be discovered, trying again', { error }))
      }
    },
  }
}

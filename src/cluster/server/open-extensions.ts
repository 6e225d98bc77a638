import { systemClock } from '../../base/clock.ts'
import { createWebhookClient, type WebhookClient } from '../../server/admission/webhook/webhook-client.ts'
import { type Aggregation, createAggregation } from '../../server/aggregation/aggregation.ts'
import type { ServerOptions } from '../../server/options/server-options.ts'
import { createServiceResolver, type LocalServer } from '../../server/services/resolve-service.ts'
import type { WebhookIdentities } from '../../server/webhook-callers/webhook-identities.ts'
import type { Caches } from './open-caches.ts'
import type { Observation } from './open-observation.ts'
import type { OwnCalls } from './own-calls.ts'
import type { PhaseDeps } from './server-part-deps.ts'

/** How the server reaches webhooks and aggregated API servers. */
export interface Extensions {
  readonly webhooks: WebhookClient
  /** The same client with certificates or tokens of its own. Undefined: the common one. */
  webhooksAs(identities: WebhookIdentities | undefined): WebhookClient
  readonly aggregation: Aggregation
}

export function openExtensions(
  options: ServerOptions,
  { watchCache, definitions, metrics, own }: Caches & Observation & { readonly own: OwnCalls },
  { held, clock, log, inside, services, socketClock = systemClock }: PhaseDeps,
): Extensions {
  const local = services ?? new Map<string, LocalServer>()
  const { routing, proxyClient, rejectRedirects, frontProxy } = options.aggregation
  const resolver = createServiceResolver({ routing }, { reader: watchCache.reader, local, inside })
  const webhooks = held.use(createWebhookClient({ clock, resolver }))
  const aggregation = held.use(
    createAggregation(
      { rejectRedirects, delegation: { clientCa: options.authentication.clientCa, frontProxy } },
      { watchCache, definitions, resolver, local, proxyClient, ...own, clock, socketClock, log },
    ),
  )
  metrics.add(() => aggregation.metrics())
  return {
    webhooks,
    webhooksAs: (identities) => (identities === undefined ? webhooks : held.use(createWebhookClient({ clock, resolver, identities }))),
    aggregation,
  }
}

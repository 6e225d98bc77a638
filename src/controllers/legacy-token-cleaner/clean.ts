import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import { dayOf, INVALID_SINCE } from '../../machinery/resource/legacy-token-labels.ts'
import { CONFIG_MAPS, SECRETS } from '../../resources/refs.ts'
import type { Pod, Secret, ServiceAccount } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { targetOf } from '../frame/objects.ts'
import { isTrackedLongEnough, planLegacyToken, secretsOf } from './plan.ts'

export interface LegacyTokenDeps {
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
  /** How long a token may be unused. */
  readonly periodMs: number
  readonly secrets: Informer<Secret>
  readonly accounts: Informer<ServiceAccount>
  readonly pods: Informer<Pod>
}

const TRACKING = { ...CONFIG_MAPS, namespace: 'kube-system', name: 'kube-apiserver-legacy-service-account-token-tracking' }

export async function cleanLegacyTokens(deps: LegacyTokenDeps): Promise<void> {
  const { client, clock, log, periodMs, secrets, accounts, pods } = deps
  const time = { nowMs: clock.now(), periodMs }
  if (!isTrackedLongEnough(await client.get(TRACKING).catch(ignoring('NotFound')), time)) return
  const mounted = new Map<string, ReadonlySet<string>>()
  const isMounted = ({ metadata: { namespace = '', name = '' } }: Secret) => {
    const found = mounted.get(namespace) ?? secretsOf(pods.list(namespace))
    mounted.set(namespace, found)
    return found.has(name)
  }
  for (const secret of secrets.list()) {
    const { namespace = '', annotations } = secret.metadata
    const account = accounts.get(`${namespace}/${annotations?.['kubernetes.io/service-account.name']}`)
    const plan = planLegacyToken(secret, { account, mounted: () => isMounted(secret) }, time)
    if (plan === 'keep') continue
    await carryOut(deps, secret, plan).catch((error) => log.warn('an unused token could not be invalidated or deleted', { error }))
  }
}

async function carryOut({ client, clock }: LegacyTokenDeps, secret: Secret, plan: 'invalidate' | 'delete'): Promise<void> {
  const { uid = '', resourceVersion = '' } = secret.metadata
  const target = targetOf(SECRETS, secret)
  const done =
    plan === 'delete'
      ? client.delete(target, { preconditions: { resourceVersion } })
      : client.patch(target, 'merge', { metadata: { uid, labels: { [INVALID_SINCE]: dayOf(clock.now()) } } })
  await done.catch(ignoring('NotFound', 'Conflict'))
}

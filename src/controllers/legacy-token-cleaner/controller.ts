import type { KubeObject } from '../../machinery/object.ts'
import { dayOf, INVALID_SINCE } from '../../machinery/resource/legacy-token-labels.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { CONFIG_MAPS, PODS, SECRETS, SERVICE_ACCOUNTS } from '../../sdk/client/refs.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { synced } from '../frame/informer-set.ts'
import { isTrackedLongEnough, planLegacyToken, secretsOf } from './plan.ts'

const TRACKING = { ...CONFIG_MAPS, namespace: 'kube-system', name: 'kube-apiserver-legacy-service-account-token-tracking' }
const DAY_MS = 86_400_000
const YEAR_MS = 365 * DAY_MS

/** Once a day: tokens that were made for accounts (before 1.24), and that nobody has used for a year, are refused, and a year later deleted. */
export function createLegacyTokenCleaner({ client, clock, informers, log }: ControllerDeps, periodMs = YEAR_MS): Controller {
  const secrets = informers.of(SECRETS)
  const accounts = informers.of(SERVICE_ACCOUNTS)
  const pods = informers.of(PODS)

  async function look(): Promise<void> {
    const time = { nowMs: clock.now(), periodMs }
    const tracking = await client.get(TRACKING).catch((error) => {
      if (!isStatus(error, 'NotFound')) throw error
    })
    if (!isTrackedLongEnough(tracking ?? undefined, time)) return
    const named = new Map<string, ReadonlySet<string>>()
    const isMounted = ({ metadata: { namespace = '', name = '' } }: KubeObject) => {
      const found = named.get(namespace) ?? secretsOf(pods.list(namespace))
      named.set(namespace, found)
      return found.has(name)
    }
    for (const secret of secrets.list()) {
      const { namespace = '', annotations } = secret.metadata
      const account = accounts.get(`${namespace}/${annotations?.['kubernetes.io/service-account.name']}`)
      const plan = planLegacyToken(secret, { account, mounted: () => isMounted(secret) }, time)
      if (plan !== 'keep') await carryOut(secret, plan).catch((error) => log.warn('a token of no use to anybody stays as it is', { error }))
    }
  }

  async function carryOut(
    { metadata: { namespace = '', name = '', uid = '', resourceVersion = '' } }: KubeObject,
    plan: 'invalidate' | 'delete',
  ) {
    const target = { ...SECRETS, namespace, name }
    const done =
      plan === 'delete'
        ? client.delete(target, { preconditions: { resourceVersion } })
        : client.patch(target, 'merge', { metadata: { uid, labels: { [INVALID_SINCE]: dayOf(clock.now()) } } })
    await done.catch((error) => {
      if (!isStatus(error, 'NotFound', 'Conflict')) throw error
    })
  }

  return {
    name: 'legacy-service-account-token-cleaner',
    async run(signal) {
      if (
        !(await synced(
          [secrets, accounts, pods].map((copy) => copy.synced),
          signal,
        ))
      )
        return
      while (!signal.aborted) {
        await look().catch((error) => log.warn('tokens of no use to anybody were not looked for', { error }))
        await clock.sleep(DAY_MS, signal).catch(() => {})
      }
    },
  }
}

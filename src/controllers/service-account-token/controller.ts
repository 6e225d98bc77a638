import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { SECRETS, SERVICE_ACCOUNTS } from '../../sdk/client/refs.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'
import { ACCOUNT_NAME, ACCOUNT_UID, fixedData, isTokenSecret, planTokenSecret } from './plan.ts'

/** As long as the API grants: the token is bound to its secret, and ends with it. */
const EXPIRATION_SECONDS = 2 ** 32

/**
 * Fills secrets of the type `kubernetes.io/service-account-token`. The tokens are had from the API (bound to their secret), so that no private key is
 * needed here; Kubernetes' own controller signs tokens of the older form, without an end.
 */
export function createServiceAccountTokenController(deps: ControllerDeps): Controller {
  const { client, clock, informers, log, ca } = deps
  const queue = new WorkQueue({ clock })
  const secrets = informers.of(SECRETS)
  const accounts = informers.of(SERVICE_ACCOUNTS)
  const seen = (secret: KubeObject) => {
    if (isTokenSecret(secret)) queue.add(objectKey(secret))
  }
  secrets.addHandler({
    added: seen,
    updated: seen,
    deleted: (secret) => {
      if (isTokenSecret(secret))
        void forget(secret).catch((error) => log.warn('a service account still names a secret that is gone', { error }))
    },
  })
  const ofAccount = (account: KubeObject) => {
    for (const secret of secrets.list(account.metadata.namespace ?? ''))
      if (isTokenSecret(secret) && secret.metadata.annotations?.[ACCOUNT_NAME] === account.metadata.name) seen(secret)
  }
  accounts.addHandler({ added: ofAccount, deleted: ofAccount })

  async function reconcile(key: string): Promise<void> {
    const secret = secrets.get(key)
    if (secret === undefined) return
    const account = await accountOf(secret)
    const plan = planTokenSecret(secret, account, ca)
    if (plan.kind === 'delete') return remove(secret)
    if (plan.kind === 'fill' && account !== undefined) await fill(secret, account, plan.token)
  }

  /** The copy may be behind: the server has the last word before a secret is deleted. */
  async function accountOf(secret: KubeObject): Promise<KubeObject | undefined> {
    const { namespace = '', annotations } = secret.metadata
    const name = annotations?.[ACCOUNT_NAME] ?? ''
    const known = accounts.get(`${namespace}/${name}`)
    if (known !== undefined) return known
    return client.get({ ...SERVICE_ACCOUNTS, namespace, name }).catch(ignoreGone)
  }

  async function fill(secret: KubeObject, account: KubeObject, fresh: boolean): Promise<void> {
    const { namespace = '', name = '', resourceVersion = '' } = secret.metadata
    const token = fresh ? { token: Buffer.from(await tokenFor(secret, account)).toString('base64') } : {}
    const metadata = { resourceVersion, annotations: { [ACCOUNT_UID]: account.metadata.uid ?? '' } }
    await client
      .patch({ ...SECRETS, namespace, name }, 'merge', { metadata, data: { ...fixedData(secret, ca), ...token } })
      .catch(ignoreGone)
  }

  async function tokenFor(secret: KubeObject, account: KubeObject): Promise<string> {
    const { namespace = '', name = '', uid = '' } = secret.metadata
    const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name, uid }
    const request: KubeObject = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: {},
      spec: { audiences: [], expirationSeconds: EXPIRATION_SECONDS, boundObjectRef },
    }
    const answer = await client.create({ ...SERVICE_ACCOUNTS, namespace, name: account.metadata.name ?? '', subresource: 'token' }, request)
    return String(answer.status?.token ?? '')
  }

  async function remove(secret: KubeObject): Promise<void> {
    const { namespace = '', name = '', uid } = secret.metadata
    await client.delete({ ...SECRETS, namespace, name }, uid === undefined ? {} : { preconditions: { uid } }).catch(ignoreGone)
  }

  async function forget(secret: KubeObject): Promise<void> {
    const { namespace = '', name = '', annotations } = secret.metadata
    const account = accounts.get(`${namespace}/${annotations?.[ACCOUNT_NAME]}`)
    const references: readonly { name?: string }[] = account?.secrets ?? []
    if (account === undefined || !references.some((r) => r.name === name)) return
    const kept = references.filter((r) => r.name !== name).map((r) => ({ ...r }))
    const target = { ...SERVICE_ACCOUNTS, namespace, name: account.metadata.name ?? '' }
    const { resourceVersion = '' } = account.metadata
    await client.patch(target, 'merge', { metadata: { resourceVersion }, secrets: kept }).catch(ignoreGone)
  }

  return queueController({ name: 'service-account-token', queue, workers: 5, copies: [secrets, accounts], reconcile, log })
}

const ignoreGone = (error: unknown): undefined => {
  if (!isStatus(error, 'NotFound', 'Conflict')) throw error
}

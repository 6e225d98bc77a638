import { ignoring } from '../../machinery/ignoring.ts'
import { SECRETS, SERVICE_ACCOUNTS } from '../../resources/refs.ts'
import type { TokenRequest } from '../../resources/types/authentication.ts'
import type { Secret, ServiceAccount } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { deleteObject, targetOf } from '../frame/objects.ts'
import { ACCOUNT_NAME, ACCOUNT_UID, fixedData, planTokenSecret } from './plan.ts'

/** The longest lifetime that the API grants: the token is bound to its secret, and ends with it. */
const EXPIRATION_SECONDS = 2 ** 32

/** What a token secret is reconciled with. */
export interface TokenSecretDeps {
  readonly client: Client
  /** The cluster's CA, PEM. */
  readonly ca: string
  readonly accounts: Informer<ServiceAccount>
}

const ignoreLost = ignoring('NotFound', 'Conflict')

export async function reconcileTokenSecret(deps: TokenSecretDeps, secret: Secret): Promise<void> {
  const account = await accountOf(deps, secret)
  const plan = planTokenSecret(secret, account, deps.ca)
  if (plan.kind === 'delete') await deleteObject(deps.client, SECRETS, secret).catch(ignoreLost)
  if (plan.kind === 'fill' && account !== undefined) await fill(deps, secret, account, plan.token)
}

/** The copy may be behind: the server is asked before a secret is deleted. */
async function accountOf({ client, accounts }: TokenSecretDeps, secret: Secret): Promise<ServiceAccount | undefined> {
  const { namespace = '', annotations } = secret.metadata
  const name = annotations?.[ACCOUNT_NAME] ?? ''
  const known = accounts.get(`${namespace}/${name}`)
  return known ?? client.get<ServiceAccount>({ ...SERVICE_ACCOUNTS, namespace, name }).catch(ignoreLost)
}

async function fill(deps: TokenSecretDeps, secret: Secret, account: ServiceAccount, fresh: boolean): Promise<void> {
  const { resourceVersion = '' } = secret.metadata
  const token = fresh ? { token: Buffer.from(await requestToken(deps, secret, account)).toString('base64') } : {}
  const metadata = { resourceVersion, annotations: { [ACCOUNT_UID]: account.metadata.uid ?? '' } }
  const data = { ...fixedData(secret, deps.ca), ...token }
  await deps.client.patch(targetOf(SECRETS, secret), 'merge', { metadata, data }).catch(ignoreLost)
}

async function requestToken({ client }: TokenSecretDeps, secret: Secret, account: ServiceAccount): Promise<string> {
  const { name = '', uid = '' } = secret.metadata
  const request: TokenRequest = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec: { audiences: [], expirationSeconds: EXPIRATION_SECONDS, boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name, uid } },
  }
  const { group, version, resource, namespace = '', name: accountName = '' } = targetOf(SERVICE_ACCOUNTS, account)
  const answer = await client.create<TokenRequest>(
    { group, version, resource, namespace, name: accountName, subresource: 'token' },
    request,
  )
  return answer.status?.token ?? ''
}

/** Removes a deleted secret from the list of its account; one of an earlier account of that name is in no list. */
export async function forgetSecret({ client, accounts }: TokenSecretDeps, { metadata }: Secret): Promise<void> {
  const account = accounts.get(`${metadata.namespace}/${metadata.annotations?.[ACCOUNT_NAME]}`)
  const uid = metadata.annotations?.[ACCOUNT_UID]
  if (account?.secrets?.some((r) => r.name === metadata.name) !== true || (uid && uid !== account.metadata.uid)) return
  const secrets = account.secrets.filter((r) => r.name !== metadata.name).map((r) => ({ ...r }))
  const { resourceVersion = '' } = account.metadata
  await client.patch(targetOf(SERVICE_ACCOUNTS, account), 'merge', { metadata: { resourceVersion }, secrets }).catch(ignoreLost)
}

import { createHash } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import type { Secret, ServiceAccount } from '../../resources/types/core.ts'
import type { RegistryLogin } from '../runtime/runtime.ts'
import type { ImageAccess, KnownLogin } from '../types/image-access.ts'
import { type Pod, podRef } from '../types/pod.ts'
import { loginsFor, secretLogins } from './docker-config.ts'
import { type ExecProvider, ProviderError, type TokenOfPod } from './exec-provider.ts'
import { repositoryOf } from './image-match.ts'
import { isRecorded, type PullRecords, type PullSource } from './pull-records.ts'

/** As the kubelet's `imagePullCredentialsVerificationPolicy`. */
export interface VerificationPolicy {
  readonly policy: string
  /** Images that need no login, for `NeverVerifyAllowlistedImages`. */
  readonly allowlist: readonly string[]
}

export interface ImageAccessDeps {
  readonly providers: readonly ExecProvider[]
  readonly records: PullRecords
  readonly verification: VerificationPolicy
  /** Undefined: there is none. */
  readonly secret: (namespace: string, name: string) => Promise<Secret | undefined>
  readonly account: (namespace: string, name: string) => Promise<ServiceAccount | undefined>
  /** A token of the pod's service account for this audience. */
  readonly token: (pod: Pod, audience: string) => Promise<string>
  readonly clock: Clock
  readonly log: Logger
}

interface SourcedLogin extends KnownLogin {
  readonly source: PullSource
}

/** Who may pull and use the images of a node. */
export class NodeImageAccess implements ImageAccess {
  readonly #deps: ImageAccessDeps

  constructor(deps: ImageAccessDeps) {
    this.#deps = deps
  }

  async logins(pod: Pod, image: string, signal: AbortSignal): Promise<readonly SourcedLogin[]> {
    const repository = repositoryOf(image)
    return [...(await this.#secretLogins(pod, repository)), ...(await this.#providerLogins(pod, repository, signal))]
  }

  async mayUse(pod: Pod, { image, imageId }: { readonly image: string; readonly imageId: string }, signal: AbortSignal): Promise<boolean> {
    const { records, verification } = this.#deps
    const record = await records.read(imageId)
    const repository = repositoryOf(image)
    if (!mustVerify(verification, repository, record !== undefined)) return true
    if (record === undefined) return false
    if (isRecorded(record, repository, [])) return true
    const logins = await this.logins(pod, image, signal)
    return isRecorded(
      record,
      repository,
      logins.map(({ source }) => source),
    )
  }

  async pulling(image: string): Promise<void> {
    await this.#deps.records.intend(image)
  }

  async failed(image: string): Promise<void> {
    await this.#deps.records.failed(image)
  }

  async pulled(image: string, imageId: string, login: SourcedLogin | undefined): Promise<void> {
    const { records, clock } = this.#deps
    await records.pulled(repositoryOf(image), { image, imageRef: imageId, source: login?.source, nowMs: clock.now() })
  }

  async #secretLogins({ metadata: { namespace = '' }, spec }: Pod, repository: string): Promise<readonly SourcedLogin[]> {
    const found: SourcedLogin[] = []
    for (const { name = '' } of spec.imagePullSecrets ?? []) {
      const secret = await this.#deps.secret(namespace, name).catch(() => undefined)
      if (secret === undefined) continue
      const uid = secret.metadata.uid ?? ''
      for (const login of loginsFor(secretLogins(secret), repository))
        found.push({ login, source: { secret: { uid, namespace, name, credentialHash: hashOf(login) } } })
    }
    return found
  }

  /** All providers are asked, one after the other. One that fails is passed over. */
  async #providerLogins(pod: Pod, repository: string, signal: AbortSignal): Promise<readonly SourcedLogin[]> {
    const { providers, log } = this.#deps
    const found: SourcedLogin[] = []
    for (const provider of providers) {
      if (!provider.provides(repository)) continue
      try {
        const identity = await this.#identityOf(pod, provider)
        if (identity === 'none') continue
        const logins = loginsFor(await provider.loginsFor(repository, identity, signal), repository)
        const source = identity && { account: identity.source }
        found.push(...logins.map((login) => ({ login, source })))
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof ProviderError)) throw error
        log.warn('Failed to provide credentials for image', { provider: provider.name, image: repository, error: error.message })
      }
    }
    return found
  }

  /** The service account's identity for a provider; `none`: the provider is not called for this pod. */
  async #identityOf(pod: Pod, { tokenAttributes }: ExecProvider) {
    if (tokenAttributes === undefined) return undefined
    const { serviceAccountTokenAudience, requireServiceAccount } = tokenAttributes
    const { requiredServiceAccountAnnotationKeys: needed = [], optionalServiceAccountAnnotationKeys: optional = [] } = tokenAttributes
    const { namespace } = podRef(pod)
    const name = pod.spec.serviceAccountName ?? ''
    if (name === '') return requireServiceAccount ? 'none' : undefined
    try {
      const account = await this.#deps.account(namespace, name)
      const { annotations = {}, uid = '' } = account?.metadata ?? {}
      if (needed.some((key) => annotations[key] === undefined)) return 'none'
      const shown = Object.fromEntries(
        [...needed, ...optional].flatMap((key) => (annotations[key] === undefined ? [] : [[key, annotations[key]]])),
      )
      const token = await this.#deps.token(pod, serviceAccountTokenAudience)
      const source = { uid, namespace, name }
      const owner: TokenOfPod = { token, annotations: shown, account: JSON.stringify([source, shown]) }
      return { ...owner, source }
    } catch (error) {
      throw new ProviderError(`failed to get service account token: ${messageOf(error)}`, { cause: error })
    }
  }
}

function mustVerify({ policy, allowlist }: VerificationPolicy, repository: string, pulledHere: boolean): boolean {
  switch (policy) {
    case 'NeverVerify':
      return false
    case 'AlwaysVerify':
      return true
    case 'NeverVerifyAllowlistedImages':
      return !allowlist.some((entry) => (entry.endsWith('/*') ? repository.startsWith(entry.slice(0, -1)) : repository === entry))
    default:
      return pulledHere
  }
}

const hashOf = (login: RegistryLogin) => createHash('sha256').update(JSON.stringify(login)).digest('hex')

import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { SECRETS, SERVICE_ACCOUNTS } from '../../resources/refs.ts'
import type { Client } from '../../sdk/client/client.ts'
import { requestToken } from '../../sdk/client/subresources.ts'
import type { KubeletConfiguration } from '../configuration/kubelet-configuration.ts'
import { type CredentialFiles, readCredentialConfig } from '../images/credential-config.ts'
import { ExecProvider } from '../images/exec-provider.ts'
import { NodeImageAccess } from '../images/image-access.ts'
import { PullRecords } from '../images/pull-records.ts'
import { podRef } from '../types/pod.ts'

interface ImageAccessConfig {
  /** The kubelet's folder. */
  readonly root: string
  readonly kubelet: Pick<KubeletConfiguration, 'imageVerification'>
  readonly credentials: CredentialFiles | undefined
}

interface ImageAccessClients {
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
}

const TOKEN_SECONDS = 3600

/** Pull secrets and providers of a real node. @throws {CredentialConfigError} */
export function openImageAccess(
  { root, kubelet, credentials }: ImageAccessConfig,
  { client, clock, log }: ImageAccessClients,
): NodeImageAccess {
  const providers = credentials === undefined ? [] : readCredentialConfig(credentials)
  return new NodeImageAccess({
    providers: providers.map((provider) => new ExecProvider(provider, clock)),
    records: new PullRecords(root),
    verification: kubelet.imageVerification,
    secret: (namespace, name) => client.get({ ...SECRETS, namespace, name }),
    account: (namespace, name) => client.get({ ...SERVICE_ACCOUNTS, namespace, name }),
    async token(pod, audience) {
      const { name, namespace, uid } = podRef(pod)
      const account = { namespace, name: pod.spec.serviceAccountName ?? '' }
      const boundTo = { apiVersion: 'v1', kind: 'Pod', name, uid }
      return (await requestToken(client, account, { expirationSeconds: TOKEN_SECONDS, audiences: [audience], boundTo })).token
    },
    clock,
    log,
  })
}

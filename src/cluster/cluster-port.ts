import type { ApiServer } from '../apiserver/server.ts'
import { SYSTEM_MASTERS } from '../machinery/resource/user.ts'
import { type ClusterConfig, portErrorOf } from './config.ts'
import type { CertifiedKey } from './issued-certificates.ts'
import { contextOf, kubeconfigText, writeKubeconfig } from './kubeconfig.ts'
import type { ClusterFoundation } from './open-foundation.ts'

/** The cluster's port, and the kubeconfig by which programs outside the process reach it. */
export interface ClusterPort {
  /** `''` until it listens. */
  readonly address: string
  /** Resolves when it listens. */
  readonly opened: Promise<void>
  /** Opens the port (once), and writes the kubeconfig file if one is configured. */
  listen(): Promise<string>
  kubeconfig(): string
}

export function createClusterPort(
  config: ClusterConfig,
  deps: { readonly server: ApiServer; readonly certificates: ClusterFoundation['certificates']; readonly kubeconfigLater: boolean },
): ClusterPort {
  const { server, certificates } = deps
  let address = ''
  let listening: Promise<string> | undefined
  let admin: CertifiedKey | undefined
  const { promise: opened, resolve: announce } = Promise.withResolvers<void>()
  const kubeconfigInit = () => {
    admin ??= certificates.client({ commonName: 'admin', organizations: [SYSTEM_MASTERS], uid: 'admin-uid' })
    return {
      context: contextOf(config.name),
      server: address,
      ca: certificates.ca.certificate,
      certificate: admin.certificate,
      key: admin.key,
    }
  }
  const open = async () => {
    const bound = await server.listen().catch((error: unknown) => {
      throw portErrorOf(error, { ...config, option: '--port' })
    })
    // On all addresses of the machine it is on this one, too.
    address = bound.address.replace('//0.0.0.0:', '//127.0.0.1:')
    if (config.kubeconfig !== undefined && !deps.kubeconfigLater) writeKubeconfig(config.kubeconfig, kubeconfigText(kubeconfigInit()))
    announce()
    return address
  }
  return {
    get address() {
      return address
    },
    opened,
    listen() {
      listening ??= open()
      return listening
    },
    kubeconfig() {
      if (address === '') throw new Error('the cluster has no address yet: call listen() before kubeconfig()')
      return kubeconfigText(kubeconfigInit())
    },
  }
}

import type { Duplex } from 'node:stream'
import { type Clock, holding } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { KUBERNETES_VERSION } from '../../base/version.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { SYSTEM_MASTERS, type UserInfo } from '../../machinery/resource/user.ts'
import { decodeYaml } from '../../machinery/yaml/yaml.ts'
import type { KubeletApi } from '../../node/api/kubelet-api.ts'
import type { KubeletHost } from '../../node/api/kubelet-host.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { ClusterCertificates } from '../certificates.ts'
import type { CertifiedKey } from '../issued-certificates.ts'

/** The user of the API server at kubelets. */
const API_SERVER: UserInfo = { name: 'kube-apiserver-kubelet-client', groups: [SYSTEM_MASTERS, 'system:authenticated'] }
const LOOPBACK = '127.0.0.1'

export interface KubeletsDeps {
  readonly certificates: ClusterCertificates
  /** The text of a KubeletConfiguration. */
  readonly kubeletConfig: string | undefined
  /** Authenticates as `system:node:<name>`. */
  readonly client: (nodeName: string) => Client
  readonly clock: Clock
  readonly log: Logger
}

/** The kubelets' servers of the nodes in this process: each is created on first use, and opens no port before `listen`. */
export interface Kubelets extends AsyncDisposable {
  /** The nodes as their servers need them; filled when nodes are opened. */
  readonly hosts: Map<string, KubeletHost>
  /** A connection as the API server; undefined: the node is not in this process. */
  connect(nodeName: string): Promise<Duplex | undefined>
  /** Opens the port of a node's kubelet; the same one at each call. */
  listen(nodeName: string): Promise<{ readonly host: string; readonly port: number }>
}

export function createKubelets({ certificates, kubeletConfig, client, clock, log }: KubeletsDeps): Kubelets {
  const hosts = new Map<string, KubeletHost>()
  const apis = new Map<string, Promise<KubeletApi>>()
  const ports = new Map<string, Promise<number>>()
  let serving: CertifiedKey | undefined
  const load = () =>
    holding(clock, "loading the kubelets' server", () =>
      Promise.all([import('../../node/api/kubelet-api.ts'), import('../../node/api/configuration.ts')]),
    )
  const written = () => (kubeletConfig === undefined ? {} : (decodeYaml(kubeletConfig).value as JsonObject))

  const api = (nodeName: string): Promise<KubeletApi> | undefined => {
    const host = hosts.get(nodeName)
    if (host === undefined) return undefined
    const made =
      apis.get(nodeName) ??
      load().then(([{ createKubeletApi }, { kubeletApiConfig }]) =>
        createKubeletApi(kubeletApiConfig(written()), { host, client: client(nodeName), clock, log, version: KUBERNETES_VERSION }),
      )
    apis.set(nodeName, made)
    return made
  }
  return {
    hosts,
    async connect(nodeName) {
      return (await api(nodeName))?.connect(API_SERVER)
    },
    async listen(nodeName) {
      const opened = api(nodeName)
      if (opened === undefined) throw new Error(`there is no node ${nodeName} in this process`)
      serving ??= certificates.kubelet()
      const { certificate: cert, key } = serving
      const port =
        ports.get(nodeName) ??
        opened.then((one) => one.listen({ host: LOOPBACK, port: 0, certificate: { cert, key }, clientCa: certificates.ca.certificate }))
      ports.set(nodeName, port)
      return { host: LOOPBACK, port: await port }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...apis.values()].map(async (one) => (await one)[Symbol.asyncDispose]()))
    },
  }
}

import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import type { Random } from '../../base/random.ts'
import { KUBERNETES_VERSION } from '../../base/version.ts'
import { isObject, type JsonObject } from '../../machinery/object.ts'
import { issueCertificate, newKeyPair } from '../../machinery/x509/certificate.ts'
import { decodeYaml } from '../../machinery/yaml/yaml.ts'
import type { NodeAgent } from '../../node/agent.ts'
import { kubeletApiConfig } from '../../node/api/configuration.ts'
import { createKubeletApi, type KubeletApi, type KubeletListener, type ServingCertificate } from '../../node/api/kubelet-api.ts'
import type { KubeletHost } from '../../node/api/kubelet-host.ts'
import { CertificateStore } from '../../node/certificates/certificate-store.ts'
import { RotatingCertificate, type RotatingCertificateDeps } from '../../node/certificates/rotating-certificate.ts'
import { servingWish } from '../../node/certificates/signed-certificate.ts'
import {
  DEFAULT_CONFIGURATION,
  type KubeletConfiguration,
  readKubeletConfiguration,
} from '../../node/configuration/kubelet-configuration.ts'
import { CredentialConfigError, type CredentialFiles } from '../../node/images/credential-config.ts'
import type { MetricSource } from '../../node/metrics/metric-source.ts'
import { openStaticPods } from '../../node/static-pods/open-static-pods.ts'
import type { Client } from '../../sdk/client/client.ts'
import { createInformerFactory } from '../../sdk/informer/informer-factory.ts'
import { ConfigError } from '../config.ts'
import { type NodeNetwork, nodeNetworkParts } from './node-network.ts'
import { machineAddresses, realNodePart } from './real-node-part.ts'

/** A real node as a process of its own, of any cluster. */
export interface RealNodeProcess {
  readonly name: string
  readonly runtimeEndpoint: string
  /** The path of a `KubeletConfiguration`. Default: the kubelet's defaults. */
  readonly kubeletConfig: string | undefined
  /** Certificates of clients of the node's server are signed by these (PEM), unless the configuration names a file. */
  readonly clientCa?: string | undefined
  /** Programs that know logins for images. Default: none. */
  readonly credentials?: { readonly [K in keyof CredentialFiles]?: string | undefined }
  /** Where certificates are kept that the cluster signs. Default `/var/lib/kubelet/pki`. */
  readonly certDir?: string
  /** The address of the node. Default: those of the machine. */
  readonly ips?: readonly string[]
  readonly network: NodeNetwork
}

export interface RealNodeProcessDeps {
  /** A user who may do what the node authorizer lets a node do. */
  readonly client: Client
  /** For what the node does for the network: a user like kube-proxy's. Default: the same. */
  readonly networkClient?: Client
  /** The address and port of the API server, for metrics. */
  readonly apiHost?: string
  /** Of the certificate with which it reaches the API server. */
  readonly certificate?: MetricSource | undefined
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

const KUBELET_PORT = 10_250

/** Runs the node until the signal is aborted; its containers run on. @throws {ConfigError} */
export async function runRealNode(node: RealNodeProcess, deps: RealNodeProcessDeps, signal: AbortSignal): Promise<void> {
  const { client, clock, log } = deps
  const { text, kubelet } = readKubeletFile(node.kubeletConfig)
  const { clusterDns = [], resolvConf, staticPods } = kubelet
  const written = decodeYaml(text).value
  const settings = isObject(written) ? (written as JsonObject) : {}
  const hosts = new Map<string, KubeletHost>()
  const agents = new Map<string, NodeAgent>()
  const ips = node.ips ?? machineAddresses()
  const servers = new AsyncDisposableStack()
  const apis: KubeletApi[] = []
  const changed = (certificate: ServingCertificate) => {
    for (const api of apis) api.renew(certificate)
  }
  const serving = kubelet.certificates.serving ? servingCertificate({ ...node, ips }, { ...deps, changed }) : undefined
  const listen = async (name: string) => {
    const opened = hosts.get(name)
    if (opened === undefined) throw new Error(`invariant: node ${name} is there before its server`)
    const certificates = () => [deps.certificate, serving].flatMap((source) => source?.families() ?? [])
    const host: KubeletHost = { ...opened, families: () => [...(opened.families?.() ?? []), ...certificates()] }
    const api = servers.use(createKubeletApi(kubeletApiConfig(settings), { host, client, clock, log, version: KUBERNETES_VERSION }))
    apis.push(api)
    return api.listen(listenerOf(settings, { name, ips, nowMs: clock.now(), clientCa: node.clientCa, serving }))
  }
  const paths = staticPods.path === '' ? [] : [path.resolve(path.dirname(node.kubeletConfig ?? '.'), staticPods.path)]
  const manifests = openStaticPods({ ...staticPods, paths, url: staticPods.url || undefined }, node.name, { clock, log })
  await using _servers = servers
  const config = { name: node.name, ips, clusterDns, kubelet, credentials: credentialFiles(node.credentials) }
  const informers = createInformerFactory(deps)
  const networkInformers = deps.networkClient === undefined ? informers : createInformerFactory({ ...deps, client: deps.networkClient })
  const part = { ...deps, runtimeEndpoint: node.runtimeEndpoint, informers, restricted: true, agents, hosts, listen }
  const network = nodeNetworkParts(node.network, { ...deps, informers: networkInformers, clusterDns, resolvConf })
  const ended = new AbortController()
  const running = serving?.run(AbortSignal.any([signal, ended.signal]))
  try {
    await realNodePart(config, { ...part, network, staticPods: manifests })(signal)
  } finally {
    ended.abort()
    await running
  }
}

/** Where certificates are kept by default. */
export const CERTIFICATES_FOLDER = '/var/lib/kubelet/pki'

/** That of the node's server, signed by the cluster (`serverTLSBootstrap`). */
function servingCertificate(
  { name, certDir = CERTIFICATES_FOLDER, ips }: RealNodeProcess & { readonly ips: readonly string[] },
  deps: RotatingCertificateDeps,
): RotatingCertificate {
  return new RotatingCertificate({ wish: servingWish(name, ips), store: new CertificateStore(certDir, 'kubelet-server') }, deps)
}

/** @throws {CredentialConfigError} */
function credentialFiles({ config, binDir }: RealNodeProcess['credentials'] = {}): CredentialFiles | undefined {
  if (config === undefined && binDir === undefined) return undefined
  if (config === undefined || binDir === undefined)
    throw new CredentialConfigError('the configuration of image credential providers and the folder of their programs are given together')
  return { config, binDir }
}

interface ListenerInput {
  readonly name: string
  readonly ips: readonly string[]
  readonly nowMs: number
  readonly clientCa: string | undefined
  /** Its certificate is signed by the cluster. */
  readonly serving: RotatingCertificate | undefined
}

/**
 * Where the node's server listens, and with which certificate: a new one that it signed itself, unless the configuration names one, or the
 * cluster signs it.
 */
function listenerOf(settings: JsonObject, input: ListenerInput): KubeletListener {
  const { address = '0.0.0.0', port = KUBELET_PORT, tlsCertFile, tlsPrivateKeyFile, authentication } = settings as ServerSettings
  const clientCaFile = authentication?.x509?.clientCAFile
  const named =
    tlsCertFile && tlsPrivateKeyFile ? { cert: readFileSync(tlsCertFile, 'utf8'), key: readFileSync(tlsPrivateKeyFile, 'utf8') } : undefined
  const certificate = named ?? (input.serving === undefined ? selfSigned(input) : input.serving.current)
  const clientCa = clientCaFile ? readFileSync(clientCaFile, 'utf8') : input.clientCa
  return { host: address, port, ...(certificate && { certificate }), ...(clientCa && { clientCa }) }
}

/** The fields of the configuration that concern the listener; the file was validated before. */
interface ServerSettings {
  readonly address?: string
  readonly port?: number
  readonly tlsCertFile?: string
  readonly tlsPrivateKeyFile?: string
  readonly authentication?: { readonly x509?: { readonly clientCAFile?: string } }
}

const YEAR_MS = 365 * 86_400_000

function selfSigned({ name, ips, nowMs }: ListenerInput): ServingCertificate {
  const { privateKey, publicKey } = newKeyPair()
  const subject = { commonName: `${name}@${Math.floor(nowMs / 1000)}`, organizations: [] }
  const request = { subject, publicKey, notBefore: nowMs - 3_600_000, notAfter: nowMs + YEAR_MS, usages: ['server'] as const }
  const cert = issueCertificate({ ...request, dnsNames: [name], ipAddresses: ips }, { key: privateKey, subject })
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

/** Undefined: the kubelet's defaults. @throws {ConfigError} */
export function readKubeletFile(file: string | undefined): { readonly text: string; readonly kubelet: KubeletConfiguration } {
  const text = file === undefined ? DEFAULT_CONFIGURATION : readFileSync(file, 'utf8')
  try {
    return { text, kubelet: readKubeletConfiguration(text) }
  } catch (error) {
    throw new ConfigError(`--config: ${file}: ${messageOf(error)}`, { cause: error })
  }
}

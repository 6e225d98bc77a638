import { existsSync } from 'node:fs'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import { pause } from '../../base/pause.ts'
import { quiet } from '../../base/quiet.ts'
import type { Random } from '../../base/random.ts'
import { CertificateStore } from '../../node/certificates/certificate-store.ts'
import { RotatingCertificate } from '../../node/certificates/rotating-certificate.ts'
import { clientWish, type KeyedCertificate, lifetimeOf, requestCertificate } from '../../node/certificates/signed-certificate.ts'
import type { MetricSource } from '../../node/metrics/metric-source.ts'
import type { Transport } from '../../sdk/client/client.ts'
import { createClient } from '../../sdk/client/create-client.ts'
import { type HttpsTransport, httpsTransport } from '../../sdk/client/https.ts'
import { type KubeconfigContext, loadKubeconfigFile } from '../../sdk/client/kubeconfig.ts'
import { writeKubeconfig } from '../kubeconfig.ts'

export interface NodeCredentialsConfig {
  readonly nodeName: string
  /** The file with the node's own user. */
  readonly kubeconfig: string
  /** A user who may ask for a certificate: used while `kubeconfig` is not there, or its certificate has ended. */
  readonly bootstrapKubeconfig?: string | undefined
  /** Where certificates are kept. */
  readonly certDir: string
  /** Whether the certificate is asked for again before it ends. */
  readonly rotates: boolean
}

export interface NodeCredentialsDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** How a node reaches the API server, as itself. */
export interface NodeCredentials extends AsyncDisposable {
  readonly transport: Transport
  /** Of the cluster. */
  readonly ca: string | undefined
  /** The address and port of the API server. */
  readonly host: string
  /** Of the certificate, if it is renewed. */
  readonly metrics?: MetricSource
  /** Renews the certificate at its time, until the signal is aborted. */
  run(signal: AbortSignal): Promise<void>
}

/** Asks for the node's certificate first if there is none, and waits until it is signed. */
export async function openNodeCredentials(
  config: NodeCredentialsConfig,
  deps: NodeCredentialsDeps,
  signal: AbortSignal,
): Promise<NodeCredentials> {
  const { nodeName, kubeconfig, bootstrapKubeconfig, certDir, rotates } = config
  const store = new CertificateStore(certDir, 'kubelet-client')
  if (bootstrapKubeconfig !== undefined && !(await isUsable(kubeconfig, deps.clock)))
    await bootstrap({ ...config, bootstrapKubeconfig, store }, deps, signal)
  const context = await contextOf(kubeconfig)
  if (!rotates) return withoutRotation(context)
  const { cert, key } = context
  const first = cert !== undefined && key !== undefined ? { cert, key } : undefined
  const open = (certificate: KeyedCertificate | undefined) => httpsTransport({ ...context, ...certificate })
  let current: HttpsTransport | undefined
  const transport = following(() => {
    current ??= open(rotating.current)
    return current
  })
  const changed = (certificate: KeyedCertificate) => {
    const before = current
    current = open(certificate)
    if (before !== undefined) void quiet(Promise.resolve(before[Symbol.asyncDispose]()), 'its connections are not used any more')
  }
  const wish = clientWish(nodeName)
  const rotating = new RotatingCertificate({ wish, store, first }, { ...deps, client: createClient(transport), changed })
  return {
    transport,
    ca: context.ca,
    host: new URL(context.server).host,
    metrics: rotating,
    run: (until) => rotating.run(until),
    [Symbol.asyncDispose]: async () => current?.[Symbol.asyncDispose](),
  }
}

/** The user agent is the field manager of what the node writes. */
const contextOf = async (file: string): Promise<KubeconfigContext> => ({ ...(await loadKubeconfigFile(file)), userAgent: 'kubelet' })

function withoutRotation(context: KubeconfigContext): NodeCredentials {
  const transport = httpsTransport(context)
  return {
    transport,
    ca: context.ca,
    host: new URL(context.server).host,
    run: async () => {},
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  }
}

/** A transport over whichever is the present one at each call. */
const following = (now: () => Transport): Transport => ({
  call: (call) => now().call(call),
  watch: (call) => now().watch(call),
  page: (call) => now().page(call),
  connect: {
    command: (call) => now().connect.command(call),
    ports: (call) => now().connect.ports(call),
    bytes: (call) => now().connect.bytes(call),
  },
})

async function isUsable(file: string, clock: Clock): Promise<boolean> {
  if (!existsSync(file)) return false
  const { cert, key } = await loadKubeconfigFile(file)
  return cert === undefined || key === undefined || lifetimeOf({ cert, key }).untilMs > clock.now()
}

interface Bootstrap extends NodeCredentialsConfig {
  readonly bootstrapKubeconfig: string
  readonly store: CertificateStore
}

const RETRY_MS = 5000

async function bootstrap(
  { nodeName, kubeconfig, bootstrapKubeconfig, store }: Bootstrap,
  { clock, log }: NodeCredentialsDeps,
  signal: AbortSignal,
): Promise<void> {
  const context = await contextOf(bootstrapKubeconfig)
  await using transport = httpsTransport(context)
  const client = createClient(transport)
  while (!signal.aborted) {
    try {
      store.write(await requestCertificate(clientWish(nodeName), { client, clock }, signal), clock.now())
      writeKubeconfig(kubeconfig, nodeKubeconfig(context, store.currentFile))
      return
    } catch (error) {
      signal.throwIfAborted()
      log.warn('the node has no certificate yet, trying again', { error: messageOf(error) })
      await pause(clock, RETRY_MS, signal)
    }
  }
}

/** As the kubelet's: the user's certificate stays in its file, which is replaced by and by. JSON is YAML. */
function nodeKubeconfig({ server, ca, serverName, insecureSkipTlsVerify }: KubeconfigContext, certificateFile: string): string {
  const name = 'default'
  const cluster = {
    server,
    ...(ca !== undefined && { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
    ...(serverName !== undefined && { 'tls-server-name': serverName }),
    ...(insecureSkipTlsVerify === true && { 'insecure-skip-tls-verify': true }),
  }
  return `${JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name, cluster }],
      users: [{ name, user: { 'client-certificate': certificateFile, 'client-key': certificateFile } }],
      contexts: [{ name, context: { cluster: name, user: name } }],
      'current-context': name,
    },
    undefined,
    2,
  )}\n`
}

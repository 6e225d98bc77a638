import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { type Clock, systemClock } from '../../base/clock.ts'
import type { Client } from './client.ts'
import { createClient } from './create-client.ts'
import { type HttpsConfig, httpsTransport } from './https.ts'
import { type KubeconfigContext, KubeconfigError, loadKubeconfigFile } from './kubeconfig.ts'

/** Which cluster is connected to. */
export interface ConnectOptions {
  /** A kubeconfig. Default: `$KUBECONFIG`; else, in a pod, the pod's service account; else `~/.kube/config`. */
  readonly kubeconfig?: string
  /** Which context of it. Default: the current one. */
  readonly context?: string
  /** Default: the process's. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The folder of a pod's service account. Default: `/var/run/secrets/kubernetes.io/serviceaccount`. */
  readonly serviceAccountFolder?: string
  /** The name of the field manager, before the slash. Default `bowsprit`. */
  readonly userAgent?: string
  /** Default: the machine's. */
  readonly clock?: Clock
}

/** A client with its connections, until it is disposed of. */
export interface Connection extends AsyncDisposable {
  readonly client: Client
  /** Where the cluster is. */
  readonly server: string
  /** The context's namespace, the pod's, or `default`. */
  readonly namespace: string
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'
/** Tokens of pods are renewed long before they expire: reading the file once a minute is enough. */
const TOKEN_MS = 60_000

/**
 * Connects to the cluster that this process belongs to: by a kubeconfig, or in a pod by its service account.
 *
 * ```ts
 * await using cluster = await connect()
 * await cluster.client.list(refs.NODES)
 * ```
 * @throws {KubeconfigError} when there is neither, or what there is cannot be used
 */
export async function connect(options: ConnectOptions = {}): Promise<Connection> {
  const { clock = systemClock, userAgent } = options
  const { namespace, ...config } = await find(options, clock)
  const transport = httpsTransport({ ...config, ...(userAgent && { userAgent }) }, { clock })
  return {
    client: createClient(transport),
    server: config.server,
    namespace,
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  }
}

type Found = HttpsConfig & { readonly namespace: string }

async function find(options: ConnectOptions, clock: Clock): Promise<Found> {
  const { env = process.env, context, serviceAccountFolder = SERVICE_ACCOUNT } = options
  const at = context === undefined ? {} : { context }
  const file = options.kubeconfig ?? (env.KUBECONFIG || undefined)
  if (file !== undefined) return ofContext(await loadKubeconfigFile(file, at))
  const [host, port] = [env.KUBERNETES_SERVICE_HOST, env.KUBERNETES_SERVICE_PORT]
  if (host && port) return inPod(host, port, serviceAccountFolder, clock)
  const own = path.join(env.HOME ?? homedir(), '.kube', 'config')
  if (existsSync(own)) return ofContext(await loadKubeconfigFile(own, at))
  throw new KubeconfigError('unreadable-file', `there is no cluster to connect to: set KUBECONFIG, write ${own}, or run in a pod`)
}

const ofContext = ({ context: _context, ...config }: KubeconfigContext): Found => config

function inPod(host: string, port: string, folder: string, clock: Clock): Found {
  const read = (name: string) => {
    try {
      return readFileSync(path.join(folder, name), 'utf8')
    } catch (cause) {
      const why = 'the pod has no service account token mounted (automountServiceAccountToken)'
      throw new KubeconfigError('unreadable-file', `cannot read ${path.join(folder, name)}: ${why}`, { cause })
    }
  }
  let token = read('token').trim()
  let readMs = clock.monotonic()
  const fresh = async () => {
    if (clock.monotonic() - readMs >= TOKEN_MS) {
      readMs = clock.monotonic()
      token = (await readFile(path.join(folder, 'token'), 'utf8').catch(() => token)).trim()
    }
    return token
  }
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`
  return { server, ca: read('ca.crt'), token: fresh, namespace: read('namespace').trim() || 'default' }
}

import { Duplex } from 'node:stream'
import { createResourceRegistry } from '../apiserver/cache/resource-registry.ts'
import { openWatchCache } from '../apiserver/cache/watch-cache.ts'
import { createServer } from '../apiserver/server.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import { HeldResources } from '../base/collections/held-resources.ts'
import { joinStreams } from '../base/join-streams.ts'
import { type Logger, silentLogger } from '../base/logger.ts'
import { type Random, systemRandom } from '../base/random.ts'
import { KUBERNETES_VERSION } from '../base/version.ts'
import { SYSTEM_MASTERS } from '../machinery/resource/user.ts'
import { issueCertificate, issuerFrom, newKeyPair } from '../machinery/x509/certificate.ts'
import { CONFIG_MAPS } from '../resources/refs.ts'
import type { Client } from '../sdk/client/client.ts'
import { createClient } from '../sdk/client/create-client.ts'
import { kubernetesKinds } from '../server/kubernetes-kinds.ts'
import type { LocalServer } from '../server/services/resolve-service.ts'
import { openMemoryStore } from '../storage/memory/memory-store.ts'
import { openSqliteStore } from '../storage/sqlite/sqlite-store.ts'
import { AggregatedApiError } from './aggregated-api-error.ts'
import { type AggregatedKind, kindDefinition } from './aggregated-kind.ts'
import { type ComputedObjects, computedObjects } from './computed.ts'
import { delegatedAuthenticator, delegatedAuthorizer } from './delegated-auth.ts'
import { register } from './register.ts'

/** What an aggregated API serves, and where its objects live. */
export interface AggregatedApiConfig {
  /** `wardle.example.com` */
  readonly group: string
  readonly kinds: readonly AggregatedKind[]
  /** Where objects are kept. Default: in memory. */
  readonly dataDir?: string
  /** `groupPriorityMinimum` of the APIServices, from 1 to 20000. Default 1000. */
  readonly groupPriority?: number
}

/** Dependencies; all have defaults. */
export interface AggregatedApiDeps {
  /** Default: the machine's. */
  readonly clock?: Clock
  /** Default: the machine's. */
  readonly random?: Random
  /** Default: no log. */
  readonly log?: Logger
}

/** The service of the cluster in front of the API. */
export interface AggregatedService {
  readonly namespace: string
  readonly name: string
  /** Default 443. */
  readonly port?: number
}

/** How a cluster in another process reaches the API. */
export interface AggregatedListenOptions {
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Default 0: any free one. */
  readonly port?: number
  /** The service whose name the certificate is to hold, and which `register` makes. */
  readonly service: AggregatedService
  /** A client of the cluster: reads its front proxy's certificate authority, and sends TokenReviews and SubjectAccessReviews. */
  readonly client: Client
}

/** How connections are served that do not come from a port of this machine. */
export interface AggregatedAcceptOptions {
  /** The serving certificate, PEM. */
  readonly cert: string
  readonly key: string
  /** As for `listen`. */
  readonly client: Client
}

/** A server of API groups of your own, behind a cluster's API server. Disposing stops it; its folder stays. */
export interface AggregatedApi extends AsyncDisposable {
  /** For a cluster of this process: `startCluster(…, { services: new Map([['default/fruit', api.connect]]) })`. */
  readonly connect: LocalServer
  /** Opens a TLS port with a self-signed certificate by default. Resolves with the port. Call it once, and not together with `connect`. */
  listen(options: AggregatedListenOptions): Promise<number>
  /**
   * Serves connections from elsewhere as the port of `listen` does, with TLS: for example those to a port of a container
   * (`container.listen(443, { connection: await api.accept({ cert, key, client: container.client }) })`). Each is a Node `Duplex`.
   */
  accept(options: AggregatedAcceptOptions): Promise<(connection: { destroy(): unknown }) => void>
  /** Registers the API in a cluster: creates its service (where it listens) and its APIServices, or updates them. */
  register(client: Client, service: AggregatedService): Promise<void>
  /**
   * The objects of a kind that is `computed`.
   * @throws {AggregatedApiError} `not-computed` for a name that no such kind has
   */
  computed(plural: string): ComputedObjects
  /** A client of the API alone, which may do everything. */
  client(): Client
}

/**
 * Serves kinds of your own as an aggregated API: get, list, watch, create, update, patch, server-side apply, delete, tables, selectors,
 * discovery and OpenAPI follow from the description of each kind.
 *
 * ```ts
 * await using api = await createAggregatedApi({
 *   group: 'wardle.example.com',
 *   kinds: [{ kind: 'Fischer', plural: 'fischers', scope: 'Cluster', versions: [{ name: 'v1alpha1' }] }],
 * })
 * await using cluster = await startCluster({}, { services: new Map([['default/wardle', api.connect]]) })
 * await api.register(cluster.client(), { namespace: 'default', name: 'wardle' })
 * ```
 */
export async function createAggregatedApi(config: AggregatedApiConfig, given: AggregatedApiDeps = {}): Promise<AggregatedApi> {
  const { clock = systemClock, random = systemRandom(), log = silentLogger } = given
  await using held = new HeldResources()
  const definitions = createResourceRegistry(config.kinds.map((kind) => kindDefinition(config.group, kind)))
  const store = held.use(
    config.dataDir === undefined ? openMemoryStore({}, { clock }) : await openSqliteStore({ folder: config.dataDir }, { clock }),
  )
  const watchCache = held.use(await openWatchCache({ store, definitions, clock, log }))
  const shared = {
    watchCache,
    definitions,
    kinds: kubernetesKinds,
    clock,
    random,
    log,
    admission: [],
    actions: {},
    reviews: {},
    connectors: {},
  }
  const serverFor = (at: { host: string; port: number; tls?: Tls }, client: Client | undefined, allowedNames: readonly string[]) =>
    createServer(
      { ...at, gitVersion: KUBERNETES_VERSION },
      { ...shared, authenticator: delegatedAuthenticator(client, clock, allowedNames), authorizer: delegatedAuthorizer(client, clock) },
    )
  const inside = held.use(serverFor({ host: '127.0.0.1', port: 0 }, undefined, []))
  const everything = createClient(inside.transport({ name: 'admin', groups: [SYSTEM_MASTERS, 'system:authenticated'] }))
  let listening: { readonly port: number; readonly ca: string } | undefined
  const all = held.move()
  return {
    connect: () => inside.connect(),
    async accept({ cert, key, client }) {
      const front = await frontProxyOf(client)
      const tls = { cert, key, clientCa: front.clientCa, frontProxyCa: front.ca }
      const server = all.use(serverFor({ host: '127.0.0.1', port: 0, tls }, client, front.allowedNames))
      return (connection) => {
        if (!(connection instanceof Duplex))
          throw new AggregatedApiError('bad-connection', 'accept takes connections that are a Duplex of node:stream')
        const answered = server.connectSecurely()
        if (answered === undefined) throw new Error('invariant: a server with certificates takes connections')
        joinStreams(connection, answered)
      }
    },
    async listen({ host = '127.0.0.1', port = 0, service, client }) {
      if (listening !== undefined)
        throw new AggregatedApiError(
          'listening',
          `the aggregated API ${config.group} listens already on port ${listening.port}: call listen once`,
        )
      const front = await frontProxyOf(client)
      const { certificate, key } = servingCertificate(service, clock.now())
      const tls = { cert: certificate, key, clientCa: front.clientCa, frontProxyCa: front.ca }
      const server = all.use(serverFor({ host, port, tls }, client, front.allowedNames))
      listening = { port: (await server.listen()).port, ca: certificate }
      return listening.port
    },
    register: (client, service) =>
      register(client, {
        group: config.group,
        versions: [...new Set(config.kinds.flatMap((kind) => kind.versions.map(({ name }) => name)))],
        service,
        localPort: listening?.port,
        ca: listening?.ca,
        groupPriority: config.groupPriority ?? 1000,
      }),
    computed(plural) {
      const kind = config.kinds.find((one) => one.plural === plural)
      if (kind?.computed !== true)
        throw new AggregatedApiError(
          'not-computed',
          `${plural} is no computed kind of ${config.group}: set \`computed: true\` in its description`,
        )
      const ref = { group: config.group, version: kind.versions[0]?.name ?? '', resource: plural }
      return computedObjects(ref, { store: inside.tools.store, client: everything })
    },
    client: () => everything,
    [Symbol.asyncDispose]: () => all[Symbol.asyncDispose](),
  }
}

type Tls = NonNullable<Parameters<typeof createServer>[0]['tls']>

const DAY_MS = 86_400_000

/** Self-signed: its certificate is registered as the authority. */
function servingCertificate({ namespace, name }: AggregatedService, now: number): { readonly certificate: string; readonly key: string } {
  const pair = newKeyPair()
  const authority = newKeyPair()
  const subject = { commonName: 'bowsprit-aggregated-api-ca', organizations: [] }
  const span = { notBefore: now - 300_000, notAfter: now + 365 * DAY_MS }
  const pem = (key: typeof pair.privateKey) => key.export({ type: 'pkcs8', format: 'pem' }).toString()
  const ca = issueCertificate({ subject, publicKey: authority.publicKey, ...span, authority: true }, { key: authority.privateKey, subject })
  const leaf = issueCertificate(
    {
      subject: { commonName: `${name}.${namespace}.svc`, organizations: [] },
      publicKey: pair.publicKey,
      ...span,
      usages: ['server'],
      dnsNames: [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`, 'localhost'],
      ipAddresses: ['127.0.0.1'],
    },
    issuerFrom(ca, pem(authority.privateKey)),
  )
  return { certificate: leaf + ca, key: pem(pair.privateKey) }
}

const DELEGATION = {
  namespace: 'kube-system',
  name: 'extension-apiserver-authentication',
}

async function frontProxyOf(
  client: Client,
): Promise<{ readonly ca: string; readonly clientCa: string; readonly allowedNames: readonly string[] }> {
  const { data } = await client.get({ ...CONFIG_MAPS, ...DELEGATION })
  const ca = data?.['requestheader-client-ca-file']
  if (ca === undefined || ca === '')
    throw new AggregatedApiError(
      'no-front-proxy',
      'the cluster names no front proxy (config map kube-system/extension-apiserver-authentication): start its API server with --requestheader-client-ca-file',
    )
  return { ca, clientCa: data?.['client-ca-file'] ?? '', allowedNames: JSON.parse(data?.['requestheader-allowed-names'] ?? '[]') }
}

import path from 'node:path'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import { KUBERNETES_VERSION } from '../base/version.ts'
import { builtinResources } from '../resources/builtin.ts'
import { clientCertificateAuthenticator } from '../server/auth/authenticators/client-certificate.ts'
import { createAuthenticator } from '../server/auth/create-authenticator.ts'
import { mastersAuthorizer, unionAuthorizer } from '../server/auth/union-authorizer.ts'
import { createDefinitions } from '../server/registry/definitions.ts'
import { openRegistry, type Registry } from '../server/registry/registry.ts'
import { type ApiServer, createServer } from '../server/server.ts'
import { openMemoryStore } from '../storage/memory/memory-store.ts'
import type { Store } from '../storage/store.ts'
import type { ClusterCertificates } from './certificates.ts'
import type { ClusterConfig } from './config.ts'

export interface ServerPart extends AsyncDisposable {
  readonly server: ApiServer
  readonly registry: Registry
}

export interface ServerPartDeps {
  readonly certificates: ClusterCertificates
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Freeze cached objects (tests). */
  readonly freeze: boolean
}

/** Store, registry and API server, wired; nothing listens yet. */
export async function openServerPart(config: ClusterConfig, deps: ServerPartDeps): Promise<ServerPart> {
  const { clock, random, log, certificates } = deps
  const store = await openStore(config, clock)
  const definitions = createDefinitions(builtinResources())
  const registry = await openRegistry({ store, definitions, clock, log, freeze: deps.freeze })
  const authenticator = createAuthenticator({
    requests: [clientCertificateAuthenticator()],
    tokens: [],
    audiences: ['https://kubernetes.default.svc'],
    anonymous: true,
  })
  const server = createServer(
    {
      host: config.host,
      port: config.port,
      tls: { cert: certificates.serving.certificate, key: certificates.serving.key, clientCa: certificates.ca.certificate },
      gitVersion: KUBERNETES_VERSION,
    },
    {
      registry,
      definitions,
      clock,
      random,
      log,
      authenticator,
      authorizer: unionAuthorizer([mastersAuthorizer]),
      admission: [],
      actions: {},
      reviews: {},
      connectors: {},
    },
  )
  return {
    server,
    registry,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await registry[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
    },
  }
}

async function openStore(config: ClusterConfig, clock: Clock): Promise<Store> {
  if (config.dataDir === undefined) return openMemoryStore({}, { clock })
  const { openSqliteStore } = await import('../storage/sqlite/sqlite-store.ts')
  return openSqliteStore({ folder: path.join(config.dataDir, 'store') }, { clock })
}

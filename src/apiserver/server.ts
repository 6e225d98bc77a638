import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import type { Transport } from '../machinery/api-call.ts'
import type { UserInfo } from '../machinery/resource/user.ts'
import type { AdmissionPlugin } from './admission/plugin.ts'
import type { AuditLog } from './audit/audit-log.ts'
import type { Definitions } from './cache/definitions.ts'
import type { Registry } from './cache/registry.ts'
import { changeStored, removeObject } from './change-stored.ts'
import { plainPaths } from './discovery/plain-paths.ts'
import type { Action, Connector, Review, ServerTools } from './extension-points.ts'
import type { FlowControl } from './flow/flow-control.ts'
import { type Listener, listen } from './http/listener.ts'
import type { PlainAnswer, PlainRequest } from './http/plain-paths.ts'
import { serve } from './http/serve.ts'
import type { Authenticator } from './identity/authenticator.ts'
import type { Authorizer } from './identity/authorizer.ts'
import { createImpersonation } from './identity/impersonation.ts'
import { inProcess } from './in-process.ts'
import type { ServerMetrics } from './metrics/server-metrics.ts'

/** What a server is told; complete and frozen. */
export interface ServerConfig {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  /** PEM texts. Without them the server does not listen and is reached by `transport` alone. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly clientCa: string }
  /** As `/version` tells it: `v1.36.3`. */
  readonly gitVersion: string
}

/** What a server is given. */
export interface ServerDeps {
  readonly registry: Registry
  readonly definitions: Definitions
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  /** Writes down who did what; without it nothing is. */
  readonly audit?: AuditLog
  /** Who may run now, and who waits; without it everybody runs. */
  readonly flow?: FlowControl
  /** Containers may be privileged (kube-apiserver's `--allow-privileged`). Default false. */
  readonly allowPrivileged?: boolean
  /** In the order in which they run. */
  readonly admission: readonly AdmissionPlugin[]
  /** By the names that `ResourceDefinition` uses: `Subresource.action`, `ReviewHandler.review`, `Subresource.connector`. */
  readonly actions: Readonly<Record<string, Action>>
  readonly reviews: Readonly<Record<string, Review>>
  readonly connectors: Readonly<Record<string, Connector>>
  /** Further paths that are no resources (`/openid/v1/jwks`). */
  readonly pages?: Readonly<Record<string, (request: PlainRequest) => PlainAnswer | Promise<PlainAnswer>>>
  /** Counts requests; without it `/metrics` is empty. */
  readonly metrics?: ServerMetrics
}

/** A Kubernetes API server. */
export interface ApiServer extends AsyncDisposable {
  readonly tools: ServerTools
  /** Opens the port. Resolves with the address that clients use: `https://127.0.0.1:6443`. */
  listen(): Promise<{ readonly address: string; readonly port: number }>
  /** Calls into this server in the same process, as that user, through the same pipeline. */
  transport(user: UserInfo): Transport
}

/** Builds the server; nothing is opened before `listen`. */
export function createServer(config: ServerConfig, deps: ServerDeps): ApiServer {
  const tools: ServerTools = {
    reader: deps.registry.reader,
    authorizer: deps.authorizer,
    clock: deps.clock,
    random: deps.random,
    log: deps.log,
    transport: (user) => inProcess(deps, tools, user),
    remove: (target, options, user) => removeObject(deps, tools, { target, options, user }),
    change: (target, change, options) => changeStored(deps, target, change, options),
  }
  let listener: Listener | undefined
  const serving = {
    deps,
    tools,
    plain: plainPaths(config, deps, () => `${config.host}:${listener?.port ?? config.port}`),
    impersonation: createImpersonation(deps.authorizer),
  }
  return {
    tools,
    transport: tools.transport,
    async listen() {
      if (config.tls === undefined) throw new Error('this server was made without certificates: it cannot listen')
      listener = await listen(
        { host: config.host, port: config.port, tls: config.tls },
        (exchange, upgrade) => serve(serving, exchange, upgrade),
        { log: deps.log, clock: deps.clock },
      )
      return { address: `https://${config.host}:${listener.port}`, port: listener.port }
    },
    async [Symbol.asyncDispose]() {
      await listener?.[Symbol.asyncDispose]()
    },
  }
}

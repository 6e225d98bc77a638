import type { IncomingHttpHeaders } from 'node:http'
import type { Later } from '../../base/steps.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import type { Query } from './query.ts'

export interface PlainRequest {
  readonly method: string
  readonly path: string
  readonly query: Query
  readonly headers: IncomingHttpHeaders
  readonly user: UserInfo
}

export interface PlainResponse {
  readonly code: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** The object that the body shows, in JSON, for the audit log; undefined if the body shows none. */
  readonly json?: () => Later<string | Uint8Array>
}

/** A check that only some servers have; it is shown behind those of etcd. */
export interface HealthCheck {
  readonly name: string
  readonly endpoints: readonly ('healthz' | 'livez' | 'readyz')[]
  /** It is also excluded by this name. */
  readonly group?: string
  /** Why it fails; undefined when it succeeds. */
  check(): Promise<string | undefined>
}

/** A page of one media type, for GET alone. */
export interface TypedPage {
  readonly type: string
  answer(): PlainResponse
}

/** Non-resource paths: discovery, health, version, metrics, OpenAPI. */
export interface PlainPaths {
  /** Undefined if there is no such path. */
  answer(request: PlainRequest): Promise<PlainResponse | undefined>
}

import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { silentLogger } from '../../base/logger.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import type { ServingDeps } from '../deps.ts'
import type { ServerTools } from '../extension-points.ts'
import { ALLOWED } from '../identity/authorizer.ts'
import { parseQuery } from '../request/query.ts'
import { readRequest } from '../request/read-request.ts'
import { NO_BODY, type RequestBody } from '../request/request-body.ts'
import { storeDouble } from '../store/store.double.ts'
import { type Connection, PipelineRequest } from './pipeline-request.ts'
import type { PipelineServer } from './step.ts'

/** A request without a client: `GET /version`, `POST /apis/…?dryRun=All`. Its sender is authenticated. */
export class RequestDouble extends PipelineRequest {
  readonly userAgent = 'test/1'
  readonly sourceIPs: readonly string[] = []
  readonly auditId = undefined
  readonly signal = new AbortController().signal
  readonly headers: IncomingHttpHeaders = {}
  readonly url: string
  readonly body: RequestBody
  readonly warnings: string[] = []
  over = false

  constructor(line: string, { user = { name: 'ann', groups: [] }, body = NO_BODY }: { user?: UserInfo; body?: RequestBody } = {}) {
    const [method = '', url = ''] = line.split(' ')
    const [path = '', search = ''] = url.split('?')
    const query = parseQuery(search)
    super(readRequest(method, path, query), query)
    this.url = url
    this.body = body
    this.authenticated(user)
  }

  warn(text: string): void {
    this.warnings.push(text)
  }

  connection(): Connection {
    const answer = { start() {}, write: () => true, drained: async () => {}, end() {} }
    return { source: { method: this.info.method, url: this.url, headers: {}, body: Readable.from([]) }, answer }
  }
}

/** The dependencies of a pipeline: a store of widgets or another kind, an authorizer that allows everything, and one page, `/version`. */
export async function pipelineDouble(deps: Partial<ServingDeps> = {}, definition?: ResourceDefinition) {
  const world = await storeDouble(definition, deps.kinds)
  const given: ServingDeps = {
    ...world,
    log: silentLogger,
    authenticator: { authenticate: () => undefined },
    authorizer: { authorize: () => ALLOWED },
    admission: [],
    actions: {},
    reviews: {},
    connectors: {},
    ...deps,
  }
  const tools: ServerTools = {
    ...given,
    reader: world.watchCache.reader,
    transport: () => {
      throw new Error('this double has no transport')
    },
  }
  const plain = { answer: async ({ path }: { path: string }) => (path === '/version' ? { code: 200, headers: {}, body: '{}' } : undefined) }
  const server: PipelineServer = { deps: given, tools, plain }
  return { ...world, server, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

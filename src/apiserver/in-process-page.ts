import type { PageAnswer, PageCall } from '../machinery/api-call.ts'
import type { JsonObject } from '../machinery/object.ts'
import type { UserInfo } from '../machinery/resource/user.ts'
import { badRequest } from '../machinery/status-error.ts'
import type { ServingDeps } from './deps.ts'
import type { ServerTools } from './extension-points.ts'
import { admit, resolve } from './handlers/dispatch.ts'
import { queryOf } from './handlers/request/query.ts'
import { requestInfo } from './handlers/request/request-info.ts'
import { noResource } from './handlers/request/route.ts'
import type { PlainPaths } from './http/plain-paths.ts'

const FOREVER = new AbortController().signal

interface PageDeps {
  readonly deps: ServingDeps
  readonly tools: ServerTools
  readonly user: UserInfo
  readonly plain: PlainPaths
}

/** A path that is no resource, for a client of the same process: authorized like any other. */
export async function inProcessPage({ deps, tools, user, plain }: PageDeps, call: PageCall): Promise<PageAnswer> {
  const { path, accept = 'application/json', etag, signal = FOREVER } = call
  const query = queryOf({})
  const info = requestInfo('GET', path, { watching: false })
  const body = { kind: 'object', value: undefined } as const
  const guest = deps.delegates?.of(path)
  if (guest !== undefined) {
    await admit(deps, {
      info,
      query,
      user,
      userAgent: user.name,
      body: { kind: 'object', value: undefined },
      signal,
      warn() {},
      annotate() {},
    })
    return guest.transport(user).page(call)
  }
  const resource = await resolve(deps, tools, { info, query, user, userAgent: user.name, body, signal, warn() {}, annotate() {} })
  if (resource !== undefined) throw badRequest(`${path} is a resource, not a page`)
  const headers = { accept, ...(etag !== undefined && { 'if-none-match': `"${etag}"` }) }
  const found = await plain.answer({ method: 'GET', path, query, headers, user })
  if (found === undefined) throw noResource()
  const value = found.code === 304 ? undefined : (JSON.parse(String(found.body)) as JsonObject)
  return { value, etag: found.headers.etag?.replace(/^"|"$/g, '') }
}

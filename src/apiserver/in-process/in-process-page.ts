import type { PageCall, PageResponse } from '../../machinery/api-call.ts'
import type { JsonObject } from '../../machinery/object.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import { badRequest } from '../../machinery/status-error.ts'
import { noResource } from '../handlers/route.ts'
import type { PipelineServer } from '../pipeline/step.ts'
import { NO_QUERY } from '../request/query.ts'
import { requestInfo } from '../request/request-info.ts'
import { answerRequest, endRequest, failRequest } from './in-process-pipeline.ts'
import { InProcessRequest } from './in-process-request.ts'

/** GET of a non-resource path, for a client of the same process. */
export async function inProcessPage(server: PipelineServer, user: UserInfo, requested: PageCall): Promise<PageResponse> {
  const { path, accept = 'application/json', etag, signal } = requested
  const info = requestInfo('GET', path, { watching: false })
  const headers = { accept, ...(etag !== undefined && { 'if-none-match': `"${etag}"` }) }
  const request = new InProcessRequest(user, server.deps.clock.monotonic(), { info, query: NO_QUERY, headers, signal })
  const result = await answerRequest(server, request)
  if (request.call !== undefined) failRequest(server, request, badRequest(`${path} is a resource, not a page`))
  if (result.kind === 'delegated') {
    const fail = (error: unknown) => failRequest(server, request, error)
    const page = await result.to.transport(user).page(requested).catch(fail)
    endRequest(server, request, 200)
    return page
  }
  if (result.kind !== 'page' || result.page === undefined) return failRequest(server, request, noResource())
  const { page } = result
  endRequest(server, request, page.code)
  const value = page.code === 304 ? undefined : (JSON.parse(String(page.body)) as JsonObject)
  return { value, etag: page.headers.etag?.replace(/^"|"$/g, '') }
}

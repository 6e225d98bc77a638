import type { PageAnswer, PageCall } from '../../machinery/api-call.ts'
import type { JsonObject } from '../../machinery/object.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import { badRequest } from '../../machinery/status-error.ts'
import { noResource } from '../handlers/route.ts'
import type { PipelineServer } from '../pipeline/step.ts'
import { NO_QUERY } from '../request/query.ts'
import { requestInfo } from '../request/request-info.ts'
import { answered } from './in-process-pipeline.ts'
import { InProcessRequest } from './in-process-request.ts'

/** GET of a path that is no resource, for a client of the same process. */
export async function inProcessPage(server: PipelineServer, user: UserInfo, asked: PageCall): Promise<PageAnswer> {
  const { path, accept = 'application/json', etag, signal } = asked
  const info = requestInfo('GET', path, { watching: false })
  const headers = { accept, ...(etag !== undefined && { 'if-none-match': `"${etag}"` }) }
  const request = new InProcessRequest(user, { info, query: NO_QUERY, search: () => '', headers, signal })
  const { call, result, end, fail } = await answered(server, request)
  if (call !== undefined) return fail(badRequest(`${path} is a resource, not a page`))
  if (result.kind === 'delegated') {
    const page = await result.to.transport(user).page(asked).catch(fail)
    end(200)
    return page
  }
  if (result.kind !== 'page' || result.page === undefined) return fail(noResource())
  const { page } = result
  end(page.code)
  const value = page.code === 304 ? undefined : (JSON.parse(String(page.body)) as JsonObject)
  return { value, etag: page.headers.etag?.replace(/^"|"$/g, '') }
}

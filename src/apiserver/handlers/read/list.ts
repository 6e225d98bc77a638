import { isCached } from '../../../machinery/resource/definition.ts'
import { badRequest, expired, StatusError } from '../../../machinery/status-error.ts'
import { StoreError } from '../../../storage/store.ts'
import type { Page, PageResult } from '../../cache/resource-cache.ts'
import { parseRevision } from '../../store/revision.ts'
import type { Call, HandlerResult } from '../call.ts'
import { type ListOptions, listOptions } from '../options.ts'
import { decodeListToken, encodeListToken, type ListToken } from './list-token.ts'
import { listReports } from './report.ts'
import { type Selection, selection } from './selection.ts'

const WAIT_MS = 3000
const NO_LIMIT = Number.POSITIVE_INFINITY

/** GET of a collection. */
export async function list(call: Call): Promise<HandlerResult> {
  return listWith(call, listOptions(call.request.query, false))
}

/** Lists with options that are parsed already (a collection delete lists first). */
export async function listWith(call: Call, options: ListOptions): Promise<Extract<HandlerResult, { kind: 'list' }>> {
  const chosen = selection(call.served, call.target, options)
  const { report } = call.served.definition
  if (report !== undefined) return listReports(call, report, chosen)
  if (options.continue !== '') return continued(call, options, chosen)
  const revision = await revisionOf(call, options)
  const limit = limitOf(options)
  const page: Page = { filter: chosen.filter, from: '', limit, anyState: options.resourceVersion === '0' }
  const past = revision !== undefined
  const { deps } = call
  if (past && revision !== deps.store.revisionOf(call.served.definition))
    return answer(await pastPage(call, page, revision, undefined), revision, chosen)
  const present = await deps.store.list(call.served.definition, page)
  return answer(present, present.revision, chosen)
}

/** `resourceVersion=0` means any state, and returns all of it without paging. */
const limitOf = (options: ListOptions) => (options.limit > 0 && options.resourceVersion !== '0' ? options.limit : NO_LIMIT)

/** Waits for the state that the options require. Returns the revision if it must match exactly. */
async function revisionOf(call: Call, options: ListOptions): Promise<number | undefined> {
  const { store } = call.deps
  if (options.resourceVersion === '') {
    await store.consistent(call.served.definition)
    return undefined
  }
  const revision = parseRevision(options.resourceVersion)
  if (typeof revision === 'string') {
    throw badRequest(`invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(options.resourceVersion)}: ${revision}`)
  }
  if (revision === 0) return undefined
  await reached(call, revision)
  const exact = options.resourceVersionMatch === 'Exact' || (options.resourceVersionMatch === '' && options.limit > 0)
  return exact ? revision : undefined
}

/** Waits until the caches have reached the revision; 504 for a future revision. */
export async function reached(call: Call, revision: number): Promise<void> {
  const { deps, served, request } = call
  if (await deps.store.reach(served.definition, revision, WAIT_MS)) return
  // Only caches and watches of Kubernetes name a time to retry.
  const retry = isCached(served.definition) || request.info.verb === 'watch' ? { retryAfterSeconds: 1 } : {}
  throw new StatusError({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${revision}, current: ${deps.store.revisionOf(served.definition)}`,
    details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }], ...retry },
  })
}

async function continued(call: Call, options: ListOptions, chosen: Selection) {
  const token = decodeListToken(options.continue)
  if (options.resourceVersion !== '' && options.resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue')
  }
  const { filter } = chosen
  const page: Page = { filter, from: `${filter.prefix}${token.from}`, limit: limitOf(options) }
  const { store } = call.deps
  if (token.revision < 0) {
    await store.consistent(call.served.definition)
    const present = await store.list(call.served.definition, page)
    return answer(present, present.revision, chosen)
  }
  await reached(call, token.revision)
  return answer(await pastPage(call, page, token.revision, token), token.revision, chosen)
}

/** A page of an earlier state. */
async function pastPage(call: Call, page: Page, revision: number, token: ListToken | undefined): Promise<PageResult> {
  try {
    return await call.deps.store.listAt(call.served.definition, page, revision)
  } catch (error) {
    if (error instanceof StoreError && error.code === 'compacted') throw tooOld(token)
    throw error
  }
}

function tooOld(token: ListToken | undefined): StatusError {
  if (token === undefined) return expired('The resourceVersion for the provided list is too old.')
  return new StatusError({
    code: 410,
    reason: 'Expired',
    message:
      'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    metadata: { continue: encodeListToken({ revision: -1, from: token.from }) },
  })
}

function answer(page: PageResult, revision: number, { filter }: Selection): Extract<HandlerResult, { kind: 'list' }> {
  const more =
    page.next === undefined ? {} : { continue: encodeListToken({ revision, from: `${page.next.slice(filter.prefix.length)}\u0000` }) }
  const rest = page.next === undefined || page.remaining === undefined ? {} : { remainingItemCount: page.remaining }
  return { kind: 'list', items: page.items, metadata: { resourceVersion: String(revision), ...more, ...rest } }
}

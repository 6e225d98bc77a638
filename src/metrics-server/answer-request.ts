import { asJson, type Json } from '../machinery/object.ts'
import { internalError, StatusError } from '../machinery/status-error.ts'
import type { ApiResponse, GroupApi } from './group-api.ts'

/** A request of HTTP. */
export interface PlainRequest {
  readonly method: string
  /** Path and query, encoded. */
  readonly url: string
  readonly accept: string
}

/** The response. */
export interface PlainResponse {
  readonly code: number
  readonly value: Json
  readonly warnings: readonly string[]
}

/** Handles the requests of an aggregated server: discovery and the objects of its groups. Requests are authorized already. */
export function answerRequest(apis: readonly GroupApi[], request: PlainRequest): PlainResponse {
  try {
    const { value, warnings = [] } = find(apis, request)
    return { code: 200, value, warnings }
  } catch (error) {
    const status = error instanceof StatusError ? error.status : internalError(error).status
    return { code: status.code, value: asJson(status), warnings: [] }
  }
}

function find(apis: readonly GroupApi[], { method, url, accept }: PlainRequest): ApiResponse {
  const [pathText = '', search = ''] = url.split(/\?(.*)/s)
  const [root, group, version, ...path] = segments(pathText)
  if (pathText.startsWith(OPENAPI)) return { value: openapi(apis, pathText.slice(OPENAPI.length)) }
  if (root !== 'apis') throw nothing()
  if (group === undefined) return { value: groupList(apis) }
  const ofGroup = apis.filter((api) => api.group === group)
  if (version === undefined && ofGroup.length > 0) return { value: { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group, ofGroup) } }
  const api = ofGroup.find((one) => one.version === version)
  if (api === undefined) throw nothing()
  if (path.length === 0)
    return { value: { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${group}/${version}`, resources: [...api.resources()] } }
  if (method !== 'GET') throw onlyRead()
  const query = new URLSearchParams(search)
  if (['true', '1'].includes(query.get('watch') ?? '')) throw onlyRead()
  const answer = api.get({ path, query, wantsTable: /;\s*as=Table\b/.test(accept) })
  if (answer === undefined) throw nothing()
  return answer
}

const OPENAPI = '/openapi/v3'

/** The index of the documents, or one of them. */
function openapi(apis: readonly GroupApi[], rest: string): Json {
  const documents = new Map<string, Json>()
  for (const { group, version, openapi: document } of apis) if (document !== undefined) documents.set(`/apis/${group}/${version}`, document)
  if (rest !== '') return documents.get(rest) ?? fail(nothing())
  return { paths: Object.fromEntries([...documents.keys()].map((path) => [path.slice(1), { serverRelativeURL: `${OPENAPI}${path}` }])) }
}

function fail(error: Error): never {
  throw error
}

function segments(path: string): readonly string[] {
  try {
    return path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent)
  } catch {
    throw nothing()
  }
}

const groupList = (apis: readonly GroupApi[]): Json => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: [...Map.groupBy(apis, ({ group }) => group)].map(([group, of]) => groupOf(group, of)),
})

function groupOf(name: string, apis: readonly GroupApi[]) {
  const versions = apis.map(({ version }) => ({ groupVersion: `${name}/${version}`, version }))
  const [preferredVersion] = versions
  return { name, versions, ...(preferredVersion && { preferredVersion }) }
}

const nothing = () => new StatusError({ code: 404, reason: 'NotFound', message: 'the server could not find the requested resource' })
const onlyRead = () =>
  new StatusError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'figures are read with get and list; nothing else is served of them',
  })

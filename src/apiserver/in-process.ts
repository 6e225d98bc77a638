import { TurnGate } from '../base/turn-gate.ts'
import { type ApiCall, METHOD, type Target, type Transport, type WatchEvent } from '../machinery/api-call.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { UserInfo } from '../machinery/resource/user.ts'
import { StatusError } from '../machinery/status-error.ts'
import type { AuditedRequest, AuditRecord } from './audit/audit-record.ts'
import type { ServingDeps } from './deps.ts'
import type { ServerTools } from './extension-points.ts'
import type { Answer, Call } from './handlers/call.ts'
import { admit, callOf, handle, type Inbound } from './handlers/dispatch.ts'
import { bookmark } from './handlers/read/bookmark.ts'
import { countedRequest } from './handlers/request/counted-request.ts'
import { queryOf } from './handlers/request/query.ts'
import type { RequestInfo } from './handlers/request/request-info.ts'
import { noResource } from './handlers/request/route.ts'
import { isLong } from './http/connection/request-limit.ts'
import type { PlainPaths } from './http/plain-paths.ts'
import { inProcessConnections } from './in-process-connections.ts'
import { inProcessPage } from './in-process-page.ts'
import type { RouteCounts } from './metrics/request-counts.ts'
import { convert, convertAll } from './store/conversion.ts'
import type { WatchSession } from './store/watch-session.ts'
import { requestVersion } from './store/write.ts'

/** Calls without sockets wait for nothing: whoever makes thousands of them in a row would keep the event loop to itself. */
const gate = new TurnGate(64)

const FOREVER = new AbortController().signal
const IGNORED = () => {}

/** Calls into the server of the same process: the same pipeline without sockets and text. Objects that come back are shared: never change them. */
export function inProcess(deps: ServingDeps, tools: ServerTools, user: UserInfo, plain: () => PlainPaths): Transport {
  const open = async (api: ApiCall): Promise<Opened> => {
    const turn = gate.pass()
    if (turn !== undefined) await turn
    const started = deps.clock.monotonic()
    const info = infoOf(api)
    const record = deps.audit && (await audited(api, info))
    let counts: RouteCounts | undefined
    const done = (code: number, shown?: object) => {
      counts?.done(code, (deps.clock.monotonic() - started) / 1000)
      tell(record, code, shown)
    }
    try {
      const inbound: Inbound = {
        info,
        query: queryOf(api.query),
        user,
        userAgent: user.name,
        body: { kind: 'object', value: api.body, ...(api.patchType && { patchType: api.patchType }) },
        signal: api.signal ?? FOREVER,
        warn: IGNORED,
        annotate: record === undefined ? IGNORED : (key, value, level) => record.annotate(key, value, level),
        audit: record,
      }
      // What need not be waited for is not: each wait costs a promise and a turn of its queue, and a pod has ten writes.
      const admitted = admit(deps, inbound)
      if (admitted !== undefined) await admitted
      const call = callOf(deps, tools, inbound)
      if (call === undefined) throw noResource()
      counts = deps.metrics?.requests.of(countedRequest(call))
      counts?.begin()
      const answer = await handle(call)
      if (answer.kind === 'watch') record?.started(200)
      return { call, answer, done }
    } catch (error) {
      done(error instanceof StatusError ? error.code : 500, error instanceof StatusError ? error.status : undefined)
      throw error
    }
  }
  const audited = async (api: ApiCall, info: RequestInfo): Promise<AuditRecord | undefined> => {
    const record = await deps.audit?.begin(auditedCall(api, info, user))
    if (record?.lost === true) throw new StatusError({ code: 500, reason: 'InternalError', message: 'failed to store audit event' })
    return record
  }
  /** Who answers in place of this server, once it is known that the user may ask. */
  const guestOf = (api: ApiCall) => {
    const { group, version } = api.target
    return deps.delegates?.of(group === '' ? `/api/${version}` : `/apis/${group}/${version}`)
  }
  const openGuest = async (api: ApiCall, guest: NonNullable<ReturnType<typeof guestOf>>) => {
    const info = infoOf(api)
    const record = await audited(api, info)
    const done = (code: number, shown?: object) => tell(record, code, shown)
    const failed = (error: unknown): never => {
      done(error instanceof StatusError ? error.code : 500)
      throw error
    }
    const annotate = (key: string, value: string) => record?.annotate(key, value)
    try {
      await admit(deps, { ...INBOUND, info, query: queryOf(api.query), user, annotate })
    } catch (error) {
      failed(error)
    }
    return { transport: guest.transport(user), done, failed }
  }
  return {
    async call(api) {
      const standing = guestOf(api)
      if (standing !== undefined) {
        const guest = await openGuest(api, standing)
        const object = await guest.transport.call(api).catch(guest.failed)
        guest.done(200, object)
        return object
      }
      const { call, answer, done } = await open(api)
      const shown = objectOf(call, answer)
      const object = shown instanceof Promise ? await shown : shown
      done('code' in answer ? answer.code : 200, object)
      return object
    },
    async *watch(api) {
      const standing = guestOf(api)
      if (standing !== undefined) {
        const guest = await openGuest(api, standing)
        yield* guest.transport.watch(api)
        return guest.done(200)
      }
      const { call, answer, done } = await open(api)
      if (answer.kind !== 'watch') throw new StatusError({ code: 500, message: 'a watch was answered otherwise' })
      try {
        yield* events(call, answer.session, api.signal)
      } finally {
        done(200)
      }
    },
    page: (call) => inProcessPage({ deps, tools, user, plain: plain() }, call),
    connect: inProcessConnections({
      deps,
      tools,
      user,
      info: ({ target }, verb) => ({ path: '', method: METHOD[verb], verb, target: pathTarget(target) }),
      audit: (call, info) => deps.audit?.begin(auditedCall({ query: Object.fromEntries(call.query) }, info, user)),
    }),
  }
}

const INBOUND = { userAgent: '', body: { kind: 'object', value: undefined }, signal: FOREVER, warn: () => {} } as const

/** What came of a call, for the audit log. */
function tell(record: AuditRecord | undefined, code: number, shown: object | undefined): void {
  if (record === undefined) return
  if (shown !== undefined && (record.keepsResponse || ('kind' in shown && shown.kind === 'Status'))) record.response(shown)
  record.complete(code)
}

interface Opened {
  readonly call: Call
  readonly answer: Answer
  /** The request is over: told to whoever counts, and to the audit log. */
  done(code: number, shown?: object): void
}

function auditedCall({ query }: Pick<ApiCall, 'query'>, info: RequestInfo, user: UserInfo): AuditedRequest {
  const { verb, target } = info
  const place =
    target &&
    [
      target.group === '' ? '/api' : `/apis/${target.group}`,
      target.version,
      ...(target.namespaced ? ['namespaces', target.namespace] : []),
      target.resource,
      ...[target.name, target.subresource].filter((part) => part !== ''),
    ].join('/')
  const words = new URLSearchParams(query as Record<string, string> | undefined).toString()
  return {
    user,
    verb,
    path: place ?? '',
    ...(target && { resource: target }),
    url: `${place}${words === '' ? '' : `?${words}`}`,
    apiVersion: target?.version ?? '',
    sourceIPs: [],
    userAgent: user.name,
    long: isLong(info),
  }
}

function objectOf(call: Call, answer: Answer): KubeObject | Promise<KubeObject> {
  const { definition } = call.served
  switch (answer.kind) {
    case 'item':
      return convert(definition, answer.item.object, requestVersion(call))
    case 'object':
      return answer.object
    case 'list':
      return listOf(call, answer)
    default:
      throw new StatusError({ code: 500, message: 'this call has no object as its answer' })
  }
}

async function listOf(call: Call, { items, metadata }: Extract<Answer, { kind: 'list' }>): Promise<KubeObject> {
  const { definition } = call.served
  const apiVersion = requestVersion(call)
  const objects = items.map((item) => item.object)
  const kind = definition.names.listKind ?? `${definition.names.kind}List`
  return { kind, apiVersion, metadata, items: await convertAll(definition, objects, apiVersion) }
}

async function* events(call: Call, session: WatchSession, signal: AbortSignal | undefined): AsyncGenerator<readonly WatchEvent[]> {
  const { definition } = call.served
  const wanted = requestVersion(call)
  let wake = () => {}
  session.onReady(() => wake())
  const onAbort = () => wake()
  signal?.addEventListener('abort', onAbort)
  try {
    while (signal?.aborted !== true) {
      const woken = new Promise<void>((r) => {
        wake = r
      })
      const step = session.next()
      if (step === undefined) await woken
      else if (step.kind === 'end') return
      else if (step.kind === 'error') throw StatusError.from(step.status)
      else if (step.kind === 'bookmark') yield [{ type: 'BOOKMARK', object: bookmark(call.served, wanted, step) }]
      else {
        const objects = await convertAll(
          definition,
          step.batch.events.map((e) => e.item.object),
          wanted,
        )
        yield step.batch.events.map((e, i) => ({ type: e.type, object: objects[i] ?? e.item.object }))
      }
    }
  } finally {
    signal?.removeEventListener('abort', onAbort)
    session.close()
  }
}

function infoOf({ verb, target }: ApiCall): RequestInfo {
  return { path: '', method: METHOD[verb], verb, target: pathTarget(target) }
}

function pathTarget(target: Target) {
  return {
    group: target.group,
    version: target.version,
    namespace: target.namespace ?? '',
    namespaced: (target.namespace ?? '') !== '',
    resource: target.resource,
    name: target.name ?? '',
    subresource: target.subresource ?? '',
    rest: '',
    watchPath: false,
  }
}

import { currentNote } from '../../base/cause.ts'
import { messageOf } from '../../base/message-of.ts'
import type { JsonObject, KubeList, KubeObject } from '../../machinery/object.ts'
import type { ApiCall, Client, DeleteOptions, ListOptions, Target, Transport, WatchEvent, WatchOptions, WriteOptions } from './client.ts'
import { podConnections } from './pod-connections.ts'

/**
 * A client over a transport; it keeps no state of its own.
 *
 * ```ts
 * await using transport = httpsTransport(await loadKubeconfigFile('kubeconfig'))
 * const client = createClient(transport)
 * ```
 */
export function createClient(transport: Transport): Client {
  const call = async <T extends KubeObject>(request: ApiCall): Promise<T> => {
    request.signal?.throwIfAborted()
    return (await transport.call(request)) as T
  }
  const write = <T extends KubeObject>(request: ApiCall): Promise<T> => {
    const note = currentNote<NotedWrite>()
    return note === undefined ? call(request) : noted(request, call<T>(request), note)
  }
  return {
    ...podConnections(transport.connect),
    page: (path, options = {}) => transport.page({ path, ...options }),
    get: (target, options = {}) => {
      const query = options.resourceVersion === undefined ? NO_QUERY : { resourceVersion: options.resourceVersion }
      return call({ verb: 'get', target, query, ...signalOf(options) })
    },
    list: async <T extends KubeObject>(target: Target, options: ListOptions = {}) =>
      (await call({ verb: 'list', target, query: listQuery(options), ...signalOf(options) })) as KubeList<T>,
    watch: <T extends KubeObject>(target: Target, options: WatchOptions = {}) =>
      transport.watch({ verb: 'watch', target, query: watchQuery(options), ...signalOf(options) }) as AsyncIterable<
        readonly WatchEvent<T>[]
      >,
    create: (target, object, options = {}) =>
      write({ verb: 'create', target, query: writeQuery(options), body: object, ...signalOf(options) }),
    update: (target, object, options = {}) =>
      write({ verb: 'update', target, query: writeQuery(options), body: object, ...signalOf(options) }),
    patch: (target, patchType, patch, options = {}) => {
      const query = options.force === undefined ? writeQuery(options) : { ...writeQuery(options), force: String(options.force) }
      return write({ verb: 'patch', target, query, body: patch, patchType, ...signalOf(options) })
    },
    delete: (target, options = {}) => write({ verb: 'delete', target, query: NO_QUERY, ...deleteBody(options), ...signalOf(options) }),
    deleteCollection: (target, options = {}) =>
      write({ verb: 'deletecollection', target, query: listQuery(options), ...deleteBody(options), ...signalOf(options) }),
  }
}

/** A write as a reconciliation has sent it. */
export interface NotedWrite extends Pick<ApiCall, 'verb' | 'target'> {
  /** The name that the server gave; a new object may have none before. */
  readonly name: string
  /** Why it was refused. */
  readonly error?: string
}

async function noted<T extends KubeObject>({ verb, target }: ApiCall, sent: Promise<T>, note: (write: NotedWrite) => void): Promise<T> {
  try {
    const answer = await sent
    note({ verb, target, name: target.name ?? answer.metadata?.name ?? '' })
    return answer
  } catch (error) {
    note({ verb, target, name: target.name ?? '', error: messageOf(error) })
    throw error
  }
}

const NO_QUERY: Readonly<Record<string, string>> = Object.freeze({})

const signalOf = (options: { readonly signal?: AbortSignal }) => (options.signal === undefined ? {} : { signal: options.signal })

function listQuery(options: ListOptions): Record<string, string> {
  const query: Record<string, string> = {}
  if (options.labelSelector) query.labelSelector = options.labelSelector
  if (options.fieldSelector) query.fieldSelector = options.fieldSelector
  if (options.limit !== undefined) query.limit = String(options.limit)
  if (options.continue) query.continue = options.continue
  if (options.resourceVersion !== undefined) query.resourceVersion = options.resourceVersion
  if (options.resourceVersionMatch) query.resourceVersionMatch = options.resourceVersionMatch
  return query
}

function watchQuery(options: WatchOptions): Record<string, string> {
  const query = listQuery(options)
  query.watch = 'true'
  if (options.allowWatchBookmarks) query.allowWatchBookmarks = 'true'
  if (options.sendInitialEvents !== undefined) query.sendInitialEvents = String(options.sendInitialEvents)
  if (options.timeoutSeconds !== undefined) query.timeoutSeconds = String(options.timeoutSeconds)
  return query
}

function writeQuery(options: WriteOptions): Readonly<Record<string, string>> {
  if (!options.dryRun && !options.fieldManager && !options.fieldValidation) return NO_QUERY
  const query: Record<string, string> = {}
  if (options.dryRun) query.dryRun = 'All'
  if (options.fieldManager) query.fieldManager = options.fieldManager
  if (options.fieldValidation) query.fieldValidation = options.fieldValidation
  return query
}

function deleteBody(options: DeleteOptions): { body?: JsonObject } {
  const body: JsonObject = { apiVersion: 'v1', kind: 'DeleteOptions' }
  if (options.gracePeriodSeconds !== undefined) body.gracePeriodSeconds = options.gracePeriodSeconds
  if (options.propagationPolicy) body.propagationPolicy = options.propagationPolicy
  if (options.preconditions) body.preconditions = { ...options.preconditions }
  if (options.dryRun) body.dryRun = ['All']
  return Object.keys(body).length > 2 ? { body } : {}
}

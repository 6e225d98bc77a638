import { apiVersionOf, asKubeObject, type KubeObject } from '../../machinery/object.ts'
import type { Subresource } from '../../machinery/resource/definition.ts'
import { badRequest, notFound, notImplemented } from '../../machinery/status-error.ts'
import type { Connector, ConnectRequest, ConnectResponse } from '../extension-points.ts'
import { AdmissionOfWrite } from '../store/admission-of-write.ts'
import { runMutating, runValidating } from '../store/admit.ts'
import { groupResource } from '../store/write.ts'
import type { Call } from './call.ts'
import { untrackedWriteOf } from './write-of.ts'

type ConnectSubresource = Extract<Subresource, { kind: 'connect' }>

/** The origin of a connection: a socket, or a client of the same process. */
export type ConnectionSource = Pick<ConnectRequest, 'method' | 'url' | 'headers' | 'body' | 'upgrade' | 'local'>

/** Admits a request on a stream or proxy, and passes it to its connector. */
export async function connect(
  call: Call,
  subresource: ConnectSubresource,
  source: ConnectionSource,
  answer: ConnectResponse,
): Promise<void> {
  // Logs are read like objects, whose reading knows no dry run.
  if (subresource.produces === undefined && call.request.query.get('dryRun') !== undefined) throw badRequest('dryRun is not supported')
  const connector = connectorOf(call, subresource.connector)
  const place = proxyTarget(call)
  const request: ConnectRequest = {
    definition: call.served.definition,
    namespace: call.target.namespace,
    name: place.name,
    scheme: place.scheme,
    port: place.port,
    subresource: call.target.subresource,
    rest: call.target.rest,
    query: call.request.query,
    user: call.request.user,
    signal: call.request.signal,
    ...source,
  }
  await admit(call, subresource, source)
  await connector(request, answer, {
    ...call.tools,
    object: () => {
      const { definition } = call.served
      const found = call.tools.reader.get(definition.group, definition.names.plural, call.target.namespace, place.name)
      if (found === undefined) throw notFound(groupResource(call), place.name)
      return found
    },
  })
}

/** Connections are admitted by their options, whether or not there is an object to connect to. What has no options is read. */
async function admit(call: Call, subresource: ConnectSubresource, source: ConnectionSource): Promise<void> {
  const object = optionsOf(call, subresource, source)
  if (object === undefined) return
  const write = untrackedWriteOf(call, { dryRun: false, options: NO_OPTIONS })
  const admission = new AdmissionOfWrite(write, { operation: 'CONNECT', name: call.target.name, object })
  // Mutated options are seen by later plugins only: the connector gets the request as it was sent.
  await runMutating(admission)
  await runValidating(admission)
}

const NO_OPTIONS: KubeObject = { kind: '', apiVersion: '', metadata: {} }

/** The options of the connection as the object that admission sees. */
function optionsOf(call: Call, { input, options }: ConnectSubresource, { url }: ConnectionSource): KubeObject | undefined {
  if (input === undefined || options === undefined) return undefined
  const { rest } = call.target
  const slash = /^[^?]*\/(\?|$)/.test(url) && !rest.endsWith('/') ? '/' : ''
  // Options have no metadata, unlike other objects.
  return asKubeObject({ kind: input.kind, apiVersion: apiVersionOf(input), ...options(call.request.query, rest + slash) })
}

function connectorOf(call: Call, name: string): Connector {
  const connector = Object.hasOwn(call.deps.connectors, name) ? call.deps.connectors[name] : undefined
  if (connector === undefined) throw notImplemented(`${call.target.subresource} of ${call.served.definition.names.plural}`)
  return connector
}

interface ProxyTarget {
  readonly name: string
  readonly scheme: string
  readonly port: string
}

/** The name, scheme and port of a proxied object, `https:name:port`. */
function proxyTarget(call: Call): ProxyTarget {
  const { name, subresource, resource } = call.target
  if (subresource !== 'proxy') return { name, scheme: '', port: '' }
  const parts = name.split(':')
  const [first = '', second = '', third = ''] = parts
  if (parts.length === 1) return { name, scheme: '', port: '' }
  if (parts.length === 2) return { name: first, scheme: '', port: second }
  if (parts.length === 3 && ['', 'http', 'https'].includes(first)) return { name: second, scheme: first, port: third }
  throw badRequest(`invalid ${resource.replace(/s$/, '')} request ${JSON.stringify(name)}`)
}

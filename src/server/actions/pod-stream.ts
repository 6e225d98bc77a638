import type { Connector, ConnectRequest, ConnectResponse, ConnectTools } from '../../apiserver/extension-points.ts'
import { resourceAttributes } from '../../apiserver/identity/authorizer.ts'
import { parseFlag, parseUint16s } from '../../apiserver/request/go-values.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { badRequest, forbiddenStatus, notImplemented, StatusError } from '../../machinery/status-error.ts'
import type { CommandStreams } from '../../machinery/streams.ts'
import type { Pod } from '../../resources/types/core.ts'
import { acceptCommand } from '../../streaming/accept-command.ts'
import { acceptPorts } from '../../streaming/accept-ports.ts'
import { runCommand } from '../../streaming/run-command.ts'
import { NodeRefusal, type NodeStreams } from './node-streams.ts'
import { checkContainer, onKnownNode } from './pod-log.ts'

/** GET or POST pods/NAME/exec and attach: validates options, pod and container; the node runs the process. */
export const podCommand =
  (kind: 'exec' | 'attach', node: NodeStreams | undefined): Connector<Pod> =>
  async (request, answer, tools) => {
    const pod = tools.object()
    await mayCreate(request, tools)
    const streams = streamsOf(request, kind)
    const command = request.query.all('command')
    const container = containerOf(pod, request)
    if (!pod.spec?.nodeName) throw badRequest(`pod ${request.name} does not have a host assigned`)
    onKnownNode(pod, tools)
    // In Kubernetes the kubelet checks what follows.
    if (!streams.stdin && !streams.stdout && !streams.stderr) throw badRequest('you must specify at least 1 of stdin, stdout, stderr')
    if (kind === 'exec' && command.length === 0) throw badRequest('you must specify at least one command for the container')
    if (node === undefined) throw notImplemented(`${request.subresource} without a node agent`)
    const wanted = { pod, container, streams }
    const run = await foundBy(kind === 'exec' ? node.exec({ ...wanted, command }) : node.attach(wanted), request, answer)
    if (run === undefined) return
    const accepted = await acceptCommand(request, answer, streams, tools)
    if (accepted !== undefined) await runCommand(accepted, run)
  }

/** POST (or a WebSocket's GET) pods/NAME/portforward. */
export const podPorts =
  (node: NodeStreams | undefined): Connector<Pod> =>
  async (request, answer, tools) => {
    // Clients name ports in the stream; those of the query are only checked.
    parseUint16s(request.query.all('ports'))
    const pod = tools.object()
    await mayCreate(request, tools)
    if (!pod.spec?.nodeName) throw badRequest(`pod ${request.name} does not have a host assigned`)
    if (node === undefined) throw notImplemented(`${request.subresource} without a node agent`)
    onKnownNode(pod, tools)
    const forward = await foundBy(node.portForward(pod), request, answer)
    if (forward !== undefined) await acceptPorts(request, answer, forward)
  }

/** Undefined: the node has refused the connection, and its response was forwarded. */
async function foundBy<T>(wanted: Promise<T>, { local }: ConnectRequest, answer: ConnectResponse): Promise<T | undefined> {
  try {
    return await wanted
  } catch (error) {
    if (!(error instanceof NodeRefusal)) throw error
    const message = `unable to upgrade connection: ${error.message}`
    // A client inside the process gets an error instead of text.
    if (local !== undefined) throw new StatusError({ code: error.code, reason: 'InternalError', message, cause: error })
    answer.start(error.code, { 'content-type': 'text/plain; charset=utf-8', 'content-length': String(Buffer.byteLength(error.message)) })
    answer.write(Buffer.from(error.message))
    answer.end()
    return undefined
  }
}

/** WebSockets start with a GET, but read access must not be enough to run commands: Kubernetes 1.36 requires `create` as well. */
async function mayCreate(request: ConnectRequest, { authorizer }: Pick<ConnectTools, 'authorizer'>): Promise<void> {
  if (request.method !== 'GET') return
  const { user, namespace, name, subresource } = request
  const decision = await authorizer.authorize(
    resourceAttributes({ user, verb: 'create', resource: 'pods', version: 'v1', subresource, namespace, name }),
  )
  if (decision.verdict !== 'allow') throw forbiddenStatus({ group: '', resource: 'pods' }, name, decision.reason)
}

function streamsOf({ query }: ConnectRequest, kind: 'exec' | 'attach'): CommandStreams {
  const flag = (name: string, byDefault: boolean) => (query.get(name) === undefined ? byDefault : parseFlag(query.get(name)))
  const shown = kind === 'attach' || query.get('stdin') === undefined
  return {
    stdin: flag('stdin', false),
    stdout: flag('stdout', shown),
    stderr: flag('stderr', shown),
    tty: flag('tty', false),
  }
}

/** The requested container, or the only one. */
function containerOf(pod: Pod, { query }: ConnectRequest): string {
  const wanted = query.get('container') ?? ''
  checkContainer(pod, wanted)
  return wanted === '' ? (pod.spec?.containers?.[0]?.name ?? '') : wanted
}

/** A proxy to a pod, which needs an address. */
export const podProxy = (connect: Connector<Pod> | undefined): Connector<Pod> =>
  proxy(connect, (pod) => {
    if (!pod.status?.podIP) throw badRequest('address not allowed')
  })

/** A proxy to a service or node, whose object must exist. */
export const proxy =
  <T extends KubeObject>(connect: Connector<T> | undefined, check: (object: T) => void = () => {}): Connector<T> =>
  async (request, answer, tools) => {
    check(tools.object())
    if (connect === undefined) throw notImplemented(`proxying to ${request.definition.names.plural}`)
    return connect(request, answer, tools)
  }

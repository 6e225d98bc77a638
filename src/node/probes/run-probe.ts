import { messageOf } from '../../base/message-of.ts'
import { goQuote } from '../../machinery/field-error.ts'
import { showGoDuration } from '../../machinery/go/go-duration.ts'
import type { HTTPGetAction, Probe } from '../../resources/types/core.ts'
import type { HttpRequest, HttpResponse, PodNetwork } from '../runtime/pod-network.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { RuntimeError } from '../runtime/runtime-error.ts'
import type { Container } from '../types/pod.ts'

/** The outcome of one probe. `error`: it could not be decided, and does not count. */
export type ProbeOutcome =
  | { readonly kind: 'success' }
  /** It passed, with a warning event. */
  | { readonly kind: 'warning'; readonly output: string }
  | { readonly kind: 'failure'; readonly output: string }
  | { readonly kind: 'error'; readonly output: string }

/** The container and its address. */
export interface ProbeTarget {
  readonly container: Container
  readonly containerId: string
  readonly podIp: string
}

export interface ProbeDeps {
  readonly runtime: Runtime
  readonly network: PodNetwork
}

/** The length limit of a response in an event. */
const OUTPUT_LIMIT = 10 * 1024

/** Runs a probe once. Rejects only if the signal is aborted. */
export async function runProbe(deps: ProbeDeps, probe: Probe, target: ProbeTarget, signal: AbortSignal): Promise<ProbeOutcome> {
  const timeoutMs = (probe.timeoutSeconds ?? 1) * 1000
  try {
    if (probe.exec) return await execProbe(deps.runtime, probe.exec.command ?? [], { target, timeoutMs }, signal)
    if (probe.httpGet) return await httpProbe(deps.network, probe.httpGet, { target, timeoutMs }, signal)
    if (probe.tcpSocket) {
      const port = portOf(target.container, probe.tcpSocket.port)
      await deps.network.tcp({ host: probe.tcpSocket.host || target.podIp, port, timeoutMs, containerId: target.containerId }, signal)
      return { kind: 'success' }
    }
    if (probe.grpc) return await grpcProbe(deps.network, probe.grpc, { target, timeoutMs }, signal)
    return { kind: 'error', output: 'missing probe handler' }
  } catch (error) {
    if (signal.aborted) throw error
    if (error instanceof PortError) return { kind: 'error', output: error.message }
    return { kind: 'failure', output: messageOf(error) }
  }
}

interface ProbeAttempt {
  readonly target: ProbeTarget
  readonly timeoutMs: number
}

async function execProbe(
  runtime: Runtime,
  command: readonly string[],
  { target, timeoutMs }: ProbeAttempt,
  signal: AbortSignal,
): Promise<ProbeOutcome> {
  try {
    const { exitCode, stdout, stderr } = await runtime.execSync(target.containerId, command, timeoutMs, signal)
    return exitCode === 0 ? { kind: 'success' } : { kind: 'failure', output: cut(stdout + stderr) }
  } catch (error) {
    if (signal.aborted || !(error instanceof RuntimeError)) throw error
    if (error.code === 'deadline')
      return { kind: 'failure', output: `command timed out: "${command.join(' ')}" timed out after ${showGoDuration(timeoutMs)}` }
    return { kind: 'error', output: error.message }
  }
}

/** The most requests of one probe. */
const REQUESTS_MAX = 10

/** The redirecting statuses; others below 400 count as success. */
const SENDING_ON: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Redirects are followed on the same host only, to any port. */
async function httpProbe(network: PodNetwork, get: HTTPGetAction, requested: ProbeAttempt, signal: AbortSignal): Promise<ProbeOutcome> {
  const first = httpRequest(get, requested.target, requested.timeoutMs)
  let request = { ...first, headers: withAgent(first.headers, 'kube-probe/1.36') }
  for (let requests = 1; ; requests++) {
    const answer = await network.http(request, signal)
    const next = redirectOf(request, answer)
    if (next === undefined) return judge(answer)
    if (requests >= REQUESTS_MAX) return { kind: 'failure', output: `Get ${goQuote(answer.location ?? '')}: stopped after 10 redirects` }
    request = { ...request, ...next }
  }
}

function redirectOf({ scheme, host, port, path }: HttpRequest, { status, location }: HttpResponse) {
  if (!SENDING_ON.has(status) || location === undefined) return undefined
  const base = `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}${path}`
  const url = URL.parse(location, base)
  if (url === null || url.hostname !== new URL(base).hostname || !/^https?:$/.test(url.protocol)) return undefined
  const secure = url.protocol === 'https:'
  return {
    scheme: secure ? ('https' as const) : ('http' as const),
    port: Number(url.port || (secure ? 443 : 80)),
    path: `${url.pathname}${url.search}`,
  }
}

function judge({ status, body }: HttpResponse): ProbeOutcome {
  if (status >= 300 && status < 400) return { kind: 'warning', output: `Probe terminated redirects, Response body: ${body}` }
  if (status >= 199 && status < 400) return { kind: 'success' }
  return { kind: 'failure', output: `HTTP probe failed with statuscode: ${status}` }
}

async function grpcProbe(
  network: PodNetwork,
  { port, service = '' }: NonNullable<Probe['grpc']>,
  { target, timeoutMs }: ProbeAttempt,
  signal: AbortSignal,
): Promise<ProbeOutcome> {
  const status = await network.grpcHealth({ host: target.podIp, port, service, timeoutMs, containerId: target.containerId }, signal)
  if (status === 'SERVING') return { kind: 'success' }
  if (status === 'unimplemented')
    return {
      kind: 'failure',
      output:
        'error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unknown service grpc.health.v1.Health',
    }
  return { kind: 'failure', output: `service unhealthy (responded with "${status}")` }
}

/** The request of an HTTP probe or hook. Throws for a port name that the container does not define. */
export function httpRequest(get: HTTPGetAction, target: ProbeTarget, timeoutMs: number) {
  const path = get.path || '/'
  return {
    scheme: (get.scheme ?? 'HTTP').toLowerCase() === 'https' ? ('https' as const) : ('http' as const),
    host: get.host || target.podIp,
    port: portOf(target.container, get.port),
    path: path.startsWith('/') ? path : `/${path}`,
    headers: get.httpHeaders ?? [],
    timeoutMs,
    containerId: target.containerId,
  }
}

export function withAgent(headers: readonly { readonly name: string; readonly value: string }[], agent: string) {
  const named = new Set(headers.map((h) => h.name.toLowerCase()))
  const own = [
    { name: 'User-Agent', value: agent },
    { name: 'Accept', value: '*/*' },
  ]
  return [...own.filter((h) => !named.has(h.name.toLowerCase())), ...headers]
}

/** The container has no port of that name; the message does not reveal more. */
class PortError extends Error {
  override readonly name = 'PortError'
  readonly code = 'no-such-port'
}

/** A port by number or by name. */
export function portOf(container: Container, port: number | string): number {
  if (typeof port === 'number') return port
  const named = container.ports?.find((p) => p.name === port)
  if (named !== undefined) return named.containerPort
  if (/^\d+$/.test(port)) return Number(port)
  throw new PortError(`strconv.Atoi: parsing ${goQuote(port)}: invalid syntax`)
}

const cut = (text: string) => text.slice(0, OUTPUT_LIMIT)

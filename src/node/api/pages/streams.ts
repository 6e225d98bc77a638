import type { Clock } from '../../../base/clock.ts'
import { StatusError } from '../../../machinery/status-error.ts'
import type { CommandStreams } from '../../../machinery/streams.ts'
import { acceptCommand } from '../../../streaming/accept-command.ts'
import { acceptPorts, forwardedPorts, tunnels } from '../../../streaming/accept-ports.ts'
import type { UpgradeRequest, UpgradeResponse } from '../../../streaming/accepted.ts'
import { runCommand } from '../../../streaming/run-command.ts'
import { isWebSocket } from '../../../streaming/web-socket.ts'
import type { ApiRequest, Handler } from '../api-request.ts'
import { attachTo, commandIn, NotRunningError, portsOf } from '../container-streams.ts'
import { type KubeletHost, podByName } from '../kubelet-host.ts'
import { type KubeletResponse, text, UPGRADE_REQUIRED } from '../kubelet-response.ts'

export interface StreamDeps {
  readonly host: KubeletHost
  readonly clock: Clock
}

/** `/exec` and `/attach`. */
export const commandStream =
  (kind: 'exec' | 'attach', { host, clock }: StreamDeps): Handler =>
  async (request) => {
    const { podNamespace = '', podID = '', uid, containerName = '' } = request.parameters
    const streams = streamsOf(request.query)
    if (!streams.stdin && !streams.stdout && !streams.stderr) return text(400, 'you must specify at least 1 of stdin, stdout, stderr')
    const pod = podByName(host, podNamespace, podID)
    if (pod === undefined) return text(404, 'pod does not exist')
    return upgraded(request, async (requested, answer) => {
      // A wrong pod UID in the path finds nothing.
      const named =
        uid === undefined || uid === pod.metadata.uid ? pod : { ...pod, metadata: { name: podID, namespace: podNamespace, uid } }
      const run =
        kind === 'exec'
          ? await commandIn(host.runtime, named, containerName, request.query.getAll('command'))
          : await attachTo(host.runtime, named, containerName)
      return async () => {
        const accepted = await acceptCommand(requested, answer, streams, { clock })
        if (accepted !== undefined) await runCommand(accepted, run)
      }
    })
  }

/** `/portForward`. */
export const portStream =
  ({ host }: Pick<StreamDeps, 'host'>): Handler =>
  async (request) => {
    const { podNamespace = '', podID = '', uid } = request.parameters
    const requested = upgradeOf(request)
    try {
      if (isWebSocket(requested) && !tunnels(requested)) forwardedPorts(request.query.getAll('port'))
    } catch (error) {
      if (error instanceof StatusError) return text(400, error.message)
      throw error
    }
    const pod = podByName(host, podNamespace, podID)
    if (pod === undefined) return text(404, 'pod does not exist')
    if (uid !== undefined && uid !== pod.metadata.uid) return text(404, 'pod not found')
    return upgraded(request, async (upgrade, answer) => {
      const join = await portsOf(host.runtime, pod)
      return () => acceptPorts(upgrade, answer, join)
    })
  }

/** Finds the container, then performs the upgrade; undefined when the connection was taken over and is over. */
async function upgraded(
  request: ApiRequest,
  find: (requested: UpgradeRequest, answer: UpgradeResponse) => Promise<() => Promise<void>>,
): Promise<KubeletResponse | undefined> {
  const refusal = collected()
  try {
    const serve = await find(upgradeOf(request), refusal.answer)
    if (!/\bupgrade\b/i.test(request.headers.connection ?? '')) return UPGRADE_REQUIRED
    await serve()
    return refusal.taken()
  } catch (error) {
    if (error instanceof NotRunningError) return text(500, error.message)
    if (error instanceof StatusError) return text(error.status.code ?? 500, error.message)
    throw error
  }
}

const upgradeOf = ({ method, url, headers, query, upgrade, remoteAddress }: ApiRequest): UpgradeRequest => ({
  method,
  url,
  headers,
  remoteAddress,
  query: { all: (name) => query.getAll(name) },
  ...(upgrade && { upgrade }),
})

/** Collects a refused upgrade as a response. */
function collected(): { readonly answer: UpgradeResponse; taken(): KubeletResponse | undefined } {
  let head: Pick<KubeletResponse, 'code' | 'headers'> | undefined
  const parts: Uint8Array[] = []
  return {
    answer: {
      start(code, headers) {
        // The server sets the length from the body.
        const { 'content-length': _, ...rest } = headers
        head = { code, headers: rest }
      },
      write: (chunk) => parts.push(chunk) > 0,
      end() {},
    },
    taken: () => head && { ...head, body: Buffer.concat(parts) },
  }
}

/** With a terminal, standard error is part of standard output. */
function streamsOf(query: URLSearchParams): CommandStreams {
  const is = (name: string) => query.get(name) === '1'
  const tty = is('tty')
  return { stdin: is('input'), stdout: is('output'), stderr: is('error') && !tty, tty }
}

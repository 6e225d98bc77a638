import type { Clock } from '../../../base/clock.ts'
import { messageOf } from '../../../base/message-of.ts'
import { millisecondsOf } from '../../../machinery/go/go-duration.ts'
import type { LifecycleHandler } from '../../../resources/types/core.ts'
import { httpRequest, withAgent } from '../../probes/run-probe.ts'
import type { HttpRequest, PodNetwork } from '../../runtime/pod-network.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { type Container, type Pod, podRef } from '../../types/pod.ts'

export interface HookDeps {
  readonly runtime: Runtime
  readonly network: PodNetwork
  readonly clock: Clock
}

export interface HookTarget {
  readonly pod: Pod
  readonly container: Container
  readonly containerId: string
  readonly podIp: string
}

/** Time limit of an HTTP hook. */
const HTTP_TIMEOUT_MS = 30_000

/** Runs a container's hook to its end; rejects with the message for the pod's status. */
export async function runHook(deps: HookDeps, hook: LifecycleHandler, target: HookTarget, signal: AbortSignal): Promise<void> {
  const { pod, container, containerId } = target
  const where = () => {
    const { name, namespace, uid } = podRef(pod)
    return `for Container "${container.name}" in Pod "${name}_${namespace}(${uid})"`
  }
  if (hook.sleep) {
    await deps.clock.sleep(millisecondsOf(hook.sleep.seconds), signal)
  } else if (hook.exec) {
    const command = hook.exec.command ?? []
    let output = ''
    try {
      const { exitCode, stdout, stderr } = await deps.runtime.execSync(containerId, command, 0, signal)
      if (exitCode === 0) return
      output = stdout + stderr
      throw new Error(`command '${command.join(' ')}' exited with ${exitCode}: ${stderr}`)
    } catch (error) {
      signal.throwIfAborted()
      const why = `error: ${messageOf(error)}, message: ${JSON.stringify(output)}`
      throw new Error(`Exec lifecycle hook ([${command.join(' ')}]) ${where()} failed - ${why}`, { cause: error })
    }
  } else if (hook.httpGet) {
    try {
      const request = httpRequest(hook.httpGet, target, HTTP_TIMEOUT_MS)
      await send(deps, { ...request, headers: withAgent(request.headers, 'kube-lifecycle/1.36') }, signal)
    } catch (error) {
      signal.throwIfAborted()
      throw new Error(`HTTP lifecycle hook (${hook.httpGet.path ?? ''}) ${where()} failed - error: ${messageOf(error)}`, { cause: error })
    }
  } else if (hook.tcpSocket) {
    // The API accepts tcpSocket for backward compatibility; the kubelet never runs it.
    const { host = '', port } = hook.tcpSocket
    const named = typeof port === 'number' ? `0 ${port} ` : `1 0 ${port}`
    const handler = `&LifecycleHandler{Exec:nil,HTTPGet:nil,TCPSocket:&TCPSocketAction{Port:{${named}},Host:${host},},Sleep:nil,}`
    throw new Error(`Cannot run handler: invalid handler: ${handler}`)
  }
}

/**
 * Any response counts as success. A server that speaks HTTP where the hook says HTTPS is asked again without TLS; the kubelet's event about
 * that never leaves it, since its recorder only takes events of containers.
 */
async function send({ network }: Pick<HookDeps, 'network'>, request: HttpRequest, signal: AbortSignal): Promise<void> {
  try {
    await network.http(request, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (!messageOf(error).includes('server gave HTTP response to HTTPS client')) throw error
    const headers = request.headers.filter(({ name }) => name.toLowerCase() !== 'authorization')
    try {
      await network.http({ ...request, scheme: 'http', headers }, signal)
    } catch {
      signal.throwIfAborted()
      throw error
    }
  }
}

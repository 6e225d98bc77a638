import { dialRefused } from '../../../base/http/network-error.ts'
import type { PodNetwork } from '../pod-network.ts'
import type { SimulatedRuntime } from './simulated-runtime.ts'

/**
 * The ports of simulated pods: programs serve them if there are any; otherwise every port responds once the script says that the container
 * is ready. A script with other listeners needs a `PodNetwork` of its own.
 */
export function createSimulatedNetwork(runtime: Pick<SimulatedRuntime, 'readyAt' | 'networkAt'>): PodNetwork {
  const refused = (host: string, port: number) => dialRefused(`${host}:${port}`)
  return {
    async http(request, signal) {
      const { scheme, host, port, path, containerId } = request
      const own = await runtime.networkAt(host, port)
      if (own !== undefined) return own.http(request, signal)
      if (!runtime.readyAt(host, containerId)) throw new Error(`Get "${scheme}://${host}:${port}${path}": ${refused(host, port)}`)
      return { status: 200, body: 'ok' }
    },
    async tcp(target, signal) {
      const { host, port, containerId } = target
      const own = await runtime.networkAt(host, port)
      if (own !== undefined) return own.tcp(target, signal)
      if (!runtime.readyAt(host, containerId)) throw new Error(refused(host, port))
    },
    async grpcHealth(target, signal) {
      const own = await runtime.networkAt(target.host, target.port)
      if (own !== undefined) return own.grpcHealth(target, signal)
      return runtime.readyAt(target.host, target.containerId) ? 'SERVING' : 'NOT_SERVING'
    },
  }
}

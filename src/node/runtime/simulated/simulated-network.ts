import type { PodNetwork } from '../pod-network.ts'
import type { SimulatedRuntime } from './simulated-runtime.ts'

/**
 * Ports of simulated pods: whatever is asked answers, once the script says that the container is ready. There is nothing behind them; a script that wants
 * to play listeners brings a `PodNetwork` of its own.
 */
export function createSimulatedNetwork(runtime: Pick<SimulatedRuntime, 'readyAt'>): PodNetwork {
  const refused = (host: string, port: number) => `dial tcp ${host}:${port}: connect: connection refused`
  return {
    async http({ scheme, host, port, path }) {
      if (!runtime.readyAt(host)) throw new Error(`Get "${scheme}://${host}:${port}${path}": ${refused(host, port)}`)
      return { status: 200, body: 'ok' }
    },
    async tcp({ host, port }) {
      if (!runtime.readyAt(host)) throw new Error(refused(host, port))
    },
    grpcHealth: async ({ host }) => (runtime.readyAt(host) ? 'SERVING' : 'NOT_SERVING'),
  }
}

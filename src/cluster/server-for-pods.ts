import type { Logger } from '../base/logger.ts'
import { messageOf } from '../base/message-of.ts'
import { advertisedAddress } from '../server/kubernetes-service/advertised-address.ts'
import { API_SERVER_ADDRESS } from './nodes/simulated-addresses.ts'
import type { ClusterFoundation } from './open-foundation.ts'
import type { ClusterSetup } from './read-setup.ts'
import { servicePort } from './server/begin-bootstrap.ts'
import type { ServerEndpoint, ServerPart } from './server/server-part.ts'

/** Where pods reach the API server: the endpoint of the service `kubernetes`. */
export interface ServerForPods extends ServerEndpoint, AsyncDisposable {}

/**
 * Simulated pods reach the server by its address in their network. Real ones reach it as other machines do, or, where it listens on
 * 127.0.0.1 alone, by an address of its own on the loopback interface, which only pods and programs of this machine reach. `port`: where
 * it listens, once it does.
 */
export async function openServerForPods(
  setup: ClusterSetup,
  { serverOptions }: ClusterFoundation,
  { part, port }: { readonly part: ServerPart; readonly port: () => number | undefined },
): Promise<ServerForPods> {
  const { simulates, config, deps, log } = setup
  if (simulates) return reached(API_SERVER_ADDRESS, () => servicePort(serverOptions))
  const address = machineAddress(setup)
  if (address !== undefined || config.runtime === undefined || deps.server !== undefined) return reached(address, port)
  try {
    return await openOwnAddress(servicePort(serverOptions), part, log)
  } catch (error) {
    log.warn('pods do not reach the API server', { error: messageOf(error) })
    return reached(undefined, port)
  }
}

const reached = (address: string | undefined, port: () => number | undefined): ServerForPods => ({
  address,
  port,
  async [Symbol.asyncDispose]() {},
})

/** The server's address for other machines. Undefined: it has none. */
function machineAddress({ deps: { server }, config: { host } }: ClusterSetup): string | undefined {
  if (server !== undefined) return advertisedAddress({ advertise: server.network.advertiseAddress, host: server.serving.host })
  return host.startsWith('127.') ? undefined : advertisedAddress({ advertise: undefined, host })
}

async function openOwnAddress(port: number, { server }: ServerPart, log: Logger): Promise<ServerForPods> {
  const { addLoopbackAddress, removeLoopbackAddress } = await import('../node/dns/loopback-address.ts')
  await addLoopbackAddress(API_SERVER_ADDRESS)
  await server.listenAlso({ host: API_SERVER_ADDRESS, port })
  return {
    address: API_SERVER_ADDRESS,
    port: () => port,
    async [Symbol.asyncDispose]() {
      await removeLoopbackAddress(API_SERVER_ADDRESS).catch((error) =>
        log.warn(`${API_SERVER_ADDRESS} stays on the loopback interface`, { error }),
      )
    },
  }
}

import type { Logger } from '../base/logger.ts'
import { messageOf } from '../base/message-of.ts'
import { advertisedAddress } from '../server/kubernetes-service/advertised-address.ts'
import { API_SERVER_ADDRESS } from './nodes/simulated-addresses.ts'
import type { ClusterFoundation } from './open-foundation.ts'
import type { ClusterSetup } from './read-setup.ts'
import { servicePort } from './server/begin-bootstrap.ts'
import type { ServerPart } from './server/server-part.ts'

/** Where pods reach the API server. */
export interface ServerForPods extends AsyncDisposable {
  /** The endpoint of the service `kubernetes`; undefined: it has none. */
  readonly address: string | undefined
}

/**
 * Simulated pods reach the server by its address in their network. Real ones reach it as other machines do, or, where it listens on
 * 127.0.0.1 alone, by an address of its own on the loopback interface, which only pods and programs of this machine reach.
 */
export async function openServerForPods(setup: ClusterSetup, foundation: ClusterFoundation, part: ServerPart): Promise<ServerForPods> {
  const { simulates, config, deps, log } = setup
  if (simulates) return { address: API_SERVER_ADDRESS, async [Symbol.asyncDispose]() {} }
  const address = machineAddress(setup)
  const opens = address === undefined && config.runtime !== undefined && deps.server === undefined
  if (!opens) return { address, async [Symbol.asyncDispose]() {} }
  try {
    return await openOwnAddress(servicePort(foundation.serverOptions), part, log)
  } catch (error) {
    log.warn('pods do not reach the API server', { error: messageOf(error) })
    return { address: undefined, async [Symbol.asyncDispose]() {} }
  }
}

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
    async [Symbol.asyncDispose]() {
      await removeLoopbackAddress(API_SERVER_ADDRESS).catch((error) =>
        log.warn(`${API_SERVER_ADDRESS} stays on the loopback interface`, { error }),
      )
    },
  }
}

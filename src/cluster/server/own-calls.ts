import type { ApiServer } from '../../apiserver/server.ts'
import type { ResourceStore } from '../../apiserver/store/resource-store.ts'
import type { Transport } from '../../machinery/api-call.ts'
import { SYSTEM_MASTERS } from '../../machinery/resource/user.ts'

/**
 * The server's calls to itself, as `system:apiserver`. Authenticators, admission plugins and the aggregator are created before the server
 * and call it while it serves; this is the one value that they share with it.
 */
export interface OwnCalls {
  readonly transport: () => Transport
  readonly store: () => ResourceStore
}

/** The calls, and the function that connects them to the server once it exists. */
export function createOwnCalls(): { readonly own: OwnCalls; connect(server: ApiServer): void } {
  let connected: ApiServer | undefined
  const server = () => {
    if (connected === undefined) throw new Error('invariant: nothing calls the API server before it is created')
    return connected
  }
  return {
    own: {
      transport: () => server().transport({ name: 'system:apiserver', groups: [SYSTEM_MASTERS, 'system:authenticated'] }),
      store: () => server().tools.store,
    },
    connect(created) {
      connected = created
    },
  }
}

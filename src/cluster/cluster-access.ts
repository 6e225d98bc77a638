import type { Duplex } from 'node:stream'
import type { ApiServer } from '../apiserver/server.ts'
import type { Transport } from '../machinery/api-call.ts'
import type { UserInfo } from '../machinery/resource/user.ts'
import type { Client } from '../sdk/client/client.ts'
import { createClient } from '../sdk/client/create-client.ts'
import type { Services } from '../threads/link.ts'
import { transportServices } from '../threads/serve-transports.ts'
import { ADMIN } from './users.ts'

/** The cluster's API server, in this thread or another. Kubelets get it before the server exists, and use it with the first request. */
export interface ClusterAccess {
  /** Calls as any user. */
  transport(user?: UserInfo): Transport
  client(user?: UserInfo): Client
  /** A connection to the server's own port. Undefined: it was made without certificates. */
  connect(): Duplex | undefined
  /** The calls of any user, for another thread. */
  services(): Services
}

type Connected = Pick<ApiServer, 'transport' | 'encodedTransport' | 'connectSecurely'>

/** The access, and the function by which the server is connected to it once it exists. */
export function createClusterAccess(): { readonly access: ClusterAccess; connect(server: Connected): void } {
  let connected: Connected | undefined
  const server = (): Connected => {
    if (connected === undefined) throw new Error('invariant: nothing calls the API server before it is created')
    return connected
  }
  const transport = (user: UserInfo = ADMIN) => server().transport(user)
  return {
    access: {
      transport,
      client: (user) => createClient(transport(user)),
      connect: () => server().connectSecurely(),
      services: () => transportServices((user) => server().encodedTransport(user)),
    },
    connect(made) {
      connected = made
    },
  }
}

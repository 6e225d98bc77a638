import type { ApiServer } from '../apiserver/server.ts'
import type { Transport } from '../machinery/api-call.ts'
import type { UserInfo } from '../machinery/resource/user.ts'
import type { Client } from '../sdk/client/client.ts'
import { createClient } from '../sdk/client/create-client.ts'
import { ADMIN } from './users.ts'

/** Calls to the cluster's API server as any user. Kubelets get it before the server exists, and use it with the first request. */
export interface ClusterAccess {
  transport(user?: UserInfo): Transport
  client(user?: UserInfo): Client
}

/** The access, and the function by which the server is connected to it once it exists. */
export function createClusterAccess(): { readonly access: ClusterAccess; connect(server: Pick<ApiServer, 'transport'>): void } {
  let connected: Pick<ApiServer, 'transport'> | undefined
  const transport = (user: UserInfo = ADMIN) => {
    if (connected === undefined) throw new Error('invariant: nothing calls the API server before it is created')
    return connected.transport(user)
  }
  return {
    access: { transport, client: (user) => createClient(transport(user)) },
    connect(server) {
      connected = server
    },
  }
}

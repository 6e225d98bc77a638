import type { Server } from 'node:http'
import { hasCode } from '../../../base/has-code.ts'

/** Opens the first of these ports that this user may open and that is free (0: any), and resolves with its number. */
export async function listenNear(server: Server, host: string, ports: readonly number[]): Promise<number> {
  const [port = 0, ...others] = ports
  try {
    await listen(server, host, port)
  } catch (error) {
    if (others.length === 0 || !(hasCode(error, 'EADDRINUSE') || hasCode(error, 'EACCES'))) throw error
    return listenNear(server, host, others)
  }
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

const listen = (server: Server, host: string, port: number) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve()
    })
  })

import { connect, type Socket } from 'node:net'
import { STORE_PATH, STORE_PROTOCOL } from './messages.ts'

/** Where a store is, and what to prove oneself with. */
export interface StoreAddress {
  readonly url: URL
  readonly tls?: { readonly ca: string | undefined; readonly cert: string | undefined; readonly key: string | undefined }
}

const LARGEST_HEAD = 16_384

/** Opens a connection and has it upgraded; fails when something else answers there. */
export async function dialStore({ url, tls }: StoreAddress): Promise<Socket> {
  const at = { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)) }
  const socket = url.protocol === 'https:' ? await secure(at, tls) : connect({ ...at, noDelay: true })
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      socket.destroy()
      reject(error)
    }
    let head = Buffer.alloc(0)
    const hear = (piece: Buffer) => {
      head = Buffer.concat([head, piece])
      const end = head.indexOf('\r\n\r\n')
      if (end < 0 && head.byteLength < LARGEST_HEAD) return
      socket.off('data', hear).off('error', fail).off('close', gone)
      socket.pause()
      if (end < 0 || !/^HTTP\/1\.1 101 /.test(head.toString('latin1', 0, 13)))
        return fail(
          new Error(`what answers at ${url.host} keeps no store of Bowsprit's: it must be the etcd that "bowsprit assets" lays down`),
        )
      if (head.byteLength > end + 4) socket.unshift(head.subarray(end + 4))
      resolve(socket)
    }
    const gone = () => fail(new Error(`${url.host} closed the connection without an answer`))
    socket.on('data', hear).on('error', fail).on('close', gone)
    socket.write(`GET ${STORE_PATH} HTTP/1.1\r\nHost: ${url.host}\r\nConnection: Upgrade\r\nUpgrade: ${STORE_PROTOCOL}\r\n\r\n`)
  })
}

async function secure(at: { host: string; port: number }, tls: StoreAddress['tls']): Promise<Socket> {
  const { connect: connectTls } = await import('node:tls')
  const { ca, cert, key } = tls ?? {}
  return connectTls({
    ...at,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ALPNProtocols: ['http/1.1'],
  })
}

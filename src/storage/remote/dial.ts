import { connect, type Socket } from 'node:net'
import { quietErrors } from '../../base/quiet.ts'
import { StoreError } from '../store.ts'
import { STORE_PATH, STORE_PROTOCOL } from './messages.ts'
import { answerChallenge, readChallenge, STORE_SCHEME } from './store-key.ts'

/** Where a store is, and the client certificate for it. */
export interface StoreAddress {
  readonly url: URL
  readonly tls?: { readonly ca: string | undefined; readonly cert: string | undefined; readonly key: string | undefined }
}

const MAX_HEAD_BYTES = 16_384

/**
 * Opens a connection and upgrades it: first the server's challenge, then the upgrade with the proof, over the same connection.
 * @throws {StoreError} `unavailable` if another server responds there, `permission` if the key of the store cannot be read
 */
export async function dialStore({ url, tls }: StoreAddress): Promise<Socket> {
  const at = { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)) }
  const socket = url.protocol === 'https:' ? await secure(at, tls) : connect({ ...at, noDelay: true })
  try {
    const requested = await exchange(socket, url, {})
    const challenge = readChallenge(headerOf(requested, 'www-authenticate'))
    const proof = challenge === undefined ? undefined : `${STORE_SCHEME} ${answerChallenge(challenge)}`
    if (!isStatus(requested, 204) && proof === undefined) throw noStore(url)
    const head = await exchange(socket, url, {
      Connection: 'Upgrade',
      Upgrade: STORE_PROTOCOL,
      ...(proof !== undefined && { Authorization: proof }),
    })
    if (!isStatus(head, 101)) throw isStatus(head, 401) ? refused(url) : noStore(url)
    return socket
  } catch (error) {
    quietErrors(socket, 'the error that is thrown is the cause').destroy()
    throw error
  }
}

const noStore = ({ host }: URL) =>
  new StoreError(
    'unavailable',
    `what answers at ${host} keeps no store of Bowsprit's: it must be the etcd that "bowsprit assets" writes, of the same version`,
  )
const refused = ({ host }: URL) => new StoreError('permission', `the store at ${host} did not accept the key of its data folder`)

/** Sends the head of a request and reads that of the response; bytes behind it stay in the socket. */
function exchange(socket: Socket, url: URL, headers: Readonly<Record<string, string>>): Promise<string> {
  const lines = Object.entries({ Host: url.host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0)
    const leave = () => socket.off('data', hear).off('error', fail).off('close', gone).pause()
    const fail = (error: Error) => {
      leave()
      reject(error)
    }
    const gone = () => fail(new StoreError('unavailable', `${url.host} closed the connection without an answer`))
    const hear = (piece: Buffer) => {
      head = Buffer.concat([head, piece])
      const end = head.indexOf('\r\n\r\n')
      if (end < 0 && head.byteLength < MAX_HEAD_BYTES) return
      if (end < 0) return fail(noStore(url))
      leave()
      if (head.byteLength > end + 4) socket.unshift(head.subarray(end + 4))
      resolve(head.toString('latin1', 0, end))
    }
    // `resume` is called explicitly: adding a listener does not resume a socket after an explicit `pause`.
    socket.on('data', hear).on('error', fail).on('close', gone).resume()
    socket.write(`GET ${STORE_PATH} HTTP/1.1\r\n${lines.join('')}\r\n`)
  })
}

const isStatus = (head: string, status: number): boolean => head.startsWith(`HTTP/1.1 ${status} `)

function headerOf(head: string, name: string): string {
  const line = head.split('\r\n').find((text) => text.toLowerCase().startsWith(`${name}:`))
  return line === undefined ? '' : line.slice(name.length + 1).trim()
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

/** Error codes of failed connections, as in Node's sockets. */
export type ConnectErrorCode =
  | 'ECONNREFUSED'
  | 'EHOSTUNREACH'
  | 'ENETUNREACH'
  | 'ETIMEDOUT'
  | 'ENOTFOUND'
  | 'EADDRINUSE'
  | 'EADDRNOTAVAIL'
  | 'EINVAL'

/** A failed connection, name lookup or listen, with the message of `node:net` and `node:dns`. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError'
  readonly code: ConnectErrorCode
  readonly syscall: string
  readonly address: string | undefined
  readonly port: number | undefined
  readonly hostname: string | undefined

  constructor(
    code: ConnectErrorCode,
    syscall: string,
    where: { readonly address?: string; readonly port?: number; readonly hostname?: string },
  ) {
    const target = where.hostname ?? (where.address?.includes(':') ? `[${where.address}]:${where.port}` : `${where.address}:${where.port}`)
    super(`${syscall} ${code} ${target}`)
    this.code = code
    this.syscall = syscall
    this.address = where.address
    this.port = where.port
    this.hostname = where.hostname
  }
}

export const refused = (address: string, port: number): ConnectError => new ConnectError('ECONNREFUSED', 'connect', { address, port })

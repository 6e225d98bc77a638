/** Why there is no connection, with the codes that Node's sockets have for it. */
export type ConnectErrorCode =
  | 'ECONNREFUSED'
  | 'EHOSTUNREACH'
  | 'ENETUNREACH'
  | 'ETIMEDOUT'
  | 'ENOTFOUND'
  | 'EADDRINUSE'
  | 'EADDRNOTAVAIL'
  | 'EINVAL'

/** A connection, a name or a port that cannot be had, as `node:net` and `node:dns` say it. */
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
    const place = where.hostname ?? (where.address?.includes(':') ? `[${where.address}]:${where.port}` : `${where.address}:${where.port}`)
    super(`${syscall} ${code} ${place}`)
    this.code = code
    this.syscall = syscall
    this.address = where.address
    this.port = where.port
    this.hostname = where.hostname
  }
}

export const refused = (address: string, port: number): ConnectError => new ConnectError('ECONNREFUSED', 'connect', { address, port })

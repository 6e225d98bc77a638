import type { Duplex } from 'node:stream'

/** A reference to a port of a service, as in APIServices, admission webhooks and conversion webhooks. */
export interface ServiceReference {
  readonly namespace: string
  readonly name: string
  readonly port: number
}

/** The address of a service. */
export type ServiceTarget =
  | {
      readonly kind: 'address'
      readonly host: string
      readonly port: number
      /** Opens a connection, if it does not go over the machine's network: a program of this process listens there. */
      readonly connect?: () => Promise<Duplex>
    }
  /** The service is in this process: each call opens a connection that uses HTTP/1.1 without TLS. */
  | { readonly kind: 'handler'; readonly connect: () => Duplex }

/** The result of resolving a service. */
export type ResolvedService =
  | {
      readonly kind: 'found'
      readonly target: ServiceTarget
      /** `host:port` in requests and errors, which may differ from the dialled address. */
      readonly host: string
    }
  | { readonly kind: 'missing'; readonly message: string }

/** Resolves services to addresses. */
export interface ServiceResolver {
  resolve(service: ServiceReference): ResolvedService
}

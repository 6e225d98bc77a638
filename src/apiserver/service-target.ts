import type { Duplex } from 'node:stream'

/** A port of a service of the cluster: what APIServices, admission webhooks and converters name. */
export interface ServiceReference {
  readonly namespace: string
  readonly name: string
  readonly port: number
}

/** Where a service is reached. */
export type ServiceTarget =
  | {
      readonly kind: 'address'
      readonly host: string
      readonly port: number
      /** Opens a connection to it, where that is not the machine's network's to do: a program of this process listens there. */
      readonly connect?: () => Promise<Duplex>
    }
  /** It lives in this process: each call opens a connection that speaks HTTP/1.1 without TLS. */
  | { readonly kind: 'handler'; readonly connect: () => Duplex }

/** What became of the search for a service. */
export type ResolvedService =
  | {
      readonly kind: 'found'
      readonly target: ServiceTarget
      /** `host:port` as requests and errors name it, which is not always where it is dialled. */
      readonly host: string
    }
  | { readonly kind: 'missing'; readonly message: string }

/** Finds out where services are. */
export interface ServiceResolver {
  resolve(service: ServiceReference): ResolvedService
}

/** Where a port of a pod is. */
export interface PortTarget {
  readonly host: string
  readonly port: number
  readonly timeoutMs: number
  /** The container for which this is asked: on the network of its node its address does not tell. */
  readonly containerId?: string
}

/** An HTTP request to a pod, as probes and hooks make it. */
export interface HttpRequest extends PortTarget {
  readonly scheme: 'http' | 'https'
  readonly path: string
  readonly headers: readonly { readonly name: string; readonly value: string }[]
}

export interface HttpResponse {
  readonly status: number
  /** At most the first 10 KiB. */
  readonly body: string
  /** Where a redirect points. */
  readonly location?: string
}

/**
 * How the agent reaches ports of pods. Failures reject with the words that Kubernetes shows: `dial tcp 10.0.0.1:80: connect: connection
 * refused`.
 */
export interface PodNetwork {
  http(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>
  /** Resolves when the connection was accepted. */
  tcp(target: PortTarget, signal: AbortSignal): Promise<void>
  /** gRPC health checking protocol. `unimplemented`: the server does not speak it. */
  grpcHealth(
    target: PortTarget & { readonly service: string },
    signal: AbortSignal,
  ): Promise<'SERVING' | 'NOT_SERVING' | 'UNKNOWN' | 'SERVICE_UNKNOWN' | 'unimplemented'>
}

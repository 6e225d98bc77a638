/** A port of a pod. */
export interface PortTarget {
  readonly host: string
  readonly port: number
  readonly timeoutMs: number
  /** Identifies the container on a host network, where several pods share an address. */
  readonly containerId?: string
}

/** An HTTP request to a pod, for probes and hooks. */
export interface HttpRequest extends PortTarget {
  readonly scheme: 'http' | 'https'
  readonly path: string
  readonly headers: readonly { readonly name: string; readonly value: string }[]
}

export interface HttpResponse {
  readonly status: number
  /** At most the first 10 KiB. */
  readonly body: string
  /** The target of a redirect. */
  readonly location?: string
}

/** How the agent reaches ports of pods. Failures reject with Kubernetes' messages: `dial tcp 10.0.0.1:80: connect: connection refused`. */
export interface PodNetwork {
  http(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>
  /** Resolves when the connection was accepted. */
  tcp(target: PortTarget, signal: AbortSignal): Promise<void>
  /** gRPC health checking protocol. `unimplemented`: the server does not implement it. */
  grpcHealth(
    target: PortTarget & { readonly service: string },
    signal: AbortSignal,
  ): Promise<'SERVING' | 'NOT_SERVING' | 'UNKNOWN' | 'SERVICE_UNKNOWN' | 'unimplemented'>
}

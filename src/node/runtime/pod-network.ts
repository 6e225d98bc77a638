/** An HTTP request to a pod, as probes and hooks make it. */
export interface HttpRequest {
  readonly scheme: 'http' | 'https'
  readonly host: string
  readonly port: number
  readonly path: string
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly timeoutMs: number
}

export interface HttpResponse {
  readonly status: number
  /** At most the first 10 KiB. */
  readonly body: string
  /** Where a redirect points. */
  readonly location?: string
}

/** How the agent reaches ports of pods. Failures reject with the words that Kubernetes shows: `dial tcp 10.0.0.1:80: connect: connection refused`. */
export interface PodNetwork {
  http(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>
  /** Resolves when the connection was accepted. */
  tcp(target: { readonly host: string; readonly port: number; readonly timeoutMs: number }, signal: AbortSignal): Promise<void>
  /** gRPC health checking protocol. `unimplemented`: the server does not speak it. */
  grpcHealth(
    target: { readonly host: string; readonly port: number; readonly service: string; readonly timeoutMs: number },
    signal: AbortSignal,
  ): Promise<'SERVING' | 'NOT_SERVING' | 'UNKNOWN' | 'SERVICE_UNKNOWN' | 'unimplemented'>
}

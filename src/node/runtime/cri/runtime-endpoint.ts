/** Why an address is none of a container runtime; the message says what to write. */
export class RuntimeEndpointError extends Error {
  override readonly name = 'RuntimeEndpointError'
  readonly code = 'bad-endpoint'
}

/** The path of a runtime's socket, from its address. Only sockets of this machine: the kubelet takes no others on Linux either. */
export function socketOf(endpoint: string): string {
  const [, socketPath] = /^unix:\/\/(\/.+)$/.exec(endpoint) ?? []
  if (socketPath === undefined)
    throw new RuntimeEndpointError(`${endpoint} is no address of a runtime; write unix:///run/containerd/containerd.sock`)
  return socketPath
}

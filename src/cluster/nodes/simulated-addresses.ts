/**
 * Addresses of the network of simulated nodes. They are set aside for benchmarks (198.18.0.0/15, RFC 2544), so no packet is ever sent to
 * them; what uses them lives in this process.
 */

/** The address of the node with this index, from 0. */
export const nodeAddress = (i: number): string => `198.18.${(i + 1) >> 8}.${(i + 1) & 255}`

/** The API server's address in the network: the endpoint of the service `kubernetes`. */
export const API_SERVER_ADDRESS = '198.19.0.1'

import type { IncomingHttpHeaders } from 'node:http'
import { type IpAddress, ipText, parseIp, sameIp } from '../../machinery/ip-address.ts'

/**
 * The addresses that a request comes from: those named by proxy headers, then the peer of the connection. Values that are not addresses are
 * skipped.
 */
export function sourceIPs(headers: IncomingHttpHeaders, remote: string | undefined): string[] {
  const forwarded = headers['x-forwarded-for']
  const real = headers['x-real-ip']
  if (forwarded === undefined && real === undefined) return remote === undefined ? [] : [plain(remote)]
  const chain = (Array.isArray(forwarded) ? (forwarded[0] ?? '') : (forwarded ?? '')).split(',').flatMap(address)
  for (const ip of address(Array.isArray(real) ? (real[0] ?? '') : (real ?? ''))) if (!chain.some((c) => sameIp(c, ip))) chain.push(ip)
  for (const ip of address(remote ?? '')) {
    const last = chain.at(-1)
    if (last === undefined || !sameIp(last, ip)) chain.push(ip)
  }
  return chain.map(ipText)
}

const plain = (remote: string) => (remote.startsWith('::ffff:') ? remote.slice(7) : remote)

function address(text: string): IpAddress[] {
  const found = parseIp(text.trim())
  return found === undefined ? [] : [found]
}

import { goQuote } from './field-error.ts'

/** An address as its bytes: 4 (also for IPv4-mapped IPv6, as Go keeps them) or 16. */
export interface IpAddress {
  readonly bytes: readonly number[]
  /** True if Go's strict parser accepts the text: no leading zeros, not IPv4-mapped. */
  readonly standard: boolean
}

/** A network: the address as written, and the length of its prefix in bits. */
export interface Cidr {
  readonly address: IpAddress
  readonly prefixLength: number
}

/** Parses an address leniently (IPv4 octets may have leading zeros); undefined if it is invalid. */
export function parseIp(text: string): IpAddress | undefined {
  for (const c of text) {
    if (c === '.') return parseV4(text)
    if (c === ':') return parseV6(text)
  }
  return undefined
}

function parseV4(text: string): IpAddress | undefined {
  const parts = text.split('.')
  if (parts.length !== 4) return undefined
  const bytes: number[] = []
  let standard = true
  for (const part of parts) {
    if (!/^[0-9]+$/.test(part)) return undefined
    const n = Number(part)
    if (n > 255) return undefined
    if (part.length > 1 && part.startsWith('0')) standard = false
    bytes.push(n)
  }
  return { bytes, standard }
}

function parseV6(text: string): IpAddress | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const head = groups(halves[0] ?? '', halves.length === 1)
  const rest = halves.length === 2 ? groups(halves[1] ?? '', true) : { words: [], standard: true }
  if (head === undefined || rest === undefined) return undefined
  const missing = 8 - head.words.length - rest.words.length
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined
  const words = [...head.words, ...new Array<number>(missing).fill(0), ...rest.words]
  const bytes = words.flatMap((w) => [w >> 8, w & 255])
  const mapped = bytes.slice(0, 10).every((b) => b === 0) && bytes[10] === 255 && bytes[11] === 255
  return mapped ? { bytes: bytes.slice(12), standard: false } : { bytes, standard: head.standard && rest.standard }
}

function groups(text: string, mayEndInV4: boolean): { words: number[]; standard: boolean } | undefined {
  if (text === '') return { words: [], standard: true }
  const words: number[] = []
  let standard = true
  const parts = text.split(':')
  for (const [i, part] of parts.entries()) {
    if (mayEndInV4 && i === parts.length - 1 && part.includes('.')) {
      const v4 = parseV4(part)
      if (v4 === undefined) return undefined
      standard = v4.standard
      const [a = 0, b = 0, c = 0, d = 0] = v4.bytes
      words.push(a * 256 + b, c * 256 + d)
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) words.push(Number.parseInt(part, 16))
    else return undefined
  }
  return { words, standard }
}

export const isIpv4 = (ip: IpAddress): boolean => ip.bytes.length === 4

/** The canonical text: RFC 5952 for IPv6. */
export function ipText(ip: IpAddress): string {
  if (isIpv4(ip)) return ip.bytes.join('.')
  const words: number[] = []
  for (let i = 0; i < 16; i += 2) words.push((ip.bytes[i] ?? 0) * 256 + (ip.bytes[i + 1] ?? 0))
  let start = -1
  let length = 1
  for (let i = 0; i < 8; i++) {
    let j = i
    while (j < 8 && words[j] === 0) j++
    if (j - i > length) {
      start = i
      length = j - i
    }
    if (j > i) i = j
  }
  const hex = (from: number, to: number) =>
    words
      .slice(from, to)
      .map((w) => w.toString(16))
      .join(':')
  return start < 0 ? hex(0, 8) : `${hex(0, start)}::${hex(start + length, 8)}`
}

/** Parses `10.0.0.0/8`, as leniently as `parseIp`. Host bits may be set. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/')
  if (slash < 0) return undefined
  const written = text.slice(0, slash)
  const bits = text.slice(slash + 1)
  const address = parseIp(written)
  if (address === undefined || !/^[0-9]+$/.test(bits)) return undefined
  const mapped = isIpv4(address) && written.includes(':')
  const prefixLength = Number(bits)
  if (prefixLength > (isIpv4(address) && !mapped ? 32 : 128)) return undefined
  return { address, prefixLength: mapped ? Math.max(0, prefixLength - 96) : prefixLength }
}

/** The network address: all host bits zero. */
export function networkOf(cidr: Cidr): IpAddress {
  return {
    standard: true,
    bytes: cidr.address.bytes.map((b, i) => b & (0xff << Math.max(0, Math.min(8, 8 - (cidr.prefixLength - i * 8)))) & 0xff),
  }
}

export function cidrContains(cidr: Cidr, ip: IpAddress): boolean {
  const { bytes } = cidr.address
  if (bytes.length !== ip.bytes.length) return false
  for (let i = 0; i < bytes.length; i++) {
    const left = cidr.prefixLength - i * 8
    if (left <= 0) return true
    const differ = (bytes[i] ?? 0) ^ (ip.bytes[i] ?? 0)
    if ((left >= 8 ? differ : differ >> (8 - left)) !== 0) return false
  }
  return true
}

export const sameIp = (a: IpAddress, b: IpAddress): boolean =>
  a.bytes.length === b.bytes.length && a.bytes.every((x, i) => x === b.bytes[i])

/** The address as a number. */
export const ipNumber = ({ bytes }: IpAddress): bigint => bytes.reduce((n, byte) => (n << 8n) | BigInt(byte), 0n)

/** The address of a number, with this many bytes. */
export const ipOfNumber = (n: bigint, length: number): IpAddress => ({
  standard: true,
  bytes: Array.from({ length }, (_, i) => Number((n >> BigInt(8 * (length - 1 - i))) & 255n)),
})

const noIp = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
const noCidr = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'

/** Kubernetes' faults of an address, parsed strictly. Fields older than 1.36 also accept the values of the old object. */
export function ipAddress(value: string): string[] {
  const ip = parseIp(value)
  if (ip === undefined) return [noIp]
  if (ip.standard) return []
  return [value.includes(':') ? 'must not be an IPv4-mapped IPv6 address' : 'must not have leading 0s']
}

/** Kubernetes' faults of a network. */
export function cidr(value: string): string[] {
  const parsed = parseCidr(value)
  if (parsed === undefined) return [noCidr]
  if (!parsed.address.standard && value.includes(':')) return ['must not have an IPv4-mapped IPv6 address']
  if (!parsed.address.standard || /\/0\d/.test(value)) return ['must not have leading 0s in IP or prefix length']
  return sameIp(networkOf(parsed), parsed.address) ? [] : ['must not have bits set beyond the prefix length']
}

/** Newer kinds require the canonical form (RFC 5952). */
export function canonicalIp(value: string): string[] {
  const ip = parseIp(value)
  const faults = ipAddress(value)
  if (faults.length > 0 || ip === undefined) return faults
  return ipText(ip) === value ? [] : [`must be in canonical form (${goQuote(ipText(ip))})`]
}

export function canonicalCidr(value: string): string[] {
  const parsed = parseCidr(value)
  const faults = cidr(value)
  if (faults.length > 0 || parsed === undefined) return faults
  const text = `${ipText(parsed.address)}/${parsed.prefixLength}`
  return text === value ? [] : [`must be in canonical form (${goQuote(text)})`]
}

/** An interface's address: with the length of its network's prefix, in the one canonical form. */
export function interfaceAddress(value: string): string[] {
  const parsed = parseCidr(value)
  if (parsed === undefined) return ['must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)']
  const text = `${ipText(parsed.address)}/${parsed.prefixLength}`
  return text === value ? [] : [`must be in canonical form (${goQuote(text)})`]
}

/** Warnings on addresses that are accepted but not in the standard form. */
export function ipWarnings(field: string, value: string): string[] {
  const ip = parseIp(value)
  if (ip === undefined) return []
  const text = ipText(ip)
  if (!ip.standard) return [`${field}: non-standard IP address ${goQuote(value)} is invalid: use ${goQuote(text)}`]
  if (!isIpv4(ip) && text !== value)
    return [`${field}: IPv6 address ${goQuote(value)} should be in RFC 5952 canonical format (${goQuote(text)})`]
  return []
}

/** Warnings for networks that are accepted but not in standard form. */
export function cidrWarnings(field: string, value: string): string[] {
  const parsed = parseCidr(value)
  if (parsed === undefined) return []
  const network = networkOf(parsed)
  const text = `${ipText(network)}/${parsed.prefixLength}`
  const warnings: string[] = []
  if (!sameIp(network, parsed.address)) {
    const single = `${ipText(parsed.address)}/${parsed.address.bytes.length * 8}`
    warnings.push(`${field}: CIDR value ${goQuote(value)} is ambiguous in this context (should be ${goQuote(text)} or ${goQuote(single)}?)`)
  }
  const bits = value.slice(value.indexOf('/') + 1)
  if (!parsed.address.standard || (bits.length > 1 && bits.startsWith('0')))
    warnings.push(`${field}: non-standard CIDR value ${goQuote(value)} is invalid: use ${goQuote(text)}`)
  if (warnings.length === 0 && !isIpv4(parsed.address)) {
    const canonical = `${ipText(parsed.address)}/${parsed.prefixLength}`
    if (canonical !== value)
      warnings.push(`${field}: IPv6 CIDR value ${goQuote(value)} should be in RFC 5952 canonical format (${goQuote(canonical)})`)
  }
  return warnings
}

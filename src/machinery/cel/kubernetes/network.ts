import { goQuote } from '../../field-error.ts'
import { addressFault, prefixFault } from '../../go/go-netip.ts'
import { type Cidr, cidrContains, type IpAddress, ipText, networkOf, parseCidr, parseIp, sameIp } from '../../ip-address.ts'
import { ANY, COST, exactly, plus, type Range, scaled, traversed } from '../cost.ts'
import type { FunctionCost, Library } from '../environment.ts'
import { NO_OVERLOAD } from '../overload-choice.ts'
import { perCharacter } from '../standard/costs.ts'
import { member, overload } from '../standard/declare.ts'
import { BOOL, INT, opaque, STRING, typeOf } from '../types.ts'
import { CelError, type Opaque, TypeValue, type Value } from '../values.ts'

const IP = opaque('net.IP')
const CIDR = opaque('net.CIDR')

class IpValue implements Opaque {
  readonly celType = 'net.IP'
  readonly ip: IpAddress
  constructor(ip: IpAddress) {
    this.ip = ip
  }
  equals(other: Value): boolean {
    return other instanceof IpValue && sameIp(this.ip, other.ip)
  }
  toString(): string {
    return ipText(this.ip)
  }
}

class CidrValue implements Opaque {
  readonly celType = 'net.CIDR'
  readonly cidr: Cidr
  constructor(cidr: Cidr) {
    this.cidr = cidr
  }
  equals(other: Value): boolean {
    return other instanceof CidrValue && sameIp(this.cidr.address, other.cidr.address) && this.cidr.prefixLength === other.cidr.prefixLength
  }
  toString(): string {
    return `${ipText(this.cidr.address)}/${this.cidr.prefixLength}`
  }
}

/** Zones and IPv4-mapped addresses are rejected. */
function parseAddress(text: string): IpValue {
  const fault = addressFault(text)
  if (fault !== undefined) throw new CelError(`IP Address ${goQuote(text)} parse error during conversion from string: ${fault}`)
  if (text.includes('%')) throw new CelError(`IP address ${goQuote(text)} with zone value is not allowed`)
  const ip = parseIp(text)
  if (!ip?.standard) throw new CelError(mapped(text))
  return new IpValue(ip)
}

function parseNetwork(text: string): CidrValue {
  const place = 'network address parse error during conversion from string: '
  const fault = prefixFault(text)
  if (fault !== undefined) throw new CelError(`${place}${place}${fault}`)
  const cidr = parseCidr(text)
  if (!cidr?.address.standard) throw new CelError(`${place}${mapped(text)}`)
  return new CidrValue(cidr)
}

const mapped = (text: string): string => `IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`

const succeeds = (f: (text: string) => unknown) => (text: string) => {
  try {
    f(text)
    return true
  } catch {
    return false
  }
}

type Test = (b: readonly number[]) => boolean
const v4 = (b: readonly number[]) => b.length === 4
const isUnspecified: Test = (b) => b.every((x) => x === 0)
const isLoopback: Test = (b) => (v4(b) ? b[0] === 127 : b.slice(0, 15).every((x) => x === 0) && b[15] === 1)
const isLinkLocalMulticast: Test = (b) => (v4(b) ? b[0] === 224 && b[1] === 0 && b[2] === 0 : b[0] === 0xff && ((b[1] ?? 0) & 15) === 2)
const isLinkLocalUnicast: Test = (b) => (v4(b) ? b[0] === 169 && b[1] === 254 : b[0] === 0xfe && ((b[1] ?? 0) & 0xc0) === 0x80)
const isMulticast: Test = (b) => (v4(b) ? ((b[0] ?? 0) & 0xf0) === 0xe0 : b[0] === 0xff)
const isGlobalUnicast: Test = (b) =>
  !(v4(b) && b.every((x) => x === 255)) && !isUnspecified(b) && !isLoopback(b) && !isMulticast(b) && !isLinkLocalUnicast(b)

const ask = (name: string, test: Test) => [member(`ip_${name}`, [IP], BOOL, (v: IpValue) => test(v.ip.bytes))]

const within = (outer: CidrValue, inner: CidrValue) =>
  outer.cidr.address.bytes.length === inner.cidr.address.bytes.length &&
  inner.cidr.prefixLength >= outer.cidr.prefixLength &&
  cidrContains(outer.cidr, inner.cidr.address)

const parsing = perCharacter(0)

const parsingIp: FunctionCost = {
  estimate: (args, overload) => (overload === 'cidr_ip' ? undefined : parsing.estimate?.(args, overload)),
  actual: (args, result, overload) => (overload === 'cidr_ip' ? 1 : (parsing.actual?.(args, result, overload) ?? 1)),
}

const ADDRESS_BYTES: Range = { min: 4, max: 16 }
const BITS_PER_BYTE = 8

/** `containsIP` and `containsCIDR`: the bytes of two addresses are compared, those of a network are masked before; a text is read. */
const containing = (readsText: string, masks: boolean): FunctionCost => ({
  estimate: ([, other], overload) => {
    const compared = scaled(plus(ADDRESS_BYTES, ADDRESS_BYTES), COST.traversal)
    const masked = masks ? plus(scaled(ADDRESS_BYTES, COST.traversal), exactly(1)) : exactly(0)
    const read = overload === readsText ? scaled(other?.size ?? ANY, COST.traversal) : exactly(0)
    return { cost: plus(plus(compared, masked), read) }
  },
  actual: ([network, other], _result, overload) => {
    const bytes = network instanceof CidrValue ? Math.ceil(network.cidr.prefixLength / BITS_PER_BYTE) : 0
    const masked = masks ? Math.ceil(bytes * COST.traversal) + 1 : 0
    return Math.ceil(2 * bytes * COST.traversal) + masked + (overload === readsText ? traversed(other) : 0)
  },
})

/** `ip`, `isIP`, `cidr`, `isCIDR`, the methods of addresses and networks, and their types `net.IP` and `net.CIDR`. */
export const NETWORK: Library = {
  constants: {
    'net.IP': { type: typeOf(IP), value: new TypeValue('net.IP') },
    'net.CIDR': { type: typeOf(CIDR), value: new TypeValue('net.CIDR') },
  },
  functions: {
    ip: [
      overload('string_to_ip', [STRING], IP, parseAddress),
      member('cidr_ip', [CIDR], IP, (c: CidrValue) => new IpValue(c.cidr.address)),
    ],
    isIP: [overload('is_ip', [STRING], BOOL, succeeds(parseAddress))],
    'ip.isCanonical': [overload('ip_is_canonical', [STRING], BOOL, (text: string) => parseAddress(text).toString() === text)],
    family: [member('ip_family', [IP], INT, (v: IpValue) => (v4(v.ip.bytes) ? 4n : 6n))],
    isUnspecified: ask('is_unspecified', isUnspecified),
    isLoopback: ask('is_loopback', isLoopback),
    isLinkLocalMulticast: ask('is_link_local_multicast', isLinkLocalMulticast),
    isLinkLocalUnicast: ask('is_link_local_unicast', isLinkLocalUnicast),
    isGlobalUnicast: ask('is_global_unicast', isGlobalUnicast),
    cidr: [overload('string_to_cidr', [STRING], CIDR, parseNetwork)],
    isCIDR: [overload('is_cidr', [STRING], BOOL, succeeds(parseNetwork))],
    containsIP: [
      member('cidr_contains_ip_ip', [CIDR, IP], BOOL, (c: CidrValue, i: IpValue) => cidrContains(c.cidr, i.ip)),
      member('cidr_contains_ip_string', [CIDR, STRING], BOOL, (c: CidrValue, i: string) => {
        // Kubernetes loses the fault of the text on the way.
        if (!succeeds(parseAddress)(i)) throw new CelError(NO_OVERLOAD)
        return cidrContains(c.cidr, parseAddress(i).ip)
      }),
    ],
    containsCIDR: [
      member('cidr_contains_cidr', [CIDR, CIDR], BOOL, within),
      member('cidr_contains_cidr_string', [CIDR, STRING], BOOL, (c: CidrValue, other: string) => within(c, parseNetwork(other))),
    ],
    masked: [
      member(
        'cidr_masked',
        [CIDR],
        CIDR,
        (c: CidrValue) => new CidrValue({ address: networkOf(c.cidr), prefixLength: c.cidr.prefixLength }),
      ),
    ],
    prefixLength: [member('cidr_prefix_length', [CIDR], INT, (c: CidrValue) => BigInt(c.cidr.prefixLength))],
    string: [
      overload('ip_to_string', [IP], STRING, (v: IpValue) => v.toString()),
      overload('cidr_to_string', [CIDR], STRING, (v: CidrValue) => v.toString()),
    ],
  },
  costs: {
    ip: parsingIp,
    cidr: parsing,
    isIP: parsing,
    isCIDR: parsing,
    'ip.isCanonical': perCharacter(0, { factor: 2 }),
    containsIP: containing('cidr_contains_ip_string', false),
    containsCIDR: containing('cidr_contains_cidr_string', true),
  },
}
